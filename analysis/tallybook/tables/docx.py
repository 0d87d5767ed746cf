"""What Pandoc's Word files lack: the rules of a printed table, column widths, and styles for cells and notes."""

from __future__ import annotations

import io
import re
import zipfile
from math import floor
from typing import TYPE_CHECKING, NamedTuple

from tallybook.tables.content import visible_table
from tallybook.tables.typeset import behind_point, typeset_cells
from tallybook.tables.widths import GAP, fit_to_page, fitted_widths, text_width

if TYPE_CHECKING:
    from tallybook.tables.content import Table

# A4 with margins of 2.5 cm, in twentieths of a point.
_SHORT, _LONG, _MARGIN = 11906, 16838, 1418
_MARGINS = (
    f'<w:pgMar w:top="{_MARGIN}" w:right="{_MARGIN}" w:bottom="{_MARGIN}" w:left="{_MARGIN}" '
    'w:header="709" w:footer="709" w:gutter="0" />'
)

# The size of the type and the smallest one in half-points, and how many digits of it stand on a line across the page.
_SIZE, _LEAST_SIZE, _LINE_OF_DIGITS = 18, 14, 90.0

# A table that is nearly as wide as the line is made as wide.
_NEARLY = 0.75

# The margin within a cell, on both sides, in twentieths of a point.
_CELL_MARGIN = 80

# Widths are counted in characters of this font, or of the free fonts with its metrics.
_FALLBACKS = (
    '<w:font w:name="Arial"><w:altName w:val="Liberation Sans,Arimo,Helvetica" /><w:family w:val="swiss" />'
    '<w:pitch w:val="variable" /></w:font></w:fonts>'
)
_FONT = '<w:rFonts w:ascii="Arial" w:hAnsi="Arial" w:cs="Arial" />'
_STYLES = f"""
<w:style w:type="paragraph" w:customStyle="1" w:styleId="Compact"><w:name w:val="Compact" />\
<w:basedOn w:val="Normal" /><w:qFormat /><w:pPr><w:spacing w:before="30" w:after="30" /></w:pPr>\
<w:rPr>{_FONT}<w:sz w:val="SIZE" /><w:szCs w:val="SIZE" /></w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableLabel"><w:name w:val="Table Label" />\
<w:basedOn w:val="Compact" /><w:qFormat /><w:pPr><w:ind w:left="180" /></w:pPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableGroup"><w:name w:val="Table Group" />\
<w:basedOn w:val="Compact" /><w:qFormat /><w:pPr><w:keepNext /><w:spacing w:before="90" w:after="30" /></w:pPr>\
</w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableNote"><w:name w:val="Table Note" />\
<w:basedOn w:val="Normal" /><w:qFormat /><w:pPr><w:spacing w:before="60" w:after="0" /></w:pPr>\
<w:rPr>{_FONT}<w:sz w:val="16" /><w:szCs w:val="16" /></w:rPr></w:style>
<w:style w:type="paragraph" w:customStyle="1" w:styleId="TableCaption"><w:name w:val="Table Caption" />\
<w:basedOn w:val="Normal" /><w:qFormat /><w:pPr><w:keepNext /><w:spacing w:before="0" w:after="80" /></w:pPr>\
<w:rPr>{_FONT}<w:b /><w:sz w:val="18" /><w:szCs w:val="18" /></w:rPr></w:style>
""".strip()
_REPLACED_STYLE = re.compile(
    r'<w:style [^>]*w:styleId="(?:Compact|TableLabel|TableGroup|TableNote|TableCaption)".*?</w:style>', flags=re.DOTALL
)

_HEAVY, _LIGHT = 12, 6  # in eighths of a point
_TABLE_PROPERTIES = re.compile(r"<w:tblW [^>]*/>.*?</w:tblGrid>", flags=re.DOTALL)
_TABLE_CAPTION = re.compile(r"<w:tblCaption [^>]*/>")
_ROW = re.compile(r"<w:tr>.*?</w:tr>", flags=re.DOTALL)
_CELL = re.compile(r"<w:tc>.*?</w:tc>", flags=re.DOTALL)
_CELL_PROPERTIES = re.compile(r"<w:tcPr ?/>|<w:tcPr>(?P<inside>.*?)</w:tcPr>", flags=re.DOTALL)
_NUMBER = re.compile(r'<w:jc w:val="right" />|<w:tab w:val="decimal" ')
_HEADER = "<w:tblHeader "


def finished_docx(raw: bytes, table: Table) -> bytes:
    """Finish a Word file that Pandoc wrote for one table.

    The file with rules above and below the table, below its head and below its spanners; columns as wide as their text
    allows, numbers on decimal tabs; small type in cells and notes, down to 7 pt; a wide table on a turned page. The
    entries keep their order and their dates.
    """
    page = _layout(visible_table(table))
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as source, zipfile.ZipFile(written, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "word/document.xml":
                content = _finished_document(content.decode("utf-8"), page).encode("utf-8")
            elif entry.filename == "word/styles.xml":
                content = _finished_styles(content.decode("utf-8"), page.size).encode("utf-8")
            elif entry.filename == "word/fontTable.xml" and b'w:name="Arial"' not in content:
                content = content.replace(b"</w:fonts>", _FALLBACKS.encode("ascii"))
            target.writestr(entry, content, compress_type=zipfile.ZIP_DEFLATED)
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
    cells = [row[at] for row in typeset_cells(table)]
    if not any(cell.pad for cell in cells):
        return None
    parts = [part for cell in cells if (part := behind_point(cell.text)) is not None]
    # A point behind a number without one is none of this number.
    if any(part.find(".") > 0 for part in parts):
        return None
    return max(text_width(part) for part in parts)


def _finished_styles(styles: str, size: int) -> str:
    kept = _REPLACED_STYLE.sub("", styles)
    return kept.replace("</w:styles>", _STYLES.replace("SIZE", str(size)) + "</w:styles>")


def _finished_document(document: str, page: _Page) -> str:
    widths = page.widths
    rows = _ROW.findall(document)
    heads = sum(_HEADER in row for row in rows)
    numbers = iter(range(len(rows)))

    def finished_row(found: re.Match[str]) -> str:
        number = next(numbers)
        is_last_head, is_spanner = number == heads - 1, number < heads - 1
        points = iter(page.points if number >= heads else ())

        def finished_cell(cell: re.Match[str]) -> str:
            aligned = _at_point(cell.group(), next(points, None))
            return _finished_cell(aligned, spanner=is_spanner, head=is_last_head)

        row = _CELL.sub(finished_cell, found.group())
        # No row is broken over two pages.
        kept = "<w:trPr><w:cantSplit />"
        return (
            row.replace("<w:trPr>", kept, 1)
            if "<w:trPr>" in row
            else row.replace("<w:tr>", f"<w:tr>{kept}</w:trPr>", 1)
        )

    def finished_properties(found: re.Match[str]) -> str:
        caption = _TABLE_CAPTION.search(found.group())
        return (
            f'<w:tblW w:type="dxa" w:w="{sum(widths)}" /><w:tblBorders>{_rule("top", _HEAVY)}{_rule("bottom", _HEAVY)}'
            '</w:tblBorders><w:tblLayout w:type="fixed" />'
            f'<w:tblCellMar><w:left w:type="dxa" w:w="{_CELL_MARGIN}" />'
            f'<w:right w:type="dxa" w:w="{_CELL_MARGIN}" /></w:tblCellMar>'
            '<w:tblLook w:val="0000" w:firstRow="0" w:lastRow="0" '
            'w:firstColumn="0" w:lastColumn="0" w:noHBand="1" w:noVBand="1" />'
            f"{caption.group() if caption else ''}</w:tblPr><w:tblGrid>"
            + "".join(f'<w:gridCol w:w="{width}" />' for width in widths)
            + "</w:tblGrid>"
        )

    finished = _TABLE_PROPERTIES.sub(finished_properties, _ROW.sub(finished_row, document), count=1)
    paper = (
        f'<w:pgSz w:w="{_LONG}" w:h="{_SHORT}" w:orient="landscape" />'
        if page.turned
        else f'<w:pgSz w:w="{_SHORT}" w:h="{_LONG}" />'
    )
    return re.sub(r"</w:sectPr>", f"{paper}{_MARGINS}</w:sectPr>", finished, count=1)


def _at_point(cell: str, point: int | None) -> str:
    """Make a cell whose number stands with its point on a decimal tab: Word needs no tab character in tables."""
    if point is None:
        return cell
    tab = f'<w:tabs><w:tab w:val="decimal" w:pos="{point}" /></w:tabs><w:jc w:val="left" />'
    return cell.replace('<w:jc w:val="right" />', tab, 1)


def _finished_cell(cell: str, *, spanner: bool, head: bool) -> str:
    """Draw the rule below a cell of the head, and give the empty cells of a merged column the style of the others."""
    styled = re.sub(r"<w:p>\s*<w:pPr ?/>", '<w:p><w:pPr><w:pStyle w:val="Compact" /></w:pPr>', cell)
    merged = "<w:vMerge " in cell
    empty = "<w:t " not in cell
    borders = f"<w:tcBorders>{_rule('bottom', _LIGHT)}</w:tcBorders>" if head else ""
    if spanner and not merged and not empty:
        # The rule of a paragraph is as wide as its text may be: a gap is left to the rule of the next spanner.
        styled = styled.replace("<w:jc ", f"<w:pBdr>{_rule('bottom', _LIGHT)}</w:pBdr><w:jc ", 1)
    aligned = '<w:vAlign w:val="bottom" />' if spanner or head else ""
    # A number, which stands at the right or on a tab, is never broken.
    whole = "" if spanner or head or not _NUMBER.search(cell) else "<w:noWrap />"

    def finished(found: re.Match[str]) -> str:
        return f"<w:tcPr>{found.group('inside') or ''}{borders}{whole}{aligned}</w:tcPr>"

    return _CELL_PROPERTIES.sub(finished, styled, count=1)


def _rule(side: str, weight: int) -> str:
    return f'<w:{side} w:val="single" w:sz="{weight}" w:space="0" w:color="000000" />'
