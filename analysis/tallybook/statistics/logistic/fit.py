"""Many logistic regressions at once: estimates, covariances and likelihoods."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import log_expit, xlogy

from tallybook.statistics.logistic.basis import gram, standard_basis
from tallybook.statistics.logistic.definite import inverse
from tallybook.statistics.logistic.newton import (
    ROUNDING,
    Summit,
    ascend,
    climbing_places,
    gain,
    highest,
    penalty,
    slope,
    whitened,
)
from tallybook.statistics.logistic.separation import is_separated, proves_overlap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.logistic.basis import Basis
    from tallybook.statistics.logistic.design import Flags, Floats, GroupedDesign

Estimator: TypeAlias = Literal["maximum-likelihood", "firth"]

_ITERATIONS = 40
_TOLERANCE = 1e-9
"""A step that changes no coordinate by more is the last; its own error is the square of it."""
_FARTHEST = 600.0
"""Log odds beyond this have no weights; only separated data get there."""
_LAST_ITERATIONS = 400
"""For data that overlap but have not converged: the estimate exists, however far away."""
_STEPS_HELD = 200


@dataclass(frozen=True)
class Fits:
    """The fits that exist."""

    status: NDArray[np.str_]  # the status of every fit asked for: `ok`, `degenerate`, `separated` or `not-converged`
    origin: Basis  # the designs of those that are `ok`, on columns orthonormal under the counts
    summit: Summit  # their estimates
    penalized: bool  # whether Firth's penalty was added
    lower: Flags  # which estimates are a summit that a higher one was found beside; only Firth's can be

    @property
    def basis(self) -> Basis:
        """The designs, on columns orthonormal under the weights n p (1 - p) of the fits."""
        return self.summit.basis

    @property
    def linear_predictor(self) -> Floats:
        """The linear predictor of every row."""
        return self.summit.linear_predictor

    @cached_property
    def coefficients(self) -> Floats:
        """Coefficients, fits x terms."""
        return self.basis.coefficients(self.summit.coordinates)

    def inverse_information(self) -> Floats:
        """The inverse information on the basis, fits x columns x columns."""
        return inverse(slope(self.basis.design, self.linear_predictor, penalized=False).information)

    def chosen(self, fits: Flags) -> Fits:
        """Some of the fits that exist."""
        lower = self.lower[fits]
        return Fits(self.status, self.origin.chosen(fits), self.summit.chosen(fits), self.penalized, lower)


def fit_logits(design: GroupedDesign, estimator: Estimator, *, together: bool = False) -> Fits:
    """Estimate the coefficients of logit P(success) = x'b.

    Maximum likelihood needs data that overlap (`separation`); Firth's penalised likelihood does not. `together` climbs
    all likelihoods at once instead of one after the other by statsmodels, for the fits without each of many clusters.
    """
    penalized = estimator == "firth"
    basis, regular = standard_basis(design)
    varies = (design.total(design.successes) > 0) & (design.total(design.failures) > 0)
    estimable = regular & (varies | penalized)
    basis = basis.chosen(estimable[regular])
    summit, outcome = _climb(basis, penalized=penalized, together=together or penalized)
    lower = _has_higher(basis, summit) if penalized else np.zeros_like(summit.converged)
    ok = outcome == "ok"
    status = np.full(regular.size, "degenerate", "<U13")
    status[estimable] = outcome
    return Fits(status, basis.chosen(ok), summit.chosen(ok), penalized, lower[ok])


def _climb(basis: Basis, *, penalized: bool, together: bool) -> tuple[Summit, NDArray[np.str_]]:
    """The summits, and the status of every fit."""
    # The penalised likelihood can have several summits; R's programs climb from 0, and so does this.
    start = np.zeros(basis.design.successes.size) if penalized else basis.design.predictor(_empirical(basis.design))
    summit = ascend(basis, start, penalized=penalized, iterations=_ITERATIONS) if together else _by_statsmodels(basis)
    separated = np.zeros_like(summit.converged)
    if not penalized:
        doubtful = ~(summit.converged & proves_overlap(basis.design, summit.linear_predictor))
        separated[doubtful] = is_separated(basis.design.chosen(doubtful))
    slow = ~summit.converged & ~separated
    if slow.any():
        rows = basis.design.spread(slow)
        again = ascend(basis.chosen(slow), start[rows], penalized=penalized, iterations=_LAST_ITERATIONS)
        summit = summit.with_others(slow, again)
    found = np.where(summit.converged, "ok", "not-converged")
    return summit, np.where(separated, "separated", found)


def _has_higher(basis: Basis, summit: Summit) -> Flags:
    """Whether climbs from elsewhere reach a higher summit of the penalised likelihood."""
    places = climbing_places(basis, basis.design.predictor(_empirical(basis.design)))
    other = highest(basis, places, penalized=True, iterations=_ITERATIONS)
    grown = gain(basis.design, summit.linear_predictor, other.linear_predictor, penalized=True)
    return other.converged & (grown > ROUNDING)


def _by_statsmodels(basis: Basis) -> Summit:
    """Maximise every likelihood by statsmodels' GLM on the grouped rows."""
    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    design = basis.design
    eta, converged = np.zeros(design.successes.size), np.zeros(design.starts.size, np.bool_)
    for fit, (first, size) in enumerate(zip(design.starts, design.sizes, strict=True)):
        rows = slice(first, first + size)
        counts, columns = np.column_stack([design.successes[rows], design.failures[rows]]), design.columns[:, rows].T
        # What it warns of, separation and overflow on the way there, `separation` decides.
        with warnings.catch_warnings(action="ignore"), np.errstate(all="ignore"):
            found = GLM(counts, columns, family=Binomial()).fit(
                maxiter=_ITERATIONS, tol=_TOLERANCE, tol_criterion="params"
            )
            here = columns @ found.params
        converged[fit] = found.converged and bool(np.isfinite(here).all())
        eta[rows] = np.clip(np.nan_to_num(here), -_FARTHEST, _FARTHEST)
    return Summit(*whitened(basis, eta), converged)


def _empirical(design: GroupedDesign) -> Floats:
    """Get the starting point: the weighted least squares fit of the empirical log odds, ln((s + 1/2) / (f + 1/2))."""
    up, down = design.successes + 0.5, design.failures + 0.5
    weights = up * down / (up + down)
    logits = np.log(up / down)
    products = np.array([design.total(weights * logits * column) for column in design.columns]).T
    return np.nan_to_num((inverse(gram(design, weights)) @ products[:, :, None])[:, :, 0])


def null_log_likelihood(fits: Fits) -> Floats:
    """The log-likelihood of the intercept alone, at its maximum: K ln(K / n) + (n - K) ln(1 - K / n)."""
    ones, zeros = _outcomes(fits)
    return xlogy(ones, ones / (ones + zeros)) + xlogy(zeros, zeros / (ones + zeros))


def null_likelihood_ratio(fits: Fits) -> Floats:
    """Twice the difference of the log-likelihoods of maximum likelihood fits and of the intercept alone."""
    ones, zeros = _outcomes(fits)
    constant = fits.basis.design.spread(np.log(ones) - np.log(zeros))
    return np.maximum(2.0 * gain(fits.basis.design, constant, fits.linear_predictor, penalized=False), 0.0)


def _outcomes(fits: Fits) -> tuple[Floats, Floats]:
    design = fits.basis.design
    return design.total(design.successes), design.total(design.failures)


def log_likelihood(fits: Fits) -> Floats:
    """The log-likelihood at the estimates, without penalty: of responses, so without binomial coefficients."""
    design, eta = fits.basis.design, fits.linear_predictor
    return design.total(design.successes * log_expit(eta) + design.failures * log_expit(-eta))


def penalized_log_likelihood(fits: Fits) -> Floats:
    """The log-likelihood at the estimates plus half the log determinant of the terms' information."""
    scale = np.linalg.slogdet(fits.basis.transform)[1]
    return log_likelihood(fits) + penalty(fits.basis.design, fits.linear_predictor) - scale


def likelihood_ratio(fits: Fits, terms: Sequence[int]) -> Floats:
    """Compute twice the drop of the (penalised) log-likelihood when some coefficients are held at 0.

    Under Firth's penalty the whole model's information stays in the penalty, as in R's logistf.

    References:
        Heinze, G. & Schemper, M. (2002). A solution to the problem of separation in logistic regression. Statistics in
        Medicine, 21, 2409-2419.
    """
    design = fits.basis.design
    ones, zeros = design.total(design.successes), design.total(design.failures)
    # The constant model obeys the constraint, and from it every step is damped; from the estimate 0 may be far away.
    constant = np.zeros_like(ones) if 0 in terms else np.log((ones + 0.5) / (zeros + 0.5))
    starts = [design.spread(constant)]
    if fits.penalized and len(terms) == 1:
        along = _along(fits.summit, terms[0], penalized=fits.penalized)
        starts.append(fits.linear_predictor - design.spread(fits.coefficients[:, terms[0]]) * along)
    held = highest(fits.origin, starts, penalized=fits.penalized, held=terms, iterations=_STEPS_HELD)
    drop = gain(design, held.linear_predictor, fits.linear_predictor, penalized=fits.penalized)
    # Held at 0 it may end on a higher summit than the estimate's: then there is no such test.
    return np.where(held.converged & (drop > -ROUNDING), np.maximum(2.0 * drop, 0.0), np.nan)


def _along(summit: Summit, term: int, *, penalized: bool) -> Floats:
    """How the linear predictor changes with a coefficient, the others following."""
    design = summit.basis.design
    around = slope(design, summit.linear_predictor, penalized=penalized)
    towards = summit.basis.transform[:, term, :]
    follow = (inverse(around.information) @ towards[:, :, None])[:, :, 0]
    variance = np.einsum("fk,fk->f", follow, towards)
    with np.errstate(all="ignore"):
        return design.predictor(follow / variance[:, None])
