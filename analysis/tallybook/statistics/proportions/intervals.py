"""Confidence intervals of proportions, and of the difference of two: statsmodels', with exact ends."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np

from tallybook.statistics.proportions.binomial import binomial_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

ProportionInterval: TypeAlias = Literal["wilson", "clopper-pearson", "jeffreys", "uniform"]

INTERVAL_NAMES: dict[ProportionInterval, str] = {
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "jeffreys": "Jeffreys",
    "uniform": "Beta(1, 1)",
}
"""What the intervals are called in print."""


def proportion_interval(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95, interval: ProportionInterval = "wilson"
) -> tuple[Floats, Floats]:
    """The interval of a proportion, by statsmodels' `proportion_confint` and scipy's beta distribution.

    - "wilson": the score interval without continuity correction.
    - "clopper-pearson": all values that neither one-sided binomial test rejects; alpha/2 of Beta(k, n - k + 1) and
      1 - alpha/2 of Beta(k + 1, n - k).
    - "jeffreys": alpha/2 and 1 - alpha/2 of Beta(k + 1/2, n - k + 1/2).
    - "uniform": alpha/2 and 1 - alpha/2 of Beta(k + 1, n - k + 1), the posterior of a uniform prior.

    The lower limit is exactly 0 where k = 0 and the upper one exactly 1 where k = n, but not of "uniform": of Jeffreys'
    interval after Brown, Cai & DasGupta, of Wilson's because statsmodels leaves a rounding error.

    Args:
        successes: k, whole numbers; broadcast against `trials`.
        trials: n, whole numbers.
        confidence: Coverage, between 0 and 1 (both excluded).
        interval: Which one.

    Returns:
        Lower and upper limits; NaN where n = 0 or a count is NaN.

    Raises:
        ValueError: A count (see `binomial_counts`) or the confidence is impossible, or the interval is unknown.

    References:
        Wilson, E. B. (1927), JASA 22, 209-212. Clopper, C. J. & Pearson, E. S. (1934), Biometrika 26, 404-413. Brown,
        L. D., Cai, T. T. & DasGupta, A. (2001), Statistical Science 16, 101-133.

    >>> low, high = proportion_interval([7, 0], 50, interval="jeffreys")
    >>> low.round(6), high.round(6)
    (array([0.064872, 0.      ]), array([0.255325, 0.048758]))
    """
    from scipy import stats
    from statsmodels.stats import proportion

    if interval not in get_args(ProportionInterval):
        raise ValueError(f"interval is {interval!r}: expected one of {', '.join(get_args(ProportionInterval))}")
    check_confidence(confidence)
    k, n = binomial_counts(successes, trials)
    known = (n > 0) & ~np.isnan(k)
    low, high = np.full(k.shape, np.nan), np.full(k.shape, np.nan)
    if interval == "uniform":
        for limit, level in ((low, (1.0 - confidence) / 2), (high, (1.0 + confidence) / 2)):
            limit[known] = stats.beta.ppf(level, k[known] + 1.0, n[known] - k[known] + 1.0)
        return low, high
    limits_of: Any = proportion.proportion_confint  # pyright: ignore[reportUnknownVariableType]
    method = "beta" if interval == "clopper-pearson" else interval
    low[known], high[known] = limits_of(k[known], n[known], 1.0 - confidence, method)
    return np.where(known & (k == 0), 0.0, low), np.where(known & (k == n), 1.0, high)


def newcombe(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike], confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Newcombe's hybrid score interval of the difference of two independent proportions, by statsmodels.

    With f1, f2 the proportions, d = f1 - f2 and (l1, u1), (l2, u2) their Wilson intervals:
    d - sqrt((f1-l1)² + (u2-f2)²) to d + sqrt((u1-f1)² + (f2-l2)²); Newcombe's method 10.

    Args:
        first: Successes and trials of the first group; both pairs broadcast.
        second: Successes and trials of the second group.
        confidence: Coverage, between 0 and 1 (both excluded).

    Returns:
        Lower and upper limits; NaN where a group has no trials or a count is NaN.

    Raises:
        ValueError: A count is impossible (see `binomial_counts`), or the confidence lies outside (0, 1).

    References:
        Newcombe, R. G. (1998). Interval estimation for the difference between independent proportions: comparison of
        eleven methods. Statistics in Medicine, 17, 873-890.

    >>> low, high = newcombe((56, 70), (48, 80))
    >>> round(float(low), 4), round(float(high), 4)
    (0.0524, 0.3339)
    """
    from statsmodels.stats import proportion

    check_confidence(confidence)
    counts = np.broadcast_arrays(*binomial_counts(*first), *binomial_counts(*second))
    known = (counts[1] > 0) & (counts[3] > 0) & ~np.isnan(counts[0] + counts[2])
    low, high = np.full(known.shape, np.nan), np.full(known.shape, np.nan)
    limits_of: Any = proportion.confint_proportions_2indep  # pyright: ignore[reportUnknownVariableType]
    low[known], high[known] = limits_of(
        *(count[known] for count in counts), method="newcomb", compare="diff", alpha=1.0 - confidence
    )
    return low, high


def check_confidence(confidence: float) -> None:
    """Refuse a level outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}: expected a number between 0 and 1, both excluded")
