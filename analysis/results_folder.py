"""A study's results as an output folder, with or without its report."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from analysis import manifest, pipeline, provenance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from analysis.pipeline import Results
    from analysis.progress import Progress
    from analysis.report.engine import Rendered


def write_results(results: Results, folder: Path, progress: Progress, *, numbers_only: bool = False) -> dict[str, Any]:
    """Write the files of an output folder.

    Args:
        results: The results.
        folder: An empty folder.
        progress: Where to report how far it is.
        numbers_only: Write no rendered tables, figures and report sources.

    Returns:
        What the manifest says of where the results come from.
    """
    pipeline.write_numbers(results, folder)
    content = provenance.provenance(results)
    if not numbers_only:
        from analysis import rendering

        rendering.write(results, folder, manifest.versions(), content, progress)
    manifest.write(folder, content)
    return content


def write_report(results: Results, folder: Path, formats: Sequence[str], engine: str, progress: Progress) -> Rendered:
    """Write the files of an output folder and render the report in it.

    Args:
        results: The results.
        folder: An empty folder.
        formats: The report's formats.
        engine: `auto`, `quarto` or `embedded`.
        progress: Where to report how far it is.

    Returns:
        The report's files, named after the study, and the engine that made them.
    """
    from analysis.report.assembly import DOCUMENT
    from analysis.report.engine import render

    content = write_results(results, folder, progress)
    progress.stage(f"Rendering the report ({', '.join(formats)})")
    rendered = render(folder / "report" / "source", DOCUMENT, formats, output=folder / "report", engine=engine)
    files = [file.rename(file.with_stem(results.loaded.study.name)) for file in rendered.files]
    manifest.write(folder, content | {"report": {"engine": rendered.engine, "version": rendered.version}})
    return replace(rendered, files=tuple(files))
