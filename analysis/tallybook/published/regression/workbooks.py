"""Excel workbooks compared: cell by cell, by what stands in them."""

from __future__ import annotations

import html
import re
import zipfile
from typing import TYPE_CHECKING

from tallybook.published.regression.difference import Compared, Difference, compared, unreadable
from tallybook.published.regression.files import natural

if TYPE_CHECKING:
    from pathlib import Path

_TEXT = re.compile(r"<t(?: [^>]*)?>([^<]*)</t>")
_SHARED = re.compile(r"<si>.*?</si>|<si/>", re.DOTALL)
_CELL = re.compile(r'<c r="([A-Z]+\d+)"([^>]*?)(?:/>|>(.*?)</c>)', re.DOTALL)
_VALUE = re.compile(r"<v>([^<]*)</v>")


def compare(file: str, then: Path, now: Path) -> Compared:
    """Compare a workbook with what the study gives now."""
    try:
        before = _cells(then)
    except (OSError, zipfile.BadZipFile, KeyError, IndexError, ValueError):
        return unreadable(file, "no Excel workbook")
    after = _cells(now)
    return compared(
        file,
        [
            Difference(file, "changed", (("cell", cell),), "", before.get(cell, ""), after.get(cell, ""))
            for cell in sorted({*before, *after}, key=_place)
            if before.get(cell, "") != after.get(cell, "")
        ],
    )


def _cells(path: Path) -> dict[str, str]:
    """Map the cells of the first sheet to their content, blank ones left out."""
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        has_texts = "xl/sharedStrings.xml" in archive.namelist()
        shared = archive.read("xl/sharedStrings.xml").decode() if has_texts else ""
    texts = [html.unescape("".join(_TEXT.findall(text))) for text in _SHARED.findall(shared)]
    found: dict[str, str] = {}
    for cell, attributes, content in _CELL.findall(sheet):
        value = "".join(_VALUE.findall(content)) or "".join(_TEXT.findall(content))
        if value:
            found[cell] = texts[int(value)] if 't="s"' in attributes else html.unescape(value)
    return found


def _place(cell: str) -> tuple[int, int, str]:
    """Get the key by which cells are sorted: row by row, in the order of columns.

    >>> sorted(["B2", "AA1", "B1"], key=_place)
    ['B1', 'AA1', 'B2']
    """
    column, row, _ = natural(cell)
    return int(row), len(str(column)), str(column)
