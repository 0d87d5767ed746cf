"""Logistic mixed models with random intercepts, nested or crossed, from counts, by the Laplace approximation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from scipy import optimize
from scipy.special import expit

from tallybook.statistics.regression import FARTHEST

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.statistics.arrays import Floats

_MOST_STEPS, _CLOSE = 100, 1e-11
"""The maximum number of Newton steps, and the relative decrease of the penalised deviance at which they end."""
_LARGEST = 30.0
"""The largest standard deviation of intercepts, and the largest move of coefficients, in standard errors."""
NEGLIGIBLE = 1e-8
"""The difference of deviances up to which these count as equal."""
_TOLERANCE = 1e-6
"""The relative tolerance of the search."""
_NO_FIT = 1e100
"""The deviance where there is no fit: finite, since the search subtracts deviances."""


class Fit(NamedTuple):
    """A mixed model at its (restricted) maximum likelihood."""

    coefficients: Floats
    covariance: Floats
    deviations: Floats  # standard deviations of each column's random intercepts, in units of the residual one
    residual: float  # the variance of the residuals; of a logistic model that of the logistic distribution
    deviance: float


class LogisticData(NamedTuple):
    """The data of a logistic mixed model; a row stands for `counts` equal responses."""

    sizes: list[int]  # the number of distinct values of each random column
    z: Floats  # rows x values of all random columns: indicators
    x: Floats  # rows x coefficients
    y: Floats  # 0 or 1
    counts: Floats


class _Mode(NamedTuple):
    """The conditional mode of the intercepts, or of intercepts and coefficients, at given standard deviations."""

    values: Floats  # the intercepts in units of their deviations, then the coefficients
    penalised: float  # the deviance plus the sum of squared intercepts
    information: Floats  # half the Hessian of the penalised deviance


def logistic_fit(data: LogisticData, kept: list[int]) -> Fit | None:
    """Fit logit P(y = 1) = X b + sum Z_k u_k with independent normal intercepts, those of some random columns being 0.

    The marginal deviance at (s, b) is -2 log L(b, u) + |u|^2 + log |D Z'WZ D + I| at the most likely u, with D the
    deviations s and W the variances of y (Laplace); it is minimised over s >= 0 and b (Powell's method within bounds),
    starting from the minimum over s with b profiled out together with u. The covariance of b is the inverse of X'WX -
    X'WZD (DZ'WZD + I)^-1 DZ'WX.

    Returns:
        The fit; None where the data are separated or do not vary, or standard deviations diverge.

    Source:
        Bates, D., Maechler, M., Bolker, B. & Walker, S. (2015). Journal of Statistical Software 67(1), 1-48. Breslow,
        N. E. & Clayton, D. G. (1993). JASA 88, 9-25.
    """
    q, p = data.z.shape[1], data.x.shape[1]
    latest = np.zeros(q + p)

    def spread(own: Floats) -> Floats:
        deviations: Floats = np.zeros(len(data.sizes))
        deviations[kept] = own
        return deviations

    def at(own: Floats, coefficients: Floats | None) -> tuple[float, _Mode | None]:
        nonlocal latest
        scale = np.repeat(spread(own), data.sizes)
        start = latest if coefficients is None else np.append(latest[:q], coefficients)
        mode = _mode(data, scale, start, free=coefficients is None)
        if mode is None:
            return _NO_FIT, None
        latest = mode.values
        return mode.penalised + float(np.linalg.slogdet(mode.information[:q, :q])[1]), mode

    varied = [(0.0, _LARGEST)] * len(kept)
    own = least(lambda v: at(v, None)[0], np.ones(len(kept)), varied, _TOLERANCE) if kept else np.zeros(0)
    _, mode = at(own, None)
    if mode is None or np.abs(data.x @ mode.values[q:]).max() > FARTHEST:
        return None
    center, errors = mode.values[q:], np.sqrt(np.diag(np.linalg.inv(mode.information)))[q:]
    if kept:
        both = least(
            lambda v: at(v[: len(kept)], center + errors * v[len(kept) :])[0],
            np.append(own, np.zeros(p)),
            [*varied, *[(-_LARGEST, _LARGEST)] * p],
            _TOLERANCE,
        )
        own, center = both[: len(kept)], center + errors * both[len(kept) :]
    deviance, mode = at(own, center)
    for place in range(len(kept)):
        zero = np.where(np.arange(len(kept)) == place, 0.0, own)
        if (found := at(zero, center))[0] <= deviance + NEGLIGIBLE:
            own, (deviance, mode) = zero, found
    if mode is None or max([*own, 0.0]) >= 0.99 * _LARGEST or np.abs(data.x @ center).max() > FARTHEST:
        return None
    covariance: Floats = np.asarray(np.linalg.inv(mode.information)[q:, q:], dtype=float)
    return Fit(center, covariance, spread(own), float(np.pi**2 / 3), deviance)


def least(function: Callable[[Floats], float], start: Floats, bounds: list[tuple[float, float]], last: float) -> Floats:
    """Minimise a function within bounds by Powell's method, to a relative tolerance."""
    for tolerance in (1e-3, last):  # restarted from the first result, with new directions
        options = {"xtol": tolerance, "ftol": tolerance**2, "maxiter": 10_000}
        ended = cast("Any", optimize).minimize(function, start, method="Powell", bounds=bounds, options=options)
        start = np.array(ended.x, dtype=float, ndmin=1)
    return start


def _mode(data: LogisticData, scale: Floats, start: Floats, *, free: bool) -> _Mode | None:
    """Maximise the penalised likelihood over the intercepts and, if `free`, the coefficients; None if that fails."""
    q = scale.size
    design = np.column_stack([data.z * scale, data.x])
    ridge = np.append(np.ones(q), np.zeros(data.x.shape[1]))
    moved = slice(None) if free else slice(q)
    values, now = start.copy(), np.inf
    for _ in range(_MOST_STEPS):
        predictor = design @ values
        mean = expit(predictor)
        before, now = now, _penalised(data, predictor, values[:q])
        weighted = design * (data.counts * mean * (1 - mean))[:, None]
        information = design.T @ weighted + np.diag(ridge)
        if before - now <= _CLOSE * (1 + abs(now)):
            return _Mode(values, now, information)
        slope = (design.T @ (data.counts * (data.y - mean)) - ridge * values)[moved]
        try:
            change: Floats = np.zeros(values.size)
            change[moved] = np.linalg.solve(information[moved, moved], slope)
        except np.linalg.LinAlgError:
            return None
        for _ in range(40):  # a whole step may overshoot
            tried = values + change
            if _penalised(data, design @ tried, tried[:q]) <= now + _CLOSE:
                break
            change /= 2
        values = values + change
    return None


def _penalised(data: LogisticData, predictor: Floats, intercepts: Floats) -> float:
    log_likelihood = data.counts @ (data.y * predictor - np.logaddexp(0.0, predictor))
    return float(-2 * log_likelihood + intercepts @ intercepts)
