"""Commands that examine results: audits of printed tables, responses behind a number, reporting checklists."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from tallybook.cli.options import STUDY, QuietOption, Wanted, of_study
from tallybook.cli.output import end
from tallybook.core.errors import UsageError


def audit(
    tables: Annotated[
        list[Path], typer.Argument(metavar="TABLE", help="Files: .csv, .tsv, .md, .qmd, .tex, .html, .docx.")
    ],
    *,
    roles: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="ROLE=COLUMN",
            help="The role of a column whose header does not name it; may be repeated. Roles: n, n1, n2, count, "
            "percent, proportion, mean, sd, se, estimate, odds_ratio, ci_low, ci_high, t, f, chi2, z, r, df, df2, p, "
            "d; name and value for a table with one number a row; label or ignore for what is not to be checked.",
        ),
    ] = None,
    values: Annotated[
        str | None,
        typer.Option(
            "--values",
            metavar="whole|binary|continuous",
            help="The values that a response can have. By default whole numbers (ratings), and zeros and ones where "
            "most means and deviations of a table fit these.",
        ),
    ] = None,
    items: Annotated[int, typer.Option("--items", min=1, help="Items that each response's value is the mean of.")] = 1,
    scale: Annotated[
        str | None, typer.Option("--scale", metavar="LOW:HIGH", help="The smallest and the largest possible value.")
    ] = None,
    truncated: Annotated[
        bool, typer.Option("--truncated", help="Numbers were cut off after their last digit, not rounded.")
    ] = False,
    level: Annotated[float, typer.Option("--level", min=0.5, max=0.999, help="The level of intervals.")] = 0.95,
    one_sided: Annotated[bool, typer.Option("--one-sided", help="p values may be one-sided.")] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="impossible|unlikely|rounding",
            help="The least severe finding that makes the command exit with 1.",
        ),
    ] = "impossible",
    output: Annotated[
        list[Path] | None,
        typer.Option("--output", "-o", help="A file for every check made: .csv, .json or .parquet; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as JSON.")] = False,
    quiet: QuietOption = False,
) -> None:
    """Check printed tables without the data behind them.

    Means and deviations against n (GRIM, GRIMMER, DEBIT), shares against n and counts, totals, p against t, F,
    chi-squared, z and r, stars against p, intervals against estimates and errors, odds ratios against coefficients,
    effect sizes against t, tests reported in the text. A number is taken as known up to its rounding: `impossible` is
    only what no numbers that are printed so can be.

    Exits with 0 if nothing is impossible, 1 if something is, 2 if a file cannot be read.

    Example: tallybook audit paper.docx

    Example: tallybook audit table2.csv --set mean=Rating --set n=N --scale 1:7 -o findings.csv
    """
    from tallybook.published.audit.settings import Settings
    from tallybook.published.audit_files.auditing import run

    if values is not None and values not in {"whole", "binary", "continuous"}:
        raise UsageError(f"--values {values}: expected whole, binary or continuous")
    end(
        run(
            tables,
            settings=Settings(values, items, _scale(scale), truncated, level, one_sided),  # pyright: ignore[reportArgumentType]
            roles=roles or [],
            fail_on=fail_on,
            outputs=output or [],
            as_json=as_json,
            quiet=quiet,
        )
    )


@of_study("data", "edition", "settings", "quiet", "as_json", study=STUDY)
def trace(
    wanted: Wanted,
    number: Annotated[
        str,
        typer.Argument(
            metavar="NUMBER", help="The number: 'table 3, Black, yes', or an address that `tallybook numbers` lists."
        ),
    ],
    *,
    sample: Annotated[int, typer.Option("--sample", min=0, help="How many of the responses to show.")] = 10,
    seed: Annotated[int, typer.Option("--seed", help="The seed of their random choice.")] = 0,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="A file to write: .html, .json, .txt, or .csv (all responses)."),
    ] = None,
) -> None:
    """Show the responses behind a number.

    Says which estimate the number is, by which conventions it was computed, how many responses of each status and code
    are behind it, and shows some of these with file, line, code, the rule that read them, and text.

    Example: tallybook trace study.toml "table 2, Black, yes" --sample 20 --seed 1
    """
    from tallybook.core.output import csv_text, write_text
    from tallybook.report import trace as tracing

    if output is not None and output.suffix not in {".html", ".json", ".txt", ".csv"}:
        raise UsageError(f"-o {output}: expected .html, .json, .txt or .csv")
    with wanted.computed() as results:
        found = tracing.trace(results.loaded.study, results.estimates, results.source.rows, number)
        some = tracing.sampled(found.responses, sample, seed)
        match output.suffix if output is not None else ".json" if wanted.as_json else ".txt":
            case ".html":
                text = tracing.as_html(found, some)
            case ".json":
                shown = {
                    "number": found.number,
                    "estimate": found.estimate,
                    "conventions": found.conventions,
                    "counts": found.counts.to_dicts(),
                    "responses": some.to_dicts(),
                }
                text = json.dumps(shown, indent=2, ensure_ascii=False) + "\n"
            case ".csv":
                text = csv_text(found.responses.collect())
            case _:
                text = tracing.as_text(found, some) + "\n"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)


@of_study("data", "edition", "settings", "quiet", study=STUDY)
def checklist(
    wanted: Wanted,
    *,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A Markdown file to write.")] = None,
) -> None:
    """Answer reporting checklists from a study.

    ARR Responsible NLP, NeurIPS, TRIPOD-LLM and STROBE: each item that the study file, its data and its estimates
    answer, with the sentence, the numbers and where they come from. What they cannot know is left open by name;
    [checklist] in the study file answers it. A report includes the same by _generated/checklist.qmd.

    Example: tallybook checklist study.toml -o checklist.md
    """
    from tallybook.core.markdown import literal
    from tallybook.core.output import write_text
    from tallybook.report import manifest
    from tallybook.report.checklist import checklist as answered
    from tallybook.report.manifest import provenance

    with wanted.computed() as results:
        content = {"versions": manifest.versions(), **provenance(results)}
        text = f"# Checklists: {literal(results.loaded.study.title)}\n\n{answered(results, content)}"
    if output is None:
        typer.echo(text, nl=False)
    else:
        write_text(output, text)


def _scale(text: str | None) -> tuple[int, int] | None:
    if text is None:
        return None
    low, _, high = text.partition(":")
    try:
        scale = int(low), int(high)
    except ValueError:
        scale = (0, 0)
    if scale[0] >= scale[1]:
        raise UsageError(f"--scale {text}: expected two whole numbers, the smaller first, such as 1:7")
    return scale
