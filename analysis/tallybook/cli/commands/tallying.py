"""The implementation of `tally` and `merge`: parts of a dump tallied separately, and their tallies merged."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path
from socket import create_connection
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit
from warnings import catch_warnings, filterwarnings

from tallybook.core.errors import TallybookError, UsageError
from tallybook.core.output import output_folder
from tallybook.core.progress import Progress, progress
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.cli.options import Wanted
    from tallybook.cli.output import Summary


class _Task(NamedTuple):
    """A part to tally, which may be sent to another process."""

    wanted: Wanted
    part: tuple[str, ...]
    output: Path


def tally(wanted: Wanted, parts: Sequence[Path], *, output: Path, jobs: int, master: str | None = None) -> Summary:
    """Tally parts of a study's dump; a part that fails does not stop the others."""
    loaded, data = wanted.read()
    folder = loaded.data_folder(data)
    tasks = [
        _Task(replace(wanted, data=folder), names, file)
        for names, file in _outputs([_within(part, folder) for part in parts], output)
    ]
    lines: list[str] = []
    failed: list[tuple[_Task, str, int]] = []
    with progress(quiet=wanted.quiet) as shown:
        if len(tasks) == 1 and master is None:
            return _said([_tallied(tasks[0], shown)], output)
        advance = shown.stage("Tallying parts", len(tasks))
        for task, told, exit_code in _in_processes(tasks, jobs) if master is None else _by_spark(tasks, master):
            if exit_code:
                failed.append((task, told, exit_code))
            else:
                lines.append(told)
            advance(1)
    if failed:
        told = [f"{', '.join(task.part)}: {message}" for task, message, _ in failed]
        number = f"{len(failed):,} of {counted(len(tasks), 'part')} failed; the others are done, and are not done again"
        error = TallybookError("\n".join([number, *told]))
        error.exit_code = max(code for *_, code in failed)
        raise error
    return _said(lines, output)


def _in_processes(tasks: Sequence[_Task], jobs: int) -> Iterator[tuple[_Task, str, int]]:
    with ProcessPoolExecutor(min(jobs, len(tasks)), mp_context=get_context("spawn")) as pool:
        for task, done in zip(tasks, pool.map(_tried, tasks), strict=True):
            yield task, *done


_PORT = 15002
"""The default port of Spark Connect."""


def _by_spark(tasks: Sequence[_Task], master: str) -> Iterator[tuple[_Task, str, int]]:
    """Tally parts on Spark's workers, which need the same folders and an installed tallybook."""
    place = urlsplit(master)
    if place.scheme != "sc" or not place.hostname:
        raise UsageError("--master: expected a Spark Connect server, sc://host:15002")
    server = f"{place.hostname}:{place.port or _PORT}"
    spark: Any = import_module("pyspark.sql")
    failure: type[Exception] = import_module("pyspark.errors").PySparkException
    wanted = tasks[0].wanted
    study = str(Path(wanted.study).resolve()) if Path(wanted.study).exists() else wanted.study
    there = replace(wanted, study=study, data=None if wanted.data is None else wanted.data.resolve())
    sent = [one._replace(wanted=there, output=one.output.resolve()) for one in tasks]

    def tallied(batches: Iterable[Any]) -> Iterator[Any]:
        for batch in batches:
            numbers: list[int] = batch.column(0).to_pylist()
            for number in numbers:
                told, exit_code = _tried(sent[number])
                yield type(batch).from_pydict({"number": [number], "told": [told], "exit_code": [exit_code]})

    try:
        create_connection((place.hostname, place.port or _PORT), timeout=10).close()  # Spark tries for ten minutes
        with catch_warnings():
            filterwarnings("ignore", "PySpark does not yet fully support pandas")  # pandas is not used
            session = spark.SparkSession.builder.remote(master).getOrCreate()
            ids = session.range(0, len(tasks), 1, len(tasks))
            done = ids.mapInArrow(tallied, "number long, told string, exit_code long")
            rows: list[tuple[int, str, int]] = done.collect()
            session.stop()
    except (failure, OSError) as error:
        raise UsageError(f"Spark at {printable(server, 200)}: {printable(str(error), 500)}") from None
    for number, told, exit_code in sorted(rows):
        yield tasks[number], told, exit_code


def _said(lines: Sequence[str], output: Path) -> Summary:
    return {"output": str(output), "parts": len(lines), "warnings": [], "text": "\n".join(lines)}


def _within(part: Path, folder: Path) -> str:
    """Return a part's path relative to the data folder."""
    path = part if part.is_absolute() or part.exists() else folder / part
    inner = os.path.relpath(path.resolve(), folder.resolve())
    if not path.exists():
        raise UsageError(f"{printable(str(part), 200)}: no such file or folder")
    if inner.startswith(".."):
        shown = printable(str(folder), 200)
        raise UsageError(f"{printable(str(part), 200)}: expected a file or folder in the data folder {shown} (--data)")
    return Path(inner).as_posix()


def _outputs(parts: list[str], output: Path) -> list[tuple[tuple[str, ...], Path]]:
    """Return each group of parts with the file of its tally: one file for all, or one for each part in a folder."""
    if output.suffix == ".parquet" and not output.is_dir():
        if not output.parent.is_dir():
            raise UsageError(f"no folder {printable(str(output.parent), 200)}")
        return [(tuple(parts), output)]
    output.mkdir(parents=True, exist_ok=True)
    return [((part,), output / f"{part.replace('/', '-')}.parquet") for part in parts]


def _tried(task: _Task) -> tuple[str, int]:
    """Tally a part; return its message and exit code."""
    try:
        return _tallied(task, Progress()), 0
    except TallybookError as error:
        return str(error), error.exit_code


def _tallied(task: _Task, shown: Progress) -> str:
    """Tally a part, unless it was tallied before and is unchanged, and return a message."""
    from tallybook import shards
    from tallybook.report import manifest
    from tallybook.sources import reading

    loaded = task.wanted.load()
    data = loaded.data_folder(task.wanted.data)
    edition, files = reading.files_of(loaded.study, data, task.wanted.edition, loaded.data, task.part)
    same = {"code": manifest.code(), "polars": manifest.versions()["polars"]}
    digests = manifest.inputs(data, files)
    told = f"{task.output}: {counted(len(files), 'file')}"
    if shards.is_done(task.output, loaded, edition, same, digests):
        return f"{told}, tallied before"
    done = shards.tally_part(
        loaded, data, task.part, task.output, edition=edition, same=same, digests=digests, progress=shown
    )
    responses = sum(count for *_, count in done.about["rows_by_file"])
    return f"{told}, {counted(responses, 'response')}"


def merge(wanted: Wanted, tallies: Sequence[Path]) -> Summary:
    """Merge the tallies of all parts of a dump, and write the numbers."""
    from tallybook import pipeline, shards
    from tallybook.cli.commands.summary import summary_of
    from tallybook.report import manifest
    from tallybook.report.output_folder import write_results

    found = [shards.read_shard(path) for path in _files(tallies)]
    loaded, data = replace(wanted, settings=found[0].about["settings"]).read()
    folder = loaded.data_folder(data)
    target = wanted.target(loaded)
    with progress(quiet=wanted.quiet) as shown, output_folder(target) as work:
        source = shards.merge(loaded, folder, found, shown, work.parent)
        try:
            results = pipeline.infer(loaded, source, pipeline.count(loaded, source, shown), shown)
            merged = {"merged": {one.path.name: manifest.sha256(one.path) for one in found}}
            write_results(results, work, shown, numbers_only=True, about=merged)
        finally:
            source.close()
    return summary_of(results, target)


def _files(tallies: Sequence[Path]) -> list[Path]:
    """List the files of tallies, given as files or folders, without the files of keys beside them."""
    found = [file for path in tallies for file in (sorted(path.glob("*.parquet")) if path.is_dir() else [path])]
    named = [path for path in dict.fromkeys(found) if not path.name.endswith(".keys.parquet")]
    if not named:
        raise UsageError(f"{', '.join(map(str, tallies))}: no tally in it; tallybook tally writes them")
    return named
