"""How wide the columns of a table are, counted in characters, for the formats that do not find out themselves."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.tables.content import Table

# The space between two columns, and the indent of a row below its group, in characters.
GAP = 2.5
INDENT = 2.0

# No column is squeezed below this, whatever the line.
_NARROWEST = 10.0


def natural_widths(table: Table) -> list[float]:
    """The width of the stub and of each column when nothing is wrapped.

    Returns:
        Characters, the stub first. A spanner that is wider than its columns widens them equally.
    """
    indented = (len(row.label) + (INDENT if row.group else 0.0) for row in table.rows)
    widths = [max(float(len(table.stub)), *indented, 1.0)]
    widths += [
        max(float(len(column.label)), *(float(len(row.cells[at])) for row in table.rows), 1.0)
        for at, column in enumerate(table.columns)
    ]
    for spanner, run in groupby(enumerate(table.columns, start=1), key=lambda item: item[1].spanner):
        spanned = [at for at, _ in run]
        missing = len(spanner) - sum(widths[at] for at in spanned) - GAP * (len(spanned) - 1)
        if spanner and missing > 0:
            for at in spanned:
                widths[at] += missing / len(spanned)
    return widths


def total_width(widths: Sequence[float], gap: float = GAP) -> float:
    """The width of a whole table: its columns and the space between them."""
    return sum(widths) + gap * (len(widths) - 1)


def fitted_widths(table: Table, line: float, gap: float = GAP) -> list[float]:
    """The widths of the columns on a line, the widest squeezed first.

    Args:
        table: The table.
        line: How many characters the line takes.
        gap: The space between two columns, in characters.

    Returns:
        The natural widths when they fit. Otherwise the widest columns get the same width, as large as the line
        allows, and their text wraps. No column gets less than its natural width or ten characters: when the
        columns are too many for the line, the result is wider than the line.

    >>> from analysis.tables.content import Column, Row, Table
    >>> table = Table("t", "", "", (Column("a", "n"), Column("b", "text")), (Row("r", "row", ("1", "x" * 200)),))
    >>> fitted_widths(table, 80.0)
    [3.0, 1.0, 71.0]
    """
    natural = natural_widths(table)
    room = line - gap * (len(natural) - 1)
    for count, width in zip(range(len(natural), 0, -1), sorted(natural), strict=True):
        limit = room / count
        if width > limit:
            return [min(each, max(limit, _NARROWEST)) for each in natural]
        room -= width
    return natural
