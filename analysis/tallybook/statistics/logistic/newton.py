"""Newton's method for many logistic likelihoods at once, free or under linear constraints.

Every fit goes its own way and stops on its own: its numbers do not depend on the other fits of the call.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

from tallybook.statistics.logistic.basis import Basis, gram, orthonormal
from tallybook.statistics.logistic.definite import inverse, log_determinant
from tallybook.statistics.logistic.firth import penalty_slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.statistics.logistic.design import Flags, Floats, GroupedDesign

TOLERANCE = 1e-8
"""A fit has converged when a step changes no linear predictor by more; the step's own error is the square of it."""
_CHECKED_STEP = 1e-4
"""Steps that change a linear predictor by less are taken without looking: they gain less than rounding shows."""
_LEAST_CURVATURE = 0.1
"""With Firth's penalty the objective counts as concave where it bends by this share of the information at least."""
_LONGEST_STEP = 4.0
"""No step changes a linear predictor by more: the weights, and with them the parabola, change by e to that power."""
_SATURATED = 30.0
"""But above this a row of successes only, below minus this one of failures, may move freely: it weighs nothing."""
ROUNDING = 1e-6
"""One summit is higher than another if the objective differs by more."""
_HALVINGS = 40
_STEPS_UP = (4, 8)


@dataclass(frozen=True)
class Slope:
    """The objective around coordinates of every fit."""

    score: Floats  # the gradient, fits x columns
    information: Floats  # X' diag(n p (1 - p)) X, fits x columns x columns
    curvature: Floats  # minus the second derivatives, likewise


def slope(design: GroupedDesign, linear_predictor: Floats, *, penalized: bool) -> Slope:
    """Gradient and curvature of the log-likelihood, plus Firth's penalty if `penalized`."""
    ones, zeros = expit(linear_predictor), expit(-linear_predictor)
    residual = design.successes * zeros - design.failures * ones
    weights = design.trials * ones * zeros
    score = np.array([design.total(residual * column) for column in design.columns]).T
    information = gram(design, weights)
    if not penalized:
        return Slope(score, information, information)
    gradient, bend = penalty_slope(design, linear_predictor, weights, information)
    return Slope(score + gradient, information, information + bend)


def gain(design: GroupedDesign, before: Floats, after: Floats, *, penalized: bool) -> Floats:
    """Compute how much the objective grows from one linear predictor to another, fit by fit."""
    rows = -design.successes * _softplus_change(-before, -after) - design.failures * _softplus_change(before, after)
    total = design.total(rows)
    if not penalized:
        return total
    with np.errstate(invalid="ignore"):
        return total + (penalty(design, after) - penalty(design, before))


def penalty(design: GroupedDesign, linear_predictor: Floats) -> Floats:
    """Half the log determinant of the information, fits; -inf where it has none."""
    weights = design.trials * expit(linear_predictor) * expit(-linear_predictor)
    return log_determinant(gram(design, weights)) / 2.0


def _softplus_change(before: Floats, after: Floats) -> Floats:
    """ln(1 + e^after) - ln(1 + e^before) without cancellation."""
    change = after - before
    with np.errstate(all="ignore"):
        near = np.log1p(expit(before) * np.expm1(change))
        far = np.logaddexp(0.0, after) - np.logaddexp(0.0, before)
    return np.where(np.abs(change) < 1.0, near, far)


@dataclass(frozen=True)
class Summit:
    """The ends of climbs."""

    basis: Basis  # the designs, on columns orthonormal under the weights n p (1 - p) at the summit
    coordinates: Floats  # the coordinates on these columns, fits x columns
    converged: Flags  # which fits have converged; the others are where they were left

    @cached_property
    def linear_predictor(self) -> Floats:
        """The linear predictor of every row."""
        return self.basis.design.predictor(self.coordinates)

    def chosen(self, fits: Flags) -> Summit:
        """Some of the summits."""
        return Summit(self.basis.chosen(fits), self.coordinates[fits], self.converged[fits])

    def with_others(self, fits: Flags, others: Summit) -> Summit:
        """The same with other summits in the place of some."""
        columns, transform = self.basis.design.columns.copy(), self.basis.transform.copy()
        coordinates, converged = self.coordinates.copy(), self.converged.copy()
        columns[:, self.basis.design.spread(fits)] = others.basis.design.columns
        transform[fits], coordinates[fits] = others.basis.transform, others.coordinates
        converged[fits] = others.converged
        return Summit(Basis(replace(self.basis.design, columns=columns), transform), coordinates, converged)


def ascend(
    basis: Basis, linear_predictor: Floats, *, penalized: bool, held: Sequence[int] = (), iterations: int
) -> Summit:
    """Climb to the maximum of the (penalised) log-likelihood.

    Before every step the columns are made orthonormal under the weights of the place: where a row weighs a billion
    times another, no other coordinates have gradients to all digits.
    """
    fits = basis.design.starts.size
    found = Summit(basis, np.zeros((fits, len(basis.design.columns))), np.zeros(fits, np.bool_))
    active, eta = np.arange(fits), linear_predictor
    for _ in range(iterations):
        if active.size == 0:
            break
        basis, here = whitened(basis, eta)
        around = slope(basis.design, eta, penalized=penalized)
        with np.errstate(all="ignore"):
            step, concave = newton_step(around, basis.transform[:, list(held), :])
            length = basis.design.largest(np.abs(basis.design.predictor(step)))
        step = np.where(np.isfinite(length)[:, None], step, 0.0)
        here = here + step * _safe_share(basis.design, eta, step, penalized=penalized)[:, None]
        eta = basis.design.predictor(here)
        converged = (length < TOLERANCE) & concave
        ended = converged | ~np.isfinite(length)
        if ended.any():
            ending = np.isin(np.arange(fits), active[ended])
            found = found.with_others(ending, Summit(basis, here, converged).chosen(ended))
            active, eta, basis = active[~ended], eta[basis.design.spread(~ended)], basis.chosen(~ended)
    if active.size:
        left = Summit(*whitened(basis, eta), np.zeros(active.size, np.bool_))
        found = found.with_others(np.isin(np.arange(fits), active), left)
    return found


def climbing_places(basis: Basis, start: Floats) -> list[Floats]:
    """Get starting points of climbs of the penalised likelihood other than from 0, to be handed to `highest`."""
    climbs = [ascend(basis, start, penalized=False, iterations=steps) for steps in _STEPS_UP]
    return [start, *(climb.linear_predictor for climb in climbs)]


def highest(
    basis: Basis, starts: Sequence[Floats], *, penalized: bool, held: Sequence[int] = (), iterations: int
) -> Summit:
    """The highest of the summits that are reached from several linear predictors."""
    best = ascend(basis, starts[0], penalized=penalized, held=held, iterations=iterations)
    for start in starts[1:] if penalized else ():
        other = ascend(basis, start, penalized=penalized, held=held, iterations=iterations)
        grown = gain(basis.design, best.linear_predictor, other.linear_predictor, penalized=penalized)
        better = other.converged & ((grown > 0) | ~best.converged)
        best = best.with_others(better, other.chosen(better))
    return best


def whitened(basis: Basis, linear_predictor: Floats) -> tuple[Basis, Floats]:
    """The basis orthonormal under the weights n p (1 - p) of a place, and the coordinates of that place."""
    weights = basis.design.trials * expit(linear_predictor) * expit(-linear_predictor)
    basis = orthonormal(basis, weights, passes=1)
    products = np.array([basis.design.total(weights * linear_predictor * column) for column in basis.design.columns]).T
    information = gram(basis.design, weights)
    return basis, (inverse(information) @ products[:, :, None])[:, :, 0]


def newton_step(around: Slope, constraints: Floats) -> tuple[Floats, Flags]:
    """The step to the top of the parabola that keeps the products with the constraints, fits x number x columns."""
    score, information, curvature = around.score[:, :, None], around.information, around.curvature
    free = np.linalg.qr(np.swapaxes(constraints, 1, 2), mode="complete")[0][:, :, constraints.shape[1] :]
    across = np.swapaxes(free, 1, 2)
    information, curvature = across @ information @ free, across @ curvature @ free
    concave = np.isfinite(log_determinant(curvature - _LEAST_CURVATURE * information))
    bend = np.where(concave[:, None, None], curvature, information)
    return (free @ (inverse(bend) @ (across @ score)))[:, :, 0], concave


def _safe_share(design: GroupedDesign, eta: Floats, step: Floats, *, penalized: bool) -> Floats:
    """The share of a step that is not too long, halved until the objective does not fall."""
    change = design.predictor(step)
    length = design.largest(np.abs(change))
    share = 1.0 / np.maximum(1.0, design.largest(np.abs(change) / _free_way(design, eta, change)))
    for _ in range(_HALVINGS):
        with np.errstate(all="ignore"):
            grown = gain(design, eta, eta + design.spread(share) * change, penalized=penalized)
        falls = (length * share > _CHECKED_STEP) & ~(grown >= 0.0)
        if not falls.any():
            break
        share[falls] /= 2.0
    return share


def _free_way(design: GroupedDesign, eta: Floats, change: Floats) -> Floats:
    """Compute how far the linear predictor of every row may move in the direction of its change."""
    # The side on which a row has said all it can: above for successes, below for failures, none for both.
    side = np.where(design.failures == 0, 1.0, np.where(design.successes == 0, -1.0, 0.0))
    beyond = np.where(side == 0, 0.0, np.maximum(side * eta - _SATURATED, 0.0))
    return np.where((beyond > 0) & (side * change > 0), np.inf, beyond + _LONGEST_STEP)
