"""Layouts of printed tables: numbers below each other, and what a caption says of numbers in parentheses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.published.audit.numbers import NUMBER, all_numbers, parse, plain
from tallybook.published.audit.roles import BESIDE, SIZE
from tallybook.published.audit.table import Row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.published.audit.table import Table

_ENCLOSED = re.compile(
    rf"[(\[]\s*{NUMBER}\s*%?(?:\s*(?:,|;|to)\s*{NUMBER}\s*%?)?\s*[)\]]\s*\^?\*{{0,4}}", re.IGNORECASE
)
_COUNT_AND_SHARE = re.compile(r"\d+\s*\(\s*\d+(?:\.\d+)?\s*%\s*\)")
_WITH_ENCLOSED = re.compile(rf"{NUMBER}\s*\^?\*{{0,4}}\s*[(\[].*[)\]]\s*\^?\*{{0,4}}", re.IGNORECASE)
_WORDS = {
    "standard errors?|std\\.? ?err(?:ors?)?\\.?|s\\.?e\\.?s?|ses": "se",
    "standard deviations?|std\\.? ?dev(?:iations?)?\\.?|s\\.?d\\.?s?|sds": "sd",
    "t[ -]?(?:statistics?|stats?|values?|ratios?)": "t",
    "z[ -]?(?:statistics?|stats?|values?|scores?)": "z",
    "p[ -]?values?": "p",
    "(?:\\d\\d ?% ?)?(?:confidence intervals?|cis?)": "ci",
    "percentages?|percents?|%": "percent",
}
_SAID = {
    re.compile(
        rf"\b(?:{names})(?:\s+[a-z]+){{0,6}}?\s+(?:in|within|between)\s+(?:\w+\s+)?(?:parenthes[ei]s|brackets)",
        re.IGNORECASE,
    ): BESIDE.get(role, ("estimate", role))
    for names, role in _WORDS.items()
}
"""What a caption or a note says of numbers in parentheses -> the roles of a cell's numbers."""


def merged(table: Table) -> Table:
    """Put numbers in parentheses, which stand below others, beside them."""
    rows: list[Row] = []
    for row in table.rows:
        if rows and not row.cells[0] and _is_below(row.cells, rows[-1].cells):
            above = rows[-1]
            cells = [f"{one} {below}".strip() for one, below in zip(above.cells, row.cells, strict=True)]
            rows[-1] = Row(above.place, cells)
        else:
            rows.append(row)
    return table._replace(rows=rows)


def _is_below(cells: Sequence[str], above: Sequence[str]) -> bool:
    if len(cells) != len(above):
        return False
    pairs = [(plain(cell), plain(one)) for cell, one in zip(cells[1:], above[1:], strict=True) if cell]
    return bool(pairs) and all(_ENCLOSED.fullmatch(cell) and len(all_numbers(one)) == 1 for cell, one in pairs)


def is_heading(row: Row) -> bool:
    """Tell whether a row names the rows below it: one cell alone, or one over the whole width."""
    first, *others = row.cells
    return bool(first and others) and (not any(others) or {*others} == {first}) and parse(first) is None


def of_cells(cells: Sequence[str], caption: str) -> tuple[str, ...]:
    """Name the roles of a column by its cells, where two or three numbers stand in each."""
    most = len(cells) * 2 / 3
    if sum(bool(_COUNT_AND_SHARE.fullmatch(cell)) for cell in cells) >= most:
        return ("count", "percent")
    if not any(_WITH_ENCLOSED.fullmatch(cell) for cell in cells):
        return ()
    return next((roles for pattern, roles in _SAID.items() if pattern.search(caption)), ())


def size_of(texts: Sequence[str]) -> str:
    """Find the number of responses that headers or labels give: `Women (n = 40)`."""
    sizes = {found["n"] or found["last"] for text in texts for found in SIZE.finditer(plain(text))}
    return sizes.pop() if len(sizes) == 1 else ""
