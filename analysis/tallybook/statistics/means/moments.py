"""Moments of scores: how many, their mean and their spread, from counted values, from shards or from print."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.inputs import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

# Names that no factor has.
_VALUE, _WITHIN, _ROWS = "value of the row", "squares within the shard", "rows of the cell"


def moments(frame: pl.DataFrame, by: Sequence[str], value: str = "value") -> pl.DataFrame:
    """Number, mean and sum of squared deviations of counted values, by a shifted two-pass algorithm.

    With distinct values x and their counts c, n = sum c, and the deviations e = x - min x:
    mean = min x + m with m = sum(c e) / n, squares = sum c (e - m)².
    The mean is taken off before anything is squared, and known to the spread of the values, not only to their size:
    the sum of squares keeps its digits however far from 0 the values lie, and is exactly 0 where they are all equal.
    The sample variance is squares / (n - 1).

    Args:
        value: The column of the scores, numbers. Rows where it is null or NaN are no observations.

    Returns:
        One row a cell, sorted: `by`, `n`, `mean`, `squares`. A cell without any observation has n = 0 and nulls. A
        number too large for a float is null.

    References:
        Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance: analysis and
        recommendations. The American Statistician, 37, 242-247.

    >>> scores = pl.DataFrame({"model": ["a", "a", "b"], "value": [1.0, 3.0, None], "count": [3, 1, 2]})
    >>> moments(scores, ["model"]).rows()
    [('a', 4, 1.5, 3.0), ('b', 0, None, None)]
    """
    scored = counted(frame, by, [value]).select(*by, pl.col(value).cast(pl.Float64).alias(_VALUE), "count")
    # Every cell stays, with count 0 and no value: one of which nothing is known is reported as such.
    cells = frame.select(*by, "count").with_columns(
        pl.lit(None, pl.Float64).alias(_VALUE), pl.lit(0, pl.Int64).alias("count")
    )
    return _of_cells(pl.concat([scored, cells.select(scored.columns).unique()]), by)


def merged_moments(shards: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Moments of cells from the moments of their parts.

    n = sum n_i, mean = sum(n_i mean_i) / n, squares = sum squares_i + sum n_i (mean_i - mean)², the means taken as
    deviations from the smallest of them.

    References:
        Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). The American Statistician, 37, 242-247.
    """
    known = _checked(shards, by, ["mean", "squares"])
    n = pl.col("n")
    # An empty shard has no mean, and must not stand in the way of the others; one that counts must.
    parts = known.select(
        *by,
        pl.when(n > 0).then(pl.col("mean").fill_null(float("nan"))).alias(_VALUE),
        n.alias("count"),
        pl.when(n > 0).then(pl.col("squares").fill_null(float("nan"))).otherwise(0.0).alias(_WITHIN),
    )
    return _of_cells(parts, by)


def summary_moments(summaries: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Moments from what publications print: number, mean and sample standard deviation.

    squares = (n - 1) sd², with sd that of n - 1.
    """
    known = _checked(summaries, by, ["mean", "sd"])
    negative = known.with_row_index("row").filter(pl.col("sd") < 0)
    if negative.height:
        raise ValueError(f"row {negative['row'][0]} has sd {negative['sd'][0]}: expected a number, at least 0")
    repeated = known.select(by).is_duplicated() if by else known["n"].is_not_null() & (known.height > 1)
    if repeated.any():
        raise ValueError(f"row {repeated.arg_true()[0]} names a cell that another row names, too")
    n = pl.col("n")
    squares = pl.when(n > 1).then((n - 1) * pl.col("sd") ** 2).when(n == 1).then(0.0)
    return known.with_columns(squares.alias("squares")).select(
        *by, "n", *(pl.when((n > 0) & pl.col(name).is_finite()).then(pl.col(name)) for name in ("mean", "squares"))
    )


def _checked(frame: pl.DataFrame, by: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """The named columns alone, n as a whole number and the others as floats without NaN."""
    wanted = [*by, "n", *numbers]
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join(wanted)}")
    n = pl.col("n")
    wrong = frame.with_row_index("row").filter(n.is_null() | (n < 0) | (n.cast(pl.Float64) % 1 != 0))
    if wrong.height:
        raise ValueError(f"row {wrong['row'][0]} has n {wrong['n'][0]}: expected a whole number, at least 0")
    return frame.select(*by, n.cast(pl.Int64), *(pl.col(name).cast(pl.Float64).fill_nan(None) for name in numbers))


def _of_cells(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The moments of counted values; where the rows stand for shards, with the squares within them."""
    # A row without value has count 0 and comes last in its cell: any value of the cell does for it.
    ordered = rows.sort([*by, *(name for name in rows.columns if name not in by)], nulls_last=True)
    cells = ordered.group_by(by, maintain_order=True).agg(pl.len().alias(_ROWS)).filter(pl.col(_ROWS) > 0)
    size = cells[_ROWS].cast(pl.Int64).to_numpy()
    start = np.cumsum(size) - size
    count = ordered["count"].to_numpy()
    x = ordered[_VALUE].forward_fill().fill_null(0.0).to_numpy()
    with np.errstate(all="ignore"):
        n = np.add.reduceat(count, start) if start.size else count
        origin = x[start]
        deviation = x - np.repeat(origin, size)
        shift = _sums(count * deviation, start) / n
        squares = _sums(count * np.square(deviation - np.repeat(shift, size)), start)
        if _WITHIN in ordered.columns:
            squares += _sums(ordered[_WITHIN].to_numpy(), start)
        numbers = {"mean": origin + shift, "squares": squares}
    return cells.select(
        *by,
        pl.Series("n", n, pl.Int64),
        *(
            pl.Series(name, np.where(np.isfinite(values), values, np.nan), nan_to_null=True)
            for name, values in numbers.items()
        ),
    ).sort(by)


def _sums(values: Floats, start: NDArray[np.intp]) -> Floats:
    """The sums of the stretches that begin at `start`."""
    return np.add.reduceat(values, start) if start.size else values
