"""Tails of the normal and the chi-square distribution, and their logarithms, where probabilities underflow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, log_ndtr, ndtr

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]


# Where the probability is smaller, the continued fraction is used; it converges fast there.
_FAR = 1e-200
_STEPS = 300


def log_chi_square_tail(statistic: ArrayLike, df: ArrayLike) -> Floats:
    """The natural logarithm of P(X >= x) for a chi-square variable with given degrees of freedom.

    With a = df/2 and y = x/2 it is ln Q(a, y), Q the regularised upper incomplete gamma function; far out Legendre's
    continued fraction (DLMF 8.9.2), ln Q = a ln y - y - ln Gamma(a) - ln(y + 1 - a - 1 (1 - a) / (y + 3 - a - ...)).
    R: pchisq(x, df, lower.tail = FALSE, log.p = TRUE).
    """
    x, nu = np.asarray(statistic, np.float64), np.asarray(df, np.float64)
    a: Floats = nu / 2.0
    y: Floats = x / 2.0
    with np.errstate(all="ignore"):
        near: Floats = gammaincc(a, y)
        fraction: Floats = y + 2.0 * _STEPS + 1.0 - a
        for step in range(_STEPS, 0, -1):
            fraction = y + 2.0 * step - 1.0 - a - step * (step - a) / fraction
        far = a * np.log(y) - y - gammaln(a) - np.log(fraction)
        below: Floats = gammainc(a, y)
        # The smaller of the two tails is the one with the digits.
        close: Floats = np.where(below < near, np.log1p(-below), np.log(near))
        logarithm: Floats = np.where(near > _FAR, close, far)
        result: Floats = np.where(np.isposinf(x), -np.inf, logarithm)
    return np.where((x >= 0) & (nu > 0), result, np.nan)


def two_sided_normal(z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(|Z| >= |z|) of a standard normal Z, and its natural logarithm.

    p = erfc(|z| / sqrt 2) = 2 Phi(-|z|). R: 2 * pnorm(-abs(z)), and pnorm(log.p = TRUE) + log(2).

    Returns:
        p-values, 0 where they are below the smallest float, and ln p, at most 0 and finite for every finite z. NaN
        where z is NaN.
    """
    lower = -np.abs(np.asarray(z, np.float64))
    p, log_half = np.asarray(2.0 * ndtr(lower)), np.asarray(log_ndtr(lower))
    return p, np.minimum(0.0, math.log(2.0) + log_half)
