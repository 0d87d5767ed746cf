"""Studies computed: their output folders, reports and numbers."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from analysis import pipeline
from analysis.commands.summary import summary_of
from analysis.errors import UsageError
from analysis.output import output_folder
from analysis.progress import progress
from analysis.results.folder import write_report, write_results
from analysis.study_files.loading import load
from analysis.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.commands.summary import Summary
    from analysis.commands.wanted import Wanted


def run(
    study: str,
    *,
    data: Path | None,
    out: Path | None,
    edition: str | None,
    settings: Sequence[str],
    numbers_only: bool,
    quiet: bool,
) -> Summary:
    """Compute a study and write its output folder.

    Args:
        study: A study file, its folder, or the name of a published study.
        data: The data folder; the study's own by default.
        out: The output folder; out/NAME by default.
        edition: The edition of the data.
        settings: Changed settings, as `key=value`.
        numbers_only: Write no rendered tables, figures and report sources.
        quiet: Show no progress.

    Returns:
        The summary.
    """
    loaded = load(study, settings)
    target = out or Path("out") / loaded.study.name
    with progress(quiet=quiet) as shown, output_folder(target) as folder:
        results = pipeline.compute(loaded, data, edition, shown, folder.parent)
        write_results(results, folder, shown, numbers_only=numbers_only)
    return summary_of(results, target)


def report(wanted: Wanted, *, needs_published: bool = False) -> Summary:
    """Compute a study, write its output folder and render its report.

    Args:
        wanted: What is made.
        needs_published: Whether a study without published values is an error.

    Returns:
        The summary.

    Raises:
        UsageError: If there are no published values to compare with, though they are needed.
    """
    loaded = load(wanted.study, wanted.settings)
    if needs_published and loaded.study.published is None:
        raise UsageError(f"study {loaded.study.name} has no published values to compare with; use tallybook report")
    target = wanted.out or Path("out") / loaded.study.name
    with progress(quiet=wanted.quiet) as shown, output_folder(target) as folder:
        results = pipeline.compute(loaded, wanted.data, wanted.edition, shown, folder.parent)
        rendered = write_report(results, folder, wanted.formats, wanted.engine, shown)
    return summary_of(results, target, rendered, [target / "report" / file for file in rendered.files])


def numbers(
    study: str, words: Sequence[str], *, data: Path | None, edition: str | None, settings: Sequence[str], quiet: bool
) -> Summary:
    """List the estimates that narrative can name.

    Args:
        study: A study file, its folder, or the name of a published study.
        words: What must be in an address.
        data: The data folder; the study's own by default.
        edition: The edition of the data.
        settings: Changed settings, as `key=value`.
        quiet: Show no progress.

    Returns:
        The summary: every address with its phrase.

    Raises:
        UsageError: If no address has all words.
    """
    from analysis.inline.listing import listed

    loaded = load(study, settings)
    with progress(quiet=quiet) as shown, TemporaryDirectory() as folder:
        found = listed(loaded.study, pipeline.compute(loaded, data, edition, shown, Path(folder)).estimates, words)
    if not found:
        raise UsageError(f"no estimate has {' and '.join(map(printable, words))} in its address")
    text = "\n".join(f"{address}  {phrase}" for address, phrase in found.items())
    return {"study": loaded.study.name, "numbers": found, "warnings": [], "text": text}
