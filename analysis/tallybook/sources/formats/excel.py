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


ALL, SHEET = "*", "sheet"
"""The name for all sheets that share their headers, and the column that names a record's sheet."""


class Excel(Format):
    """Spreadsheets with headers in the first row and a response in each row below."""

    name = "excel"
    title = "Excel (and OpenDocument) spreadsheet"
    has_header = True
    turn = 3

    def __init__(self, sheet: str | None = None, header: int = 1) -> None:
        """Choose a sheet, and the row of the headers."""
        self._sheet = sheet
        self._header = header

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
        table = apart.read(content, "spreadsheet", self._sheet, self._header)
        sheets = table.partition_by(SHEET, maintain_order=True) if self._sheet == ALL else [table]
        for sheet in sheets:
            for above in range(0, sheet.height, MOST_ROWS):
                part = records(sheet.slice(above, MOST_ROWS), content, paths, above + self._header)
                if self._sheet == ALL:
                    keys = pl.format("sheet {}, {}", pl.lit(sheet.item(0, SHEET)), part.keys).alias("key")
                    part = Records(part.header, part.typed, pl.select(keys).to_series())
                yield _without_blank(part)


def _without_blank(part: Records) -> Records:
    """The rows that hold anything."""
    own = [str(place) for place, name in enumerate(part.header) if name != SHEET or place + 1 < len(part.header)]
    is_filled = part.cells.select(~pl.all_horizontal(pl.col(own).is_null())).to_series()
    return Records(part.header, part.cells.filter(is_filled), part.keys.filter(is_filled))


FORMAT = Excel()
