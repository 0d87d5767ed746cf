"""A table made visible: what every renderer does before it escapes for its own format."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tallybook.core.untrusted import visible

if TYPE_CHECKING:
    from tallybook.tables.content import Table


def visible_table(table: Table) -> Table:
    """Get the same table with every string made `visible` and without empty notes; doing it twice changes nothing."""
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
