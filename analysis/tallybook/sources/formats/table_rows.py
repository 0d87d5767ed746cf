"""The rows of CSV and Parquet files as objects: what tools export as tables of values, JSON in some of them."""

from __future__ import annotations

import csv
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from io import SEEK_END
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.core.errors import DataError, UsageError
from tallybook.core.untrusted import printable
from tallybook.sources import csv_file
from tallybook.sources.formats.apart import can_be_decoded
from tallybook.sources.json_records import parse
from tallybook.sources.parquet_bounds import WITHIN, holds_too_many, quietly

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.sources.content import Content

_MOST_READ = 2**16
"""The rows of a Parquet file that polars reads at once: later rows may be much longer than the first ones."""
_AT_ONCE = 2**12
"""The rows of a Parquet file that are objects at once."""
_MOST_DECODED = 2**25
"""The bytes of a Parquet file that is decoded elsewhere first, in case it is damaged; a larger one takes too long."""
MOST_ROWS, MOST_BYTES = 2**19, 2**26
"""The rows of a Parquet file, and about how many bytes of them, that are in memory at once."""


def header(start: bytes) -> list[str]:
    r"""The names in the first line of a CSV file.

    >>> header(b'id,"trace_id"\r\n1,2')
    ['id', 'trace_id']
    """
    nothing: list[str] = []
    try:
        line = start.partition(b"\n")[0].decode("utf-8-sig").rstrip("\r")
        return next(csv.reader([line], strict=True), nothing)
    except (UnicodeDecodeError, csv.Error):
        return nothing


def in_csv(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a CSV file with commas; an empty field is a missing value.

    `row 2` for the first below the header, with the line it begins in where that is another, and column -> text.
    """
    for part in csv_file.parts(content, ","):
        if len(set(part.header)) < len(part.header):
            twice = next(name for name in part.header if part.header.count(name) > 1)
            raise content.refuse("each header once", key="row 1", value=twice)
        for key, fields in zip(part.keys, part.cells.iter_rows(), strict=True):
            yield key, {name: text or None for name, text in zip(part.header, fields, strict=True)}


def in_parquet(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a Parquet file, some thousand in memory at once."""
    number = 0
    for part in parquet_parts(content, _AT_ONCE):
        for row in part.iter_rows(named=True):
            number += 1
            yield f"row {number}", {name: _plain(value) for name, value in row.items()}


def parquet_parts(content: Content, at_once: int | None = None) -> Iterator[pl.DataFrame]:
    """The rows of a Parquet file, some at a time: fewer where they are long."""
    at_once = at_once or MOST_ROWS
    try:
        with quietly(), content.seekable() as file:
            size = file.seek(0, SEEK_END)
            file.seek(0)
            table = pl.scan_parquet(file.read() if content.is_packed else content.path, glob=False)
            if holds_too_many(table, size):
                raise content.refuse(WITHIN)
            if size <= _MOST_DECODED and not content.is_packed and not can_be_decoded(content.path):
                raise content.refuse("a whole Parquet file")
            first = table.head(_AT_ONCE).collect()
        # As many rows as are as long as a part, if all are like the first ones.
        size = int(MOST_BYTES * first.height // max(first.estimated_size(), 1))
        waiting: list[pl.DataFrame] = []
        size = min(max(size, _AT_ONCE), _MOST_READ, at_once)
        rows, long = 0, 0
        for frame in table.collect_batches(chunk_size=size, maintain_order=True):
            waiting.append(frame)
            rows, long = rows + frame.height, long + frame.estimated_size()
            if rows >= at_once or long >= MOST_BYTES:
                yield pl.concat(waiting)
                waiting.clear()
                rows, long = 0, 0
        if waiting:
            yield pl.concat(waiting)
    except pl.exceptions.PanicException:  # of a crafted file
        raise UsageError(f"{printable(content.name, 200)}: expected a whole Parquet file") from None
    except (pl.exceptions.PolarsError, OSError):
        raise content.refuse("a whole Parquet file") from None


def parquet_height(content: Content) -> int:
    """The rows of a Parquet file by what it says of itself; 0 of one that cannot be read."""
    try:
        with quietly(), content.seekable():
            return pl.scan_parquet(content.path, glob=False).select(pl.len()).collect().item()
    except (pl.exceptions.PanicException, pl.exceptions.PolarsError, OSError, DataError):
        return 0


def opened(value: object) -> Any:  # noqa: ANN401  whatever JSON can say
    """A value that may be JSON in a string.

    The object or array that a string holds as JSON; anything else as it is, also a string that only begins so.

    >>> [opened(value) for value in ('{"a": 1}', "[sighs] No.", "7", 7)]
    [{'a': 1}, '[sighs] No.', '7', 7]
    """
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return parse(value)
    except ValueError:
        return value


def _plain(value: object) -> object:
    match value:
        case dict():
            return {name: _plain(inner) for name, inner in cast("dict[str, object]", value).items()}
        case list():
            elements = [_plain(inner) for inner in cast("list[object]", value)]
            pairs = [cast("dict[str, object]", one) for one in elements if isinstance(one, dict)]
            is_map = bool(pairs) and len(pairs) == len(elements) and all(set(one) == {"key", "value"} for one in pairs)
            return {str(one["key"]): one["value"] for one in pairs} if is_map else elements
        case datetime():
            return value.isoformat(" ")
        case date() | time() | Decimal() | timedelta():
            return str(value)
        case bytes():
            return value.decode("utf-8", "backslashreplace")
        case _:
            return value
