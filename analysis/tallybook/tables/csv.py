"""Tables as CSV: a plain grid of the printed cells, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from tallybook.core.untrusted import inert
from tallybook.tables.content import visible_table
from tallybook.tables.table_format import TableFormat, one_by_one

if TYPE_CHECKING:
    from tallybook.tables.content import Column, Table


def table_csv(table: Table) -> str:
    """One header row and a row for each row of the table, cells as printed, without title and notes.

    Lines that end in a line feed. The columns are the row group (only when the table has groups), the row label and the
    cells; a spanner and a label are joined as "spanner / label". A text that a spreadsheet would take for a formula has
    an apostrophe before it.
    """
    shown = visible_table(table)
    grouped = any(row.group for row in shown.rows)
    header = [*(["Group"] if grouped else []), shown.stub, *(flat_label(column) for column in shown.columns)]
    lines = [[*([row.group] if grouped else []), row.label, *row.cells] for row in shown.rows]
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerows([inert(cell) for cell in line] for line in (header, *lines))
    return written.getvalue()


def flat_label(column: Column) -> str:
    """Join a column's label with its spanner, for a format with one header row."""
    return " / ".join(part for part in (column.spanner, column.label) if part)


FORMAT = TableFormat("csv", one_by_one(table_csv))
