"""The command line. Each command reads its arguments, calls the library and says what came of it."""

from __future__ import annotations

import json
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from analysis.errors import EXTRAS, MismatchError, MissingExtraError, TallybookError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

app = typer.Typer(
    name="tallybook",
    help="From dumps of model responses to validated data, exact statistics and publication-ready tables.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

StudyArgument = Annotated[str, typer.Argument(help="A study file, its folder, or the name of a published study.")]
DataOption = Annotated[
    Path | None, typer.Option("--data", help="The data folder. By default the study's own (bundled) data.")
]
OutOption = Annotated[
    Path | None, typer.Option("--out", help="The output folder, replaced as a whole. By default out/NAME.")
]
EditionOption = Annotated[
    str | None, typer.Option("--edition", help="Which edition of the data to read, where a study declares several.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help="Change a setting of the study file; may be repeated. `analyses.*.alpha=0.01` changes it wherever it is.",
    ),
]
QuietOption = Annotated[bool, typer.Option("--quiet", "-q", help="No progress, no warnings and no summary.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")]
ToOption = Annotated[str, typer.Option("--to", metavar="FORMATS", help="Formats, joined by commas: html, pdf, docx.")]
EngineOption = Annotated[
    str, typer.Option("--engine", help="auto, quarto or embedded; auto takes Quarto where it is installed.")
]


@app.command()
def init(
    dump: Annotated[list[Path], typer.Argument(help="Files and folders of responses, in any format that is read.")],
    *,
    out: Annotated[Path, typer.Option("--out", help="Where the study is written.")] = Path(),
    name: Annotated[str | None, typer.Option("--name", help="The study's name; by default the dump's.")] = None,
    instrument: Annotated[
        str | None,
        typer.Option(
            "--instrument",
            help="How texts are read: attribute-choice, word-association, absolute-decision, relative-decision or "
            "profile. By default each is tried.",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="ROLE=COLUMN",
            help="Which column is what: text, prompt, model, item, sample, status, factors, labels or scores; may be "
            "repeated. `factors=gender,race` names several, `model=` none.",
        ),
    ] = None,
    published: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Replicate this published study; see `tallybook studies`."),
    ] = None,
    released: Annotated[
        Path | None,
        typer.Option("--released", help="With --from: its released data, for prompts and lists that the dump lacks."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier start.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing.")] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Look at a dump and write a study.

    Says what the dump holds, and writes study.toml (with comments, to be changed), a schema of the data, the sources of
    a report and a snippet for continuous integration. `tallybook run` and `tallybook report` work at once.
    On a terminal it asks what it cannot know.

    With --from, the study is a published one's, for new responses: laid out like the released ones, or records whose
    columns are called like theirs (or told: --set COLUMN=COLUMN, --set COLUMN==VALUE). The published responses are
    copied beside it, and tables and figures show both.

    Example: tallybook init answers.csv --set factors=gender,race

    Example: tallybook init my_responses/ --from wang2025 --out replication
    """
    from analysis import commands

    if published is not None:
        if instrument is not None:
            raise UsageError("--instrument: the published study says how texts are read")
        summary = commands.replicate(
            published,
            dump,
            out=out,
            name=name,
            settings=settings or [],
            released=released,
            force=force,
            quiet=quiet,
        )
        _say(summary, as_json=as_json, quiet=quiet)
        return
    if released is not None:
        raise UsageError("--released needs --from")
    summary = commands.init(
        dump,
        out=out,
        name=name,
        instrument=instrument,
        settings=settings or [],
        force=force,
        ask=None if yes or not (sys.stdin.isatty() and sys.stdout.isatty()) else _ask,
        quiet=quiet,
    )
    _say(summary, as_json=as_json, quiet=quiet)


@app.command()
def studies(*, as_json: JsonOption = False) -> None:
    """List the published studies.

    Says of each what it is, which models answered, what is bundled, and how to get the data that its authors released.

    Example: tallybook studies --json
    """
    from analysis.releases.catalogue import catalogue, catalogue_text

    entries = catalogue()
    typer.echo(json.dumps(entries, indent=2, ensure_ascii=False) if as_json else catalogue_text(entries))


@app.command()
def fetch(
    name: Annotated[str, typer.Argument(help="A published study, for instance wang2025.")],
    *,
    out: Annotated[Path | None, typer.Option("--out", help="The folder for the files. By default data/NAME.")] = None,
    source: Annotated[
        Path | None,
        typer.Option("--from", help="Copy them from this folder instead: a copy of them, or of the repository."),
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Only check the files that are there.")] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Download a published study's released data.

    From the authors' repository at the commit behind the paper; every file is held against its SHA-256, and put in its
    place whole or not at all. What is there already stays; a download that broke off is taken up by the next run.
    Exits with 1 if a file is another than was released, 2 if it cannot be had.

    Example: tallybook fetch wang2025 --out released/
    """
    from analysis import commands

    _say(commands.fetch(name, out=out, source=source, check=check, quiet=quiet), as_json=as_json, quiet=quiet)


@app.command()
def run(
    study: StudyArgument,
    *,
    data: DataOption = None,
    out: OutOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    numbers_only: Annotated[
        bool, typer.Option("--numbers-only", help="Only the numbers: no rendered tables, figures or report sources.")
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute a study's numbers, tables, figures.

    The output folder holds tables.csv (every printed number), estimates.csv, tables/, figures/ and, for a published
    study, comparison.csv.

    Example: tallybook run wang2025 --data released/ --out out/wang
    """
    from analysis import commands

    summary = commands.run(
        study, data=data, out=out, edition=edition, settings=settings or [], numbers_only=numbers_only, quiet=quiet
    )
    _say(summary, as_json=as_json, quiet=quiet)


@app.command()
def report(
    study: StudyArgument,
    *,
    data: DataOption = None,
    out: OutOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    to: ToOption = "html,pdf",
    engine: EngineOption = "auto",
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute a study and render its report.

    Example: tallybook report wang2025 --to html,pdf,docx
    """
    from analysis import commands

    summary = commands.report(
        study,
        data=data,
        out=out,
        edition=edition,
        settings=settings or [],
        formats=_formats(to),
        engine=engine,
        quiet=quiet,
    )
    _say(summary, as_json=as_json, quiet=quiet)


@app.command()
def reproduce(
    name: Annotated[str, typer.Argument(help="A published study, for instance wang2025.")],
    *,
    data: DataOption = None,
    out: OutOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    to: ToOption = "html,pdf",
    engine: EngineOption = "auto",
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Regenerate a published study and compare.

    Computes the study, compares it with the published values and renders the report.
    Exits with 1 if a published number differs and no declared erratum says why.

    Example: tallybook reproduce wang2025
    """
    from analysis import commands

    summary = commands.report(
        name,
        data=data,
        out=out,
        edition=edition,
        settings=settings or [],
        formats=_formats(to),
        engine=engine,
        quiet=quiet,
        needs_published=True,
    )
    _say(summary, as_json=as_json, quiet=quiet)
    mismatches = summary["comparison"]["mismatch"]
    if violated := summary.get("checks", {}).get("violated", 0):
        raise MismatchError(f"{violated} checks of printed tables are violated; see {summary['out']}/checks.csv")
    if mismatches:
        raise MismatchError(f"{mismatches} published numbers differ; see {summary['out']}/comparison.csv")


@app.command()
def validate(
    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="TARGETS",
            help="A study file, its folder, or the name of a published study; with --schema, files in any format.",
        ),
    ],
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
            "a file (schema.json: JSON Schema, Table Schema or pandera's; .yaml: pandera's), or Python that is run "
            "since you name it (file.py:Model, package.module:Model).",
        ),
    ] = None,
    fail_on: Annotated[
        str, typer.Option("--fail-on", metavar="error|warning", help="From what on data are invalid.")
    ] = "error",
    form: Annotated[
        str | None,
        typer.Option("--format", metavar="FORMAT", help="text, json, jsonl, github, junit, sarif or markdown."),
    ] = None,
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
    quarantine: Annotated[
        Path | None,
        typer.Option("--quarantine", metavar="DIR", help="A folder for the good and the bad rows, as they stand."),
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Check a study's data, or files against a schema.

    Files, keys, columns, values, factors, duplicates, labels and the checks of the study file; all is told in one run.
    Exits with 0 if the data are valid, 1 if not, 2 if they could not be checked.

    Example: tallybook validate wang2025 --data released/ -o results.xml --failures failures.csv
    """
    from analysis.validation.command import validate as check

    ended = check(
        targets,
        schema=schema,
        data=data,
        edition=edition,
        settings=settings or [],
        fail_on=fail_on,
        form="json" if as_json and form is None else form,
        outputs=output or [],
        failures=failures,
        quarantine=quarantine,
        quiet=quiet,
    )
    if ended.output:
        typer.echo(ended.output)
    if ended.exit_code:
        raise typer.Exit(ended.exit_code)


@app.command()
def bundle(
    study: StudyArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write: .csv or .parquet.")],
    data: DataOption = None,
    edition: EditionOption = None,
    quiet: QuietOption = False,
) -> None:
    """Write coded responses without texts.

    Equal rows are collapsed and counted: the file gives the same tables as the dump, to the last digit.

    Example: tallybook bundle wang2025 --data released/ -o coded_responses.csv
    """
    from analysis import commands

    _say(commands.bundle(study, output=output, data=data, edition=edition, quiet=quiet), as_json=False, quiet=quiet)


@app.command()
def uncoded(
    study: StudyArgument,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The CSV file to write; it must not exist.")],
    data: DataOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    sample: Annotated[
        int,
        typer.Option(
            "--sample", min=0, metavar="N", help="Also N others, drawn at random: to see how far the rules are right."
        ),
    ] = 0,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write a sheet for coding by hand.

    It holds the responses that the rules could not code, with blank columns for their codes. With `[overrides]` in the
    study file, the codes win over the rules.

    Example: tallybook uncoded study.toml -o hand_codes.csv --sample 100
    """
    from analysis import commands

    summary = commands.uncoded(
        study, output=output, data=data, edition=edition, settings=settings or [], sample=sample, quiet=quiet
    )
    _say(summary, as_json=as_json, quiet=quiet)


@app.command()
def schema(
    name: Annotated[str | None, typer.Argument(help="A frame or 'study'; without one, the names are listed.")] = None,
    *,
    form: Annotated[
        str, typer.Option("--form", metavar="FORM", help="json-schema, or table-schema for a frame.")
    ] = "json-schema",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The file to write.")] = None,
) -> None:
    """Export a schema as JSON Schema or Table Schema.

    A frame's JSON Schema describes one of its rows, its Table Schema a file of them.

    Example: tallybook schema responses --form table-schema
    """
    from schemas.export import NAMES, json_schema
    from schemas.table_schema import frame_table_schema

    if name is None:
        typer.echo("\n".join(NAMES))
        return
    if name not in NAMES:
        from analysis.untrusted import printable

        raise UsageError(f"no schema {printable(name)}; there are {', '.join(NAMES)}")
    if form not in {"json-schema", "table-schema"} or (form == "table-schema" and name == "study"):
        raise UsageError(f"--form {form}: expected json-schema, or table-schema for what is a table")
    content = json_schema(name) if form == "json-schema" else frame_table_schema(name)
    text = json.dumps(content, indent=2, ensure_ascii=False) + "\n"
    if output is None:
        typer.echo(text, nl=False)
        return
    from analysis.output import write_text

    write_text(output, text)


@app.command()
def simulate(
    instrument: Annotated[
        str,
        typer.Argument(help="profile, attribute-choice, word-association, relative-decision or absolute-decision."),
    ],
    *,
    rows: Annotated[int, typer.Option("--rows", "-n", help="How many responses, over all models and groups.")] = 10_000,
    seed: Annotated[
        int, typer.Option("--seed", help="Where every random number starts: the same, the same files.")
    ] = 0,
    models: Annotated[int, typer.Option("--models", help="How many models.")] = 3,
    effect: Annotated[
        str,
        typer.Option(
            "--effect",
            metavar="E",
            help="How much more often the stereotype is followed than not, -1 to 1; or one for each model: 0,0.1,0.2.",
        ),
    ] = "0.2",
    refusals: Annotated[float, typer.Option("--refusals", metavar="SHARE", help="The share of refusals.")] = 0.05,
    malformed: Annotated[
        float, typer.Option("--malformed", metavar="SHARE", help="The share of broken, empty and off-topic texts.")
    ] = 0.03,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder, an earlier one is replaced. By default simulated/INSTRUMENT."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Instead: a file for the responses, without truth and study.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl or parquet; by default as the file's suffix says.")
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write made-up responses with known truth.

    No model is called. The folder holds the responses, in the many forms in which models write them; the truth of each
    (status, outcome, form); parameters.csv, the values that estimates should come close to; and a study.toml that
    validate, run and report take at once.

    Example: tallybook simulate word-association --rows 2000 --seed 1 --effect 0.1 --out demo
    """
    from analysis.simulate.command import simulate as write

    summary = write(
        instrument,
        rows=rows,
        seed=seed,
        models=models,
        effect=effect,
        refusals=refusals,
        malformed=malformed,
        out=out,
        output=output,
        form=form,
        quiet=quiet,
    )
    _say(summary, as_json=as_json, quiet=quiet)


@app.callback(invoke_without_command=True)
def _program(  # pyright: ignore[reportUnusedFunction]  typer calls it
    *, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"tallybook {installed('tallybook')}")
        raise typer.Exit


def _formats(text: str) -> list[str]:
    formats = list(dict.fromkeys(part.strip() for part in text.split(",")))
    known = ("html", "pdf", "docx")
    for name in formats:
        if name not in known:
            raise UsageError(f"--to {text}: no format {name!r}; there are {', '.join(known)}")
    return formats


def _ask(question: str, columns: Sequence[str]) -> str:
    """Ask for one of several columns, or none."""
    from analysis.untrusted import printable

    shown = "".join(f"\n  {place}. {printable(column)}" for place, column in enumerate(columns, start=1))
    while True:
        place = int(typer.prompt(f"{question}\n  0. none{shown}\nNumber", type=int))
        if 0 <= place <= len(columns):
            return columns[place - 1] if place else ""
        typer.echo(f"a number from 0 to {len(columns)}", err=True)


def _say(summary: dict[str, Any], *, as_json: bool, quiet: bool) -> None:
    if not quiet and summary["warnings"]:
        typer.echo("\n".join(summary["warnings"]), err=True)
    if as_json:
        results = {key: value for key, value in summary.items() if key not in {"text", "warnings"}}
        typer.echo(json.dumps(results, indent=2))
    elif not quiet:
        typer.echo(summary["text"])


def main() -> None:
    """Run the command line: errors that a user can meet end with a message and their exit code, not a traceback."""
    # Being told to end is a way out like any other: what is temporary may be large, and is removed.
    earlier = signal.signal(signal.SIGTERM, _end)
    try:
        app(standalone_mode=True)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        _fail(MissingExtraError(package, EXTRAS[package]))
    except TallybookError as error:
        _fail(error)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception:  # noqa: BLE001  a fault of the program is not the verdict that data are invalid, which is 1
        traceback.print_exc()
        sys.exit(2)
    finally:
        signal.signal(signal.SIGTERM, earlier)


def _end(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _fail(error: TallybookError) -> NoReturn:
    print(f"tallybook: {error}", file=sys.stderr)  # noqa: T201
    sys.exit(error.exit_code)
