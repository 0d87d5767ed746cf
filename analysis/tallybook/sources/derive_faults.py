"""Values that a rule does not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.errors import Problem

if TYPE_CHECKING:
    import polars as pl


def uncovered(rows: pl.DataFrame, column: str, expected: str) -> list[Problem]:
    """One problem for each value of each file among rows that have an unexpected value."""
    places = [name for name in ("file", "key") if name in rows.columns]
    first = rows.unique(subset=[column, *places[:1]], keep="first", maintain_order=True)
    return [
        Problem(
            str(row.get("file", "")),
            str(row.get("key", "")),
            column,
            "" if row[column] is None else str(row[column]),
            expected,
        )
        for row in first.iter_rows(named=True)
    ]
