"""Exact two-sided p-values of rank correlations without ties, from the permutations of the ranks."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

LARGEST_KENDALL = 150
"""Up to this n even the rarest arrangement, 1 in n!, is a normal float64."""
LARGEST_SPEARMAN = 9
"""Up to this n the permutations are counted, as in R."""


def kendall_p_value(surplus: Counts, n: Counts) -> Floats:
    """The exact two-sided p-value of Kendall's S without ties.

    The number of discordant pairs of a random order of n is a sum of independent uniform numbers from 0 ... i - 1,
    i = 1 ... n; p = min(1, 2 P(at most as many as the smaller of the concordant and the discordant pairs)).
    R: cor.test(method = "kendall", exact = TRUE), which loses digits of positive correlations by subtracting from 1.

    Args:
        surplus: S, concordant less discordant pairs, one a cell.
        n: The number of observations, at most 150, one a cell.

    Returns:
        p-values, never 0.

    References:
        Kendall, M. G. (1970). Rank Correlation Methods (4th ed.). Griffin, chapter 5.

    >>> kendall_p_value(np.array([10, -2]), np.array([5, 4])).round(6)
    array([0.016667, 0.75    ])
    """
    result = np.ones(n.size)
    fewer = (n * (n - 1) // 2 - np.abs(surplus)) // 2
    chances = np.ones(1)
    for size in range(2, int(n.max(initial=0)) + 1):
        chances = np.convolve(chances, np.full(size, 1.0 / size))
        here = n == size
        if here.any():
            result[here] = np.minimum(1.0, 2.0 * np.cumsum(chances)[fewer[here]])
    return result


def spearman_p_value(squares: Counts, n: Counts) -> Floats:
    """The exact two-sided p-value of Spearman's correlation without ties.

    With D the sum of the squared differences of ranks, p = min(1, 2 min(P(D <= d), P(D >= d))) over all permutations.
    R: cor.test(method = "spearman", exact = TRUE), which counts the permutations up to n = 9 and takes an Edgeworth
    series above.

    Args:
        squares: d, the sum of the squared differences of ranks, one a cell.
        n: The number of observations, at most 9, one a cell.

    Returns:
        p-values, never 0.

    References:
        Kendall, M. G. (1970). Rank Correlation Methods (4th ed.). Griffin, chapter 5.

    >>> spearman_p_value(np.array([0, 2]), np.array([4, 4])).round(6)
    array([0.083333, 0.333333])
    """
    result = np.ones(n.size)
    for size in range(2, int(n.max(initial=0)) + 1):
        here = n == size
        if here.any():
            lower = np.cumsum(_permutations_by_squares(size))
            # D is even, and the opposite order turns d into the largest D less d.
            half = squares[here] // 2
            fewer = np.minimum(half, lower.size - 1 - half)
            result[here] = np.minimum(1.0, 2.0 * lower[fewer] / lower[-1])
    return result


@cache
def _permutations_by_squares(n: int) -> Counts:
    """How many permutations of n ranks have half the sum of squared differences 0, 1, 2, ..."""
    size = n * (n * n - 1) // 3 + 1
    # Ranks are placed one by one; what is left depends only on the set of places already taken.
    sums = {0: np.eye(1, size, dtype=np.int64)[0]}
    for rank in range(n):
        following: dict[int, Counts] = {}
        for taken, counts in sums.items():
            for place in (place for place in range(n) if not taken >> place & 1):
                moved = np.roll(counts, (rank - place) ** 2)
                following[taken | 1 << place] = following.get(taken | 1 << place, 0) + moved
        sums = following
    return sums[2**n - 1][::2]
