"""Tables as Excel workbooks with one sheet: plain numbers are stored as numbers, everything else as text."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from decimal import Decimal
from math import ceil
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.errors import MissingExtraError
from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat, epoch
from tallybook.tables.typeset import lines, spanners
from tallybook.tables.widths import natural_widths, text_width

if TYPE_CHECKING:
    from xlsxwriter.workbook import Workbook
    from xlsxwriter.worksheet import Worksheet

    from tallybook.tables.content import Alignment, Table
    from tallybook.tables.typeset import Line

# A number with nothing around it that a number format cannot express.
_PLAIN = re.compile(
    r"[-−]?(?P<whole>\d{1,3}(?:,\d{3})+|\d*)(?P<fraction>\.\d+)?(?P<power>e[+-]\d+)?(?P<percent>%?)", flags=re.ASCII
)
# The limits of a spreadsheet's numbers.
_DIGITS, _SMALLEST, _LARGEST = 15, 1e-307, 1e300

_SIZE, _NOTE_SIZE = 10, 9
_FONT: dict[str, Any] = {"font_name": "Arial", "font_size": _SIZE, "valign": "top"}
_NOTE_FONT = {**_FONT, "font_size": _NOTE_SIZE, "text_wrap": True}
_HEAVY, _LIGHT = 2, 1
_NARROWEST, _WIDEST, _MARGIN = 6.0, 60.0, 2.0
_LINE, _NOTE_LINE = 13.5, 12.0
# The number of digits on a portrait line of A4, in the sheet's type size.
_ACROSS = 95.0
# The maximum length of a cell's text.
_LONGEST = 32767


class Number(NamedTuple):
    """A number in a spreadsheet."""

    value: float  # the number as printed, not the unrounded one
    form: str  # the number format with which a spreadsheet displays it as printed


def plain_number(text: str) -> Number | None:
    """Parse a cell that is a plain number, with its format; None for any other cell.

    >>> plain_number("-0.50"), plain_number("1,234"), plain_number("12.5%"), plain_number("0.50***")
    (Number(value=-0.5, form='0.00'), Number(value=1234.0, form='#,##0'), Number(value=0.125, form='0.0%'), None)
    """
    found = _PLAIN.fullmatch(text)
    if found is None or not (found["whole"] or found["fraction"]):
        return None
    digits = re.sub(r"\D", "", found["whole"] + (found["fraction"] or "")).lstrip("0")
    number = Decimal(text.replace("−", "-").replace(",", "").removesuffix("%"))
    value = float(number / 100 if found["percent"] else number)
    if len(digits) > _DIGITS or (number != 0 and not _SMALLEST < abs(value) < _LARGEST):
        return None
    decimals = len(found["fraction"] or ".") - 1
    whole = "#,##0" if "," in found["whole"] else "0" if found["whole"] else ""
    form = whole + ("." + "0" * decimals if decimals else "")
    return Number(value, form + ("E+00" if found["power"] else "") + found["percent"])


def table_xlsx(table: Table) -> bytes:
    """Return the table as an Excel file with one sheet: title, headings with merged spanners, grouped rows, notes.

    A number that is printed plain becomes a number with a format that displays it as printed; everything else is text,
    even if it begins like a formula. The head is frozen, and repeated on each printed page; a sheet that is too wide
    for portrait is printed in landscape, and scaled to the page width. Output is reproducible.
    """
    try:
        from xlsxwriter import Workbook
    except ImportError as error:
        raise MissingExtraError("xlsxwriter", "report") from error

    shown = visible_table(table)
    written = io.BytesIO()
    texts_only = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    workbook = Workbook(written, {"in_memory": True, **texts_only})
    workbook.set_properties({"title": shown.title[:255], "created": datetime.fromtimestamp(epoch(), UTC)})
    sheet = _Sheet(workbook, workbook.add_worksheet(f"Table {shown.id}"[:31]), shown)
    sheet.write()
    workbook.close()
    return written.getvalue()


def _aligned(align: Alignment) -> dict[str, Any]:
    # A text column keeps some distance from the numbers before it.
    return {"align": align, **({"indent": 1} if align == "left" else {})}


class _Sheet:
    """A sheet during its writing, from top to bottom."""

    def __init__(self, workbook: Workbook, sheet: Worksheet, table: Table) -> None:
        self._workbook = workbook
        self._sheet = sheet
        self._table = table
        self._line = 0
        self._last = len(table.columns)

    def write(self) -> None:
        widths = [min(max(width + _MARGIN, _NARROWEST), _WIDEST) for width in natural_widths(self._table)]
        for at, width in enumerate(widths):
            self._sheet.set_column(at, at, width)
        self._across(self._table.title, {**_FONT, "bold": True, "text_wrap": True}, sum(widths), _LINE)
        first = self._line
        self._head()
        self._sheet.freeze_panes(self._line, 1)
        self._sheet.repeat_rows(first, self._line - 1)
        self._body(widths)
        for note in self._table.notes:
            self._across(note, _NOTE_FONT, sum(widths) * _SIZE / _NOTE_SIZE, _NOTE_LINE)
        self._sheet.hide_gridlines(2)
        self._sheet.set_paper(9)
        if sum(widths) > _ACROSS:
            self._sheet.set_landscape()
        self._sheet.fit_to_pages(1, 0)

    def _text(self, line: int, column: int, text: str, properties: dict[str, Any]) -> None:
        """Write a text as text, even if it begins like a formula."""
        self._sheet.write_string(line, column, text[:_LONGEST], self._workbook.add_format(properties))

    def _across(self, text: str, properties: dict[str, Any], width: float, height: float) -> None:
        """Write a text across all columns, on as many lines as it needs."""
        if not text:
            return
        if self._last:
            self._sheet.merge_range(self._line, 0, self._line, self._last, "", self._workbook.add_format(properties))
        self._text(self._line, 0, text, properties)
        self._sheet.set_row(self._line, height * ceil(1.1 * text_width(text) / width))
        self._line += 1

    def _head(self) -> None:
        columns = self._table.columns
        top = {**_FONT, "top": _HEAVY, "text_wrap": True, "valign": "bottom"}
        plain = {**_FONT, "text_wrap": True, "valign": "bottom"}
        spanned = any(column.spanner for column in columns)
        if spanned:
            self._text(self._line, 0, "", top)
            for spanner, own in spanners(self._table):
                properties = {**top, "align": "center", **({"bottom": _LIGHT} if spanner else {})}
                if len(own) > 1:
                    across = (self._line, own[0] + 1, self._line, own[-1] + 1)
                    self._sheet.merge_range(*across, "", self._workbook.add_format(properties))
                self._text(self._line, own[0] + 1, spanner, properties)
            self._line += 1
        labels = {**(plain if spanned else top), "bottom": _LIGHT}
        self._text(self._line, 0, self._table.stub, {**labels, "align": "left"})
        for at, column in enumerate(columns, start=1):
            self._text(self._line, at, column.label, {**labels, **_aligned(column.align)})
        self._line += 1

    def _body(self, widths: list[float]) -> None:
        for line in lines(self._table):
            if line.heading:
                self._text(self._line, 0, line.heading, {**_FONT, "bold": True})
                self._line += 1
            self._row(line, widths)
        for at in range(self._last + 1):
            self._sheet.write_blank(self._line, at, None, self._workbook.add_format({**_FONT, "top": _HEAVY}))
        # The rule has a row of its own above the notes, which are merged over all columns.
        self._sheet.set_row(self._line, 3)
        self._line += 1

    def _row(self, line: Line, widths: list[float]) -> None:
        row = line.row
        label = {**_FONT, "align": "left", "text_wrap": True, "indent": int(bool(row.group))}
        self._text(self._line, 0, row.label, label)
        cells = zip(row.cells, line.cells, self._table.columns, strict=True)
        for at, (text, cell, column) in enumerate(cells, start=1):
            self._cell(at, text, cell.pad, column.align)
        height = max(
            ceil(text_width(text) / width) for text, width in zip((row.label, *row.cells), widths, strict=True)
        )
        if height > 1:
            self._sheet.set_row(self._line, _LINE * height)
        self._line += 1

    def _cell(self, column: int, text: str, pad: str, align: Alignment) -> None:
        # In a number format, an underscore and a character leave a space as wide as this character.
        room = "".join(f"_{character}" for character in pad)
        number = plain_number(text)
        if number is not None:
            properties = {**_FONT, **_aligned(align), "num_format": number.form + room}
            self._sheet.write_number(self._line, column, number.value, self._workbook.add_format(properties))
        else:
            properties = {**_FONT, **_aligned(align), "num_format": f"@{room}"}
            self._text(self._line, column, text, properties | ({"text_wrap": True} if align == "left" else {}))


FORMAT = TableFormat("xlsx", table_xlsx)
