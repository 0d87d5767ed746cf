"""Fit of one logistic regression: whether the estimate exists, the estimate, its covariance and likelihoods."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from scipy.special import expit, log_expit, xlogy

from tallybook.statistics.logistic.likelihood import (
    Summit,
    ascend,
    gain,
    inverse,
    penalty,
    slope,
    standard_design,
    whitened,
)

if TYPE_CHECKING:
    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.logistic.likelihood import Design

Estimator: TypeAlias = Literal["maximum-likelihood", "firth"]

_ITERATIONS = 40
_TOLERANCE = 1e-9
"""Iteration ends when no coordinate changes by more; the remaining error is about the square of this."""
_FARTHEST = 600.0
"""The limit of log odds: beyond it, weights vanish; only separated data reach it."""
_LAST_ITERATIONS = 400
"""The maximum number of iterations for data that are not separated: their estimate exists, however far away."""
_FLAT = 1e-4
"""The share of the information that the curvature must have in these last iterations."""
_STEPS_HELD = 200
_STEPS_UP = (4, 8)
_HIGHER = 1e-6
"""The difference of objectives above which one maximum counts as higher than another."""
_VAGUE = 30.0
"""The standard error of log odds above which these say nothing about a share."""
NEAR = 15.0
"""A converged estimate with smaller log odds exists: with separated data, log odds grow without converging."""
_TIGHT = 1e-6
"""Rows within this distance of the separating plane count as lying on it: the linear program is no more exact."""
_EXACT = 1e-9
"""The largest distance from the separating plane, once this is fitted through the tight rows, that counts as 0."""


@dataclass(frozen=True)
class Fit:
    """The fit of a regression whose estimate exists."""

    origin: Design  # on columns orthonormal under the counts
    summit: Summit
    penalized: bool  # whether Firth's penalty was added
    lower: bool  # whether a higher maximum was found too; only Firth's likelihood can have several

    @property
    def design(self) -> Design:
        """The design with columns orthonormal under the weights n p (1 - p) of the fit."""
        return self.summit.design

    @cached_property
    def coefficients(self) -> Floats:
        """The coefficients of the terms."""
        return self.design.transform @ self.summit.coordinates

    @cached_property
    def inverse_information(self) -> Floats:
        """The inverse information of the coordinates."""
        return inverse(slope(self.design, self.summit.linear_predictor, penalized=False).information)

    @cached_property
    def log_likelihood(self) -> float:
        """The log-likelihood, without penalty: of responses, so without binomial coefficients."""
        eta = self.summit.linear_predictor
        return float(np.sum(self.design.successes * log_expit(eta) + self.design.failures * log_expit(-eta)))

    @property
    def penalized_log_likelihood(self) -> float:
        """The log-likelihood plus half the log determinant of the terms' information."""
        scale = float(np.linalg.slogdet(self.design.transform)[1])
        return self.log_likelihood + penalty(self.design, self.summit.linear_predictor) - scale

    @property
    def null_log_likelihood(self) -> float:
        """The log-likelihood of the intercept alone, at its maximum: K ln(K / n) + (n - K) ln(1 - K / n)."""
        ones, zeros = np.sum(self.design.successes), np.sum(self.design.failures)
        return float(xlogy(ones, ones / (ones + zeros)) + xlogy(zeros, zeros / (ones + zeros)))

    @cached_property
    def likelihood_ratio(self) -> float:
        """Twice the drop of the (penalised) log-likelihood without the slopes; NaN if Firth's has no maximum there.

        Firth's penalty remains that of the whole model's information, as in R's logistf (Heinze & Schemper 2002).
        """
        eta, ones, zeros = self.summit.linear_predictor, np.sum(self.design.successes), np.sum(self.design.failures)
        if not self.penalized:
            constant = np.full(eta.size, np.log(ones) - np.log(zeros))
            return max(2.0 * gain(self.design, constant, eta, penalized=False), 0.0)
        # Starts from the constant model, which satisfies the constraint; from the estimate, 0 may be far away.
        start = np.full(eta.size, np.log((ones + 0.5) / (zeros + 0.5)))
        held = ascend(self.origin, start, penalized=True, held=slice(1, None), iterations=_STEPS_HELD)
        drop = gain(self.design, held.linear_predictor, eta, penalized=True)
        # The constrained fit may reach a higher maximum than the estimate's; then there is no test.
        return max(2.0 * drop, 0.0) if held.converged and drop > -_HIGHER else np.nan


def fit_logit(columns: Floats, successes: Floats, failures: Floats, estimator: Estimator) -> Fit | str:
    """Estimate the coefficients of logit P(success) = x'b, or return a status if there is no estimate.

    Maximum likelihood needs data that overlap; Firth's penalised likelihood does not.

    Args:
        columns: Terms x rows, the intercept first.
    """
    penalized = estimator == "firth"
    design = standard_design(columns, successes, failures)
    varies = successes.sum() > 0 and failures.sum() > 0
    if design is None or not (varies or penalized):
        return "degenerate"
    empirical = design.predictor(_empirical(design))
    # The penalised likelihood can have several maxima; as in R's programs, the one reached from 0 is taken.
    start = np.zeros(successes.size) if penalized else empirical
    summit = ascend(design, start, penalized=True, iterations=_ITERATIONS) if penalized else _by_statsmodels(design)
    near = summit.converged and float(np.abs(summit.linear_predictor).max()) < NEAR
    if not (penalized or near) and is_separated(design):
        return "separated"
    if not summit.converged:
        # Near a maximum that is nearly flat, steps by the information come to no end.
        start = summit.linear_predictor if penalized else start
        summit = ascend(design, start, penalized=penalized, iterations=_LAST_ITERATIONS, least=_FLAT)
        if not summit.converged or _is_uninformative(summit):
            return "not-converged"
    return Fit(design, summit, penalized, penalized and _has_higher(design, summit, empirical))


def _is_uninformative(summit: Summit) -> bool:
    """Return whether a row with leverage has a linear predictor with a standard error above `_VAGUE`."""
    eta, variance = summit.linear_predictor, np.square(summit.design.columns).sum(axis=0)
    leverage = summit.design.trials * expit(eta) * expit(-eta) * variance
    return bool(((leverage > 0.01) & (variance > _VAGUE**2)).any())  # noqa: PLR2004


def _has_higher(design: Design, summit: Summit, start: Floats) -> bool:
    """Return whether ascents from other starting points reach a higher maximum of the penalised likelihood."""
    climbs = [ascend(design, start, penalized=False, iterations=steps).linear_predictor for steps in _STEPS_UP]
    others = (ascend(design, one, penalized=True, iterations=_ITERATIONS) for one in (start, *climbs))
    here = summit.linear_predictor
    return any(one.converged and gain(design, here, one.linear_predictor, penalized=True) > _HIGHER for one in others)


def _by_statsmodels(design: Design) -> Summit:
    """Maximise the likelihood by statsmodels' GLM on the grouped rows."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    counts, columns = np.column_stack([design.successes, design.failures]), np.ascontiguousarray(design.columns.T)
    # It warns of separation and of overflow on the way there, which are handled elsewhere.
    with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
        glm: Any = GLM(counts, columns, family=Binomial())
        found = glm.fit(maxiter=_ITERATIONS, tol=_TOLERANCE, tol_criterion="params")
        here = columns @ found.params
    eta = np.clip(np.nan_to_num(here), -_FARTHEST, _FARTHEST)
    return Summit(*whitened(design, eta), converged=bool(found.converged and np.isfinite(here).all()))


def _empirical(design: Design) -> Floats:
    """Compute starting coordinates: weighted least squares of the empirical log odds, ln((s + 1/2) / (f + 1/2))."""
    up, down = design.successes + 0.5, design.failures + 0.5
    weights = up * down / (up + down)
    return np.nan_to_num(inverse(design.gram(weights)) @ design.products(weights * np.log(up / down)))


def is_separated(design: Design) -> bool:
    """Return whether the data are completely or quasi-completely separated.

    Konis's linear program: maximise the sum of z'b over rows without both outcomes, where z'b >= 0 for these, z'b = 0
    for rows with both, and -1 <= b <= 1. A direction that it finds counts when a plane through the rows next to it
    still separates the others.

    References:
        Konis, K. (2007). Linear programming algorithms for detecting separated data in binary logistic regression
        models. DPhil thesis, University of Oxford.
    """
    from scipy import optimize

    untyped: Any = optimize  # pyright infers for seconds what linprog returns

    # Rows have equal weight here, however many responses they stand for.
    columns = design.orthonormal(np.ones(design.successes.size)).columns
    pure = (design.failures == 0) | (design.successes == 0)
    sign = np.where(design.successes == 0, -1.0, 1.0)
    signed = replace(design, columns=columns * sign / np.linalg.norm(columns, axis=0))
    table = signed.columns.T
    equal: dict[str, Any] = {} if pure.all() else {"A_eq": table[~pure], "b_eq": np.zeros(int((~pure).sum()))}
    goal, nothing = -table[pure].sum(axis=0), np.zeros(int(pure.sum()))
    solution = untyped.linprog(goal, A_ub=-table[pure], b_ub=nothing, bounds=(-1.0, 1.0), **equal)
    if solution.x is None:  # the solver failed, so separation is not shown
        return False
    tight = np.abs(signed.predictor(solution.x)) <= _TIGHT
    values, vectors = np.linalg.eigh(signed.gram(tight.astype(np.float64)))
    # Project the direction onto the orthogonal complement of the tight rows.
    free = vectors * (values <= _EXACT * max(1.0, values[-1]))
    distance = signed.predictor(free @ (free.T @ solution.x))
    wrong = np.where(tight, np.abs(distance) > _EXACT, ~pure | (distance <= _EXACT))
    return bool((~tight & pure).any() and not wrong.any())
