"""The noncentral t distribution: its probabilities, and the noncentralities that give a probability."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy.optimize import elementwise
from scipy.special import gammaincc, gammainccinv, gammaincinv, nctdtr, ndtr, ndtri

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

# Up to this noncentrality scipy's nctdtr is exact to 2e-16 and quick; far above it takes seconds and fails.
_LARGEST_NEAR = 100.0
# The third power of this is no float any more.
_TINY = 1e-100
# Nodes of the trapezoidal rule in standard deviations: its error there is below 1e-16, and so is what lies outside.
_NODES = np.linspace(-9.0, 9.0, 49)
_NORMAL_WEIGHTS = np.exp(-0.5 * np.square(_NODES)) / np.exp(-0.5 * np.square(_NODES)).sum()


def noncentral_t_probability(statistic: ArrayLike, df: ArrayLike, noncentrality: ArrayLike) -> Floats:
    """P(T <= t) of T = (Z + delta) / S, Z standard normal, S² = chi-squared / df.

    Up to |delta| = 100 it is scipy's nctdtr, and beyond one of two integrals, by the trapezoidal rule:
    E_S Phi(t S - delta) where t < sqrt(2 df), so that the normal distribution is the wider one of the two, else
    E_Z P(S >= (delta + Z) / t).

    Returns:
        Probabilities; NaN where an argument is NaN or df is not positive. The absolute error is below 1e-11 (measured
        against 25-digit quadrature, df 1 to 1e12, delta to 1e8), but up to 3e-7 where df > 1e7 and |t| > sqrt(2 df)
        (scipy's gammaincc loses digits there). R: pt(ncp = ), which ends at |delta| = 37.62.

    References:
        Johnson, N. L., Kotz, S. & Balakrishnan, N. (1995). Continuous Univariate Distributions 2, chapter 31. Wiley.
    """
    arguments = [np.asarray(values, np.float64) for values in (statistic, df, noncentrality)]
    t, v, delta = np.broadcast_arrays(*arguments)
    with np.errstate(all="ignore"):
        is_far = np.abs(delta) > _LARGEST_NEAR
        # So small a t is 0 beside any delta; nctdtr has no number for it.
        result = np.array(nctdtr(v, np.where(is_far, 0.0, delta), np.where(np.abs(t) < _TINY, 0.0, t)), np.float64)
        # Nor has it for some that differ from 0 or 1 by less than 1e-13, on either side of delta (and for no others
        # among three million).
        result = np.where(np.isnan(result), t > delta, result)
        far = _far_probability((t * np.sign(delta))[is_far], v[is_far], np.abs(delta)[is_far])
        result[is_far] = np.where(delta[is_far] < 0, 1.0 - far, far)
        return np.where((v > 0) & np.isfinite(v + t + delta), np.clip(result, 0.0, 1.0), np.nan)


def noncentrality_at(probability: ArrayLike, statistic: ArrayLike, df: ArrayLike) -> Floats:
    """The noncentrality at which P(T <= t) has a given value.

    That delta is the upper q-quantile of t S - Z: it lies below the sum of the upper q/2-quantiles of t S and -Z, and
    above the sum of their lower (1 - q)/2-quantiles. The probability falls as delta rises, so Chandrupatla's method
    finds it between the two.

    Returns:
        Delta; NaN where an argument is NaN or out of range.

    References:
        Steiger, J. H. & Fouladi, R. T. (1997). Noncentrality interval estimation and the evaluation of statistical
        models. In: What if there were no significance tests? Erlbaum.
    """
    arguments = [np.asarray(values, np.float64) for values in (probability, statistic, df)]
    q, t, v = np.broadcast_arrays(*arguments)
    with np.errstate(all="ignore"):
        # Where t is negative the largest t S is the one with the smallest S.
        low = np.where(t < 0, t * _scale_above((1.0 - q) / 2.0, v), t * _scale_below((1.0 - q) / 2.0, v))
        high = np.where(t < 0, t * _scale_below(q / 2.0, v), t * _scale_above(q / 2.0, v))
        low, high = low + ndtri((1.0 - q) / 2.0), high - ndtri(q / 2.0)
        solvable = (q > 0) & (q < 1) & (v > 0) & np.isfinite(low + high)

        def excess(delta: Floats, q: Floats, t: Floats, df: Floats) -> Floats:
            return noncentral_t_probability(t, df, delta) - q

        return root(excess, low, high, (q, t, v), solvable)


def root(
    function: Callable[..., Floats],
    low: Floats,
    high: Floats,
    arguments: tuple[Floats, ...],
    where: NDArray[np.bool_],
) -> Floats:
    """Roots of a function in brackets, for all cells at once."""
    result = np.full(low.shape, np.nan)
    if where.any():
        found: Any = elementwise.find_root(
            function, (low[where], high[where]), args=tuple(values[where] for values in arguments)
        )
        result[where] = np.where(found.success, found.x, np.nan)
    return result


def _scale_above(tail: Floats, df: Floats) -> Floats:
    """The value that S exceeds with this probability."""
    return np.sqrt(2.0 * gammainccinv(df / 2.0, tail) / df)


def _scale_below(tail: Floats, df: Floats) -> Floats:
    """The value that S stays below with this probability."""
    return np.sqrt(2.0 * gammaincinv(df / 2.0, tail) / df)


def _far_probability(t: Floats, df: Floats, delta: Floats) -> Floats:
    """P(T <= t) for delta > 100; the caller silences what overflows."""
    result = np.zeros_like(t)  # t <= 0 is more than 100 standard deviations away
    is_wide = t * t < 2.0 * df
    for mean, chosen in ((_mean_over_scale, (t > 0) & is_wide), (_mean_over_normal, (t > 0) & ~is_wide)):
        result[chosen] = mean(t[chosen, None], df[chosen, None], delta[chosen, None])
    return result


def _mean_over_scale(t: Floats, df: Floats, delta: Floats) -> Floats:
    """E_S Phi(t S - delta), over ln S; cells x 1 -> cells. With this t and delta df is above 4000, or the result 0."""
    log_scale = _NODES / np.sqrt(2.0 * df)
    weights = np.exp(df * (log_scale - 0.5 * np.expm1(2.0 * log_scale)))
    probabilities: Floats = ndtr(t * np.exp(log_scale) - delta)
    return (weights * probabilities).sum(axis=-1) / weights.sum(axis=-1)


def _mean_over_normal(t: Floats, df: Floats, delta: Floats) -> Floats:
    """E_Z P(S >= (delta + Z) / t); cells x 1 -> cells."""
    probabilities: Floats = gammaincc(df / 2.0, df / 2.0 * np.square((delta + _NODES) / t))
    return (_NORMAL_WEIGHTS * probabilities).sum(axis=-1)
