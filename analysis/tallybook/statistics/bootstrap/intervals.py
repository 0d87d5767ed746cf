"""Bootstrap intervals of statistics of counts, computed where they can be and else simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.bootstrap.count_statistics import mean
from tallybook.statistics.bootstrap.lattice_grid import common_grid
from tallybook.statistics.bootstrap.lattice_mean import lattice_limits
from tallybook.statistics.bootstrap.limits import INTERVAL_NAMES, Limits, check_interval
from tallybook.statistics.bootstrap.resampling import resampled_limits
from tallybook.statistics.bootstrap.samples import samples
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.ragged import cell_blocks
from tallybook.statistics.seeds import stream_keys

_FEWEST_RESAMPLES = 2

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.bootstrap.count_statistics import CountStatistic
    from tallybook.statistics.bootstrap.limits import Interval
    from tallybook.statistics.bootstrap.resampling import UnitStatistic
    from tallybook.statistics.bootstrap.samples import Samples

    Floats: TypeAlias = NDArray[np.float64]
    Cells: TypeAlias = NDArray[np.intp]


def bootstrap_intervals(
    frame: pl.DataFrame,
    by: Sequence[str],
    values: Sequence[str],
    *,
    statistic: CountStatistic = mean,
    term: str | None = None,
    cluster: str | None = None,
    interval: Interval = "bca",
    confidence: float = 0.95,
    resamples: int = 9999,
    seed: int = 0,
    exact: bool = True,
) -> pl.DataFrame:
    """Bootstrap intervals of a statistic in every cell.

    A resample draws as many observations as the cell has, with replacement: a multinomial draw of the counts of its
    distinct values, whatever their number. In the cluster bootstrap it draws as many clusters (items, say) as the cell
    has, each with all its observations; clusters that hold the same counts are drawn together.

    The *mean* of values on a grid (scores, shares of a 0/1 value, multiples of 0.1), of at least two different ones,
    has its bootstrap distribution computed (`lattice_limits`), so that its interval has no simulation error and needs
    no seed. The cluster bootstrap of a mean is computed likewise in cells whose clusters are all of one size. Any other
    statistic is simulated, and so are means for which the computation would be too large (`transform_sizes`): a
    five-point score above n = 1e10, say.

    The three intervals are those of `quantile_levels`. Simulated ones are made from order statistics as in R's
    boot::boot.ci; see `limits_of_replicates`.

    Args:
        frame: `by`, `values`, `count` and, for the cluster bootstrap, the cluster's column.
        by: The columns whose combinations are the cells.
        values: The value columns, which the statistic receives in this order; rows without one of them are no
            observations.
        statistic: A function of counts; see `CountStatistic`. It should be smooth: the bootstrap of a maximum or of a
            median says little.
        term: What the statistic is called; its function's name by default.
        cluster: The column that tells the clusters of a cell apart; None resamples single observations.
        interval: percentile, basic or bca.
        confidence: The interval's coverage.
        resamples: How many resamples are drawn where the distribution is simulated.
        seed: What the random streams are derived from, together with each cell's key (`stream_keys`): results do not
            depend on the order of rows, on which cells stand together, or on how the work is cut.
        exact: Whether distributions are computed where they can be; else all are simulated.

    Returns:
        Estimates, a row a cell: n observations, the statistic, the standard deviation of its bootstrap distribution
        and the interval. Without observations the status is `no-data`. It is `degenerate` where the statistic does not
        exist, where there is no interval because all observations (or clusters) are alike or all resamples give the
        same number, where more than 5% of the resamples have no statistic, or where no BCa interval exists because
        every resample lies on one side of the estimate.

    Raises:
        ValueError: A column is missing or named twice, a count is impossible, a setting is out of range, or the
            statistic returns something else than one number a row.

    References:
        Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall, chapters 13 and 14.
        Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge University Press,
        section 3.8 (clusters) and chapter 5.

    >>> scores = pl.DataFrame({"model": ["a"] * 3 + ["b"] * 2, "score": [1, 2, 5, 3, 4], "count": [9, 6, 5, 1, 4]})
    >>> bootstrap_intervals(scores, ["model"], ["score"]).select("model", "n", "estimate", "ci_low", "ci_high").rows()
    [('a', 20, 2.3, 1.7, 3.15), ('b', 5, 3.8, 3.2, 4.0)]
    """
    check_interval(interval, confidence)
    if resamples < _FEWEST_RESAMPLES:
        raise ValueError(f"resamples is {resamples}: expected at least {_FEWEST_RESAMPLES}")
    drawn = samples(frame, by, values, cluster)
    if statistic is mean and drawn.values[0].dtype.kind != "f":
        raise ValueError(f"column {values[0]!r} holds texts: they have no mean")
    n = drawn.positions.sums(drawn.counts)
    estimate = _of_all_cells(drawn, statistic)
    limits = Limits(*np.full((3, n.size), np.nan))
    if exact and statistic is mean:
        _compute(drawn, limits, interval, confidence)
    is_computed = np.isfinite(limits.std_error)
    open_cells = np.flatnonzero(~is_computed & (drawn.units.lengths > 1) & np.isfinite(estimate))
    _simulate(
        drawn, limits, open_cells, statistic, seed=seed, resamples=resamples, interval=interval, confidence=confidence
    )
    how = np.where(is_computed, "computed exactly", f"{resamples} resamples, seed {seed}")
    what = f"{INTERVAL_NAMES[interval]} bootstrap" + (f" of clusters ({cluster})" if cluster else "")
    exists = np.isfinite(estimate) & np.isfinite(limits.low) & np.isfinite(limits.high)
    return as_estimates(
        drawn.cells.with_columns(
            pl.lit("").alias("outcome"),
            pl.lit(term or getattr(statistic, "__name__", "statistic")).alias("term"),
            pl.Series("n", n),
            pl.Series("estimate", estimate),
            *(pl.Series(name, part) for name, part in zip(("std_error", "ci_low", "ci_high"), limits, strict=True)),
            pl.lit(confidence).alias("confidence"),
            pl.Series("method", [f"{what}, {text}" for text in how.tolist()], dtype=pl.String),
            pl.Series("status", np.where(n == 0, "no-data", np.where(exists, "ok", "degenerate")), dtype=pl.String),
        ),
        by,
    )


def _of_all_cells(drawn: Samples, statistic: CountStatistic) -> Floats:
    """The statistic of the data."""
    numbers = np.full(drawn.cells.height, np.nan)
    widths, some = drawn.positions.widths(), np.flatnonzero(drawn.positions.lengths)
    for cells, (width,) in cell_blocks(some, widths[:, None], widths):
        counts = drawn.positions.padded(drawn.counts, cells, width)[:, None].astype(np.float64)
        numbers[cells] = _of_counts(drawn, statistic, cells, width)(counts)[:, 0]
    return numbers


def _compute(drawn: Samples, limits: Limits, interval: Interval, confidence: float) -> None:
    """Fill in the limits of means whose bootstrap distribution is computed."""
    means, same_size = drawn.unit_means()
    widths, some = drawn.units.widths(), np.flatnonzero(same_size & (drawn.units.lengths > 1))
    for cells, (width,) in cell_blocks(some, widths[:, None], widths):
        counts = drawn.units.padded(drawn.multiplicity, cells, width)
        grid = common_grid(drawn.units.padded(means, cells, width), counts)
        _fill(limits, cells, lattice_limits(grid, counts, interval=interval, confidence=confidence))


def _simulate(
    drawn: Samples,
    limits: Limits,
    wanted: Cells,
    statistic: CountStatistic,
    *,
    seed: int,
    resamples: int,
    interval: Interval,
    confidence: float,
) -> None:
    """Fill in the limits of the cells that are simulated."""
    keys = stream_keys(seed, drawn.cells, "bootstrap")
    widths = np.stack([drawn.units.widths(), drawn.positions.widths()], axis=1)
    contents = widths.prod(axis=1) if drawn.clusters else 0
    for cells, (units, positions) in cell_blocks(wanted, widths, np.maximum(widths.max(axis=1) + resamples, contents)):
        limits_of_block = resampled_limits(
            drawn.units.padded(drawn.multiplicity, cells, units)[:, None],
            _of_units(drawn, statistic, cells, units, positions),
            keys[cells, None],
            resamples=resamples,
            interval=interval,
            confidence=confidence,
            load=positions,
        )
        _fill(limits, cells, limits_of_block)


def _fill(limits: Limits, cells: Cells, of_block: Limits) -> None:
    for numbers, own in zip(limits, of_block, strict=True):
        numbers[cells] = own


def _of_counts(drawn: Samples, statistic: CountStatistic, cells: Cells, width: int) -> UnitStatistic:
    """The statistic of counts of the cells' distinct values: cells x resamples x values."""
    values = tuple(drawn.positions.padded(column, cells, width)[:, None] for column in drawn.values)

    def evaluated(counts: Floats) -> Floats:
        with np.errstate(all="ignore"):
            result = np.asarray(statistic(counts, *values), np.float64)
        if result.shape != counts.shape[:-1]:
            raise ValueError(f"the statistic of counts {counts.shape} is {result.shape}: expected one number a row")
        return result

    return evaluated


def _of_units(drawn: Samples, statistic: CountStatistic, cells: Cells, units: int, positions: int) -> UnitStatistic:
    """The statistic of counts of the cells' units: cells x resamples x one stratum x units."""
    of_counts = _of_counts(drawn, statistic, cells, positions)
    if drawn.clusters is None:
        return lambda counts: of_counts(counts[:, :, 0])
    contents = drawn.clusters.contents(cells, units, positions)
    # Whole numbers: a matrix product adds them up exactly, in whatever order it does.
    return lambda counts: of_counts(counts[:, :, 0] @ contents)
