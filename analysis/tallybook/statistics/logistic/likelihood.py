"""The likelihood of one logistic regression: its counts, coordinates, Firth's penalty and Newton's method.

Columns are orthonormal under row weights, so that a predictor that is far from zero (a year), on an unusual scale, or
in a group with a billionth of another group's weight loses no digits.

References:
    Firth, D. (1993). Bias reduction of maximum likelihood estimates. Biometrika, 80, 27-38. Heinze, G. & Schemper, M.
    (2002). A solution to the problem of separation in logistic regression. Statistics in Medicine, 21, 2409-2419.
    Kosmidis, I. & Firth, D. (2021). Jeffreys-prior penalty, finiteness and shrinkage in binomial-response generalized
    linear models. Biometrika, 108, 71-82.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from tallybook.statistics.arrays import Floats

_SMALLEST_PIVOT = 3e-7
"""A predictor is collinear if its part unexplained by the others is below this fraction of its deviation."""
_TOLERANCE = 1e-8
"""A fit has converged if a step changes no linear predictor by more; its error is about the square of this."""
_CHECKED_STEP = 1e-4
"""Steps that change linear predictors by at most this are not checked: rounding would hide any decrease."""
_LEAST_CURVATURE = 0.1
"""With Firth's penalty, concavity requires a curvature of at least this fraction of the information."""
_LONGEST_STEP = 4.0
"""The largest change of a linear predictor in one step: weights change by at most a factor of e to this power."""
_SATURATED = 30.0
"""Rows with only successes above this, or only failures below minus this, may move freely: their weight vanishes."""
_HALVINGS = 40


@dataclass(frozen=True)
class Design:
    """A regression's counts and transformed columns; coefficients are `transform` times those of the columns."""

    columns: Floats  # columns x rows
    successes: Floats  # the number of ones of every row
    failures: Floats  # the number of zeros of every row
    transform: Floats  # terms x columns

    @cached_property
    def trials(self) -> Floats:
        """The number of trials of every row."""
        return self.successes + self.failures

    def predictor(self, coordinates: Floats) -> Floats:
        """Compute the linear predictor of every row."""
        return coordinates @ self.columns

    def gram(self, weights: Floats) -> Floats:
        """Compute X' diag(weights) X."""
        return (self.columns * weights) @ self.columns.T

    def products(self, values: Floats) -> Floats:
        """Compute X' values."""
        return self.columns @ values

    def orthonormal(self, weights: Floats, passes: int = 3) -> Design:
        """Orthonormalise the columns under weights: X' diag(weights) X = 1."""
        design, back = self, np.eye(len(self.columns))
        for _ in range(passes):
            turn = np.linalg.inv(cholesky(design.gram(weights))).T
            turn = turn if np.isfinite(turn).all() else np.eye(len(turn))
            design = replace(design, columns=turn.T @ design.columns)
            back = back @ turn
        return replace(design, transform=self.transform @ back)

    def covariance(self, covariance: Floats) -> Floats:
        """Transform the covariance of the coordinates to that of the terms' coefficients."""
        return self.transform @ covariance @ self.transform.T


def standard_design(columns: Floats, successes: Floats, failures: Floats) -> Design | None:
    """Centre, scale and orthogonalise columns under the counts; None where they are constant or collinear."""
    if not columns.shape[1]:  # without its only cluster a cell has no rows
        return None
    trials = successes + failures
    share, first = trials / trials.sum(), columns[:, :1]
    with np.errstate(all="ignore"):
        # Relative to the first row: a constant predictor is exactly 0, and no digits are lost to its distance from 0.
        shifted = columns - first
        means = shifted @ share
        centred = shifted - means[:, None]
        scales = np.sqrt(np.square(centred) @ share)
        scales[0] = 1.0
        scaled = centred / scales[:, None]
        scaled[0] = 1.0
        origins = (first[:, 0] + means) / scales
        transform = np.diag(1.0 / scales)
        transform[0, 1:] = -origins[1:]
        design = Design(scaled, successes, failures, transform)
        pivots = np.diagonal(cholesky(design.gram(share)))
    is_regular = np.isfinite(origins).all() and (scales > 0).all() and (pivots > _SMALLEST_PIVOT).all()
    return design.orthonormal(share) if is_regular else None


def cholesky(matrix: Floats) -> Floats:
    """Compute the lower triangular factor L of A = L L'; NaN where A is not positive definite."""
    try:
        return np.asarray(np.linalg.cholesky(matrix), np.float64)
    except np.linalg.LinAlgError:
        return np.full_like(matrix, np.nan)


def inverse(matrix: Floats) -> Floats:
    """Invert a positive definite matrix; NaN for any other."""
    factor = np.linalg.inv(cholesky(matrix))
    return factor.T @ factor


def log_determinant(matrix: Floats) -> float:
    """Compute the natural logarithm of a determinant; -inf where the matrix is not positive definite."""
    return float(np.nan_to_num(2.0 * np.log(np.diagonal(cholesky(matrix))).sum(), nan=-np.inf))


@dataclass(frozen=True)
class Slope:
    """Derivatives of the objective: gradient, information X' diag(n p (1 - p)) X, and minus the Hessian."""

    score: Floats
    information: Floats
    curvature: Floats


def slope(design: Design, eta: Floats, *, penalized: bool) -> Slope:
    """Compute gradient and curvature of the log-likelihood, plus Firth's penalty if `penalized`."""
    ones, zeros = expit(eta), expit(-eta)
    weights = design.trials * ones * zeros
    score, information = design.products(design.successes * zeros - design.failures * ones), design.gram(weights)
    if not penalized:
        return Slope(score, information, information)
    gradient, bend = _penalty_slope(design, eta, weights, information)
    return Slope(score + gradient, information, information + bend)


def _penalty_slope(design: Design, eta: Floats, weights: Floats, information: Floats) -> tuple[Floats, Floats]:
    """Compute the gradient and minus the Hessian of Firth's penalty, half the log determinant of the information.

    With w = n p (1 - p), d = 1 - 2p, information I = X' diag(w) X and leverages h = w x' I^-1 x:
    the gradient is sum h d x / 2, the second derivatives are half of
    sum h (d² - 2 p (1 - p)) x x' - tr(I^-1 A_r I^-1 A_s) with A_r = sum w d x_r x x'.
    """
    columns, skew = design.columns, -np.tanh(eta / 2.0)
    inverted = inverse(information)
    leverage = weights * np.einsum("ji,jk,ki->i", columns, inverted, columns)
    own = design.gram(leverage * (np.square(skew) - 2.0 * weights / design.trials))
    moments = np.einsum("i,ri,ji,ki->rjk", weights * skew, columns, columns, columns)
    turned = inverted @ moments
    across = np.einsum("rij,sji->rs", turned, turned)
    return design.products(leverage * skew) / 2.0, (across - own) / 2.0


def gain(design: Design, before: Floats, after: Floats, *, penalized: bool) -> float:
    """Compute the increase of the objective from one linear predictor to another."""
    rows = -design.successes * _softplus_change(-before, -after) - design.failures * _softplus_change(before, after)
    with np.errstate(invalid="ignore"):
        more = penalty(design, after) - penalty(design, before) if penalized else 0.0
        return float(rows.sum()) + more


def penalty(design: Design, eta: Floats) -> float:
    """Compute half the log determinant of the information; -inf where that is not positive definite."""
    return log_determinant(design.gram(design.trials * expit(eta) * expit(-eta))) / 2.0


def _softplus_change(before: Floats, after: Floats) -> Floats:
    """Compute ln(1 + e^after) - ln(1 + e^before) without cancellation."""
    change = after - before
    with np.errstate(all="ignore"):
        near = np.log1p(expit(before) * np.expm1(change))
        far = np.logaddexp(0.0, after) - np.logaddexp(0.0, before)
    return np.where(np.abs(change) < 1.0, near, far)


@dataclass(frozen=True)
class Summit:
    """The end point of an ascent."""

    design: Design  # on columns orthonormal under the weights n p (1 - p) at the summit
    coordinates: Floats
    converged: bool

    @cached_property
    def linear_predictor(self) -> Floats:
        """The linear predictor of every row."""
        return self.design.predictor(self.coordinates)


def ascend(
    design: Design,
    eta: Floats,
    *,
    penalized: bool,
    held: slice = slice(0),
    iterations: int,
    least: float = _LEAST_CURVATURE,
) -> Summit:
    """Maximise the (penalised) log-likelihood, with the coefficients of some terms held fixed.

    Newton's steps are taken where the curvature is at least a share of the information, `least`.

    Before every step the columns are orthonormalised under the current weights: if one row weighs a billion times
    another, only such coordinates have fully accurate gradients.
    """
    for _ in range(iterations):
        design, here = whitened(design, eta)
        with np.errstate(all="ignore"):
            around = slope(design, eta, penalized=penalized)
            step, concave = _newton_step(around, design.transform[held], least)
            length = float(np.abs(design.predictor(step)).max())
        if not np.isfinite(length):
            return Summit(design, here, converged=False)
        here = here + step * _safe_share(design, eta, step, penalized=penalized)
        eta = design.predictor(here)
        if length < _TOLERANCE and concave:
            return Summit(design, here, converged=True)
    return Summit(*whitened(design, eta), converged=False)


def whitened(design: Design, eta: Floats) -> tuple[Design, Floats]:
    """Orthonormalise the design under the weights n p (1 - p) at `eta`, and return the coordinates of `eta`."""
    weights = design.trials * expit(eta) * expit(-eta)
    design = design.orthonormal(weights, passes=1)
    return design, inverse(design.gram(weights)) @ design.products(weights * eta)


def _newton_step(around: Slope, constraints: Floats, least: float) -> tuple[Floats, bool]:
    """Compute the Newton step that keeps the products with the constraints, and whether the objective is concave."""
    free = np.linalg.qr(constraints.T, mode="complete")[0][:, len(constraints) :]
    information, curvature = free.T @ around.information @ free, free.T @ around.curvature @ free
    concave = bool(np.isfinite(log_determinant(curvature - least * information)))
    return free @ (inverse(curvature if concave else information) @ (free.T @ around.score)), concave


def _safe_share(design: Design, eta: Floats, step: Floats, *, penalized: bool) -> float:
    """Return the share of a step to take: limited in length, and halved until the objective does not decrease."""
    change = design.predictor(step)
    length = float(np.abs(change).max())
    share = 1.0 / max(1.0, float((np.abs(change) / _free_way(design, eta, change)).max()))
    for _ in range(_HALVINGS):
        if length * share <= _CHECKED_STEP:
            break
        with np.errstate(all="ignore"):
            grown = gain(design, eta, eta + share * change, penalized=penalized)
        if grown >= 0.0:
            break
        share /= 2.0
    return share


def _free_way(design: Design, eta: Floats, change: Floats) -> Floats:
    """Return how far the linear predictor of every row may move in the direction of its change."""
    # The side on which a row saturates: above for successes only, below for failures only, neither for both.
    side = np.where(design.failures == 0, 1.0, np.where(design.successes == 0, -1.0, 0.0))
    beyond = np.where(side == 0, 0.0, np.maximum(side * eta - _SATURATED, 0.0))
    return np.where((beyond > 0) & (side * change > 0), np.inf, beyond + _LONGEST_STEP)
