"""Good and bad rows apart: the records of files as they stand there, none changed and none lost."""

from __future__ import annotations

import codecs
import csv
import json
import re
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import output_folder, refuse_others
from tallybook.sources import csv_records
from tallybook.sources.content import Content
from tallybook.sources.folder import Folder
from tallybook.sources.formats.delimited import Delimited
from tallybook.sources.formats.json_lines import JsonLines
from tallybook.sources.formats.registry import tell, told_format
from tallybook.sources.formats.tables import Parquet
from tallybook.sources.json_records import parse_object
from tallybook.sources.read_result import Inputs
from tallybook.sources.record_responses import format_of
from tallybook.study.record_sources import RecordSource
from tallybook.validation.model import graver

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from tallybook.sources.records import Records
    from tallybook.study.format_base import Format
    from tallybook.study.model import Study
    from tallybook.validation.model import Report

GOOD, BAD, COUNTS = "good", "bad", "quarantine.json"
_CONTENTS = (GOOD, BAD, COUNTS)
_OPTION = "--quarantine"
_UNREADABLE = (DataError, UsageError, csv.Error, UnicodeDecodeError, pl.exceptions.PolarsError)
_LINE = re.compile(r"line \d+")
_WHOLE = ""
"""The key of a failure of a whole file."""


def sources_of(study: Study, report: Report, own: Path) -> dict[str, RecordSource]:
    """Map each file of a study's responses to the source that says how it is read; others are read as they tell."""
    inputs = Inputs(Folder(report.folder or Path()), study, own)
    return {
        name: source
        for source in study.sources
        if isinstance(source, RecordSource) and report.details["edition"] in {None, source.edition}
        for name, _ in inputs.files(source)[0]
    }


class Split(NamedTuple):
    """The numbers of good and bad records of a file."""

    file: str
    records: int  # how many it has; 1, itself, of a file whose records cannot be told
    good: int  # how many are good
    bad: int  # how many are bad


def check_folder(target: Path) -> None:
    """Refuse a place where something else than an earlier quarantine stands."""
    refuse_others(target, _CONTENTS, _is_quarantine, option=_OPTION)


def write(report: Report, target: Path, sources: Mapping[str, RecordSource]) -> list[Split]:
    """Write the good and the bad records of the validated files apart.

    What went where, a file each. CSV, JSON lines and Parquet keep their format, and text every byte of a record,
    whatever encoding the study reads it in; other formats become Parquet with their columns as text. A file as a whole
    at fault is bad as a whole. Where there is no record there is no file.
    """
    failing: dict[str, set[str]] = {}
    bad = pl.col("severity").is_in(graver(report.fail_on)) & (pl.col("file") != "")
    for file, key in report.failures.scan().filter(bad).select("file", "key").unique().collect().iter_rows():
        failing.setdefault(file, set()).add(key)
    base = report.folder or Path()
    with output_folder(target, _CONTENTS, _is_quarantine, option=_OPTION) as folder:
        names = dict.fromkeys([*report.files, *(file for file in failing if (base / file).is_file())])
        files = [_File(base, name, sources.get(name)) for name in names]
        splits = [_split(file, failing.get(file.name, set()), folder) for file in files]
        counts = {one.file: {"records": one.records, "good": one.good, "bad": one.bad} for one in splits}
        (folder / COUNTS).write_text(json.dumps(counts, indent=2) + "\n", encoding="utf-8")
    return splits


def _is_quarantine(folder: Path) -> bool:
    return (folder / COUNTS).exists()


class _File(Content):
    """A file, and how the study reads it."""

    def __init__(self, folder: Path, name: str, source: RecordSource | None) -> None:
        self._source = source
        super().__init__(folder, name, "utf-8" if source is None else source.encoding)

    @property
    def format(self) -> Format | None:
        """How its records are read; None if they are not."""
        if self._source is not None:
            return format_of(self._source, self)
        return None if tell(self) is None else told_format(self).format

    def text(self) -> tuple[bytes, str]:
        """Get the byte order mark with which the file begins, and the encoding of what follows."""
        with self.path.open("rb") as file:
            start = file.read(3)
        if start.startswith(codecs.BOM_UTF8) and self._encoding == "utf-8":
            return codecs.BOM_UTF8, "utf-8"
        if self._encoding != "utf-16":
            return b"", self._encoding
        names = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
        native = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"  # as Python reads it without a mark
        return (start[:2], names[start[:2]]) if start[:2] in names else (b"", native)


def _split(content: _File, bad: Collection[str], folder: Path) -> Split:
    files = [_target(folder / kind, content) for kind in (GOOD, BAD)]
    tables = [file.with_name(f"{file.name}.parquet") for file in files]
    split = None
    with suppress(*_UNREADABLE):
        split = None if _WHOLE in bad else _by_records(content, bad, files, tables)
    for place, number in enumerate((split.good, split.bad) if split else (0, 0)):
        if split is None or (split.records and not number):
            files[place].unlink(missing_ok=True)
            tables[place].unlink(missing_ok=True)
    return split or _whole(content, files, is_bad=bool(bad))


def _by_records(content: _File, bad: Collection[str], files: list[Path], tables: list[Path]) -> Split | None:
    """Split a file record by record; None if a failure names no record of it, so that the good cannot be told."""
    objects = _objects(content) if content.bare_name.endswith(".json") else None
    if objects is not None and objects.keys() >= set(bad):
        return _keyed_json(content, objects, bad, files)
    is_lines = content.bare_name.endswith((".jsonl", ".ndjson")) and all(map(_LINE.fullmatch, bad))
    if (read_as := content.format) is None:
        return None
    if (records := _records_of_text(content, read_as, is_lines=is_lines)) is not None:
        is_row = not (is_lines or isinstance(read_as, JsonLines))
        return _apart(content, records, {key.partition(",")[0] for key in bad} if is_row else bad, files)
    if isinstance(read_as, Parquet) and not content.is_packed:
        return _parquet(content, bad, files)
    return _records(content, read_as.read(content), bad, tables)


def _records_of_text(
    content: _File, read_as: Format, *, is_lines: bool = False
) -> Iterator[tuple[str | None, bytes]] | None:
    """List the records of JSON lines and tables of text, byte by byte, with their keys; None of other files."""
    if content.is_packed:
        return None
    if is_lines or isinstance(read_as, JsonLines):
        return _json_lines(content)
    return _delimited(content, read_as.delimiter(content)) if isinstance(read_as, Delimited) else None


def _target(folder: Path, content: Content) -> Path:
    """Choose the file for records: under the name of theirs, without folders above the data."""
    parts = [part for part in Path(content.name).parts if part not in {"..", "/"}]
    target = folder.joinpath(*parts)
    while target.exists():  # of two folders above the data
        target = target.with_name(f"_{target.name}")
    target.parent.mkdir(parents=True, exist_ok=True)
    return target


def _whole(content: _File, files: list[Path], *, is_bad: bool) -> Split:
    """Copy a file that is not read record by record."""
    shutil.copyfile(content.path, files[is_bad])
    number = _number(content)
    return Split(content.name, number, 0 if is_bad else number, number if is_bad else 0)


def _number(content: _File) -> int:
    """Count the records of a file; 1, itself, where that cannot be told."""
    with suppress(*_UNREADABLE):
        read_as = content.format
        if read_as is not None and (records := _records_of_text(content, read_as)) is not None:
            return sum(key is not None for key, _ in records)
        if isinstance(read_as, Parquet) and not content.is_packed:
            return pl.scan_parquet(content.path, glob=False).select(pl.len()).collect().item()
    return 1


def _apart(
    content: Content, records: Iterator[tuple[str | None, bytes]], bad: Collection[str], files: list[Path]
) -> Split | None:
    """Split records of text byte by byte; what has no key (a byte order mark, a header, blank lines) goes to both."""
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
    """Get the records of a file that is one object of records by their keys; None if it is no such file."""
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


def _json_lines(content: _File) -> Iterator[tuple[str | None, bytes]]:
    mark, encoding = content.text()
    yield None, mark
    # What is no text in the encoding is a record like any other: which of them is bad was told before.
    errors = "strict" if encoding.startswith("utf-16") else "surrogateescape"
    with content.path.open(encoding=encoding, errors=errors, newline="\n") as lines:
        lines.seek(len(mark))
        for number, line in enumerate(lines, start=1):
            yield (f"line {number}" if line.strip() else None), line.encode(encoding, errors)


def _delimited(content: _File, delimiter: str) -> Iterator[tuple[str | None, bytes]]:
    # A byte order mark is part of the text of the header, which goes to both files as it stands.
    _, encoding = content.text()
    with csv_records.in_records(Content(content.folder, content.name, is_named=True), delimiter, encoding) as records:
        for row, record in enumerate(records, start=1):
            if record.expected:
                raise csv.Error(record.expected)
            if record.raw.endswith("\r"):  # other readers take it for a part of the field, and count fewer rows
                raise csv.Error("CR alone")
            yield (f"row {row}" if row > 1 and record.fields else None), record.raw.encode(encoding)


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
    """Split records of any other format, as text with their keys; unreadable ones have a key alone."""
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
