"""Results as files for people: rendered tables, figures and the sources of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.output import write_text
from tallybook.core.wording import without_font
from tallybook.figures.drawing import drawn_beside
from tallybook.report import citation, supplement
from tallybook.report.assembly import DOCUMENT, write_project
from tallybook.tables.table_format import write_tables
from tallybook.validation.study_data import validate_coded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.pipeline import Results


def write(
    results: Results,
    folder: Path,
    versions: Mapping[str, str],
    provenance: Mapping[str, Any],
    progress: Progress,
    *,
    with_supplement: bool = False,
) -> list[str]:
    """Write tables in every format, figures, and the report's sources."""
    study = results.loaded.study
    (folder / "figures").mkdir()
    with drawn_beside(study, results.estimates, folder / "figures") as collect:
        progress.stage("Rendering tables")
        (folder / "tables").mkdir()
        write_tables(results.tables.tables, folder / "tables")
        validation = validate_coded(results.loaded, results.source, results.source.data, "error", progress=progress)
        drawn = collect(progress.stage("Drawing figures", len(study.figures)))
    alt_texts = {name: figure.alt_text for name, figure in drawn.items()}
    (folder / "report").mkdir()
    content = {"versions": versions, **provenance}
    write_project(results, folder / "report" / "source", content, folder / "figures", alt_texts, validation=validation)
    document = folder / "report" / "source" / DOCUMENT
    write_text(folder / citation.FILE, citation.citation(study, document, versions))
    if with_supplement:
        supplement.write(results, folder, versions, document, validation)
    validation.failures.close()
    lacking = {name: figure.lacking for name, figure in drawn.items() if figure.lacking}
    if not lacking:
        return []
    where = f"figure{'' if len(lacking) == 1 else 's'} {', '.join(lacking)}"
    letters = "".join(map("".join, lacking.values()))
    return [without_font(letters, where, "drawn as boxes", "installed font with outlines")]
