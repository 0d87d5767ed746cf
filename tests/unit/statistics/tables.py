"""Contingency tables in tests: as frames of counts, as rows of raw observations, and random ones."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl
from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Observation = tuple[str, float, float]
"""A cell and two values."""

OBSERVATIONS = st.lists(
    st.tuples(st.sampled_from("ab"), st.integers(-2, 2), st.sampled_from([-1.5, 0.0, 0.1, 0.2, 7.0])), max_size=40
)
"""Raw rows of two cells, with ties, constant variables and cells that do not occur."""
BY = ["cell"]


def table_of(text: str) -> list[list[int]]:
    """The counts of a table as the oracles write it: rows between "/", counts between blanks."""
    return [[int(count) for count in row.split()] for row in text.split("/")]


def frame_of_tables(texts: Iterable[str]) -> pl.DataFrame:
    """Counts of the tables' rows x and columns y, each table a cell under its own text; zeros included."""
    rows = [
        (text, i, j, count) for text in texts for i, row in enumerate(table_of(text)) for j, count in enumerate(row)
    ]
    schema = {"cell": pl.String, "x": pl.Int64, "y": pl.Int64, "count": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def counted_frame(rows: Sequence[Observation]) -> pl.DataFrame:
    """The distinct rows with their counts."""
    counts = Counter(rows)
    schema = {"cell": pl.String, "x": pl.Float64, "y": pl.Float64, "count": pl.Int64}
    return pl.DataFrame([(*row, count) for row, count in counts.items()], schema=schema, orient="row")


def cells_of(rows: Iterable[Observation]) -> dict[str, list[tuple[float, float]]]:
    """The pairs of values of every cell that occurs."""
    found: dict[str, list[tuple[float, float]]] = {}
    for cell, x, y in rows:
        found.setdefault(cell, []).append((x, y))
    return found
