"""Good and bad rows apart: the records of files as they stand there, none changed and none lost."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from analysis.errors import DataError, UsageError
from analysis.output import output_folder
from analysis.sources import csv_faults
from analysis.sources.content import Content
from analysis.sources.formats.delimited import Delimited, suggested
from analysis.sources.formats.json_lines import JsonLines
from analysis.sources.formats.parquet import Parquet
from analysis.sources.formats.registry import tell
from analysis.sources.json_records import parse_object

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from analysis.sources.records import Records
    from analysis.validation.model import Report

GOOD, BAD, COUNTS = "good", "bad", "quarantine.json"
_UNREADABLE = (DataError, UsageError, csv.Error, UnicodeDecodeError, pl.exceptions.PolarsError)
_LINE = re.compile(r"line \d+")
_WHOLE = ""
"""The key of a failure of a whole file."""


class Split(NamedTuple):
    """How many records of a file went where.

    Attributes:
        file: The file.
        records: How many it has; 1, itself, of a file whose records cannot be told.
        good: How many are good.
        bad: How many are bad.
    """

    file: str
    records: int
    good: int
    bad: int


def write(report: Report, target: Path) -> list[Split]:
    """Write the good and the bad records of the validated files apart.

    Args:
        report: The validation.
        target: The folder; an earlier quarantine there is replaced.

    Returns:
        What went where, a file each. CSV, JSON lines and Parquet keep their format, and of text every byte of a
        record; other formats become Parquet with their columns as text. A file as a whole at fault is bad as a whole.

    Raises:
        UsageError: If something else stands at the target.
    """
    failing: dict[str, set[str]] = {}
    for file, key in report.failures.failing(report.fail_on).iter_rows():
        failing.setdefault(file, set()).add(key)
    base = report.folder or Path()
    with output_folder(target, (GOOD, BAD, COUNTS), lambda folder: (folder / COUNTS).exists()) as folder:
        names = dict.fromkeys([*report.files, *(file for file in failing if (base / file).is_file())])
        splits = [_split(Content(base, name), failing.get(name, set()), folder) for name in names]
        counts = {one.file: {"records": one.records, "good": one.good, "bad": one.bad} for one in splits}
        (folder / COUNTS).write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
    return splits


def _split(content: Content, bad: Collection[str], folder: Path) -> Split:
    files = [_target(folder / kind, content) for kind in (GOOD, BAD)]
    if _WHOLE in bad:
        return _whole(content, files, is_bad=True)
    try:
        split = _by_records(content, bad, files)
    except _UNREADABLE:
        split = None
    if split is not None:
        return split
    for file in [*files, *map(_parquet_name, files)]:
        file.unlink(missing_ok=True)
    return _whole(content, files, is_bad=bool(bad))


def _by_records(content: Content, bad: Collection[str], files: list[Path]) -> Split | None:
    """Split a file record by record; None if a failure names no record of it, so that the good cannot be told."""
    if (
        content.bare_name.endswith(".json")
        and (objects := _objects(content)) is not None
        and objects.keys() >= set(bad)
    ):
        return _keyed_json(content, objects, bad, files)
    if (told := tell(content)) is None:
        return None
    is_lines = content.bare_name.endswith((".jsonl", ".ndjson")) and all(map(_LINE.fullmatch, bad))
    match told.format:
        case any_format if not content.is_packed and (is_lines or isinstance(any_format, JsonLines)):
            return _apart(content, _json_lines(content), bad, files)
        case Delimited() if not content.is_packed:
            return _apart(content, _delimited(content), {key.partition(",")[0] for key in bad}, files)
        case Parquet() if not content.is_packed:
            return _parquet(content, bad, files)
        case _:
            return _records(content, told.format.read(content), bad, [_parquet_name(file) for file in files])


def _parquet_name(file: Path) -> Path:
    return file.with_name(f"{file.name}.parquet")


def _target(folder: Path, content: Content) -> Path:
    """Where the records of a file go: under its name, without folders above the data."""
    parts = [part for part in Path(content.name).parts if part not in {"..", "/"}]
    target = folder.joinpath(*parts)
    while target.exists():  # of two folders above the data
        target = target.with_name(f"_{target.name}")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _whole(content: Content, files: list[Path], *, is_bad: bool) -> Split:
    """A file that is not read record by record goes somewhere as it is."""
    with content.path.open("rb") as source, files[is_bad].open("wb") as copy:
        while block := source.read(2**20):
            copy.write(block)
    number = _number(content)
    return Split(content.name, number, 0 if is_bad else number, number if is_bad else 0)


def _number(content: Content) -> int:
    """How many records a file has; 1, itself, where that cannot be told."""
    try:
        told = tell(content)
        match told.format if told and not content.is_packed else None:
            case JsonLines():
                return sum(key is not None for key, _ in _json_lines(content))
            case Delimited():
                return sum(key is not None for key, _ in _delimited(content))
            case Parquet():
                return pl.scan_parquet(content.path, glob=False).select(pl.len()).collect().item()
            case _:
                return 1
    except _UNREADABLE:
        return 1


def _apart(
    content: Content, records: Iterator[tuple[str | None, bytes]], bad: Collection[str], files: list[Path]
) -> Split | None:
    """Records of text, byte by byte; what has no key (a header, blank lines) goes to both."""
    numbers = [0, 0]
    left = set(bad)
    with files[0].open("wb") as good, files[1].open("wb") as wrong:
        for key, raw in records:
            if key is None:
                good.write(raw)
                wrong.write(raw)
                continue
            is_bad = key in bad
            left.discard(key)
            numbers[is_bad] += 1
            (wrong if is_bad else good).write(raw)
    return None if left else Split(content.name, sum(numbers), *numbers)


def _objects(content: Content) -> dict[str, Any] | None:
    """The records of a file that is one object of records by their keys; None if it is no such file."""
    try:
        with content.open() as stream:
            return parse_object(stream.read())
    except (ValueError, UnicodeDecodeError):
        return None


def _keyed_json(content: Content, objects: dict[str, Any], bad: Collection[str], files: list[Path]) -> Split:
    for file, wanted in zip(files, (False, True), strict=True):
        chosen = {key: record for key, record in objects.items() if (key in bad) is wanted}
        file.write_text(json.dumps(chosen) + "\n", encoding="utf-8")
    return Split(content.name, len(objects), len(objects) - len(set(bad)), len(set(bad)))


def _json_lines(content: Content) -> Iterator[tuple[str | None, bytes]]:
    with content.open() as stream:
        for number, line in enumerate(stream, start=1):
            raw = line if line.endswith(b"\n") else line + b"\n"
            yield (f"line {number}" if line.strip() else None), raw


def _delimited(content: Content) -> Iterator[tuple[str | None, bytes]]:
    # A byte order mark is part of the header, which goes to both files as it stands.
    with csv_faults.in_records(content, suggested(content.start()) or ",", encoding="utf-8") as records:
        for row, record in enumerate(records, start=1):
            whole = record.raw if record.raw.endswith(("\n", "\r")) else record.raw + "\n"
            yield (f"row {row}" if row > 1 and record.fields else None), whole.encode()


def _parquet(content: Content, bad: Collection[str], files: list[Path]) -> Split | None:
    rows = [int(key.removeprefix("row ")) - 1 for key in bad if key.removeprefix("row ").isdecimal()]
    table = pl.scan_parquet(content.path, glob=False)
    names = table.collect_schema().names()
    index = "_row"
    while index in names:
        index += "_"
    is_bad = pl.col(index).is_in(pl.Series(rows, dtype=pl.UInt32).implode())
    for file, chosen in zip(files, (~is_bad, is_bad), strict=True):
        table.with_row_index(index).filter(chosen).select(names).sink_parquet(file)
    numbers = [pl.scan_parquet(file, glob=False).select(pl.len()).collect().item() for file in files]
    return Split(content.name, sum(numbers), *numbers) if numbers[1] == len(bad) else None


def _records(content: Content, parts: Iterator[Records], bad: Collection[str], files: list[Path]) -> Split | None:
    """Records of any other format, their columns as text, with their keys; what could not be read has a key alone."""
    frames = [
        part.cells.rename(dict(zip(part.cells.columns, part.header, strict=True))).with_columns(
            part.keys.alias("tallybook_key")
        )
        for part in parts
    ]
    whole = pl.concat(frames, how="diagonal") if frames else pl.DataFrame(schema={"tallybook_key": pl.String})
    unread = [one.key for one in content.problems if one.key]
    keys = pl.DataFrame({"tallybook_key": pl.Series(unread, dtype=pl.String)})
    whole = pl.concat([whole, keys.join(whole, on="tallybook_key", how="anti")], how="diagonal")
    is_bad = pl.col("tallybook_key").is_in([*bad, *unread])
    for file, chosen in zip(files, (~is_bad, is_bad), strict=True):
        whole.filter(chosen).write_parquet(file)
    number = whole.filter(is_bad).height
    if set(bad) - set(whole.get_column("tallybook_key")):
        return None
    return Split(content.name, whole.height, whole.height - number, number)
