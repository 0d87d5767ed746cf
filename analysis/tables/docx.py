"""What Pandoc's Word files lack: the rules of a printed table, column widths, and styles for cells and notes."""

from __future__ import annotations

import io
import re
import zipfile
from typing import TYPE_CHECKING

from analysis.tables.text import visible_table
from analysis.tables.widths import GAP, fitted_widths, natural_widths, total_width

if TYPE_CHECKING:
    from analysis.tables.content import Table

# A4 with margins of 2.5 cm, in twentieths of a point.
_PAGE = (
    '<w:pgSz w:w="11906" w:h="16838" />'
    '<w:pgMar w:top="1418" w:right="1418" w:bottom="1418" w:left="1418" w:header="709" w:footer="709" w:gutter="0" />'
)
_LINE = 11906 - 2 * 1418

# The size of the type in half-points, and how many of its characters fit on a line.
_SIZES = ((18, 86.0), (16, 97.0), (14, 111.0))

# A column of text this wide may wrap.
_BREAKABLE = 30.0

# A table that is nearly as wide as the line is made as wide.
_NEARLY = 0.75

# Widths are counted in characters of this font, or of the free fonts with its metrics.
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
_HEADER = "<w:tblHeader "


def finished_docx(raw: bytes, table: Table) -> bytes:
    """Finish a Word file that Pandoc wrote for one table.

    Args:
        raw: The file as Pandoc wrote it.
        table: The table in it, for the widths of its columns.

    Returns:
        The file with rules above and below the table, below its head and below its spanners; columns as wide as
        their text allows; small type in cells and notes. The entries keep their order and their dates.
    """
    shown = visible_table(table)
    size, widths = _layout(shown)
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(raw)) as source, zipfile.ZipFile(written, "w") as target:
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "word/document.xml":
                content = _finished_document(content.decode("utf-8"), widths).encode("utf-8")
            elif entry.filename == "word/styles.xml":
                content = _finished_styles(content.decode("utf-8"), size).encode("utf-8")
            target.writestr(entry, content, compress_type=zipfile.ZIP_DEFLATED)
    return written.getvalue()


def _layout(table: Table) -> tuple[int, list[int]]:
    """The size of the type in half-points and the widths of the columns in twentieths of a point."""
    unwrapped = [min(width, _BREAKABLE) for width in natural_widths(table)]
    size, line = next((each for each in _SIZES if total_width(unwrapped) <= each[1]), _SIZES[-1])
    # Each column has half of the space between two on both sides: one space more than there are between them.
    widths = [width + GAP for width in fitted_widths(table, line - GAP)]
    wide = sum(widths) > _NEARLY * line
    share = _LINE / (sum(widths) if wide else line)
    return size, [round(width * share) for width in widths]


def _finished_styles(styles: str, size: int) -> str:
    kept = _REPLACED_STYLE.sub("", styles)
    return kept.replace("</w:styles>", _STYLES.replace("SIZE", str(size)) + "</w:styles>")


def _finished_document(document: str, widths: list[int]) -> str:
    rows = _ROW.findall(document)
    heads = sum(_HEADER in row for row in rows)
    numbers = iter(range(len(rows)))

    def finished_row(found: re.Match[str]) -> str:
        number = next(numbers)
        is_last_head, is_spanner = number == heads - 1, number < heads - 1
        row = _CELL.sub(lambda cell: _finished_cell(cell.group(), spanner=is_spanner, head=is_last_head), found.group())
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
            '<w:tblCellMar><w:left w:type="dxa" w:w="80" /><w:right w:type="dxa" w:w="80" /></w:tblCellMar>'
            '<w:tblLook w:val="0000" w:firstRow="0" w:lastRow="0" '
            'w:firstColumn="0" w:lastColumn="0" w:noHBand="1" w:noVBand="1" />'
            f"{caption.group() if caption else ''}</w:tblPr><w:tblGrid>"
            + "".join(f'<w:gridCol w:w="{width}" />' for width in widths)
            + "</w:tblGrid>"
        )

    finished = _TABLE_PROPERTIES.sub(finished_properties, _ROW.sub(finished_row, document), count=1)
    return re.sub(r"</w:sectPr>", f"{_PAGE}</w:sectPr>", finished, count=1)


def _finished_cell(cell: str, *, spanner: bool, head: bool) -> str:
    """Draw the rule below a cell of the head, and give the empty cells of a merged column the style of the others."""
    styled = re.sub(r"<w:p>\s*<w:pPr ?/>", '<w:p><w:pPr><w:pStyle w:val="Compact" /></w:pPr>', cell)
    merged = "<w:vMerge " in cell
    empty = "<w:t " not in cell
    weight = _LIGHT if head or (spanner and not merged and not empty) else 0
    borders = f"<w:tcBorders>{_rule('bottom', weight)}</w:tcBorders>" if weight else ""
    aligned = '<w:vAlign w:val="bottom" />' if spanner or head else ""

    def finished(found: re.Match[str]) -> str:
        return f"<w:tcPr>{found.group('inside') or ''}{borders}{aligned}</w:tcPr>"

    return _CELL_PROPERTIES.sub(finished, styled, count=1)


def _rule(side: str, weight: int) -> str:
    return f'<w:{side} w:val="single" w:sz="{weight}" w:space="0" w:color="000000" />'
