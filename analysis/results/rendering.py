"""Results as files for people: rendered tables, figures and the sources of the report."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from analysis.figures.drawing import draw
from analysis.output import write_text
from analysis.report import citation, supplement
from analysis.report.assembly import DOCUMENT, narrative_of, write_project
from analysis.tables.render import write_tables
from analysis.validation.study_data import validate_coded

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from analysis.pipeline import Results
    from analysis.progress import Progress


def write(
    results: Results,
    folder: Path,
    versions: Mapping[str, str],
    provenance: Mapping[str, Any],
    progress: Progress,
    *,
    with_supplement: bool = False,
) -> None:
    """Write tables in every format, figures, and the report's sources.

    Args:
        results: The results.
        folder: The output folder.
        versions: The versions that the report names.
        provenance: The manifest's content.
        progress: Where to report how far it is.
        with_supplement: Write the LaTeX supplement, too.
    """
    progress.stage("Rendering tables")
    (folder / "tables").mkdir()
    write_tables(results.tables.tables, folder / "tables")
    (folder / "figures").mkdir()
    study = results.loaded.study
    advance = progress.stage("Drawing figures", len(study.figures))
    alt_texts: dict[str, str] = {}
    for figure in study.figures:
        alt_texts[figure.id] = draw(study, figure, results.estimates, folder / "figures")
        advance(1)
    (folder / "report").mkdir()
    validation = validate_coded(results.loaded, results.source, results.source.data, "error", progress=progress)
    content = {"versions": versions, **provenance}
    write_project(results, folder / "report" / "source", content, folder / "figures", alt_texts, validation=validation)
    document = narrative_of(results.loaded) / DOCUMENT
    write_text(folder / citation.FILE, citation.citation(study, document, versions))
    if with_supplement:
        supplement.write(results, folder, versions, document, validation)
    validation.failures.close()
