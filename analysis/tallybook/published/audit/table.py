"""A printed table as the audit reads it."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One row of a printed table, and where it stands."""

    place: str
    cells: list[str]


class Table(NamedTuple):
    """One printed table: headers with what spans them, rows, and the text about it."""

    file: str
    name: str
    headers: list[list[str]]
    rows: list[Row]
    caption: str = ""
