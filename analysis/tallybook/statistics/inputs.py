"""Checks of the counts that every statistic is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence


def observed(frame: pl.DataFrame, by: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """The rows of a frame of counts that are observations."""
    missing = [name for name in (*by, *values, "count") if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join((*by, *values, 'count'))}")
    count = pl.col("count")
    impossible = count.is_null() | (count < 0)
    if not frame.schema["count"].is_integer():
        impossible |= count.cast(pl.Float64) % 1 != 0
    if frame.select(impossible.any()).item():
        row, wrong = frame.with_row_index("row").filter(impossible).select("row", "count").row(0)
        raise ValueError(f"row {row} has count {wrong}: expected a whole number, at least 0")
    present = [pl.col(name).is_not_null() for name in values]
    present += [pl.col(name).is_not_nan() for name in values if frame.schema[name].is_float()]
    return frame.filter(pl.all_horizontal(pl.lit(value=True), *present) & (count > 0)).select(
        *by, *values, count.cast(pl.Int64)
    )


def counted(frame: pl.DataFrame, by: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Counts of values in cells, each distinct combination once."""
    return observed(frame, by, values).group_by([*by, *values]).agg(pl.col("count").sum()).sort([*by, *values])


def check_confidence(level: float, name: str = "confidence") -> None:
    """Raise a ValueError for a level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"{name} is {level}: expected a number between 0 and 1, both excluded")
