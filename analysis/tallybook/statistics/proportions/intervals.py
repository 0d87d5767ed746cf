"""Confidence intervals of proportions and of the difference of two, and Cohen's h.

Intervals of proportions use scipy.special: they equal those of statsmodels to the last bit, without its slow import.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from tallybook.statistics.proportions.binomial import binomial_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.arrays import Floats


ProportionInterval: TypeAlias = Literal["wilson", "clopper-pearson", "jeffreys", "uniform"]

INTERVAL_NAMES: dict[ProportionInterval, str] = {
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "jeffreys": "Jeffreys",
    "uniform": "Beta(1, 1)",
}
"""The printed names of the intervals."""


def proportion_interval(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95, interval: ProportionInterval = "wilson"
) -> tuple[Floats, Floats]:
    """Compute the interval of a proportion, by scipy's inverse of the incomplete beta function.

    - "wilson": the score interval without continuity correction; with f = k/n and z the normal quantile of
      1 - alpha/2, (f + z²/2n ± z sqrt(f(1 - f)/n + z²/4n²)) / (1 + z²/n).
    - "clopper-pearson": all values that neither one-sided binomial test rejects; alpha/2 of Beta(k, n - k + 1) and
      1 - alpha/2 of Beta(k + 1, n - k).
    - "jeffreys": alpha/2 and 1 - alpha/2 of Beta(k + 1/2, n - k + 1/2).
    - "uniform": alpha/2 and 1 - alpha/2 of Beta(k + 1, n - k + 1), the posterior of a uniform prior.

    Except for "uniform", the lower limit is exactly 0 where k = 0 and the upper one exactly 1 where k = n: for
    Jeffreys' interval following Brown, Cai & DasGupta, for Wilson's to avoid a rounding error.

    Args:
        successes: k, whole numbers; broadcast against `trials`.
        trials: n, whole numbers.

    Returns:
        Lower and upper limits; NaN where n = 0 or a count is NaN.

    References:
        Wilson, E. B. (1927), JASA 22, 209-212. Clopper, C. J. & Pearson, E. S. (1934), Biometrika 26, 404-413. Brown,
        L. D., Cai, T. T. & DasGupta, A. (2001), Statistical Science 16, 101-133.

    >>> low, high = proportion_interval([7, 0], 50, interval="jeffreys")
    >>> low.round(6), high.round(6)
    (array([0.064872, 0.      ]), array([0.255325, 0.048758]))
    """
    from scipy.special import betainccinv, betaincinv

    k, n = binomial_counts(successes, trials)
    known = (n > 0) & ~np.isnan(k)
    low, high = np.full(k.shape, np.nan), np.full(k.shape, np.nan)
    k_known, n_known, tail = k[known], n[known], (1.0 - confidence) / 2
    if interval == "wilson":
        low[known], high[known] = _wilson(k_known, n_known, tail)
    else:
        # The parameters of the limits' beta distributions in excess of k and n - k.
        below, above = {
            "clopper-pearson": ((0.0, 1.0), (1.0, 0.0)),
            "jeffreys": ((0.5, 0.5), (0.5, 0.5)),
            "uniform": ((1.0, 1.0), (1.0, 1.0)),
        }[interval]
        low[known] = betaincinv(k_known + below[0], n_known - k_known + below[1], tail)
        high[known] = betainccinv(k_known + above[0], n_known - k_known + above[1], tail)
    if interval == "uniform":
        return low, high
    return np.where(known & (k == 0), 0.0, low), np.where(known & (k == n), 1.0, high)


def _wilson(k: Floats, n: Floats, tail: float) -> tuple[Floats, Floats]:
    from scipy.special import ndtri

    f, z = k / n, -float(ndtri(tail))
    middle = (f + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * np.sqrt(f * (1.0 - f) / n + z**2 / (4.0 * n**2)) / (1 + z**2 / n)
    return np.clip(middle - half, 0, 1), np.clip(middle + half, 0, 1)


def newcombe(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike], confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Compute Newcombe's hybrid score interval of the difference of two independent proportions.

    With f1, f2 the proportions, d = f1 - f2 and (l1, u1), (l2, u2) their Wilson intervals:
    d - sqrt((f1-l1)² + (u2-f2)²) to d + sqrt((u1-f1)² + (f2-l2)²); Newcombe's method 10.

    Args:
        first: Successes and trials of the first group; both pairs broadcast.
        second: Successes and trials of the second group.

    Returns:
        Lower and upper limits; NaN where a group has no trials or a count is NaN.

    References:
        Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of
        eleven methods. Statistics in Medicine, 17, 873-890.

    >>> low, high = newcombe((56, 70), (48, 80))
    >>> round(float(low), 4), round(float(high), 4)
    (0.0524, 0.3339)
    """
    counts = np.broadcast_arrays(*binomial_counts(*first), *binomial_counts(*second))
    known = (counts[1] > 0) & (counts[3] > 0) & ~np.isnan(counts[0] + counts[2])
    k1, n1, k2, n2 = (count[known] for count in counts)
    f1, f2, tail = k1 / n1, k2 / n2, (1.0 - confidence) / 2
    (l1, u1), (l2, u2) = _wilson(k1, n1, tail), _wilson(k2, n2, tail)
    low, high = np.full(known.shape, np.nan), np.full(known.shape, np.nan)
    low[known] = f1 - f2 - np.sqrt((f1 - l1) ** 2 + (u2 - f2) ** 2)
    high[known] = f1 - f2 + np.sqrt((f2 - l2) ** 2 + (u1 - f1) ** 2)
    return low, high


def cohens_h(proportion: ArrayLike, reference: ArrayLike) -> NDArray[np.float64]:
    """Compute Cohen's h, the difference of two proportions after the arcsine transformation.

    h = 2 asin sqrt(f) - 2 asin sqrt(p0), positive where the observed proportion is the larger one. Cohen calls
    |h| = 0.2, 0.5 and 0.8 small, medium and large.

    Returns:
        h in radians, between -pi and pi; NaN where an argument is NaN or lies outside [0, 1].

    References:
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 6.
    """
    f = np.asarray(proportion, np.float64)
    p0 = np.asarray(reference, np.float64)
    with np.errstate(invalid="ignore"):
        return np.asarray(2.0 * (np.arcsin(np.sqrt(f)) - np.arcsin(np.sqrt(p0))))
