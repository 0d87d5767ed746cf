"""Tails of the normal, chi-square and Student's t distributions, and their logarithms, where they underflow."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import gammainc, gammaincc, gammaln, log_ndtr, ndtr, ndtri, poch, stdtr, stdtrit

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.arrays import Floats


# Below this probability the continued fraction is used, which converges fast there.
_FAR = 1e-200
_STEPS = 300


def log_chi_square_tail(statistic: ArrayLike, df: ArrayLike) -> Floats:
    """Compute the natural logarithm of P(X >= x) for a chi-square variable with given degrees of freedom.

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
        # The smaller of the two tails is the accurate one.
        close: Floats = np.where(below < near, np.log1p(-below), np.log(near))
        logarithm: Floats = np.where(near > _FAR, close, far)
        result: Floats = np.where(np.isposinf(x), -np.inf, logarithm)
    return np.where((x >= 0) & (nu > 0), result, np.nan)


def normal_quantile(confidence: float) -> float:
    """Return the normal quantile of (1 + confidence) / 2."""
    # By the lower quantile, as 1 - confidence keeps digits that 1 + confidence would round away.
    return -float(ndtri((1.0 - confidence) / 2.0))


def two_sided_normal(z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute P(|Z| >= |z|) of a standard normal Z, and its natural logarithm.

    p = erfc(|z| / sqrt 2) = 2 Phi(-|z|). R: 2 * pnorm(-abs(z)), and pnorm(log.p = TRUE) + log(2).

    Returns:
        p-values, 0 where they are below the smallest float, and ln p, at most 0 and finite for every finite z. NaN
        where z is NaN.
    """
    lower = -np.abs(np.asarray(z, np.float64))
    p, log_half = np.asarray(2.0 * ndtr(lower)), np.asarray(log_ndtr(lower))
    return p, np.minimum(0.0, math.log(2.0) + log_half)


Alternative: TypeAlias = Literal["two-sided", "greater", "less"]
"""The direction of differences that count against the null hypothesis: any, above it, or below it."""

# Below this the two-sided tail is computed by continued fraction; scipy's is accurate down to 1e-290.
_FAR_TAIL = 1e-200
# |t| is above 30 there; twice as many steps as were found to be needed.
_FAR_STEPS = 20
_HALF_PI = np.pi / 2.0
_LOG_TWO = float(np.log(2.0))
_LOG_SQRT_PI = float(0.5 * np.log(np.pi))


def log_p_value(statistic: ArrayLike, df: ArrayLike, alternative: Alternative = "two-sided") -> Floats:
    """Compute the natural logarithm of the p-value of a t statistic.

    With I the regularised incomplete beta function, x = df / (df + t²) and a = df / 2, the two-sided p-value is
    P(|T| >= |t|) = I_x(a, 1/2). Where that is below 1e-200 its logarithm is
    -(a - 1/2) ln(1 + t²/df) - ln(|t| / sqrt df) - ln(a B(a, 1/2)) + ln 2F1(1/2, 1; a + 1; -df/t²),
    the last factor by Gauss's continued fraction, all of whose terms are positive. So the result is finite for every
    finite t: ln p = -2695.5 for t = 76.4 with 33599 degrees of freedom. R: pt(log.p = TRUE).

    Returns:
        ln p, never above 0; NaN where an argument is NaN, t is infinite or df is not positive and finite. The relative
        error of p is below 1e-11 (measured against R and 80-digit arithmetic, df 0.5 to 1e12).

    References:
        Abramowitz, M. & Stegun, I. A. (1964). Handbook of Mathematical Functions, 26.5 and 26.7; DLMF, 15.7 and 15.8.
    """
    t, v = np.broadcast_arrays(np.asarray(statistic, np.float64), np.asarray(df, np.float64))
    with np.errstate(all="ignore"):
        defined = np.isfinite(t) & (v > 0) & np.isfinite(v)
        log_both = np.minimum(0.0, _log_both_tails(np.abs(t), v))
        if alternative != "two-sided":
            log_far = log_both - _LOG_TWO
            in_far_tail = t >= 0 if alternative == "greater" else t <= 0
            log_both = np.where(in_far_tail, log_far, np.log1p(-np.exp(log_far)))
        return np.where(defined, log_both + 0.0, np.nan)  # no -0.0


def critical_value(tail: ArrayLike, df: ArrayLike) -> Floats:
    """Return the value that Student's t exceeds with a given probability."""
    q, v = np.broadcast_arrays(np.asarray(tail, np.float64), np.asarray(df, np.float64))
    with np.errstate(all="ignore"):
        # By the lower quantile, as 1 - tail would lose the digits of a small tail.
        return np.where((q > 0) & (q < 1) & (v > 0), -stdtrit(v, q), np.nan)


def _log_both_tails(t: Floats, df: Floats) -> Floats:
    """Compute the logarithm of P(|T| >= t) for t >= 0; the caller suppresses overflow warnings."""
    # With one degree of freedom scipy's stdtr is off by up to 5e-9.
    near = np.where(df == 1.0, np.arctan2(1.0, t) / _HALF_PI, 2.0 * stdtr(df, -t))
    is_far = near < _FAR_TAIL
    result = np.array(np.log(near))
    result[is_far] = _log_far_tails(t[is_far], df[is_far])
    return result


def _log_far_tails(t: Floats, df: Floats) -> Floats:
    """Compute the logarithm of P(|T| >= t) far in the tail, as in `log_p_value`."""
    a = df / 2.0
    ratio = t / np.sqrt(df)
    square = np.square(ratio)
    log_growth = np.where(np.isinf(square), 2.0 * np.log(ratio), np.log1p(square))
    # B(a, 1/2) = sqrt(pi) / poch(a, 1/2): a difference of two logarithms of gamma functions would lose digits.
    log_beta = _LOG_SQRT_PI - np.log(poch(a, 0.5))
    return -(a - 0.5) * log_growth - np.log(ratio) - np.log(a) - log_beta - np.log(_fraction(a + 1.0, ratio**-2.0))


def _fraction(c: Floats, w: Floats) -> Floats:
    """Compute 1 / 2F1(1/2, 1; c; -w) by Gauss's continued fraction, evaluated from its end."""
    fraction = np.ones_like(c)
    for step in range(_FAR_STEPS, 0, -1):
        half = step // 2
        order = (half + 0.5) * (c - 1.0 + half) if step % 2 else half * (c - 1.5 + half)
        fraction = 1.0 + order / ((c + step - 2.0) * (c + step - 1.0)) * w / fraction
    return fraction
