"""Commands for data: validation, bundles without texts, sheets for coding by hand, and schemas."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from tallybook.cli.options import (
    DataOption,
    EditionOption,
    FormatOption,
    JsonOption,
    QuietOption,
    SetOption,
    Wanted,
    of_study,
)
from tallybook.cli.output import Summary, end
from tallybook.core.errors import UsageError


def validate(
    targets: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="TARGETS",
            help="A study file, its folder, or the name of a published study, by default this folder; with --schema, "
            "files in any format, folders of them, and - for standard input.",
        ),
    ] = None,
    *,
    data: DataOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    schema: Annotated[
        str | None,
        typer.Option(
            "--schema",
            "-s",
            metavar="NAME",
            help="Validate files, not a study: against a frame (responses, coded-responses, references, tallies, ...), "
            "an instrument (attribute-choice; coded-attribute-choice), a file (schema.json: JSON Schema or Table "
            "Schema), or Python that is run since you name it (file.py:Model, "
            "package.module:Model). `tallybook schema` lists the names.",
        ),
    ] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="error|warning", help="The least severity that makes data invalid.")
    ] = "error",
    form: FormatOption = None,
    output: Annotated[
        list[Path] | None,
        typer.Option(
            "--output",
            "-o",
            help="A file to write; may be repeated. Its suffix says the format: .txt, .json, .jsonl, .xml (JUnit), "
            ".sarif, .md.",
        ),
    ] = None,
    failures: Annotated[
        Path | None, typer.Option("--failures", help="A table of every failure: .parquet, .csv or .jsonl.")
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a study's data, or files against a schema.

    One run reports all faults: files, keys, columns, values, factors, duplicates, labels, and the study file's checks.
    Exits with 0 if the data are valid, 1 if not, 2 if they could not be checked.

    Example: tallybook validate wang2025 --data released/ -o results.xml --failures failures.csv
    """
    from tallybook.validation.command import validate as check

    if not targets and schema is not None:
        raise UsageError("--schema validates files: name them, or their folder")
    with ExitStack() as stack:
        named = targets or ["."]
        if "-" in named:
            from tallybook.cli.output import with_standard_input

            if schema is None:
                raise UsageError("-: standard input is validated with --schema NAME")
            folder = stack.enter_context(TemporaryDirectory(prefix="tallybook-"))
            named = [str(path) for path in with_standard_input([Path(one) for one in named], Path(folder))]
        ended = check(
            named,
            schema=schema,
            data=data,
            edition=edition,
            settings=settings or [],
            fail_on=fail_on,
            form="json" if as_json and form is None else form,
            outputs=output or [],
            failures=failures,
            quiet=quiet,
        )
    end(ended)


@of_study("data", "edition", "quiet")
def bundle(
    wanted: Wanted,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write: .csv or .parquet.")],
) -> Summary:
    """Write coded responses without texts.

    Equal rows are collapsed and counted: the file gives the same tables as the dump, to the last digit.

    Example: tallybook bundle wang2025 --data released/ -o coded_responses.csv
    """
    from tallybook.cli.commands import writing

    return writing.bundle(wanted, output)


@of_study("data", "edition", "settings", "quiet", "as_json")
def uncoded(
    wanted: Wanted,
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The CSV file to write; it must not exist. Without it texts are listed."),
    ] = None,
    sample: Annotated[
        int,
        typer.Option(
            "--sample",
            min=0,
            metavar="N",
            help="Also N coded responses, drawn at random, to measure how often the rules are right.",
        ),
    ] = 0,
) -> Summary:
    """List uncoded responses, for coding by hand.

    The list has each different text once, with its count. The sheet has blank columns for codes; with `[overrides]` in
    the study file, they win over the rules.

    Example: tallybook uncoded study.toml -o hand_codes.csv --sample 100
    """
    from tallybook.cli.commands import writing

    return writing.uncoded(wanted, output, sample)


def schema(
    name: Annotated[
        str | None,
        typer.Argument(metavar="NAME", help="A frame, an instrument, or 'study'. Without a name, all are listed."),
    ] = None,
    *,
    form: Annotated[str, typer.Option("--form", help="json-schema, or table-schema for tables.")] = "json-schema",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")] = None,
) -> None:
    """Export a schema.

    The names are those that `tallybook validate FILES -s NAME` knows. A JSON Schema describes one row, a Table Schema a
    file of them. `tallybook init` writes the schema of a dump.

    Example: tallybook schema responses --form table-schema
    """
    from tallybook.cli.commands import schema
    from tallybook.core.output import write_text

    if name is None:
        typer.echo(schema.listing())
        return
    text = json.dumps(schema.exported(name, form), indent=2, ensure_ascii=False) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)
