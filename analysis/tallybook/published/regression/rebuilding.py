"""Results made anew: as much of them as is committed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.output import MANIFEST, write_text
from tallybook.published.regression import origins
from tallybook.published.regression.files import SOURCE
from tallybook.report import manifest, number_files, provenance
from tallybook.tables.table_format import write_tables

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path
    from typing import Any

    from tallybook.core.progress import Progress
    from tallybook.pipeline import Results
    from tallybook.published.regression.files import Committed


class Rebuilt(NamedTuple):
    """Results as a study gives them now."""

    folder: Path  # the folder they were written to
    files: frozenset[str]  # what the study gives, relative to it: what was written, and what would be
    origins: dict[str, Any]  # what the manifest says now, apart from the time and versions


def rebuild(results: Results, found: Committed, folder: Path, progress: Progress) -> Rebuilt:
    """Write the committed results as the study gives them now: numbers always, the rest in committed formats."""
    content = provenance.provenance(results)
    number_files.write_numbers(results, folder)
    # What names versions names those that the results were made with: that others are installed now changes no result.
    versions = origins.versions(found.folder) or manifest.versions()
    named = set[str]()
    if any(file.startswith(SOURCE) for file in found.files):
        from tallybook.report import rendering

        rendering.write(results, folder, versions, content, progress)
    else:
        named = _tables(results, found, folder, progress) | _figures(results, found, folder, progress)
        _cite(results, found, folder, versions)
    return Rebuilt(folder, frozenset({*_written(folder), *named, MANIFEST}), content)


def _cite(results: Results, found: Committed, folder: Path, versions: Mapping[str, str]) -> None:
    """Write the citation file if one is committed; it belongs to what is rendered."""
    from tallybook.report import citation
    from tallybook.report.assembly import DOCUMENT, narrative_of

    if citation.FILE in found.files:
        narrative = narrative_of(results.loaded) / DOCUMENT
        write_text(folder / citation.FILE, citation.citation(results.loaded.study, narrative, versions))


def _written(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def _tables(results: Results, found: Committed, folder: Path, progress: Progress) -> set[str]:
    formats = sorted(found.formats("tables"))
    if not formats:
        return set()
    progress.stage("Rendering tables")
    write_tables(results.tables.tables, folder / "tables", formats)
    return {f"tables/{table.id}.{suffix}" for table in results.tables.tables for suffix in formats}


def _figures(results: Results, found: Committed, folder: Path, progress: Progress) -> set[str]:
    study, formats = results.loaded.study, found.formats("figures")
    drawn = {
        figure.id: figure
        for figure in study.figures
        if any(f"figures/{figure.id}.{suffix}" in found.files for suffix in formats)
    }
    if drawn:
        from tallybook.figures.drawing import draw

        advance = progress.stage("Drawing figures", len(drawn))
        for figure in drawn.values():
            draw(study, figure, results.estimates, folder / "figures")
            advance(1)
    return {f"figures/{figure.id}.{suffix}" for figure in study.figures for suffix in formats}
