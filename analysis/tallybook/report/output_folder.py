"""A study's results as an output folder, with or without its report."""

from __future__ import annotations

import os
import shlex
import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import ReportError, UnrenderedError, UsageError
from tallybook.core.output import files_in, manifest_of, output_folder, refuse_others, write_text
from tallybook.core.resources import STUDIES
from tallybook.core.unfinished import exchange, unfinished_folder
from tallybook.report import manifest

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from tallybook.core.progress import Progress
    from tallybook.pipeline import Results
    from tallybook.report.engine import Rendered
    from tallybook.study.loading import LoadedStudy


class Written(NamedTuple):
    """The files that were written."""

    content: dict[str, Any]  # what the manifest says of where the results come from
    notes: Sequence[str]  # what is not as it should be, and not wrong enough to make nothing


def write_results(
    results: Results,
    folder: Path,
    progress: Progress,
    *,
    numbers_only: bool = False,
    with_supplement: bool = False,
    about: Mapping[str, Any] | None = None,
) -> Written:
    """Write the files of an output folder; the manifest says what is `about` them beside."""
    from tallybook.report import number_files

    number_files.write_numbers(results, folder)
    content = manifest.provenance(results) | dict(about or {})
    notes: Sequence[str] = ()
    if not numbers_only:
        from tallybook.report import rendering

        versions = manifest.versions()
        notes = rendering.write(results, folder, versions, content, progress, with_supplement=with_supplement)
    manifest.write(folder, manifest.machine(results.source.started) | content)
    return Written(content, notes)


@contextmanager
def report_folder(loaded: LoadedStudy, target: Path, formats: Sequence[str], engine: str) -> Generator[Path]:
    """An output folder for `write_report`, which takes its place without the report, too, if only that fails.

    `engine`: `auto`, `quarto` or `embedded`; what cannot be used is refused before anything is computed.
    """
    from tallybook.report.engine import check

    check(engine)
    failed: UnrenderedError | None = None
    with output_folder(target) as folder:
        try:
            yield folder
        except UnrenderedError as error:
            failed = error
    if failed is not None:
        raise ReportError(f"{failed}\n{_next_step(failed, loaded, target, formats, engine)}") from failed


def _next_step(failed: UnrenderedError, loaded: LoadedStudy, target: Path, formats: Sequence[str], engine: str) -> str:
    """Return where the numbers are, and the command that renders a report of them."""
    from tallybook.report.quarto import QuartoError

    whole = f"The numbers, tables and figures are in {target}"
    if loaded.draft is not None:
        return f"{whole}."
    is_quarto = isinstance(failed.__cause__, QuartoError)
    study = loaded.study.name if loaded.path.is_relative_to(STUDIES) else os.path.relpath(loaded.path)
    command = ["tallybook", "report", study, "--to", ",".join(formats), "--render-only"]
    command += [] if target == Path("out") / loaded.study.name else ["--out", str(target)]
    command += ["--engine", "embedded"] if is_quarto else [] if engine == "auto" else ["--engine", engine]
    how = "With the other engine" if is_quarto else "When this is mended"
    return f"{whole}. {how}, render their report without computing again:\n  {shlex.join(command)}"


def write_report(
    results: Results, folder: Path, formats: Sequence[str], engine: str, progress: Progress, *, trust: bool = False
) -> Rendered:
    """Write the files of an output folder and render the report in it.

    The report's files, named after the study and relative to the folder `report`, and the engine that made them.
    """
    from tallybook.report.formats import SUPPLEMENT

    content, notes = write_results(results, folder, progress, with_supplement=SUPPLEMENT in formats)
    try:
        rendered = _rendered(results.loaded.study.name, folder / "report", formats, engine, progress, trust=trust)
    except ReportError as error:
        raise UnrenderedError(str(error)) from error
    made_by = {"report": {"engine": rendered.engine, "version": rendered.version}}
    manifest.write(folder, manifest.machine(results.source.started) | content | made_by)
    return replace(rendered, notes=(*notes, *rendered.notes))


def settings_of(loaded: LoadedStudy, folder: Path) -> list[str]:
    """Return the settings with which an output folder was computed, as `key=value`."""
    content = manifest_of(folder)
    again = "compute it without --render-only"
    if content is None or not (folder / "report" / "source").is_dir():
        raise UsageError(f"{folder} holds no results whose report could be rendered: {again}")
    if content.get("study_file_sha256") != loaded.sha256:
        raise UsageError(f"{folder} was not computed from {loaded.path} as it is now: {again}")
    return list(content["settings"])


def render_again(
    loaded: LoadedStudy, folder: Path, formats: Sequence[str], engine: str, progress: Progress, *, trust: bool = False
) -> Rendered:
    """Render the report of an output folder again, with the narrative as it is now; nothing is computed.

    `folder`: The output folder. Its report is replaced when the new one is done: after an error it is as it was.

    `formats`: The report's formats; the supplement, which has nothing of the narrative's text, stays as it is.

    The report's files, named after the study and relative to the folder `report`, and the engine that made them.
    """
    from tallybook.report import citation
    from tallybook.report.assembly import DOCUMENT, GENERATED, write_narrative, written_variables
    from tallybook.report.formats import SUPPLEMENT

    refuse_others(folder)
    earlier = folder / "report"
    with unfinished_folder(folder.resolve()) as work:
        fresh = work / "report"
        fresh.mkdir()
        estimates = pl.read_parquet(folder / "estimates.parquet")
        write_narrative(loaded, estimates, written_variables(earlier / "source"), fresh / "source")
        shutil.copytree(earlier / "source" / GENERATED, fresh / "source" / GENERATED)
        if SUPPLEMENT in formats:
            if not (earlier / SUPPLEMENT).is_dir():
                raise UsageError(f"{folder} holds no supplement to keep: compute it anew, or leave it out of --to")
            shutil.copytree(earlier / SUPPLEMENT, fresh / SUPPLEMENT)
        rendered = _rendered(loaded.study.name, fresh, formats, engine, progress, trust=trust)
        exchange(fresh, earlier, work / "earlier")
    made_by = {"report": {"engine": rendered.engine, "version": rendered.version}}
    content = manifest_of(folder) or {}
    document = folder / "report" / "source" / DOCUMENT
    write_text(folder / citation.FILE, citation.citation(loaded.study, document, content["versions"]))
    if content.get("files") != files_in(folder) or content != content | made_by:
        manifest.write(folder, content | made_by)
    return rendered


def _rendered(
    name: str, folder: Path, formats: Sequence[str], engine: str, progress: Progress, *, trust: bool
) -> Rendered:
    """The report whose project lies in the folder's `source`, rendered into the folder; files are relative to it."""
    from tallybook.report import supplement
    from tallybook.report.assembly import DOCUMENT
    from tallybook.report.engine import Rendered, render
    from tallybook.report.formats import SUPPLEMENT
    from tallybook.report.pandoc import installed

    rendered, files = Rendered("embedded", f"pandoc {installed().version}", ()), list[Path]()
    if others := [one for one in formats if one != SUPPLEMENT]:
        progress.stage(f"Rendering the report ({', '.join(others)})")
        rendered = render(folder / "source", DOCUMENT, others, output=folder, engine=engine, trust=trust)
        renamed = [file.rename(file.with_stem(name)) for file in rendered.files]
        files += [Path(file.name) for file in renamed]
    if SUPPLEMENT in formats:
        files.append(Path(SUPPLEMENT, supplement.DOCUMENT))
    return replace(rendered, files=tuple(files))
