"""What every statistic asks of the counts that it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence


def observed(frame: pl.DataFrame, by: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """The rows of a frame of counts that are observations.

    Args:
        frame: `by`, `values` and `count`; it may hold other columns.
        by: The columns whose combinations are the cells; may be empty.
        values: The columns whose values are counted.

    Returns:
        `by`, `values` and `count`, in the order of the rows. Rows with a null or NaN value are left out, for they are
        no observations; rows with count 0 too.

    Raises:
        ValueError: If a column is missing, or a count is null, negative or no whole number; the message names the
            first such row.
    """
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
    """Counts of values in cells, each distinct combination once.

    Args:
        frame: `by`, `values` and `count`; it may hold other columns, and a combination in several rows.
        by: The columns whose combinations are the cells; may be empty.
        values: The columns whose values are counted.

    Returns:
        `by`, `values` and `count`, sorted; only what is observed.

    Raises:
        ValueError: See `observed`.
    """
    return observed(frame, by, values).group_by([*by, *values]).agg(pl.col("count").sum()).sort([*by, *values])
