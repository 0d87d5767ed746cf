"""Commands that compute a study: its numbers, its report, and comparisons with published or committed results."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from tallybook.cli.options import (
    PUBLISHED,
    STUDY,
    EngineOption,
    NumbersOnlyOption,
    ToOption,
    TrustOption,
    Wanted,
    of_study,
)
from tallybook.cli.output import Summary, formats, say
from tallybook.core.errors import DataError, MismatchError, UsageError


@of_study("data", "out", "edition", "settings", "quiet", "as_json")
def run(
    wanted: Wanted,
    *,
    numbers_only: NumbersOnlyOption = False,
    responses: Annotated[
        bool,
        typer.Option(
            "--responses",
            help="Write responses.parquet however large the dump is; with --numbers-only it is otherwise written for "
            "at most 1,000,000 responses.",
        ),
    ] = False,
) -> Summary:
    """Compute a study's numbers, tables, figures.

    The output folder holds tables.csv (every printed number), estimates.csv, tables/, figures/ and, for a published
    study, comparison.csv.

    Example: tallybook run wang2025 --data released/ --out out/wang
    """
    from tallybook.cli.commands import computing

    return computing.run(wanted, numbers_only=numbers_only, responses=responses)


@of_study("data", "out", "edition", "settings", "quiet", "as_json")
def report(
    wanted: Wanted,
    *,
    to: ToOption = None,
    engine: EngineOption = "auto",
    trust: TrustOption = False,
    watch: Annotated[
        bool,
        typer.Option(
            "--watch",
            help="Until Ctrl+C, render again when the narrative changes, compute again when study file or data do.",
        ),
    ] = False,
    render_only: Annotated[
        bool,
        typer.Option(
            "--render-only",
            help="Compute nothing: render the output folder's report again, with the narrative as it is now.",
        ),
    ] = False,
    anonymous: Annotated[
        bool, typer.Option("--anonymous", help="A copy for review: no authors, and the lines of PDF and Word numbered.")
    ] = False,
    template: Annotated[
        str, typer.Option("--template", help="The form of PDF and Word: acl, apa, elsevier or neurips.")
    ] = "",
    csl: Annotated[str, typer.Option("--csl", help="The style of references by its name, such as apa or ieee.")] = "",
    project: Annotated[
        str, typer.Option("--project", help="By Quarto, also a project of its kinds: website, manuscript or book.")
    ] = "",
) -> Summary | None:
    """Compute a study and render its report.

    The narrative is report/index.qmd beside the study file: yours to edit, and never overwritten. If nothing else has
    changed since the last report, the numbers are not computed again (with --json they are).

    Example: tallybook report wang2025 --to html,pdf,docx
    """
    from tallybook.cli.commands import computing

    if watch and wanted.as_json:
        raise UsageError("--watch tells people what it does; it prints no JSON")
    settings = [*(wanted.settings or []), *(["style.anonymous=true"] if anonymous else [])]
    settings += [f"style.template={template}"] if template else []
    settings += [f"style.csl={csl}"] if csl else []
    if render_only and (watch or wanted.data is not None or wanted.edition is not None or settings):
        raise UsageError("--render-only computes nothing: it takes no --watch, --data, --edition and no settings")
    to = [*(to or ["html"]), project] if project else to
    wanted = replace(wanted, settings=settings, formats=formats(to), engine=engine, trust=trust)
    if watch:
        from tallybook.cli.commands import watching

        watching.watch(wanted)
        return None
    return computing.report_again(wanted) if render_only else computing.report(wanted, anew=wanted.as_json)


@of_study("data", "out", "edition", "settings", "quiet", "as_json", study=PUBLISHED)
def reproduce(
    wanted: Wanted,
    *,
    to: ToOption = None,
    engine: EngineOption = "auto",
    trust: TrustOption = False,
    numbers_only: NumbersOnlyOption = False,
) -> None:
    """Regenerate a published study and compare.

    Computes the study, compares it with the published values and renders the report (not with --numbers-only).
    Exits with 1 if a published number differs and no declared reason says why.

    Example: tallybook reproduce wang2025
    """
    from tallybook.cli.commands import computing

    if numbers_only:
        summary = computing.run(wanted, numbers_only=True, needs_published=True)
    else:
        wanted = replace(wanted, formats=formats(to), engine=engine, trust=trust)
        summary = computing.report(wanted, needs_published=True)
    say(summary, as_json=wanted.as_json, quiet=wanted.quiet)
    mismatches = summary["comparison"]["mismatch"]
    if violated := summary.get("checks", {}).get("violated", 0):
        raise MismatchError(f"{violated} checks of printed tables are violated; see {summary['out']}/checks.csv")
    if mismatches:
        raise MismatchError(f"{mismatches} published numbers differ; see {summary['out']}/comparison.csv")


@of_study("data", "edition", "settings", "quiet", "as_json", study=STUDY)
def numbers(
    wanted: Wanted,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="WORDS", help="Only addresses with all of these words in them.")
    ] = None,
) -> None:
    """List the numbers for a report's text.

    Each line is an address and what stands there. In the narrative, {{< var ADDRESS >}} is that phrase; with another
    last part than apa it is a part of it: estimate, ci, n, statistic, df, p, p_adjusted, effect, effect_ci. The whole
    phrase has the adjusted p-value where there is one; p is not adjusted.

    Example: tallybook numbers bai2025 t_published gpt-4
    """
    from tallybook.cli.commands import computing

    say(computing.numbers(wanted, words or ()), as_json=wanted.as_json)


@of_study("data", "edition", "settings", "quiet")
def check(
    wanted: Wanted,
    *,
    out: Annotated[
        Path | None, typer.Option("--out", help="The folder of committed results. By default out/NAME.")
    ] = None,
    numbers_only: Annotated[bool, typer.Option("--numbers-only", help="Compare no rendered tables.")] = False,
    tolerance: Annotated[
        float,
        typer.Option(
            "--tolerance",
            metavar="SHARE",
            help="The relative difference allowed in unrounded numbers; printed ones must be equal.",
        ),
    ] = 1e-9,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Compare only the committed tables and figures.")
    ] = False,
    allow_extra: Annotated[
        bool,
        typer.Option("--allow-extra", help="Ignore files that the study does not make, such as tables of your own."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print every difference as JSON.")] = False,
) -> None:
    """Compare committed results with new ones.

    Computes the study as run does, in a temporary folder, and compares what of its output folder is there: numbers and
    the text of tables, not figures, Word files and reports made of them. The folder is left as it is. Rows are
    compared, not bytes; printed numbers must be the same to the letter.
    Exits with 0 if nothing differs, 1 if something does, 2 if the results cannot be made.

    Example: tallybook check study.toml

    Example: tallybook check wang2025 --out paper --numbers-only --json
    """
    from tallybook.published.regression import telling
    from tallybook.published.regression.comparing import compare
    from tallybook.published.regression.files import committed

    if not 0 <= tolerance < 1:
        raise UsageError(f"--tolerance {tolerance:g}: expected a number from 0, and below 1")
    study, data, edition, settings = wanted.study, wanted.data, wanted.edition, wanted.settings
    if study == "." and not Path("study.toml").is_file():
        raise UsageError("no study.toml in this folder: name a study file, its folder, or a published study")
    quiet, wanted = wanted.quiet, replace(wanted, out=out, quiet=wanted.quiet or as_json)
    given = (("--data", data), ("--out", out), ("--edition", edition), *(("--set", one) for one in settings or ()))
    options = [part for option, value in given if value is not None for part in (option, str(value))]
    again = shlex.join(["tallybook", "run", study, *options])
    found = committed(wanted.target(wanted.load()), numbers_only=numbers_only, again=again)
    try:
        with wanted.computed() as results:
            told = compare(results, found, tolerance=tolerance, missing=not allow_missing, extra=not allow_extra)
    except DataError as error:  # invalid data are no difference in results
        raise UsageError(f"the results cannot be made anew, for the data are invalid:\n{error}") from None
    if as_json:
        typer.echo(telling.document(told))
    elif told.number or not quiet:
        typer.echo("\n".join([*telling.lines(told), *telling.verdict(told, again)]))
    raise typer.Exit(1 if told.number else 0)
