"""Spreadsheets: Excel and OpenDocument."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import MissingExtraError
from tallybook.sources.formats import apart
from tallybook.sources.formats.tabular import records
from tallybook.sources.records import MOST_ROWS, Records
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role


class Excel(Format):
    """Spreadsheets with headers in the first row and a response in each row below."""

    name = "excel"
    title = "Excel (and OpenDocument) spreadsheet"
    has_header = True
    turn = 3

    def __init__(self, sheet: str | None = None) -> None:
        """Choose a sheet."""
        self._sheet = sheet

    def recognises(self, head: Head) -> Role | None:
        """An archive with a workbook in it, or an old Excel file by its suffix."""
        is_workbook = any(name.startswith("xl/workbook.") for name in head.members)
        is_open = head.start[30:38] == b"mimetype" and b"opendocument.spreadsheet" in head.start[:120]
        is_old = head.start.startswith(b"\xd0\xcf\x11\xe0") and head.suffix == ".xls"
        return "responses" if is_workbook or is_open or is_old else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a sheet, its rows some at a time; the file itself is read at once, elsewhere."""
        if find_spec("fastexcel") is None:
            raise MissingExtraError("fastexcel", "excel")
        table = apart.read(content, "spreadsheet", self._sheet)
        for above in range(0, table.height, MOST_ROWS):
            yield _without_blank(records(table.slice(above, MOST_ROWS), content, paths, above + 1))


def _without_blank(part: Records) -> Records:
    """The rows that hold anything."""
    is_filled = part.cells.select(~pl.all_horizontal(pl.all().is_null())).to_series()
    return Records(part.header, part.cells.filter(is_filled), part.keys.filter(is_filled))


FORMAT = Excel()
