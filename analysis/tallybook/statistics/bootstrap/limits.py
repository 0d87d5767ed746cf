"""Limits of bootstrap intervals: percentile, basic and BCa levels, and the quantiles of simulated replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, get_args

import numpy as np
from scipy.special import ndtr, ndtri

from tallybook.statistics.inputs import check_confidence

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

Interval: TypeAlias = Literal["percentile", "basic", "bca"]

INTERVAL_NAMES: dict[Interval, str] = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
"""The printed names of the intervals."""

# Replicates this many rounding errors from the estimate are ties with it: the same sum, added up in another order.
_TIE = 16 * np.finfo(np.float64).eps


class Limits(NamedTuple):
    """The spread of a bootstrap distribution, one entry a cell; NaN where it does not exist."""

    std_error: Floats
    low: Floats
    high: Floats


def check_interval(interval: str, confidence: float) -> None:
    """Refuse settings that no interval has."""
    if interval not in get_args(Interval):
        raise ValueError(f"interval is {interval!r}: expected one of {', '.join(get_args(Interval))}")
    check_confidence(confidence)


def quantile_levels(
    interval: Interval, confidence: float, share_below: Floats, acceleration: Floats
) -> tuple[Floats, Floats]:
    """Which quantiles of the bootstrap distribution are an interval's ends.

    percentile and basic: alpha/2 at either end, with alpha = 1 - confidence. BCa: with z = Phi^-1(alpha/2) and
    z0 = Phi^-1(share_below), w = z0 + (z0 ± z) / (1 - a (z0 ± z)), the level at the lower end is Phi(w) for + z, the
    one at the upper end, counted from above, Phi(-w) for - z. Where a (z0 ± z) reaches 1 the formula has its pole and
    turns round beyond it; the level stays at the limit that it had reached there, 0 or 1.

    References:
        Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association, 82,
        171-185.
    """
    tail = np.full(share_below.shape, (1.0 - confidence) / 2.0)
    if interval != "bca":
        return tail, tail
    with np.errstate(all="ignore"):
        bias = ndtri(share_below)
        z = ndtri(tail)
        low, high = (_adjusted(bias, bias + sign * z, acceleration) for sign in (1.0, -1.0))
        exists = np.isfinite(bias) & np.isfinite(acceleration)
        return np.where(exists, ndtr(low), np.nan), np.where(exists, ndtr(-high), np.nan)


def _adjusted(bias: Floats, shifted: Floats, acceleration: Floats) -> Floats:
    scale = 1.0 - acceleration * shifted
    return np.where(scale > 0, bias + shifted / scale, np.copysign(np.inf, shifted))


def limits_of_replicates(
    estimate: Floats, replicates: Floats, *, interval: Interval, confidence: float, acceleration: Floats
) -> Limits:
    """The standard error and the interval that simulated replicates give.

    The quantile at level q of R replicates is the order statistic q (R + 1), between two of them interpolated on the
    scale of normal quantiles; beyond the first and the last it is the first or the last. basic: the limits are
    2 estimate - quantile, from the opposite ends. R: boot::boot.ci (types "perc", "basic", "bca").

    References:
        Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge University Press,
        chapter 5.
    """
    with np.errstate(all="ignore"):
        ordered = np.sort(replicates, axis=1)
        first, last = ordered[:, 0], ordered[:, -1]
        tie = _TIE * np.fmax(np.abs(estimate), np.fmax(np.abs(first), np.abs(last)))
        exists = np.isfinite(estimate) & np.isfinite(replicates).all(axis=1) & (last - first > tie)
        below, above = quantile_levels(interval, confidence, _share_below(estimate, replicates, tie), acceleration)
        low, high = _order_statistic(ordered, below), -_order_statistic(-ordered[:, ::-1], above)
        if interval == "basic":
            low, high = 2 * estimate - high, 2 * estimate - low
        error = replicates.std(axis=1, ddof=1)
        return Limits(*(np.where(exists, numbers, np.nan) for numbers in (error, low, high)))


def _share_below(estimate: Floats, replicates: Floats, tie: Floats) -> Floats:
    difference = replicates - estimate[:, None]
    below = (difference < -tie[:, None]).sum(axis=1)
    tied = (np.abs(difference) <= tie[:, None]).sum(axis=1)
    return (below + tied / 2.0) / replicates.shape[1]


def _order_statistic(ordered: Floats, level: Floats) -> Floats:
    """The order statistic level (R + 1) of R replicates, rows sorted upwards; NaN where the level is."""
    known = ordered.shape[1]
    rank = level * (known + 1.0)
    lower = np.clip(np.floor(np.where(np.isnan(rank), 0.0, rank)), 0, known)
    places = (np.clip(place, 0, known - 1).astype(np.intp) for place in (lower - 1, lower))
    at, next_to = (np.take_along_axis(ordered, place[:, None], axis=1)[:, 0] for place in places)
    z, z_at, z_next = (ndtri(q) for q in (level, lower / (known + 1.0), (lower + 1) / (known + 1.0)))
    share = np.where((lower > 0) & (lower < known) & (rank > lower), (z - z_at) / (z_next - z_at), 0.0)
    return np.where(np.isnan(level), np.nan, at + share * (next_to - at))
