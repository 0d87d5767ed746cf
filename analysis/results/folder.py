"""A study's results as an output folder, with or without its report."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from analysis.results import manifest, numbers, provenance

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
    numbers.write_numbers(results, folder)
    content = provenance.provenance(results)
    if not numbers_only:
        from analysis.results import rendering

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
    from analysis.report.formats import SUPPLEMENT

    content = write_results(results, folder, progress, with_supplement=SUPPLEMENT in formats)
    rendered = _rendered(results, folder / "report", formats, engine, progress)
    manifest.write(folder, content | {"report": {"engine": rendered.engine, "version": rendered.version}})
    return rendered


def render_again(results: Results, folder: Path, formats: Sequence[str], engine: str, progress: Progress) -> Rendered:
    """Render the report of an output folder again, with the narrative as it is now; nothing is computed.

    Args:
        results: The results that the folder was written from.
        folder: The output folder. Its report is replaced when the new one is done: after an error it is as it was.
        formats: The report's formats; the supplement, which has nothing of the narrative's text, stays as it is.
        engine: `auto`, `quarto` or `embedded`.
        progress: Where to report how far it is.

    Returns:
        The report's files, named after the study and relative to the folder `report`, and the engine that made them.
    """
    from analysis.report.assembly import GENERATED, write_narrative
    from analysis.report.formats import SUPPLEMENT

    earlier = folder / "report"
    with TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.resolve().parent) as work:
        fresh = Path(work) / "report"
        fresh.mkdir()
        write_narrative(results, fresh / "source")
        shutil.copytree(earlier / "source" / GENERATED, fresh / "source" / GENERATED)
        if SUPPLEMENT in formats:
            shutil.copytree(earlier / SUPPLEMENT, fresh / SUPPLEMENT)
        rendered = _rendered(results, fresh, formats, engine, progress)
        earlier.rename(Path(work) / "earlier")
        fresh.rename(earlier)
    return rendered


def _rendered(results: Results, folder: Path, formats: Sequence[str], engine: str, progress: Progress) -> Rendered:
    """The report whose project lies in the folder's `source`, rendered into the folder; files are relative to it."""
    from analysis.report import supplement
    from analysis.report.assembly import DOCUMENT
    from analysis.report.engine import Rendered, render
    from analysis.report.formats import SUPPLEMENT
    from analysis.report.pandoc import installed

    rendered, files = Rendered("embedded", f"pandoc {installed().version}", ()), list[Path]()
    if others := [name for name in formats if name != SUPPLEMENT]:
        progress.stage(f"Rendering the report ({', '.join(others)})")
        rendered = render(folder / "source", DOCUMENT, others, output=folder, engine=engine)
        renamed = [file.rename(file.with_stem(results.loaded.study.name)) for file in rendered.files]
        files += [Path(file.name) for file in renamed]
    if SUPPLEMENT in formats:
        files.append(Path(SUPPLEMENT, supplement.DOCUMENT))
    return replace(rendered, files=tuple(files))
