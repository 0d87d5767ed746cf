"""The content of a finished table, independent of file formats: title, labels, cells and notes as plain text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from tallybook.core.untrusted import visible
from tallybook.study.base import TABLE_NUMBER

Alignment = Literal["left", "right", "center"]


@dataclass(frozen=True)
class Column:
    """One column of cells."""

    id: str  # the column's identifier within its table
    label: str  # the header over the column
    spanner: str = ""  # the header over this and the neighbouring columns with the same spanner; empty for none
    align: Alignment = "right"  # the alignment of header and cells
    is_statistic: bool = False  # whether the label is a statistic's symbol (italic): p, not a level named p


@dataclass(frozen=True)
class Row:
    """One row of cells."""

    id: str  # the row's identifier within its table
    label: str  # the label in the stub
    cells: tuple[str, ...]  # the cells as printed, one for each column of the table
    group: str = ""  # the heading over this and the following rows with the same group; empty for none


@dataclass(frozen=True)
class Table:
    """A finished table. Every string is untrusted plain text, which renderers must escape.

    Raises:
        ValueError: If the identifier cannot name a file, or a row has more or fewer cells than there are columns.

    >>> Table("A1", "Politics", "model", (Column("n", "n"),), (Row("male", "Male", ("1", "2")),))
    Traceback (most recent call last):
    ...
    ValueError: table A1: row male has 2 cells for 1 columns
    """

    id: str  # the table's identifier; it names the files and the labels that refer to the table
    title: str  # the caption
    stub: str  # the header over the row labels
    columns: tuple[Column, ...]  # the columns from left to right
    rows: tuple[Row, ...]  # the rows from top to bottom; a group that recurs after another one gets its heading again
    notes: tuple[str, ...] = ()  # the notes below the table, one paragraph each

    def __post_init__(self) -> None:
        if not TABLE_NUMBER.fullmatch(self.id):
            raise ValueError(f"{self.id!r} is not a table identifier: letters, digits, dot, hyphen and underscore only")
        for row in self.rows:
            if len(row.cells) != len(self.columns):
                raise ValueError(
                    f"table {self.id}: row {row.id} has {len(row.cells)} cells for {len(self.columns)} columns"
                )


def visible_table(table: Table) -> Table:
    """Return the table with `visible` applied to all strings and empty notes dropped; idempotent."""
    return replace(
        table,
        title=visible(table.title),
        stub=visible(table.stub),
        columns=tuple(
            replace(column, label=visible(column.label), spanner=visible(column.spanner)) for column in table.columns
        ),
        rows=tuple(
            replace(
                row,
                label=visible(row.label),
                cells=tuple(visible(cell) for cell in row.cells),
                group=visible(row.group),
            )
            for row in table.rows
        ),
        notes=tuple(shown for note in table.notes if (shown := visible(note))),
    )
