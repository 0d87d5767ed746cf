"""Tables as Word files: the title, one table, and its notes."""

from __future__ import annotations

import io
import re
import time
import zipfile
from functools import cache
from math import floor
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from tallybook.core.resources import REPORTS
from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat, epoch
from tallybook.tables.typeset import after_decimal_point, lines, spanners, with_symbols
from tallybook.tables.widths import GAP, fit_to_page, fitted_widths, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.tables.content import Table

# A4 with margins of 2.5 cm, in twentieths of a point.
_SHORT, _LONG, _MARGIN = 11906, 16838, 1418

# The theme's type size and the smallest one allowed, in half-points; and the number of digits on a portrait line.
_SIZE, _LEAST_SIZE, _LINE_OF_DIGITS = 17, 14, 100.0

# A table wider than this share of the line is widened to the full line.
_NEARLY = 0.75

# The theme's cell margin on both sides, in twentieths of a point; the width of light rules in eighths of a point.
_CELL_MARGIN, _LIGHT = 85, 4

_THEME = REPORTS / "theme" / "reference.docx"
"""The reference document with the styles that Word tables share with Word reports."""
_BODY = re.compile(r"<w:body>.*</w:body>", re.DOTALL)
_TITLE = re.compile(r"<dc:title>.*?</dc:title><dc:creator>.*?</dc:creator>")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+Z")
_COMMENT = re.compile(r"<dc:description>.*?</dc:description>")


def table_docx(table: Table) -> bytes:
    """Return a table as the content of a Word file, in the styles of the reports' theme.

    Rules above and below the table, below its head and below its spanners; columns as wide as their text requires,
    numbers on decimal tabs; small type, down to 7 pt; a wide table on a landscape page. Output is reproducible.
    """
    shown = visible_table(table)
    date = time.gmtime(epoch())
    packed = max(date[:6], (1980, 1, 1, 0, 0, 0))  # the earliest time that a ZIP file can store
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, content in _theme():
            text = content
            if name == "word/document.xml":
                text = _BODY.sub(lambda _: _document(shown, _layout(shown)), content)
            elif name == "docProps/core.xml":
                text = _properties(content, shown.title, time.strftime("%Y-%m-%dT%H:%M:%SZ", date))
            archive.writestr(zipfile.ZipInfo(name, packed), text.encode("utf-8"), compress_type=zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _properties(content: str, title: str, date: str) -> str:
    titled = _TITLE.sub(lambda _: f"<dc:title>{escape(title)}</dc:title>", content)
    return _TIME.sub(date, _COMMENT.sub("", titled))


@cache
def _theme() -> list[tuple[str, str]]:
    with zipfile.ZipFile(_THEME) as archive:
        return [(name, archive.read(name).decode("utf-8")) for name in archive.namelist()]


class _Page(NamedTuple):
    """The layout of a page and of a table's columns."""

    type: str  # the run properties for smaller type; empty for the theme's own size
    turned: bool  # whether the page is in landscape format
    widths: list[int]  # the widths of the columns in twentieths of a point, the stub first
    # the position of each column's decimal tab, from its left edge; None for a column without one
    points: list[int | None]


def _layout(table: Table) -> _Page:
    turned_line = _LINE_OF_DIGITS * (_LONG - 2 * _MARGIN) / (_SHORT - 2 * _MARGIN)
    fit = fit_to_page(table, _LINE_OF_DIGITS, turned_line, _LEAST_SIZE / _SIZE)
    size = floor(_SIZE * fit.size)
    paper = (_LONG if fit.turned else _SHORT) - 2 * _MARGIN
    line = (turned_line if fit.turned else _LINE_OF_DIGITS) * _SIZE / size
    # Each column includes half of the space between columns on both sides: one space more than there are between them.
    widths = [width + GAP for width in fitted_widths(table, line - GAP)]
    wide = sum(widths) > _NEARLY * line
    share = paper / (sum(widths) if wide else line)
    scaled = [round(width * share) for width in widths]
    behind = [None, *(_behind_points(table, at) for at in range(len(table.columns)))]
    points = [
        None if part is None else width - 2 * _CELL_MARGIN - round(part * paper / line)
        for width, part in zip(scaled, behind, strict=True)
    ]
    smaller = f'<w:sz w:val="{size}" /><w:szCs w:val="{size}" />' if size < _SIZE else ""
    return _Page(smaller, fit.turned, scaled, points)


def _behind_points(table: Table, at: int) -> float | None:
    """Return the greatest width after a column's decimal points, in digits; None where no decimal tab applies."""
    cells = [line.cells[at] for line in lines(table)]
    if not any(cell.pad for cell in cells):
        return None
    parts = [part for cell in cells if (part := after_decimal_point(cell.text)) is not None]
    # A point that follows a number with no decimals is not a decimal point of this number.
    if any(part.find(".") > 0 for part in parts):
        return None
    return max(text_width(part) for part in parts)


def _document(table: Table, page: _Page) -> str:
    caption = f"<w:tblCaption w:val={quoteattr(table.title)} />" if table.title else ""
    columns = "".join(f'<w:gridCol w:w="{width}" />' for width in page.widths)
    long, short = (f'w:{"w" if page.turned else "h"}="{_LONG}"', f'w:{"h" if page.turned else "w"}="{_SHORT}"')
    paper = f'{long} {short} w:orient="landscape"' if page.turned else f"{short} {long}"
    sides = " ".join(f'w:{side}="{_MARGIN}"' for side in ("top", "right", "bottom", "left"))
    return "\n".join(
        [
            f'<w:body><w:bookmarkStart w:id="9" w:name="tab-{table.id}" />',
            *([_paragraph(table.title, "TableCaption")] if table.title else []),
            f'<w:tbl><w:tblPr><w:tblStyle w:val="RuledTable" /><w:tblW w:type="dxa" w:w="{sum(page.widths)}" />',
            f'<w:tblLayout w:type="fixed" />{caption}</w:tblPr><w:tblGrid>{columns}</w:tblGrid>',
            *_head(table, page.type),
            *_body(table, page),
            '</w:tbl><w:bookmarkEnd w:id="9" />',
            *(_paragraph(note, "TableNote", is_statistic=False) for note in table.notes),
            f'<w:sectPr><w:pgSz {paper} /><w:pgMar {sides} w:header="709" w:footer="709" w:gutter="0" /></w:sectPr>',
            "</w:body>",
        ]
    )


def _head(table: Table, size: str) -> Iterator[str]:
    below = f"<w:tcBorders>{_rule()}</w:tcBorders>"
    # A paragraph's rule is as wide as its text may be, which leaves a gap before the rule of the next spanner.
    ruled = f"<w:pBdr>{_rule()}</w:pBdr>"
    bottom = '<w:vAlign w:val="bottom" />'
    labels = [("left", table.stub), *((column.align, column.label) for column in table.columns)]
    merged: set[int] = set()

    def cell(text: str, paragraph: str, properties: str, at: int = -1) -> str:
        is_statistic = at >= 0 and table.columns[at].is_statistic
        return _cell(_paragraph(text, "TableHeading", paragraph, size, is_statistic=is_statistic), properties)

    if any(column.spanner for column in table.columns):
        upper: list[str] = []
        for spanner, own in [("", [-1]), *spanners(table)]:
            if spanner:
                span = f'<w:gridSpan w:val="{len(own)}" />' if len(own) > 1 else ""
                upper.append(cell(spanner, f"{ruled}{_side('center')}", span + bottom))
                continue
            for at in own:
                side, label = labels[at + 1]
                upper.append(cell(label, _side(side), f'<w:vMerge w:val="restart" />{bottom}', at))
                merged.add(at + 1)
        yield _row(upper, head=True)
    lower: list[str] = []
    for at, (side, label) in enumerate(labels):
        text, above = ("", '<w:vMerge w:val="continue" />') if at in merged else (label, "")
        lower.append(cell(text, _side(side), f"{above}{below}{bottom}", at - 1))
    yield _row(lower, head=True)


def _body(table: Table, page: _Page) -> Iterator[str]:
    span = f'<w:gridSpan w:val="{len(table.columns) + 1}" />' if table.columns else ""
    for line in lines(table):
        if line.heading:
            yield _row([_cell(_paragraph(line.heading, "TableGroup", size=f"<w:b />{page.type}"), span)])
        indent = '<w:ind w:left="160" />' if line.row.group else ""
        cells = [_cell(_paragraph(line.row.label, properties=f"{indent}{_side('left')}", size=page.type))]
        for cell, column, point in zip(line.cells, table.columns, page.points[1:], strict=True):
            side, whole = _side(column.align), ""
            if column.align == "right":
                # A number is never broken. In a table, a decimal tab aligns it without a tab character.
                whole = "<w:noWrap />"
                if point is not None and point > 0:
                    side = f'<w:tabs><w:tab w:val="decimal" w:pos="{point}" /></w:tabs>{_side("left")}'
            cells.append(_cell(_paragraph(cell.text, properties=side, size=page.type), whole))
        yield _row(cells)


def _row(cells: list[str], *, head: bool = False) -> str:
    again = '<w:tblHeader w:val="on" />' if head else ""
    return f"<w:tr><w:trPr><w:cantSplit />{again}</w:trPr>{''.join(cells)}</w:tr>"


def _cell(paragraph: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph}</w:tc>"


def _paragraph(
    text: str, style: str = "TableText", properties: str = "", size: str = "", *, is_statistic: bool | None = None
) -> str:
    looks = f"<w:rPr>{size}</w:rPr>" if size else ""
    begin = f'<w:r>{looks}<w:t xml:space="preserve">'
    italic = f'</w:t></w:r><w:r><w:rPr><w:i />{size}</w:rPr><w:t xml:space="preserve">{{}}</w:t></w:r>{begin}'
    shown = escape(text) if is_statistic is None else with_symbols(text, escape, italic, is_statistic=is_statistic)
    run = f"{begin}{shown}</w:t></w:r>" if text else ""
    return f'<w:p><w:pPr><w:pStyle w:val="{style}" />{properties}</w:pPr>{run}</w:p>'


def _side(align: str) -> str:
    return f'<w:jc w:val="{align}" />'


def _rule() -> str:
    return f'<w:bottom w:val="single" w:sz="{_LIGHT}" w:space="0" w:color="000000" />'


FORMAT = TableFormat("docx", table_docx)
