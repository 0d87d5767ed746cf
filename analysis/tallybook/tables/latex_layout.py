r"""How a table is fitted to a page of LaTeX: across or along it, in which size of type, and which columns wrap."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, NamedTuple

from tallybook.tables.widths import BREAKABLE, GAP, fitted_widths, least_widths, natural_widths, text_width, total_width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.tables.content import Table

# The lines of the document's type that a page has across and along it, less a caption and the table's head.
_PAGE_LINES, _TURNED_LINES = 40.0, 23.0
_SIZE_OF_TYPE = {"": 1.0, r"\small": 0.92, r"\footnotesize": 0.8, r"\scriptsize": 0.7}
# The space before a group, and between rows that wrap; the height of a note's line, and how many digits it takes.
_BETWEEN_GROUPS, _BETWEEN_ROWS, _NOTE_HEIGHT, _NOTE, _TURNED_NOTE = 0.5, 0.2, 0.8, 80.0, 128.0

# The sizes of type with the number of digits on a line of article.cls: across the page, and along it when the table is
# turned. From the second on the table is set to the width of the line, and the space between its columns is what is
# left of it. The smallest is 7 pt; a table that is wider still is scaled to the line as a whole.
_SIZES = (("", 67.0), (r"\small", 74.0), (r"\footnotesize", 80.0), (r"\scriptsize", 86.0))
_TURNED_SIZES = (("", 108.0), (r"\small", 117.0), (r"\footnotesize", 128.0), (r"\scriptsize", 137.0))
_LEAST_GAP = 0.9


class Layout(NamedTuple):
    r"""How a table is fitted to its page."""

    size: str  # the command of the size of type, empty for the document's own
    turned: bool  # whether the table stands along the page
    scaled: bool  # whether it is scaled to the line as a whole
    long: bool  # whether it goes on on the next page
    note_lines: int  # about how many lines its notes take
    # the share of the line that each column gets which wraps, the stub first; None for a natural width
    shares: list[float | None]


def lay_out(table: Table) -> Layout:
    """Fit a table to its page.

    The first of these in which no number is broken: across the page in the document's size of type, in smaller ones
    down to 7 pt, in 7 pt with wrapped headings; the same along the page; along the page, scaled as a whole. A table
    that no size of type puts on one page is a long one.
    """
    least = least_widths(table)
    wanted = [max(word, min(width, BREAKABLE)) for width, word in zip(natural_widths(table), least, strict=True)]
    for turned, sizes, page in ((False, _SIZES, _PAGE_LINES), (True, _TURNED_SIZES, _TURNED_LINES)):
        tried = [(GAP, wanted, *sizes[0]), *((_LEAST_GAP, wanted, *each) for each in sizes[1:])]
        fitting = [
            _layout(table, size, line, gap, page, turned=turned)
            for gap, widths, size, line in (*tried, (_LEAST_GAP, least, *sizes[-1]))
            if total_width(widths, gap) <= line
        ]
        if fitting:
            # Rather smaller type than a second page.
            return next((layout for layout in fitting if not layout.long), fitting[0])
    notes, shares = _note_lines(table, _TURNED_NOTE), _shares(table, total_width(wanted))
    return Layout("", turned=True, scaled=True, long=False, note_lines=notes, shares=shares)


def _layout(table: Table, size: str, line: float, gap: float, page: float, *, turned: bool) -> Layout:
    shares = _shares(table, line, gap)
    height = _height(table, [None if share is None else share * line for share in shares], size)
    notes = _note_lines(table, _TURNED_NOTE if turned else _NOTE)
    long = height + _NOTE_HEIGHT * notes > page
    return Layout(size, turned, scaled=False, long=long, note_lines=notes, shares=shares)


def _note_lines(table: Table, line: float) -> int:
    return sum(ceil(text_width(note) / line) for note in table.notes)


def _shares(table: Table, line: float, gap: float = GAP) -> list[float | None]:
    natural = natural_widths(table)
    if total_width(natural, gap) <= line:
        return [None] * len(natural)
    fitted = fitted_widths(table, line, gap)
    return [fit / line if fit < width else None for fit, width in zip(fitted, natural, strict=True)]


def _height(table: Table, widths: Sequence[float | None], size: str) -> float:
    """Get the height of the rows, in lines of the document's type."""
    lines = 0.0
    for before, row in zip((None, *table.rows), table.rows, strict=False):
        if row.group and (before is None or before.group != row.group):
            lines += 1 + _BETWEEN_GROUPS
        lines += max(
            ceil(text_width(text) / width) if width else 1
            for text, width in zip((row.label, *row.cells), widths, strict=True)
        )
    between = _BETWEEN_ROWS * len(table.rows) if any(widths) else 0.0
    return _SIZE_OF_TYPE[size] * (lines + between)
