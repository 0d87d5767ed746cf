"""Bootstrap intervals of means, computed where they can be and else simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.bootstrap.lattice_grid import common_grid
from tallybook.statistics.bootstrap.lattice_mean import lattice_limits
from tallybook.statistics.bootstrap.limits import INTERVAL_NAMES, Limits, check_interval
from tallybook.statistics.bootstrap.resampling import mean, simulated_limits
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.inputs import counted
from tallybook.statistics.ragged import Ragged, cell_blocks
from tallybook.statistics.seeds import stream_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.bootstrap.limits import Interval

    Cells: TypeAlias = NDArray[np.intp]

RESAMPLES = 9999
"""How many resamples are drawn where the distribution is simulated."""


def bootstrap_intervals(
    frame: pl.DataFrame,
    by: Sequence[str],
    value: str,
    *,
    interval: Interval = "bca",
    confidence: float = 0.95,
    seed: int = 0,
    exact: bool = True,
) -> pl.DataFrame:
    """Bootstrap intervals of the mean in every cell.

    A resample draws as many observations as the cell has, with replacement: a multinomial draw of the counts of its
    distinct values, whatever their number. Of values on a grid (scores, shares of a 0/1 value, multiples of 0.1), at
    least two different ones, the bootstrap distribution is computed (`lattice_limits`): the interval has no simulation
    error and needs no seed. Other values are simulated, and so are cells for which the computation would be too large
    (`transform_sizes`): a five-point score above n = 1e10, say.

    The three intervals are those of `quantile_levels`. Simulated ones are made from order statistics as in R's
    boot::boot.ci; see `limits_of_replicates`.

    Args:
        value: The column of the values; rows without one are no observations.
        interval: percentile, basic or bca.
        seed: What the random streams are derived from, together with each cell's key (`stream_keys`): results do not
            depend on the order of rows, on which cells stand together, or on how the work is cut.
        exact: Whether distributions are computed where they can be; else all are simulated.

    Returns:
        Estimates, a row a cell: n observations, the mean, the standard deviation of its bootstrap distribution and the
        interval. Without observations the status is `no-data`. It is `degenerate` where there is no interval because
        all observations are alike or all resamples give the same number, or where no BCa interval exists because every
        resample lies on one side of the estimate.

    References:
        Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall, chapters 13 and 14.
        Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge University Press,
        chapter 5.

    >>> scores = pl.DataFrame({"model": ["a"] * 3 + ["b"] * 2, "score": [1, 2, 5, 3, 4], "count": [9, 6, 5, 1, 4]})
    >>> bootstrap_intervals(scores, ["model"], "score").select("model", "n", "estimate", "ci_low", "ci_high").rows()
    [('a', 20, 2.3, 1.7, 3.15), ('b', 5, 3.8, 3.2, 4.0)]
    """
    check_interval(interval, confidence)
    cells = frame.select(by).unique().sort(by) if by else pl.DataFrame(height=1)
    observed = counted(frame, by, [value])
    held = Ragged(_lengths(observed, cells, by))
    counts = observed.get_column("count").to_numpy()
    values = observed.get_column(value).cast(pl.Float64).to_numpy()
    n, estimate = held.sums(counts), np.full(cells.height, np.nan)
    limits = Limits(*np.full((3, cells.height), np.nan))
    widths, keys = held.widths(), stream_keys(seed, cells, "bootstrap")

    def fill(some: Cells, own: Limits) -> None:
        for numbers, found in zip(limits, own, strict=True):
            numbers[some] = found

    for some, (width,) in cell_blocks(np.flatnonzero(held.lengths), widths[:, None], widths):
        own = held.padded(counts, some, width), held.padded(values, some, width)
        estimate[some] = mean(*own)
        if exact:
            fill(some, lattice_limits(common_grid(own[1], own[0]), own[0], interval=interval, confidence=confidence))
    is_computed = np.isfinite(limits.std_error)
    open_cells = np.flatnonzero(~is_computed & (held.lengths > 1) & np.isfinite(estimate))
    for some, (width,) in cell_blocks(open_cells, widths[:, None], widths + RESAMPLES):
        found = simulated_limits(
            held.padded(values, some, width),
            held.padded(counts, some, width),
            keys[some],
            resamples=RESAMPLES,
            interval=interval,
            confidence=confidence,
        )
        fill(some, found)
    how = np.where(is_computed, "computed exactly", f"{RESAMPLES} resamples, seed {seed}")
    exists = np.isfinite(estimate) & np.isfinite(limits.low) & np.isfinite(limits.high)
    return as_estimates(
        cells.with_columns(
            pl.lit("").alias("outcome"),
            pl.lit("mean").alias("term"),
            pl.Series("n", n),
            pl.Series("estimate", estimate),
            *(pl.Series(name, part) for name, part in zip(("std_error", "ci_low", "ci_high"), limits, strict=True)),
            pl.lit(confidence).alias("confidence"),
            pl.Series("method", [f"{INTERVAL_NAMES[interval]} bootstrap, {text}" for text in how.tolist()], pl.String),
            pl.Series("status", np.where(n == 0, "no-data", np.where(exists, "ok", "degenerate")), dtype=pl.String),
        ),
        by,
    )


def _lengths(observed: pl.DataFrame, cells: pl.DataFrame, by: Sequence[str]) -> NDArray[np.int64]:
    """Count the distinct values of each cell."""
    if not by:
        return np.array([observed.height])
    lengths = observed.group_by(by).agg(pl.len().cast(pl.Int64).alias("distinct values"))
    found = cells.join(lengths, on=by, how="left", nulls_equal=True, maintain_order="left")
    return found.get_column("distinct values").fill_null(0).to_numpy()
