"""Statistics as functions of the counts of distinct values: what a bootstrap is made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

CountStatistic: TypeAlias = "Callable[..., Floats]"
"""A statistic of samples that are given as counts of their distinct values, row by row.

It takes counts, of any shape whose last axis is the distinct values, and for every value column an array that
broadcasts against them; it returns one number a row of counts, NaN where it does not exist. Values with count 0 must
not matter, nor must the order of the values. Rows are all that it may know: which of them are computed together, and
with how many values of count 0 they are padded, is not fixed.
"""


def mean(counts: Floats, values: Floats) -> Floats:
    """The mean, sum c x / sum c."""
    with np.errstate(all="ignore"):
        return (counts * values).sum(axis=-1) / counts.sum(axis=-1)
