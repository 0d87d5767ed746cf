"""Confidence intervals of proportions, and of the difference of two."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
from scipy.special import betainc, betaincc, betainccinv, betaincinv, betaln, ndtri, xlog1py, xlogy

from tallybook.statistics.proportions.binomial import binomial_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

ProportionInterval: TypeAlias = Literal["wilson", "clopper-pearson", "jeffreys"]

INTERVAL_NAMES: dict[ProportionInterval, str] = {
    "wilson": "Wilson",
    "clopper-pearson": "Clopper-Pearson",
    "jeffreys": "Jeffreys",
}
"""What the intervals are called in print."""

# Where Newton's step is larger, the quantile is not yet near, or its density underflows.
_LARGEST_STEP = 1e-3


def proportion_interval(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95, interval: ProportionInterval = "wilson"
) -> tuple[Floats, Floats]:
    """The interval of a proportion by name: `wilson`, `clopper_pearson` or `jeffreys`.

    Args:
        successes: k, whole numbers; broadcast against `trials`.
        trials: n, whole numbers.
        confidence: Coverage, between 0 and 1 (both excluded).
        interval: Which one.

    Returns:
        Lower and upper limits.

    Raises:
        ValueError: A count or the confidence is impossible, or the interval is unknown.

    >>> low, high = proportion_interval(7, 50, interval="jeffreys")
    >>> round(float(low), 6), round(float(high), 6)
    (0.064872, 0.255325)
    """
    if interval not in get_args(ProportionInterval):
        raise ValueError(f"interval is {interval!r}: expected one of {', '.join(get_args(ProportionInterval))}")
    limits = {"wilson": wilson, "clopper-pearson": clopper_pearson, "jeffreys": jeffreys}[interval]
    return limits(successes, trials, confidence)


def wilson(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Wilson's score interval of a proportion, without continuity correction.

    With f = k / n and z the normal quantile of (1 + confidence) / 2:
    [f + z²/2n ± z sqrt(f (1 - f) / n + z²/4n²)] / (1 + z²/n).
    It is computed in an equal form whose lower limit subtracts nothing, so that small limits keep all their digits.
    R: prop.test(correct = FALSE).

    Args:
        successes: k, whole numbers; broadcast against `trials`.
        trials: n, whole numbers.
        confidence: Coverage, between 0 and 1 (both excluded).

    Returns:
        Lower and upper limits, proportions; the lower one is exactly 0 where k = 0, the upper one exactly 1 where
        k = n. NaN where n = 0 or a count is NaN.

    Raises:
        ValueError: A count is impossible (see `binomial_counts`), or the confidence lies outside (0, 1).

    References:
        Wilson, E. B. (1927). Probable inference, the law of succession, and statistical inference. Journal of the
        American Statistical Association, 22, 209-212.

    >>> low, high = wilson([7, 0], [50, 50])
    >>> low.round(6), high.round(6)
    (array([0.069508, 0.      ]), array([0.261862, 0.071348]))
    """
    # The lower quantile: 1 - confidence keeps the digits that 1 + confidence would round away.
    z = -float(ndtri(_tail(confidence)))
    k, n = binomial_counts(successes, trials)
    square = z * z
    with np.errstate(divide="ignore", invalid="ignore"):
        total = 2.0 * k + square + z * np.sqrt(square + 4.0 * k * ((n - k) / n))
        low = 2.0 * k * (k / n) / total
        high = np.where(k == n, 1.0, np.minimum(1.0, total / (2.0 * (n + square))))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def clopper_pearson(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """The exact interval of a proportion: all values that neither one-sided binomial test rejects.

    With alpha = 1 - confidence the limits are quantiles of beta distributions: alpha/2 of Beta(k, n - k + 1) and
    1 - alpha/2 of Beta(k + 1, n - k). It covers at least as often as it says, often more. R: binom.test.

    Args:
        successes: k, whole numbers; broadcast against `trials`.
        trials: n, whole numbers.
        confidence: Coverage, between 0 and 1 (both excluded).

    Returns:
        Lower and upper limits; the lower one is exactly 0 where k = 0, the upper one exactly 1 where k = n. NaN where
        n = 0 or a count is NaN.

    Raises:
        ValueError: A count is impossible (see `binomial_counts`), or the confidence lies outside (0, 1).

    References:
        Clopper, C. J. & Pearson, E. S. (1934). The use of confidence or fiducial limits illustrated in the case of the
        binomial. Biometrika, 26, 404-413.

    >>> low, high = clopper_pearson([7, 0], [50, 50])
    >>> low.round(6), high.round(6)
    (array([0.058192, 0.      ]), array([0.267396, 0.071122]))
    """
    tail = _tail(confidence)
    k, n = binomial_counts(successes, trials)
    low = np.where(k == 0, 0.0, _beta_quantile(k, n - k + 1.0, tail))
    high = np.where(k == n, 1.0, _beta_quantile(k + 1.0, n - k, tail, upper=True))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def jeffreys(successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95) -> tuple[Floats, Floats]:
    """Jeffreys' interval of a proportion: quantiles of its posterior distribution under Jeffreys' prior.

    With alpha = 1 - confidence the limits are the quantiles alpha/2 and 1 - alpha/2 of Beta(k + 1/2, n - k + 1/2);
    after Brown, Cai & DasGupta the lower one is 0 where k = 0 and the upper one 1 where k = n. R: qbeta.

    Args:
        successes: k, whole numbers; broadcast against `trials`.
        trials: n, whole numbers.
        confidence: Coverage, between 0 and 1 (both excluded).

    Returns:
        Lower and upper limits; NaN where n = 0 or a count is NaN.

    Raises:
        ValueError: A count is impossible (see `binomial_counts`), or the confidence lies outside (0, 1).

    References:
        Brown, L. D., Cai, T. T. & DasGupta, A. (2001). Interval estimation for a binomial proportion. Statistical
        Science, 16, 101-133.

    >>> low, high = jeffreys([7, 0], [50, 50])
    >>> low.round(6), high.round(6)
    (array([0.064872, 0.      ]), array([0.255325, 0.048758]))
    """
    tail = _tail(confidence)
    k, n = binomial_counts(successes, trials)
    low = np.where(k == 0, 0.0, _beta_quantile(k + 0.5, n - k + 0.5, tail))
    high = np.where(k == n, 1.0, _beta_quantile(k + 0.5, n - k + 0.5, tail, upper=True))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)


def newcombe(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike], confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Newcombe's hybrid score interval of the difference of two independent proportions.

    With f1, f2 the proportions, d = f1 - f2 and (l1, u1), (l2, u2) their Wilson intervals:
    d - sqrt((f1-l1)² + (u2-f2)²) to d + sqrt((u1-f1)² + (f2-l2)²); Newcombe's method 10, without continuity
    correction. It never leaves [-1, 1].

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
    (k1, n1), (k2, n2) = binomial_counts(*first), binomial_counts(*second)
    (low1, high1), (low2, high2) = wilson(k1, n1, confidence), wilson(k2, n2, confidence)
    with np.errstate(invalid="ignore"):
        f1, f2 = k1 / n1, k2 / n2
    difference = f1 - f2
    return difference - np.hypot(f1 - low1, high2 - f2), difference + np.hypot(high1 - f1, f2 - low2)


def _beta_quantile(a: Floats, b: Floats, tail: float, *, upper: bool = False) -> Floats:
    """The quantile of Beta(a, b) with the given probability below it, or above it."""
    x = np.asarray(betainccinv(a, b, tail) if upper else betaincinv(a, b, tail), np.float64)
    with np.errstate(all="ignore"):
        for _ in range(2):
            # scipy's inverse stops at 2e-8 of x for b = 1e9. Newton's step from there, on the logarithm of both.
            density = np.exp(xlogy(a, x) + xlog1py(b - 1.0, -x) - betaln(a, b))
            mass = np.asarray(betaincc(a, b, x) if upper else betainc(a, b, x))
            step = (mass - tail) / density
            better = x * np.exp(step if upper else -step)
            x = np.where(np.abs(step) < _LARGEST_STEP, np.minimum(better, 1.0), x)
    return x


def _tail(confidence: float) -> float:
    """The probability beyond either limit."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}: expected a number between 0 and 1, both excluded")
    return (1.0 - confidence) / 2.0
