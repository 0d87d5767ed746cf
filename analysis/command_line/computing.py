"""Commands that compute a study: its numbers, its report, and whether a publication holds."""

from __future__ import annotations

from typing import Annotated

import typer

from analysis.command_line.options import (
    DataOption,
    EditionOption,
    EngineOption,
    JsonOption,
    OutOption,
    QuietOption,
    SetOption,
    StudyArgument,
    ToOption,
)
from analysis.command_line.saying import complain, formats, say, tell
from analysis.errors import MismatchError, UsageError


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
    say(summary, as_json=as_json, quiet=quiet)


def report(
    study: StudyArgument,
    *,
    data: DataOption = None,
    out: OutOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    to: ToOption = "html,pdf",
    engine: EngineOption = "auto",
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Until Ctrl+C, render again when the narrative changes, compute again when study file or data do.",
        ),
    ] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Compute a study and render its report.

    The narrative is report/index.qmd beside the study file: yours to edit, and never overwritten.

    Example: tallybook report wang2025 --to html,pdf,docx
    """
    from analysis import commands

    if watch:
        if as_json:
            raise UsageError("--watch tells people what it does; it prints no JSON")
        from analysis import watching

        wanted = watching.Wanted(study, data, out, edition, settings or [], formats(to), engine, quiet)
        watching.watch(wanted, say=tell(quiet=quiet), complain=complain)
        return

    summary = commands.report(
        study,
        data=data,
        out=out,
        edition=edition,
        settings=settings or [],
        formats=formats(to),
        engine=engine,
        quiet=quiet,
    )
    say(summary, as_json=as_json, quiet=quiet)


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
        formats=formats(to),
        engine=engine,
        quiet=quiet,
        needs_published=True,
    )
    say(summary, as_json=as_json, quiet=quiet)
    mismatches = summary["comparison"]["mismatch"]
    if violated := summary.get("checks", {}).get("violated", 0):
        raise MismatchError(f"{violated} checks of printed tables are violated; see {summary['out']}/checks.csv")
    if mismatches:
        raise MismatchError(f"{mismatches} published numbers differ; see {summary['out']}/comparison.csv")


def numbers(
    study: StudyArgument,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="Only addresses with all of these words in them.")
    ] = None,
    *,
    data: DataOption = None,
    edition: EditionOption = None,
    settings: SetOption = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """List the numbers that a report's text can name.

    Each line is an address and what stands there. In the narrative, {{< var ADDRESS >}} is that phrase; with another
    last part than apa it is a part of it: estimate, ci, n, statistic, df, p, effect, effect_ci.

    Example: tallybook numbers bai2025 t_published gpt-4
    """
    from analysis import commands

    summary = commands.numbers(study, words or [], data=data, edition=edition, settings=settings or [], quiet=quiet)
    say(summary, as_json=as_json, quiet=False)
