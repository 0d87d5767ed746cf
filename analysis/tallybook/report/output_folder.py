"""The output folder of a study's results, with or without a report."""

from __future__ import annotations

import os
import shlex
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import ReportError, TallybookError, UnrenderedError, UsageError
from tallybook.core.output import check_target, files_in, manifest_of, output_folder, write_text
from tallybook.core.resources import BUNDLED_DATA, STUDIES
from tallybook.core.unfinished import exchange, unfinished
from tallybook.core.wording import without_font
from tallybook.report import manifest
from tallybook.report.reuse import Reuse

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from tallybook.core.progress import Progress
    from tallybook.figures.drawing import Drawn
    from tallybook.pipeline import Results
    from tallybook.report.formats import Rendered
    from tallybook.study.loading import LoadedStudy
    from tallybook.validation.model import Report


class Written(NamedTuple):
    """The manifest's content and the notes about an output folder that was written."""

    content: dict[str, Any]  # the origins of the results, as in the manifest
    notes: Sequence[str]  # problems that did not prevent writing


def write_results(
    results: Results,
    folder: Path,
    progress: Progress,
    *,
    numbers_only: bool = False,
    with_supplement: bool = False,
    about: Mapping[str, Any] | None = None,
    earlier: Path | None = None,
) -> Written:
    """Write the files of an output folder; `about` adds entries to the manifest.

    Tables and figures of the `earlier` folder, which this one replaces, are reused if their content is the same.
    """
    from tallybook.report import number_files

    number_files.write_numbers(results, folder)
    content = manifest.provenance(results) | dict(about or {})
    notes: list[str] = []
    if not numbers_only:
        reuse = Reuse(earlier, folder)
        notes = _write_rendered(results, folder, content, progress, reuse, with_supplement=with_supplement)
        content["made"] = dict(sorted(reuse.made.items()))
    manifest.write(folder, manifest.machine(results.source.started) | content)
    return Written(content, notes)


def _write_rendered(
    results: Results,
    folder: Path,
    content: Mapping[str, Any],
    progress: Progress,
    reuse: Reuse,
    *,
    with_supplement: bool,
) -> list[str]:
    """Write tables in every format, figures, and the report's sources; return notes about problems."""
    from tallybook.report import citation, supplement
    from tallybook.report.assembly import DOCUMENT, write_project

    study, versions = results.loaded.study, manifest.versions()
    document = folder / "report" / "source" / DOCUMENT
    drawn, validation = _write_tables_and_figures(results, folder, progress, reuse)
    alt_texts = {name: figure.alt_text for name, figure in drawn.items()}
    about = {"versions": versions, **content}
    write_project(results, document.parent, about, folder / "figures", alt_texts, validation=validation)
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


def _write_tables_and_figures(
    results: Results, folder: Path, progress: Progress, reuse: Reuse
) -> tuple[dict[str, Drawn], Report]:
    """Write tables and figures, copied where their content is unchanged, and meanwhile validate the data."""
    from tallybook.figures.drawing import Drawn, drawing_in_processes
    from tallybook.figures.save import FORMATS
    from tallybook.tables.table_format import refuse_repeated, table_formats, write_tables
    from tallybook.validation.study_data import validate_coded

    study, tables, suffixes = results.loaded.study, results.tables.tables, [*table_formats()]
    refuse_repeated(tables)
    (folder / "figures").mkdir()
    (folder / "tables").mkdir()
    drawn_from = study.model_dump_json(), manifest.sha256(folder / "estimates.parquet")
    found = {one.id: reuse.copied(f"figures/{one.id}", FORMATS, one.id, *drawn_from) for one in study.figures}
    copied = {name: Drawn(record["alt_text"], frozenset()) for name, record in found.items() if record is not None}
    others = study.model_copy(update={"figures": tuple(one for one in study.figures if one.id not in copied)})
    changed = [one for one in tables if not reuse.copied(f"tables/{one.id}", suffixes, repr(one))]
    with drawing_in_processes(others, results.estimates, folder / "figures") as collect:
        progress.stage("Rendering tables")
        write_tables(changed, folder / "tables")
        validation = validate_coded(results.loaded, results.source, results.source.data, "error", progress=progress)
        drawn = collect(progress.stage("Drawing figures", len(others.figures)))
    for one in changed:
        reuse.note(f"tables/{one.id}", suffixes, repr(one))
    for name, figure in drawn.items():
        if not figure.lacking:  # otherwise a font with the missing letters may be installed before the next run
            reuse.note(f"figures/{name}", FORMATS, name, *drawn_from, alt_text=figure.alt_text)
    return {one.id: (copied | drawn)[one.id] for one in study.figures}, validation


@contextmanager
def report_folder(loaded: LoadedStudy, target: Path, formats: Sequence[str], engine: str) -> Generator[Path]:
    """Yield an output folder for `write_report`; if only rendering the report fails, the folder is kept without it."""
    from tallybook.report.engine import check

    check(engine, formats)
    failed: UnrenderedError | None = None
    with output_folder(target) as folder:
        try:
            yield folder
        except UnrenderedError as error:
            failed = error
    if failed is not None:
        raise ReportError(f"{failed}\n{_next_step(failed, loaded, target, formats, engine)}") from failed


def _next_step(failed: UnrenderedError, loaded: LoadedStudy, target: Path, formats: Sequence[str], engine: str) -> str:
    """Return a message with the location of the numbers and the command that renders the report again."""
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
    results: Results,
    folder: Path,
    formats: Sequence[str],
    engine: str,
    progress: Progress,
    *,
    trust: bool = False,
    earlier: Path | None = None,
) -> Rendered:
    """Write the files of an output folder, which replaces an `earlier` one, and render the report in it.

    Return the engine, and the report's files, named after the study and relative to the folder `report`.
    """
    from tallybook.report.formats import SUPPLEMENT

    content, notes = write_results(results, folder, progress, with_supplement=SUPPLEMENT in formats, earlier=earlier)
    try:
        rendered = _rendered(results.loaded.study.name, folder / "report", formats, engine, progress, trust=trust)
    except ReportError as error:
        raise UnrenderedError(str(error)) from error
    made_by = {"report": {"engine": rendered.engine, "version": rendered.version}}
    manifest.write(folder, manifest.machine(results.source.started) | content | made_by)
    return rendered._replace(notes=(*notes, *rendered.notes))


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
    """Render the report of an output folder again, with the current narrative and without computing anything.

    The report is replaced when the new one is done: after an error it is unchanged. The supplement, which contains
    none of the narrative's text, is kept.
    """
    from tallybook.report import citation
    from tallybook.report.assembly import DOCUMENT, GENERATED, write_narrative, write_variables, written_variables
    from tallybook.report.formats import SUPPLEMENT

    check_target(folder)
    earlier = folder / "report"
    with unfinished(folder.resolve(), is_folder=True) as work:
        fresh = work / "report"
        fresh.mkdir()
        write_narrative(loaded, fresh / "source")
        shutil.copytree(earlier / "source" / GENERATED, fresh / "source" / GENERATED)
        estimates, numbers = pl.read_parquet(folder / "estimates.parquet"), written_variables(earlier / "source")
        write_variables(loaded.study, estimates, numbers, fresh / "source")
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
    """Render the project in the folder's `source` into the folder; the files returned are relative to it."""
    from tallybook.report import supplement
    from tallybook.report.assembly import DOCUMENT
    from tallybook.report.engine import render
    from tallybook.report.formats import FORMATS, PROJECTS, SUPPLEMENT, Rendered
    from tallybook.report.pandoc import installed
    from tallybook.report.quarto import render_kind

    rendered, files = Rendered("embedded", f"pandoc {installed().version}", ()), list[Path]()
    if others := [one for one in formats if one in FORMATS]:
        progress.stage(f"Rendering the report ({', '.join(others)})")
        rendered = render(folder / "source", DOCUMENT, others, output=folder, engine=engine, trust=trust)
        renamed = [file.rename(file.with_stem(name)) for file in rendered.files]
        files += [Path(file.name) for file in renamed]
    for kind in [one for one in formats if one in PROJECTS]:
        progress.stage(f"Rendering the {kind}")
        made = render_kind(kind, folder / "source", DOCUMENT, folder, trust=trust)
        rendered = rendered if others else made
        files.append(Path(kind, "index.html"))
    if SUPPLEMENT in formats:
        files.append(Path(SUPPLEMENT, supplement.DOCUMENT))
    return rendered._replace(files=tuple(files))


def is_unchanged(loaded: LoadedStudy, folder: Path, data: Path, edition: str | None) -> bool:
    """Return whether the folder has a report of which nothing but the narrative can have changed."""
    from tallybook.report.assembly import GENERATED, narrative_of

    content, source = manifest_of(folder), folder / "report" / "source"
    if content is None or "report" not in content or not (source / GENERATED).is_dir():
        return False
    made_from = {
        "versions": manifest.versions(),
        "code": manifest.code(),
        "study_file_sha256": loaded.sha256,
        "settings": list(loaded.settings),
    }
    try:
        return (
            all(content.get(name) == value for name, value in made_from.items())
            and _same_files(loaded, content, data, edition)
            and _bibliographies(narrative_of(loaded), GENERATED)
            == _bibliographies(folder / "report" / "source", GENERATED)
        )
    except (TallybookError, OSError):  # the error is reported when the study is computed
        return False


def _same_files(loaded: LoadedStudy, content: dict[str, Any], data: Path, edition: str | None) -> bool:
    """Return whether a run would read the same files with the same content as before."""
    from tallybook.sources.reading import chosen_edition

    inputs, chosen = chosen_edition(loaded.study, data, edition, loaded.data)
    sources = [source for source in loaded.study.sources if source.edition == chosen]
    candidates = {name for source in sources for name in inputs.candidates(source)}
    read: dict[str, str] = content["inputs"]
    if chosen != content["edition"] or not candidates <= read.keys() | content["references"].keys():
        return False
    by_folder = [
        (data, read),
        (loaded.data, content.get("overrides", {}).get("files", {})),
        (loaded.published, content.get("published", {})),
    ]
    for name, digest in content["references"].items():
        own = loaded.data if (loaded.data / name).is_file() else BUNDLED_DATA
        by_folder.append((own, {name: digest}))
    return all(manifest.inputs(folder, files) == files for folder, files in by_folder)


def _bibliographies(folder: Path, generated: str) -> dict[str, bytes]:
    """Read the authors' bibliographies, without the generated bibliography of methods."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*.bib")}
    return {name: path.read_bytes() for name, path in found.items() if not name.startswith(generated)}
