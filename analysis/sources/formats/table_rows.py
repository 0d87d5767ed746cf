"""The rows of CSV and Parquet files as objects: what tools export as tables of values, JSON in some of them."""

from __future__ import annotations

import csv
import io
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from analysis.sources.content import MOST_LINE
from analysis.sources.json_records import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.sources.content import Content

_AT_ONCE = 2**12
"""How many rows of a Parquet file are objects at once."""


def header(start: bytes) -> list[str]:
    r"""The names in the first line of a CSV file.

    Args:
        start: The file's first bytes.

    Returns:
        The names; none if it is no text.

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

    Args:
        content: The file; a row with too few or too many fields is added to its problems.

    Yields:
        `row 2` for the first below the header, with the line it begins in where that is another, and column -> text.

    Raises:
        DataError: If the file is no UTF-8, no CSV from some row on, or has a header twice.
    """
    csv.field_size_limit(MOST_LINE)  # the default is shorter than many a response
    row = 1
    nothing: list[str] = []
    with content.open() as stream:
        lines = csv.reader(io.TextIOWrapper(stream, "utf-8-sig", newline=""), strict=True)
        try:
            names = next(lines, nothing)
            if len(set(names)) < len(names):
                twice = next(name for name in names if names.count(name) > 1)
                raise content.refuse("each header once", key="row 1", value=twice)
            before = lines.line_num
            for fields in lines:
                row += 1
                key = f"row {row}" if before == row - 1 else f"row {row}, line {before + 1}"
                before = lines.line_num
                if len(fields) == len(names):
                    yield key, {name: text or None for name, text in zip(names, fields, strict=True)}
                elif fields:
                    fault = content.fault(key, "", f"{len(fields)} fields", f"{len(names)} fields, one a header")
                    content.problems.append(fault)
        except UnicodeDecodeError:
            raise content.refuse("UTF-8 text", key=f"after row {row}") from None
        except csv.Error as error:
            raise content.refuse(f"CSV ({error})", key=f"after row {row}") from None


def in_parquet(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of a Parquet file, some thousand in memory at once.

    Args:
        content: The file.

    Yields:
        `row 1` and column -> value, as JSON could have it; a map is an object.

    Raises:
        DataError: If the file is no whole Parquet file.
    """
    number = 0
    try:
        frame = pl.scan_parquet(content.seekable() if content.is_packed else content.path, glob=False)
        for part in frame.collect_batches(maintain_order=True, chunk_size=_AT_ONCE):
            for row in part.iter_rows(named=True):
                number += 1
                yield f"row {number}", {name: _plain(value) for name, value in row.items()}
    except (pl.exceptions.PolarsError, OSError):
        raise content.refuse("a whole Parquet file", key=f"after row {number}") from None


def opened(value: object) -> Any:  # noqa: ANN401  whatever JSON can say
    """A value that may be JSON in a string.

    Args:
        value: Any value.

    Returns:
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
