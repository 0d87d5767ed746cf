"""Bootstrap intervals of means, computed exactly where possible and otherwise simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import ndtri

from tallybook.statistics.bootstrap.lattice import (
    INTERVAL_NAMES,
    Limits,
    common_grid,
    lattice_limits,
    quantile_levels,
)
from tallybook.statistics.estimates import as_estimates, cells_of, counted, each_cell
from tallybook.statistics.seeds import IN_KEYS, stream, stream_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats
    from tallybook.statistics.bootstrap.lattice import Interval


# Replicates within this relative distance of the estimate are ties: the same sum, added up in another order.
_TIE = 16 * np.finfo(np.float64).eps


def limits_of_replicates(
    estimate: Floats, replicates: Floats, *, interval: Interval, confidence: float, acceleration: Floats
) -> Limits:
    """Compute the standard error and the confidence limits from simulated replicates.

    The quantile at level q of R replicates is the order statistic q (R + 1), interpolated between two of them on the
    scale of normal quantiles; beyond the first or the last order statistic it is that one. For the basic interval the
    limits are 2 estimate - quantile, from the opposite ends. R: boot::boot.ci (types "perc", "basic", "bca").

    References:
        Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge University Press,
        chapter 5.
    """
    with np.errstate(all="ignore"):
        ordered = np.sort(replicates, axis=1)
        first, last = ordered[:, 0], ordered[:, -1]
        tie = _TIE * np.fmax(np.abs(estimate), np.fmax(np.abs(first), np.abs(last)))
        exists = np.isfinite(estimate) & np.isfinite(replicates).all(axis=1) & (last - first > tie)
        below, above = quantile_levels(interval, confidence, _share_below(estimate, replicates, tie), acceleration)
        low, high = _order_statistic(ordered, below), -_order_statistic(-ordered[:, ::-1], above)
        if interval == "basic":
            low, high = 2 * estimate - high, 2 * estimate - low
        error = replicates.std(axis=1, ddof=1)
        return Limits(*(np.where(exists, numbers, np.nan) for numbers in (error, low, high)))


def _share_below(estimate: Floats, replicates: Floats, tie: Floats) -> Floats:
    difference = replicates - estimate[:, None]
    below = (difference < -tie[:, None]).sum(axis=1)
    tied = (np.abs(difference) <= tie[:, None]).sum(axis=1)
    return (below + tied / 2.0) / replicates.shape[1]


def _order_statistic(ordered: Floats, level: Floats) -> Floats:
    """Compute the order statistic level (R + 1) of R replicates, sorted along rows; NaN where the level is NaN."""
    known = ordered.shape[1]
    rank = level * (known + 1.0)
    lower = np.clip(np.floor(np.where(np.isnan(rank), 0.0, rank)), 0, known)
    places = (np.clip(place, 0, known - 1).astype(np.intp) for place in (lower - 1, lower))
    at, next_to = (np.take_along_axis(ordered, place[:, None], axis=1)[:, 0] for place in places)
    z, z_at, z_next = (ndtri(q) for q in (level, lower / (known + 1.0), (lower + 1) / (known + 1.0)))
    share = np.where((lower > 0) & (lower < known) & (rank > lower), (z - z_at) / (z_next - z_at), 0.0)
    return np.where(np.isnan(level), np.nan, at + share * (next_to - at))


def mean(counts: NDArray[np.float64 | np.int64], values: Floats) -> Floats:
    """Compute the weighted mean along the last axis, sum c x / sum c."""
    with np.errstate(all="ignore"):
        return (counts * values).sum(axis=-1) / counts.sum(axis=-1)


def _simulated(
    values: Floats, counts: Counts, key: NDArray[np.uint64], *, interval: Interval, confidence: float
) -> Limits:
    """Simulate the bootstrap interval of a mean, with the cell's own random stream."""
    step = max(1, _AT_ONCE // counts.shape[1])
    means = np.concatenate([mean(part, values[0]) for part in draws(counts[0], key, RESAMPLES, step)])
    return limits_of_replicates(
        mean(counts, values),
        means[None],
        interval=interval,
        confidence=confidence,
        acceleration=acceleration(values, counts),
    )


def draws(counts: Counts, key: NDArray[np.uint64], resamples: int, step: int) -> list[Floats]:
    """Draw bootstrap samples of the counts, from a multinomial distribution with the observed shares, in parts."""
    # Values that were not observed are never drawn, not even because the others' shares are rounded.
    observed, size = np.flatnonzero(counts), int(counts.sum())
    shares, random = counts[observed] / max(size, 1), stream(key)
    parts: list[Floats] = []
    for start in range(0, resamples, step):
        part = np.zeros((min(step, resamples - start), counts.size))
        part[:, observed] = random.multinomial(size, shares, size=part.shape[0]) if size else 0
        parts.append(part)
    return parts


def acceleration(values: Floats, counts: Counts) -> Floats:
    """Compute BCa's acceleration of means by the jackknife: sum c (x - m)^3 / (6 (sum c (x - m)^2)^1.5).

    R: boot::empinf(type = "jack"); scipy.stats.bootstrap.

    References:
        Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall, equation 14.15.
    """
    with np.errstate(all="ignore"):
        offset = values - mean(counts, values)[:, None]
        squares, cubes = ((counts * offset**power).sum(axis=-1) for power in (2, 3))
        return np.where(squares == 0, 0.0, cubes / (6.0 * squares**1.5))


_AT_ONCE = 2**20
"""The maximum number of random numbers that are drawn at a time."""
RESAMPLES = 9999
"""The number of resamples where the bootstrap distribution is simulated."""


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
    """Compute bootstrap intervals of the mean in every cell.

    A resample draws as many observations as the cell has, with replacement: a multinomial draw of the counts of its
    distinct values, whatever their number. If the values lie on a grid (scores, 0/1 values, multiples of 0.1) and at
    least two differ, the bootstrap distribution is computed exactly (`lattice_limits`): the interval has no simulation
    error and needs no seed. Other values are simulated, and so are cells for which the computation would be too large
    (`transform_sizes`): a five-point score above n = 1e10, say.

    The three intervals are those of `quantile_levels`. Simulated ones are made from order statistics as in R's
    boot::boot.ci; see `limits_of_replicates`.

    Args:
        value: The column of the values; rows without a value are not observations.
        interval: percentile, basic or bca.
        seed: The seed from which the random streams are derived, together with each cell's key (`stream_keys`): results
            do not depend on the order of rows, on the other cells, or on how the work is divided.
        exact: Whether distributions are computed exactly where possible; otherwise all are simulated.

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
    cells = cells_of(frame, by)
    n, estimate = np.zeros(cells.height, np.int64), np.full(cells.height, np.nan)
    numbers, is_computed = np.full((3, cells.height), np.nan), np.zeros(cells.height, np.bool_)
    keys = stream_keys(seed, cells.rename(IN_KEYS, strict=False), "bootstrap")
    for cell, (_, own) in enumerate(each_cell(frame, by, counted(frame, by, [value]))):
        if not own.height:
            continue
        counts, values = own.get_column("count").to_numpy(), own.get_column(value).cast(pl.Float64).to_numpy()
        # Padded to a power of two, so that sums are added up in the same order whatever other cells there are.
        room = (0, (1 << (counts.size - 1).bit_length()) - counts.size)
        held, at = np.pad(counts, room)[None], np.pad(values, room)[None]
        n[cell], estimate[cell] = counts.sum(), mean(held, at)[0]
        if exact:
            found = lattice_limits(common_grid(at, held), held, interval=interval, confidence=confidence)
            numbers[:, cell] = np.array(found)[:, 0]
            is_computed[cell] = np.isfinite(numbers[0, cell])
        if not is_computed[cell] and counts.size > 1 and np.isfinite(estimate[cell]):
            found = _simulated(at, held, keys[cell], interval=interval, confidence=confidence)
            numbers[:, cell] = np.array(found)[:, 0]
    limits = Limits(*numbers)
    how = np.where(is_computed, "computed exactly", f"{RESAMPLES} resamples, seed {seed}")
    exists = np.isfinite(estimate) & np.isfinite(limits.low) & np.isfinite(limits.high)
    return as_estimates(
        cells.with_columns(
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
