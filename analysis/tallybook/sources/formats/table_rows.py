"""The rows of CSV and Parquet files as objects: what tools export as tables of values, JSON in some of them."""

from __future__ import annotations

import csv
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

from tallybook.sources import csv_file
from tallybook.sources.formats import subprocess_reader

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.sources.content import Content


def header(start: bytes) -> list[str]:
    r"""Return the names in the first line of a CSV file.

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
    """Yield the rows of a comma-separated file with their keys; an empty field is a missing value."""
    for part in csv_file.parts(content, ","):
        if len(set(part.header)) < len(part.header):
            twice = next(name for name in part.header if part.header.count(name) > 1)
            raise content.refuse("each header once", key="row 1", value=twice)
        for key, fields in zip(part.keys, part.cells.iter_rows(), strict=True):
            yield key, {name: text or None for name, text in zip(part.header, fields, strict=True)}


def in_parquet(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of a Parquet file with their keys."""
    number = 0
    for part in subprocess_reader.frames(content, subprocess_reader.PARQUET):
        for row in part.iter_rows(named=True):
            number += 1
            yield f"row {number}", {name: _plain(value) for name, value in row.items()}


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
