"""Resampling counts: multinomial draws of distinct units, and their jackknife, of many cells in bounded memory.

A resample of n responses, drawn with replacement, is a multinomial draw of the counts of the distinct ones. A *unit*
is what is drawn: a distinct value, or in a cluster bootstrap a distinct content of a cluster. A cell may have several
*strata*, samples that are drawn independently of each other, such as the two groups that a divergence compares.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tallybook.statistics.bootstrap.limits import Limits, limits_of_replicates
from tallybook.statistics.ragged import BLOCK
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from tallybook.statistics.bootstrap.limits import Interval

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]
    UnitStatistic: TypeAlias = Callable[[Floats], Floats]


def resampled_limits(
    multiplicity: Integers,
    statistic: UnitStatistic,
    keys: NDArray[np.uint64],
    *,
    resamples: int,
    interval: Interval,
    confidence: float,
    load: int = 0,
) -> Limits:
    """Bootstrap intervals of a statistic of counts, by simulation."""
    estimate = statistic(multiplicity[:, None].astype(np.float64))[:, 0]
    drawn = replicates(multiplicity, statistic, keys, resamples, load)
    needed = interval == "bca"
    return limits_of_replicates(
        estimate,
        drawn,
        interval=interval,
        confidence=confidence,
        acceleration=acceleration(multiplicity, statistic, load) if needed else np.zeros_like(estimate),
    )


def replicates(
    multiplicity: Integers, statistic: UnitStatistic, keys: NDArray[np.uint64], resamples: int, load: int = 0
) -> Floats:
    """The statistic of multinomial resamples: n draws with the observed shares, n the number of units."""
    cells, strata, width = multiplicity.shape
    samples = [_Sample(multiplicity[index], keys[index]) for index in np.ndindex(cells, strata)]
    drawn = np.empty((cells, resamples))
    step = max(1, BLOCK // (cells * (strata * width + load)))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        counts = np.zeros((cells, size, strata, width))
        for sample, index in zip(samples, np.ndindex(cells, strata), strict=True):
            # One call for all resamples of a sample: numpy's generators draw one stream at a time.
            sample.draw_into(counts[index[0], :, index[1]])
        drawn[:, start : start + size] = statistic(counts)
    return drawn


def acceleration(multiplicity: Integers, statistic: UnitStatistic, load: int = 0) -> Floats:
    """BCa's acceleration from the jackknife of counts.

    With t_u the statistic without one unit of kind u, of which a stratum of n units holds m, and t its mean
    sum m t_u / n: U_u = (n - 1) (t - t_u) and a = sum (sum m U^3) / n^3 / (6 (sum (sum m U^2) / n^2)^1.5), the outer
    sums over strata. There are as many values of t_u as distinct units, whatever their number. R: boot::empinf(type =
    "jack"), which takes the statistic of the data for t; scipy.stats.bootstrap: the same as here.

    Returns:
        a, one a cell; 0 where no unit has any influence, NaN where a t_u does not exist.

    References:
        Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall, equation 14.15.
    """
    cells, strata, width = multiplicity.shape
    flat = multiplicity.reshape(cells, 1, -1).astype(np.float64)
    left_out = np.empty((cells, strata * width))
    step = max(1, BLOCK // (cells * (strata * width + load)))
    for start in range(0, strata * width, step):
        units = np.arange(start, min(start + step, strata * width))
        removed = np.zeros((units.size, strata * width))
        removed[units - start, units] = 1.0
        # What stands beside multiplicity 0 has no weight; its count must not fall below 0 all the same.
        counts = np.maximum(flat - removed, 0.0)
        left_out[:, units] = statistic(counts.reshape(cells, units.size, strata, width))
    with np.errstate(all="ignore"):
        weight = multiplicity.astype(np.float64)
        n = weight.sum(axis=-1, keepdims=True)
        without = np.where(weight > 0, left_out.reshape(weight.shape), 0.0)
        influence = (n - 1) * ((weight * without).sum(axis=-1, keepdims=True) / n - without)
        cubes, squares = ((weight * influence**power).sum(axis=-1) / n[..., 0] ** power for power in (3, 2))
        numerator, denominator = cubes.sum(axis=-1), 6.0 * squares.sum(axis=-1) ** 1.5
        return np.where(denominator == 0, 0.0, numerator / denominator)


class _Sample:
    """One stratum of a cell with its random stream."""

    def __init__(self, multiplicity: Integers, key: NDArray[np.uint64]) -> None:
        # Units that were not observed are never drawn, not even through rounding of the others' shares.
        self._units = np.flatnonzero(multiplicity)
        self._size = int(multiplicity.sum())
        self._shares = multiplicity[self._units] / max(self._size, 1)
        self._stream = stream(key)

    def draw_into(self, counts: Floats) -> None:
        """Draw the counts of as many further resamples as there are rows."""
        if self._size:
            counts[:, self._units] = self._stream.multinomial(self._size, self._shares, size=counts.shape[0])
