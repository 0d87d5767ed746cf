"""Tables as Word files: one table with its title before it and its notes after it."""

from __future__ import annotations

import io
import time
import zipfile
from math import floor
from typing import TYPE_CHECKING, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat, epoch, one_by_one
from tallybook.tables.typeset import behind_point, lines, spanners
from tallybook.tables.widths import GAP, fit_to_page, fitted_widths, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.tables.content import Table

# A4 with margins of 2.5 cm, in twentieths of a point.
_SHORT, _LONG, _MARGIN = 11906, 16838, 1418

# The size of the type and the smallest one in half-points, and how many digits of it stand on a line across the page.
_SIZE, _LEAST_SIZE, _LINE_OF_DIGITS = 18, 14, 90.0

# A table that is nearly as wide as the line is made as wide.
_NEARLY = 0.75

# The margin within a cell, on both sides, in twentieths of a point; rules in eighths of a point.
_CELL_MARGIN, _HEAVY, _LIGHT = 80, 12, 6

_XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
_WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_OFFICE = "application/vnd.openxmlformats-officedocument.wordprocessingml"
_LINKED = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_CONTENT_TYPES = f"""<Types xmlns="{_PACKAGE}/content-types">
<Default Extension="xml" ContentType="application/xml" />
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml" />
<Override PartName="/word/document.xml" ContentType="{_OFFICE}.document.main+xml" />
<Override PartName="/word/styles.xml" ContentType="{_OFFICE}.styles+xml" />
<Override PartName="/word/fontTable.xml" ContentType="{_OFFICE}.fontTable+xml" />
<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml" />
</Types>"""
_LINKS = f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_LINKED}/officeDocument" Target="word/document.xml" />
<Relationship Id="rId2" Type="{_PACKAGE}/relationships/metadata/core-properties" Target="docProps/core.xml" />
</Relationships>"""
_DOCUMENT_LINKS = f"""<Relationships xmlns="{_PACKAGE}/relationships">
<Relationship Id="rId1" Type="{_LINKED}/styles" Target="styles.xml" />
<Relationship Id="rId2" Type="{_LINKED}/fontTable" Target="fontTable.xml" />
</Relationships>"""
_PROPERTIES = f"""<cp:coreProperties xmlns:cp="{_PACKAGE}/metadata/core-properties" \
xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/" \
xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><dc:title>TITLE</dc:title>\
<dcterms:created xsi:type="dcterms:W3CDTF">DATE</dcterms:created>\
<dcterms:modified xsi:type="dcterms:W3CDTF">DATE</dcterms:modified></cp:coreProperties>"""
# Widths are counted in characters of this font, or of the free fonts with its metrics.
_FONTS = f"""<w:fonts {_WORD}><w:font w:name="Arial"><w:altName w:val="Liberation Sans,Arimo,Helvetica" />\
<w:family w:val="swiss" /><w:pitch w:val="variable" /></w:font></w:fonts>"""
_STYLES = f"""<w:styles {_WORD}><w:docDefaults><w:rPrDefault><w:rPr>\
<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial" /><w:sz w:val="18" /><w:szCs w:val="18" />\
<w:lang w:val="en-US" /></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal" /></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="Compact"><w:name w:val="Compact" />\
<w:basedOn w:val="Normal" /><w:pPr><w:spacing w:before="30" w:after="30" /></w:pPr>\
<w:rPr><w:sz w:val="SIZE" /><w:szCs w:val="SIZE" /></w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableLabel"><w:name w:val="Table Label" />\
<w:basedOn w:val="Compact" /><w:pPr><w:ind w:left="180" /></w:pPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableGroup"><w:name w:val="Table Group" />\
<w:basedOn w:val="Compact" /><w:pPr><w:keepNext /><w:spacing w:before="90" w:after="30" /></w:pPr>\
<w:rPr><w:b /></w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableNote"><w:name w:val="Table Note" />\
<w:basedOn w:val="Normal" /><w:pPr><w:spacing w:before="60" w:after="0" /></w:pPr>\
<w:rPr><w:sz w:val="16" /><w:szCs w:val="16" /></w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableCaption"><w:name w:val="Table Caption" />\
<w:basedOn w:val="Normal" /><w:pPr><w:keepNext /><w:spacing w:before="0" w:after="80" /></w:pPr>\
<w:rPr><w:b /></w:rPr></w:style></w:styles>"""


def table_docx(table: Table) -> bytes:
    """Write a Word file with a table.

    Rules above and below the table, below its head and below its spanners; columns as wide as their text allows,
    numbers on decimal tabs; small type in cells and notes, down to 7 pt; a wide table on a turned page. Two runs write
    the same bytes.
    """
    shown = visible_table(table)
    page = _layout(shown)
    date = time.gmtime(epoch())
    properties = _PROPERTIES.replace("DATE", time.strftime("%Y-%m-%dT%H:%M:%SZ", date))
    parts = {
        "[Content_Types].xml": _CONTENT_TYPES,
        "_rels/.rels": _LINKS,
        "word/document.xml": _document(shown, page),
        "word/_rels/document.xml.rels": _DOCUMENT_LINKS,
        "word/styles.xml": _STYLES.replace("SIZE", str(page.size)),
        "word/fontTable.xml": _FONTS,
        "docProps/core.xml": properties.replace("TITLE", escape(shown.title)),
    }
    written = io.BytesIO()
    packed = max(date[:6], (1980, 1, 1, 0, 0, 0))  # the first time that a ZIP file can tell
    with zipfile.ZipFile(written, "w") as archive:
        for name, text in parts.items():
            entry = zipfile.ZipInfo(name, packed)
            archive.writestr(entry, (_XML + text).encode("utf-8"), compress_type=zipfile.ZIP_DEFLATED)
    return written.getvalue()


class _Page(NamedTuple):
    """The page and the columns."""

    size: int  # the size of the type in half-points
    turned: bool  # whether the page is turned
    widths: list[int]  # the widths of the columns in twentieths of a point, the stub first
    # where the decimal points of each column stand, from its left; None for a column without them
    points: list[int | None]


def _layout(table: Table) -> _Page:
    turned_line = _LINE_OF_DIGITS * (_LONG - 2 * _MARGIN) / (_SHORT - 2 * _MARGIN)
    fit = fit_to_page(table, _LINE_OF_DIGITS, turned_line, _LEAST_SIZE / _SIZE)
    size = floor(_SIZE * fit.size)
    paper = (_LONG if fit.turned else _SHORT) - 2 * _MARGIN
    line = (turned_line if fit.turned else _LINE_OF_DIGITS) * _SIZE / size
    # Each column has half of the space between two on both sides: one space more than there are between them.
    widths = [width + GAP for width in fitted_widths(table, line - GAP)]
    wide = sum(widths) > _NEARLY * line
    share = paper / (sum(widths) if wide else line)
    scaled = [round(width * share) for width in widths]
    behind = [None, *(_behind_points(table, at) for at in range(len(table.columns)))]
    points = [
        None if part is None else max(0, width - 2 * _CELL_MARGIN - round(part * paper / line))
        for width, part in zip(scaled, behind, strict=True)
    ]
    return _Page(size, fit.turned, scaled, points)


def _behind_points(table: Table, at: int) -> float | None:
    """Measure the digits behind a column's decimal points; None where its cells are alike there."""
    cells = [line.cells[at] for line in lines(table)]
    if not any(cell.pad for cell in cells):
        return None
    parts = [part for cell in cells if (part := behind_point(cell.text)) is not None]
    # A point behind a number without one is none of this number.
    if any(part.find(".") > 0 for part in parts):
        return None
    return max(text_width(part) for part in parts)


def _document(table: Table, page: _Page) -> str:
    caption = f"<w:tblCaption w:val={quoteattr(table.title)} />" if table.title else ""
    rules = f"<w:tblBorders>{_rule('top', _HEAVY)}{_rule('bottom', _HEAVY)}</w:tblBorders>"
    margins = "".join(f'<w:{side} w:type="dxa" w:w="{_CELL_MARGIN}" />' for side in ("left", "right"))
    columns = "".join(f'<w:gridCol w:w="{width}" />' for width in page.widths)
    long, short = (f'w:{"w" if page.turned else "h"}="{_LONG}"', f'w:{"h" if page.turned else "w"}="{_SHORT}"')
    paper = f'{long} {short} w:orient="landscape"' if page.turned else f"{short} {long}"
    sides = " ".join(f'w:{side}="{_MARGIN}"' for side in ("top", "right", "bottom", "left"))
    return "\n".join(
        [
            f'<w:document {_WORD}><w:body><w:bookmarkStart w:id="9" w:name="tab-{table.id}" />',
            *([_paragraph(table.title, "TableCaption")] if table.title else []),
            f'<w:tbl><w:tblPr><w:tblW w:type="dxa" w:w="{sum(page.widths)}" />{rules}<w:tblLayout w:type="fixed" />',
            f"<w:tblCellMar>{margins}</w:tblCellMar>{caption}</w:tblPr><w:tblGrid>{columns}</w:tblGrid>",
            *_head(table),
            *_body(table, page),
            '</w:tbl><w:bookmarkEnd w:id="9" />',
            *(_paragraph(note, "TableNote") for note in table.notes),
            f'<w:sectPr><w:pgSz {paper} /><w:pgMar {sides} w:header="709" w:footer="709" w:gutter="0" /></w:sectPr>',
            "</w:body></w:document>",
        ]
    )


def _head(table: Table) -> Iterator[str]:
    below = f"<w:tcBorders>{_rule('bottom', _LIGHT)}</w:tcBorders>"
    # The rule of a paragraph is as wide as its text may be: a gap is left to the rule of the next spanner.
    ruled = f"<w:pBdr>{_rule('bottom', _LIGHT)}</w:pBdr>"
    bottom = '<w:vAlign w:val="bottom" />'
    labels = [("left", table.stub), *((column.align, column.label) for column in table.columns)]
    merged: set[int] = set()
    if any(column.spanner for column in table.columns):
        upper: list[str] = []
        for spanner, own in [("", [-1]), *spanners(table)]:
            if spanner:
                span = f'<w:gridSpan w:val="{len(own)}" />' if len(own) > 1 else ""
                upper.append(_cell(_paragraph(spanner, properties=f"{ruled}{_side('center')}"), span + bottom))
                continue
            for at in own:
                side, label = labels[at + 1]
                upper.append(_cell(_paragraph(label, properties=_side(side)), f'<w:vMerge w:val="restart" />{bottom}'))
                merged.add(at + 1)
        yield _row(upper, head=True)
    lower: list[str] = []
    for at, (side, label) in enumerate(labels):
        text, above = ("", '<w:vMerge w:val="continue" />') if at in merged else (label, "")
        lower.append(_cell(_paragraph(text, properties=_side(side)), f"{above}{below}{bottom}"))
    yield _row(lower, head=True)


def _body(table: Table, page: _Page) -> Iterator[str]:
    span = f'<w:gridSpan w:val="{len(table.columns) + 1}" />' if table.columns else ""
    for line in lines(table):
        if line.heading:
            yield _row([_cell(_paragraph(line.heading, "TableGroup"), span)])
        cells = [_cell(_paragraph(line.row.label, "TableLabel" if line.row.group else "Compact", _side("left")))]
        for cell, column, point in zip(line.cells, table.columns, page.points[1:], strict=True):
            side, whole = _side(column.align), ""
            if column.align == "right":
                # A number is never broken. With its point on a decimal tab, it needs no tab character in a table.
                whole = "<w:noWrap />"
                if point is not None:
                    side = f'<w:tabs><w:tab w:val="decimal" w:pos="{point}" /></w:tabs>{_side("left")}'
            cells.append(_cell(_paragraph(cell.text, properties=side), whole))
        yield _row(cells)


def _row(cells: list[str], *, head: bool = False) -> str:
    again = '<w:tblHeader w:val="on" />' if head else ""
    return f"<w:tr><w:trPr><w:cantSplit />{again}</w:trPr>{''.join(cells)}</w:tr>"


def _cell(paragraph: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{paragraph}</w:tc>"


def _paragraph(text: str, style: str = "Compact", properties: str = "") -> str:
    run = f'<w:r><w:t xml:space="preserve">{escape(text)}</w:t></w:r>' if text else ""
    return f'<w:p><w:pPr><w:pStyle w:val="{style}" />{properties}</w:pPr>{run}</w:p>'


def _side(align: str) -> str:
    return f'<w:jc w:val="{align}" />'


def _rule(side: str, weight: int) -> str:
    return f'<w:{side} w:val="single" w:sz="{weight}" w:space="0" w:color="000000" />'


FORMAT = TableFormat("docx", one_by_one(table_docx))
