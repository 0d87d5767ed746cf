"""Widths of table columns, for formats that do not compute them themselves."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from tallybook.tables.typeset import typeset_cells

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.tables.content import Table

# The space between two columns, and the indent of a row below its group heading, in digits.
GAP = 2.5
INDENT = 2.0

# The widths of characters in digits, from Computer Modern, whose letters are rather wide. Characters not listed are
# as wide as a digit.
_CLASSES = {
    "il.,:;'!|[]I": 0.57,
    "fj-": 0.64,
    " \u00a0rst(){}": 0.78,
    "cez": 0.9,
    "bdhkqnpuvxyS": 1.11,
    "JLZ": 1.25,
    "FEP": 1.36,
    "ABCDGHKNOQRTUVXYw": 1.5,
    "−+=<>≤≥±×": 1.56,
    "m%": 1.67,
    "MW@—…": 2.0,
}
_WIDTHS = {character: width for characters, width in _CLASSES.items() for character in characters}

# A text wider than the first number may wrap, and then takes at least the second; a narrower one stays on one line.
BREAKABLE, WRAPPED = 30.0, 15.0


def text_width(text: str) -> float:
    """Return the width of a text, in digits.

    >>> round(text_width("4.20***"), 2), round(text_width("Model"), 2)
    (6.57, 5.58)
    """
    return sum(_WIDTHS.get(character, 1.0) for character in text)


def natural_widths(table: Table) -> list[float]:
    """Return the widths of the stub and of each column when nothing wraps."""
    return _widths(table, text_width, text_width)


def minimum_widths(table: Table) -> list[float]:
    """Return the widths of the stub and of each column when headings and long texts wrap."""

    def width_of(text: str) -> float:
        width = text_width(text)
        return max(WRAPPED, _widest_word(text)) if width > BREAKABLE else width

    return _widths(table, width_of, _widest_word)


def _widest_word(text: str) -> float:
    return max(text_width(word) for word in text.split(" "))


def wanted_widths(table: Table) -> list[float]:
    """Return the widths of the stub and of each column when only texts wrap that are long, and no word is broken."""
    widths = zip(natural_widths(table), minimum_widths(table), strict=True)
    return [max(least, min(natural, BREAKABLE)) for natural, least in widths]


def total_width(widths: Sequence[float], gap: float = GAP) -> float:
    """Return the width of a whole table: its columns and the space between them."""
    return sum(widths) + gap * (len(widths) - 1)


class Fit(NamedTuple):
    """The layout that fits a table to a page."""

    size: float  # the type size, relative to the default
    turned: bool  # whether the table is set in landscape


def fit_to_page(table: Table, line: float, turned_line: float, least_size: float) -> Fit:
    """Choose type size and orientation that fit a table to a page without breaking a number.

    The first of these: in portrait at full size, in smaller type, in the smallest type with wrapped headings; the same
    in landscape; in landscape in the type size that fits, even if it is too small to be read with ease.
    """
    wanted, least = wanted_widths(table), minimum_widths(table)
    for turned, room in ((False, line), (True, turned_line)):
        if (share := room / total_width(wanted)) >= least_size:
            return Fit(min(share, 1.0), turned)
        if room / total_width(least) >= least_size:
            return Fit(least_size, turned)
    return Fit(turned_line / total_width(least), turned=True)


def fitted_widths(table: Table, line: float, gap: float = GAP) -> list[float]:
    """Fit the widths of columns to a line: shrink the widest, none below its minimum width.

    >>> from tallybook.tables.content import Column, Row, Table
    >>> table = Table("t", "", "", (Column("a", "n"), Column("b", "text")), (Row("r", "o", ("1", "a o " * 60)),))
    >>> [round(width, 2) for width in fitted_widths(table, 80.0)]
    [1.0, 1.11, 72.89]
    """
    natural, least = natural_widths(table), minimum_widths(table)
    room = line - gap * (len(natural) - 1)

    def squeezed(limit: float) -> list[float]:
        return [max(word, min(width, limit)) for width, word in zip(natural, least, strict=True)]

    low, high = 0.0, max(natural)
    if sum(natural) <= room:
        return natural
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if sum(squeezed(middle)) <= room else (low, middle)
    return squeezed(low)


def _widths(table: Table, of_text: Callable[[str], float], of_heading: Callable[[str], float]) -> list[float]:
    cells = typeset_cells(table)
    labels = (of_text(row.label) + (INDENT if row.group else 0.0) for row in table.rows)
    widths = [max(of_heading(table.stub), *labels, 1.0)]
    widths += [
        max(of_heading(column.label), *(of_text(row[at].text) + text_width(row[at].pad) for row in cells), 1.0)
        for at, column in enumerate(table.columns)
    ]
    for spanner, run in groupby(enumerate(table.columns, start=1), key=lambda item: item[1].spanner):
        spanned = [at for at, _ in run]
        missing = of_heading(spanner) - sum(widths[at] for at in spanned) - GAP * (len(spanned) - 1)
        if spanner and missing > 0:
            for at in spanned:
                widths[at] += missing / len(spanned)
    return widths
