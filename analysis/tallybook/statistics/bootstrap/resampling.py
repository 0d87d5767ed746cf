"""Bootstrap intervals of means by simulation: multinomial draws of the counts of their distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tallybook.statistics.bootstrap.limits import Limits, limits_of_replicates
from tallybook.statistics.ragged import BLOCK
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallybook.statistics.bootstrap.limits import Interval

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]


def mean(counts: NDArray[np.float64 | np.int64], values: Floats) -> Floats:
    """The mean of counted values along the last axis, sum c x / sum c."""
    with np.errstate(all="ignore"):
        return (counts * values).sum(axis=-1) / counts.sum(axis=-1)


def simulated_limits(
    values: Floats,
    counts: Integers,
    keys: NDArray[np.uint64],
    *,
    resamples: int,
    interval: Interval,
    confidence: float,
) -> Limits:
    """Bootstrap intervals of means, one a row, each drawn from its own random stream."""
    means = np.empty((counts.shape[0], resamples))
    step = max(1, BLOCK // counts.shape[1])
    for row, (own, key) in enumerate(zip(counts, keys, strict=True)):
        drawn = draws(own, key, resamples, step)
        means[row] = np.concatenate([mean(part, values[row]) for part in drawn])
    return limits_of_replicates(
        mean(counts, values),
        means,
        interval=interval,
        confidence=confidence,
        acceleration=acceleration(values, counts),
    )


def draws(counts: Integers, key: NDArray[np.uint64], resamples: int, step: int) -> list[Floats]:
    """Draw as many values as there are, with their observed shares; some resamples at a time."""
    # Values that were not observed are never drawn, not even through rounding of the others' shares.
    observed, size = np.flatnonzero(counts), int(counts.sum())
    shares, random = counts[observed] / max(size, 1), stream(key)
    parts: list[Floats] = []
    for start in range(0, resamples, step):
        part = np.zeros((min(step, resamples - start), counts.size))
        part[:, observed] = random.multinomial(size, shares, size=part.shape[0]) if size else 0
        parts.append(part)
    return parts


def acceleration(values: Floats, counts: Integers) -> Floats:
    """BCa's acceleration of means by the jackknife: sum c (x - m)^3 / (6 (sum c (x - m)^2)^1.5).

    R: boot::empinf(type = "jack"); scipy.stats.bootstrap.

    References:
        Efron, B. & Tibshirani, R. J. (1993). An Introduction to the Bootstrap. Chapman & Hall, equation 14.15.
    """
    with np.errstate(all="ignore"):
        offset = values - mean(counts, values)[:, None]
        squares, cubes = ((counts * offset**power).sum(axis=-1) for power in (2, 3))
        return np.where(squares == 0, 0.0, cubes / (6.0 * squares**1.5))
