"""What the commands do: they call the pipeline, write its results and sum them up."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from analysis import bundle as bundling
from analysis import data_notes, findings, hand_sheet, pipeline
from analysis.coded_words import answers_among, counted, status_text, statuses_of, uncoded_text
from analysis.errors import UsageError
from analysis.output import csv_text, harmless, output_folder, write_text
from analysis.progress import progress
from analysis.results_folder import write_report, write_results
from analysis.study_file import load
from analysis.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from analysis.drafting.survey import Reading, Survey
    from analysis.pipeline import Coded, Results
    from analysis.report.engine import Rendered

Summary = dict[str, Any]
"""What a command says: its results by name; for people the same under `text`, and its warnings."""


def init(
    dump: Sequence[Path],
    *,
    out: Path,
    name: str | None,
    instrument: str | None,
    settings: Sequence[str],
    force: bool,
    ask: Callable[[str, Sequence[str]], str] | None,
    quiet: bool,
) -> Summary:
    """Look at a dump and write a study.

    Args:
        dump: Files and folders of responses.
        out: Where the study is written.
        name: The study's name; the dump's by default.
        instrument: The instrument, if it is known.
        settings: Which column is what, as `role=column`.
        force: Whether files that exist are replaced.
        ask: Asks which of several columns has a role; None to ask nothing.
        quiet: Show no progress.

    Returns:
        The summary.

    Raises:
        UsageError: If there is no such instrument.
    """
    from analysis.drafting.starting import KINDS, start
    from analysis.drafting.survey import survey

    kind = KINDS.get(instrument or "")
    if instrument is not None and kind is None:
        raise UsageError(f"--instrument {printable(instrument)}: no such instrument; there are {', '.join(KINDS)}")

    def look(paths: Sequence[Path], reading: Reading) -> Survey:
        with progress(quiet=quiet) as shown:  # it must be off the terminal when questions are asked
            return survey(paths, shown, reading)

    started = start(dump, out, settings, name=name, instrument=kind, ask=ask, replace=force, look=look)
    study = started.files[0]
    lines = [started.found, "", *(f"to check: {doubt}" for doubt in started.draft.doubts)]
    lines += [f"written: {', '.join(str(file) for file in started.files)}", f"next: tallybook run {study}"]
    return {
        "study": str(study),
        "files": [str(file) for file in started.files],
        "records": started.rows,
        "instrument": started.draft.instrument["kind"],
        "to_check": started.draft.doubts,
        "warnings": [],
        "text": "\n".join(lines),
    }


def replicate(
    published: str,
    dump: Sequence[Path],
    *,
    out: Path,
    name: str | None,
    settings: Sequence[str],
    released: Path | None,
    force: bool,
    quiet: bool,
) -> Summary:
    """Write a study that reads a dump by the declaration of a published study.

    Args:
        published: The published study.
        dump: Files and folders of responses.
        out: Where the study is written.
        name: The study's name; by default that of the published one with `_replication`.
        settings: Which column is what, as `column=column`, or `column==value`.
        released: A folder of the released data.
        force: Whether files that exist are replaced.
        quiet: Show no progress.

    Returns:
        The summary.
    """
    from analysis.replication.replicating import replicate as write

    with progress(quiet=quiet) as shown:
        made = write(published, dump, out, settings, name=name, released=released, replace=force, progress=shown)
    lines = [f"a replication of {published} with {', '.join(printable(model) for model in made.models)}"]
    lines += [f"left out: {printable(line, limit=200)}" for line in made.left_out]
    lines += [f"to check: {printable(line, limit=200)}" for line in made.to_check]
    lines += [f"written: {', '.join(str(file) for file in made.files)}", f"next: tallybook report {made.study}"]
    return {
        "study": str(made.study),
        "files": [str(file) for file in made.files],
        "models": made.models,
        "left_out": made.left_out,
        "to_check": made.to_check,
        "warnings": [],
        "text": "\n".join(lines),
    }


def fetch(name: str, *, out: Path | None, source: Path | None, check: bool, quiet: bool) -> Summary:
    """Bring a published study's released data into a folder, or check what is there.

    Args:
        name: The study.
        out: The folder; data/NAME by default.
        source: A folder to copy from, instead of the authors' repository.
        check: Whether nothing is brought.
        quiet: Show no progress.

    Returns:
        The summary.

    Raises:
        UsageError: If files are to be both copied and only checked.
    """
    from analysis.releases import fetching
    from analysis.releases.listing import release

    if check and source is not None:
        raise UsageError("--check checks what is there, --from copies: choose one")
    released = release(name)
    folder = out or Path("data") / name
    with progress(quiet=quiet) as shown:
        if check:
            fetching.check(released, folder, shown)
            done = fetching.Fetched((), tuple(file.file for file in released.files))
        elif source is not None:
            done = fetching.copy(released, source, folder, shown)
        else:
            done = fetching.fetch(released, folder, shown)
    verb = "copied" if source is not None else "fetched"
    said = f"{len(done.kept)} as released" if check else f"{len(done.fetched)} {verb}, {len(done.kept)} there already"
    lines = [f"{name}: {counted(len(released.files), 'file')}, {released.size:,} bytes: {said}"]
    lines.append(f"next: tallybook reproduce {name} --data {folder}")
    return {
        "study": name,
        "out": str(folder),
        "files": len(released.files),
        "bytes": released.size,
        "fetched": list(done.fetched),
        "kept": len(done.kept),
        "warnings": [],
        "text": "\n".join(lines),
    }


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


def report(
    study: str,
    *,
    data: Path | None,
    out: Path | None,
    edition: str | None,
    settings: Sequence[str],
    formats: Sequence[str],
    engine: str,
    quiet: bool,
    needs_published: bool = False,
) -> Summary:
    """Compute a study, write its output folder and render its report.

    Args:
        study: A study file, its folder, or the name of a published study.
        data: The data folder; the study's own by default.
        out: The output folder; out/NAME by default.
        edition: The edition of the data.
        settings: Changed settings, as `key=value`.
        formats: The report's formats.
        engine: `auto`, `quarto` or `embedded`.
        quiet: Show no progress.
        needs_published: Whether a study without published values is an error.

    Returns:
        The summary.

    Raises:
        UsageError: If there are no published values to compare with, though they are needed.
    """
    loaded = load(study, settings)
    if needs_published and loaded.study.published is None:
        raise UsageError(f"study {loaded.study.name} has no published values to compare with; use tallybook report")
    target = out or Path("out") / loaded.study.name
    with progress(quiet=quiet) as shown, output_folder(target) as folder:
        results = pipeline.compute(loaded, data, edition, shown, folder.parent)
        rendered = write_report(results, folder, formats, engine, shown)
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


def bundle(study: str, *, output: Path, data: Path | None, edition: str | None, quiet: bool) -> Summary:
    """Write a study's coded responses, collapsed to distinct rows.

    Args:
        study: A study file, its folder, or the name of a published study.
        output: The file to write: CSV, or Parquet by its suffix.
        data: The data folder; the study's own by default.
        edition: The edition of the data.
        quiet: Show no progress.

    Returns:
        The summary.

    Raises:
        UsageError: If the folder does not exist, or a label cannot stand in a CSV file unchanged.
    """
    loaded = load(study)
    if not output.parent.is_dir():
        raise UsageError(f"no folder {output.parent}")
    if output.suffix not in {".csv", ".parquet"}:
        raise UsageError(f"--output {output}: the file's name ends in .csv or .parquet")
    with progress(quiet=quiet) as shown:
        source = pipeline.read_and_code(loaded, data, edition, shown, output.parent)
    rows = bundling.bundle(loaded.study, source.rows.scan())
    if output.suffix == ".parquet":
        rows.write_parquet(output)
    elif harmless(rows).equals(rows):
        write_text(output, csv_text(rows))
    else:
        raise UsageError(f"{output}: some labels would be formulas or commands in a CSV file; write a .parquet file")
    return {"text": f"{output}: {rows.height:,} rows for {rows['count'].sum():,} responses", **_findings(source)}


def uncoded(
    study: str,
    *,
    output: Path,
    data: Path | None,
    edition: str | None,
    settings: Sequence[str],
    sample: int,
    quiet: bool,
) -> Summary:
    """Write the responses that the rules could not code as a sheet for people to code.

    Args:
        study: A study file, its folder, or the name of a published study.
        output: The CSV file to write.
        data: The data folder; the study's own by default.
        edition: The edition of the data.
        settings: Changed settings, as `key=value`.
        sample: How many others are drawn at random.
        quiet: Show no progress.

    Returns:
        The summary.

    Raises:
        UsageError: If the file exists, or cannot be written, or the data were delivered coded.
    """
    with progress(quiet=quiet) as shown:
        return hand_sheet.write(load(study, settings), output, sample, data, edition, progress=shown)


def _findings(source: Coded) -> Summary:
    """What is wrong with the data and declared as known."""
    return {"findings": findings.grouped(source.findings), "warnings": findings.warnings(source.findings)}


def summary_of(results: Results, target: Path, rendered: Rendered | None = None, files: Sequence[Path] = ()) -> Summary:
    """What a study's results say.

    Args:
        results: The results.
        target: Their output folder.
        rendered: The report, if one was rendered.
        files: Its files.

    Returns:
        The summary.
    """
    from analysis.comparison import counts

    study = results.loaded.study
    statuses = statuses_of(results.source)
    summary: Summary = {
        "study": study.name,
        "out": str(target),
        "responses": statuses,
        "tables": len(results.tables.tables),
        "left_out": [counted._asdict() for counted in results.source.dump.left_out],
        **_findings(results.source),
    }
    lines = [f"{study.name}: {status_text(statuses)}, {counted(len(results.tables.tables), 'table')}"]
    lines += data_notes.left_out(results.source)
    found, told = data_notes.agreement(results)
    summary |= found
    lines += [*data_notes.by_hand(results.source), *told]
    lines += uncoded_text(results.source.uncoded.to_dicts(), answers_among(statuses))
    if results.comparison is not None:
        verdicts = counts(results.comparison)
        summary["comparison"] = verdicts
        summary["errata"] = _errata(results)
        lines.append(f"{counted(sum(verdicts.values()), 'published number')} compared:")
        lines.append(f"  {verdicts['match']:>6,} match")
        lines.append(f"  {verdicts['erratum']:>6,} differ for a declared reason")
        lines += [f"         {n:>4} {title}" for title, n in summary["errata"].items() if n]
        lines.append(f"  {verdicts['mismatch']:>6,} differ without one")
    if results.checks is not None:
        from analysis.printed.checks import counts as count_checks

        checked = count_checks(results.checks)
        summary["checks"] = checked
        lines.append(f"{counted(sum(checked.values()), 'check')} of tables that are printed as published:")
        lines.append(f"  {checked['holds']:>6,} hold")
        lines.append(f"  {checked['erratum']:>6,} are violated for a declared reason")
        lines.append(f"  {checked['untested']:>6,} cannot be made")
        lines.append(f"  {checked['violated']:>6,} are violated without one")
    if rendered is not None:
        summary["report"] = {"engine": rendered.engine, "version": rendered.version, "files": [str(f) for f in files]}
        summary["warnings"] = [*summary["warnings"], *(f"warning: {note}" for note in rendered.notes)]
        lines.append(f"Report ({rendered.engine} engine, {rendered.version}): {', '.join(map(str, files))}")
    lines.append(f"Output: {target}")
    summary["text"] = "\n".join(lines)
    return summary


def _errata(results: Results) -> dict[str, int]:
    """How many numbers each erratum covers, by its title."""
    if results.comparison is None:
        return {}
    notes = results.comparison.filter(verdict="erratum").get_column("note").to_list()
    return {
        erratum.title: sum(note.startswith(f"{erratum.id}: ") for note in notes)
        for erratum in results.loaded.study.errata
    }
