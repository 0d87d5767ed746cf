"""The implementation of `run`, `report` and `numbers`: computing studies, writing output folders, rendering reports."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tallybook.cli.commands.summary import report_summary, summary_of
from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import output_folder
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.report.inline.addresses import check_narrative
from tallybook.report.output_folder import (
    is_unchanged,
    render_again,
    report_folder,
    settings_of,
    write_report,
    write_results,
)
from tallybook.study.loading import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tallybook.cli.options import Wanted
    from tallybook.cli.output import Summary
    from tallybook.study.loading import LoadedStudy


def run(
    wanted: Wanted, *, numbers_only: bool = False, responses: bool = False, needs_published: bool = False
) -> Summary:
    """Compute a study and write its output folder."""
    from tallybook import pipeline
    from tallybook.coded_dump import KEPT

    loaded, data = wanted.read()
    if needs_published:
        _refuse_other_than_published(loaded, data, wanted.edition)
    target = wanted.target(loaded)
    if not numbers_only:
        check_narrative(loaded.study, loaded.narrative)
    keep = KEPT if numbers_only and not responses else None
    had_report = any((target / "report").glob("*.*"))  # its sources are in a folder, and are written again
    with progress(quiet=wanted.quiet) as shown, output_folder(target) as folder:
        results = pipeline.compute(loaded, data, wanted.edition, shown, folder.parent, keep=keep)
        notes = write_results(results, folder, shown, numbers_only=numbers_only, earlier=target).notes
        removed = ["the earlier report was removed: tallybook report renders it again"] if had_report else []
        return summary_of(results, target, notes=[*notes, *removed])


def report(wanted: Wanted, *, needs_published: bool = False, anew: bool = True) -> Summary:
    """Compute a study and render its report; unless `anew`, skip the computation if the numbers cannot have changed."""
    loaded, data = wanted.read()
    wanted = replace(wanted, data=data)
    if needs_published:
        _refuse_other_than_published(loaded, data, wanted.edition)
    target = wanted.target(loaded)
    if not anew and _is_up_to_date(loaded, wanted, target):
        return _rendered_again(loaded, wanted, target, f"{loaded.study.name}: the numbers are up to date")
    from tallybook import pipeline

    check_narrative(loaded.study, loaded.narrative)
    with (
        progress(quiet=wanted.quiet) as shown,
        report_folder(loaded, target, wanted.formats, wanted.engine) as folder,
    ):
        results = pipeline.compute(loaded, data, wanted.edition, shown, folder.parent)
        rendered = write_report(
            results, folder, wanted.formats, wanted.engine, shown, trust=wanted.trust, earlier=target
        )
        return summary_of(results, target, rendered, [target / "report" / file for file in rendered.files])


def _refuse_other_than_published(loaded: LoadedStudy, data: Path | None, wanted_edition: str | None) -> None:
    """Refuse a study without published values, and data other than the released ones unless the study allows them."""
    from tallybook.published.released import completeness
    from tallybook.sources import reading

    if loaded.study.published is None:
        raise UsageError(f"study {loaded.study.name} has no published values to compare with; use tallybook report")
    inputs, edition = reading.chosen_edition(loaded.study, loaded.data_folder(data), wanted_edition, loaded.data)
    publication = loaded.study.publication
    if publication is not None and publication.differing_files == "error":
        other = completeness.differences(loaded, inputs, edition).other
        if other is not None:
            raise DataError([other], completeness.hint(loaded.study.name))


def report_again(wanted: Wanted) -> Summary:
    """Render the report of an output folder again, with the current narrative and without computing anything."""
    loaded = load(wanted.study)
    target = wanted.target(loaded)
    return _rendered_again(load(wanted.study, settings_of(loaded, target)), wanted, target)


def _is_up_to_date(loaded: LoadedStudy, wanted: Wanted, target: Path) -> bool:
    from tallybook.report.formats import SUPPLEMENT

    if SUPPLEMENT in wanted.formats and not (target / "report" / SUPPLEMENT).is_dir():
        return False
    return is_unchanged(loaded, target, loaded.data_folder(wanted.data), wanted.edition)


def _rendered_again(loaded: LoadedStudy, wanted: Wanted, target: Path, *told: str) -> Summary:
    with progress(quiet=wanted.quiet) as shown:
        rendered = render_again(loaded, target, wanted.formats, wanted.engine, shown, trust=wanted.trust)
    summary = report_summary(rendered, [target / "report" / file for file in rendered.files])
    text = "\n".join([*told, summary["text"], f"Output: {target}"])
    return {"study": loaded.study.name, "out": str(target), **summary, "text": text}


def numbers(wanted: Wanted, words: Sequence[str] = ()) -> Summary:
    """List what a narrative may refer to: numbers of responses, and the addresses and phrases of estimates."""
    from tallybook.report.assembly import numbers_of_responses
    from tallybook.report.inline.addresses import listed

    with wanted.computed(keep=0) as results:
        study = results.loaded.study
        responses = {f"responses.{name}": number for name, number in numbers_of_responses(results).items()}
        found = listed(study, results.estimates, words, responses)
    if not found:
        raise UsageError(f"no address has {' and '.join(map(printable, words))} in it")
    text = "\n".join(f"{address}  {phrase}" for address, phrase in found.items())
    return {"study": study.name, "numbers": found, "warnings": [], "text": text}
