"""Confidence intervals of proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from analysis.statistics.binomial import binomial_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def wilson(
    successes: ArrayLike, trials: ArrayLike, confidence: float = 0.95
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
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
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}: expected a number between 0 and 1, both excluded")
    k, n = binomial_counts(successes, trials)
    # The lower quantile: 1 - confidence keeps the digits that 1 + confidence would round away.
    z = -float(ndtri((1.0 - confidence) / 2.0))
    square = z * z
    with np.errstate(divide="ignore", invalid="ignore"):
        total = 2.0 * k + square + z * np.sqrt(square + 4.0 * k * ((n - k) / n))
        low = 2.0 * k * (k / n) / total
        high = np.where(k == n, 1.0, np.minimum(1.0, total / (2.0 * (n + square))))
    return np.where(n > 0, low, np.nan), np.where(n > 0, high, np.nan)
