"""Guesses at the header rows of tables whose first row is none: titles above, models over several columns."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import DataError, Problem
from tallybook.core.untrusted import printable
from tallybook.drafting.columns import KEY, LONG
from tallybook.sources.content import Content
from tallybook.sources.formats.delimited import header_line, suggested
from tallybook.sources.header_rows import are_headers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.drafting.survey import Survey
    from tallybook.sources.header_rows import HeaderRows

_MOST_ABOVE = 20
"""The number of rows, from the first, among which the header row is searched for."""
_MOST_GROUPS = 3
"""The most rows of headers above the last one."""


def where(rows: HeaderRows) -> str:
    """Say in which rows the headers seem to stand."""
    if isinstance(rows, int):
        return f"The headers seem to stand in row {rows}; rows above are ignored. See `header`."
    between = "and" if rows[1] == rows[0] + 1 else "to"
    said = f"The headers seem to stand in rows {rows[0]} {between} {rows[1]}"
    return f"{said}: what stands above several columns is part of each."


def below(refused: Sequence[Content]) -> HeaderRows | None:
    """Return the header rows of refused CSV files, or the one below other lines."""
    rows = {header_line(_start_of(one)) for one in refused}
    below = rows.pop() if len(rows) == 1 else 1
    return _several_rows(refused) or (below if below > 1 else None)


def _start_of(content: Content) -> bytes:
    try:
        return content.start()
    except DataError:
        return b""


def header_row(found: Survey) -> HeaderRows | None:
    """Find the header row, or rows, of a spreadsheet whose first row has blanks."""
    added = {"sheet"} if found.reading.sheet == "*" else set[str]()
    names = [column.name for column in found.columns if column.name not in added]
    if not any(name.startswith("__UNNAMED__") for name in names) or any(file.format != "excel" for file in found.files):
        return None
    head = found.records.select(KEY, *names).head(_MOST_ABOVE).collect()
    rows = {int(key.rpartition(" ")[2]): cells for key, *cells in head.iter_rows()}
    first = next((row for row, cells in rows.items() if all(cells)), None)
    rows[1] = ["" if name.startswith("__UNNAMED__") else name for name in names]
    for last in (first + 1, first, first - 1) if first else ():
        later = [cells for row, cells in rows.items() if row > last]
        for top in range(max(1, last - _MOST_GROUPS), last if last in rows else 0):
            if are_headers([rows[row] for row in range(top, last) if row in rows], rows[last], later):
                return top, last
    return first


def repeated_row(found: Survey) -> HeaderRows | None:
    """Find the header rows of CSV files of which the first repeats names."""
    is_repeated = any(column.name.endswith(" (2)") for column in found.columns)
    is_repeated &= all(file.format in {"csv", "tsv", "delimited"} for file in found.files)
    return _several_rows([Content(Path(), file.name, is_named=True) for file in found.files]) if is_repeated else None


def refuse_values(found: Survey) -> None:
    """Raise a `DataError` if the first row of a table is a record: several headers are values of their columns."""
    values = [one.name for one in found.columns if one.name in one.values and not one.name.isdecimal()]
    names = [one.name for one in found.columns if len(one.name) > LONG]
    is_table = all(file.format in {"csv", "tsv", "delimited", "excel"} for file in found.files)
    if is_table and found.reading.header == 1 and len(values) > 1 and len(values) + len(names) > len(found.columns) / 3:
        shown = ", ".join(printable(name, 40) for name in values[:3])
        expected = f"a row of headers: the first one holds values of its columns ({shown}). Write their names above it"
        raise DataError([Problem(file.name, "row 1", "", "", expected) for file in found.files])


def _several_rows(contents: Sequence[Content]) -> tuple[int, int] | None:
    """Find the header rows of CSV files in whose first rows names are repeated or blank."""
    for content in contents:
        start = _start_of(content).decode("utf-8-sig", errors="replace")
        lines = start.splitlines()[: _MOST_ABOVE + 2]
        delimiter = suggested("\n".join(lines[-3:]).encode() + b"\n") or ","
        try:
            rows = list(csv.reader(lines, delimiter=delimiter))
        except csv.Error:
            continue
        for size, place in product(range(_MOST_GROUPS, 0, -1), range(len(rows))):
            above, below = rows[place : place + size], rows[place + size : -1][:1]
            filled = [name for name in above[0] if name.strip()]
            is_odd = len(filled) < len(above[0]) or len({*filled}) < len(filled)
            if is_odd and below and are_headers(above, below[0], rows[place + size + 1 :]):
                return place + 1, place + size + 1
    return None
