"""Statistics of counts of distinct values that the bootstrap is tried with."""

from __future__ import annotations

import numpy as np

from tallybook.statistics.bootstrap.count_statistics import mean


def variance(counts, values):
    """The sample variance of every row of counts; NaN where n < 2."""
    with np.errstate(all="ignore"):
        n = counts.sum(axis=-1)
        offset = values - mean(counts, values)[..., None]
        return (counts * np.square(offset)).sum(axis=-1) / np.where(n > 1, n - 1, np.nan)


def standard_deviation(counts, values):
    """The sample standard deviation, the root of `variance`."""
    return np.sqrt(variance(counts, values))
