"""A study's results as an output folder, with or without its report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analysis import manifest, pipeline, provenance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.pipeline import Results
    from analysis.progress import Progress
    from analysis.report.engine import Rendered


def write_results(
    results: Results, folder: Path, progress: Progress, *, numbers_only: bool = False, with_supplement: bool = False
) -> dict[str, Any]:
    """Write the files of an output folder.

    Args:
        results: The results.
        folder: An empty folder.
        progress: Where to report how far it is.
        numbers_only: Write no rendered tables, figures and report sources.
        with_supplement: Write the LaTeX supplement, too.

    Returns:
        What the manifest says of where the results come from.
    """
    pipeline.write_numbers(results, folder)
    content = provenance.provenance(results)
    if not numbers_only:
        from analysis import rendering

        rendering.write(results, folder, manifest.versions(), content, progress, with_supplement=with_supplement)
    manifest.write(folder, content)
    return content


def write_report(results: Results, folder: Path, formats: Sequence[str], engine: str, progress: Progress) -> Rendered:
    """Write the files of an output folder and render the report in it.

    Args:
        results: The results.
        folder: An empty folder.
        formats: The report's formats; `supplement` among them is the folder of a LaTeX supplement.
        engine: `auto`, `quarto` or `embedded`.
        progress: Where to report how far it is.

    Returns:
        The report's files, named after the study and relative to the folder `report`, and the engine that made them.
    """
    from analysis.report import supplement
    from analysis.report.assembly import DOCUMENT
    from analysis.report.engine import Rendered, render
    from analysis.report.pandoc import installed

    with_supplement = supplement.FOLDER in formats
    content = write_results(results, folder, progress, with_supplement=with_supplement)
    rendered, files = Rendered("embedded", f"pandoc {installed().version}", ()), list[Path]()
    if others := [name for name in formats if name != supplement.FOLDER]:
        progress.stage(f"Rendering the report ({', '.join(others)})")
        report = folder / "report"
        rendered = render(report / "source", DOCUMENT, others, output=report, engine=engine)
        renamed = [file.rename(file.with_stem(results.loaded.study.name)) for file in rendered.files]
        files += [file.relative_to(report) for file in renamed]
    if with_supplement:
        files.append(Path(supplement.FOLDER, supplement.DOCUMENT))
    manifest.write(folder, content | {"report": {"engine": rendered.engine, "version": rendered.version}})
    return replace(rendered, files=tuple(files))
