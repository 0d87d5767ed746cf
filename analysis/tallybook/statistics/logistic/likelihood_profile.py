"""Likelihood ratio tests and profile likelihood intervals of logistic coefficients, penalised or not.

The profile of a coefficient b is the largest (penalised) log-likelihood with that coefficient held at b; under Firth's
penalty the whole model's information stays in the penalty, as in R's logistf. An interval holds the b for which twice
the drop from the maximum stays below the chi-square quantile with 1 degree of freedom.

With Firth's penalty a profile may have branches. It is followed from the estimate outwards, and from where the search
has been: of the summits met so at each place the highest counts. Where one is higher than the estimate's there is no
limit and no test.

References:
    Venzon, D. J. & Moolgavkar, S. H. (1988). A method for computing profile-likelihood-based confidence intervals.
    Applied Statistics, 37, 87-94.
    Heinze, G. & Schemper, M. (2002). A solution to the problem of separation in logistic regression. Statistics in
    Medicine, 21, 2409-2419.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tallybook.statistics.logistic.definite import inverse
from tallybook.statistics.logistic.newton import ROUNDING, gain, highest, slope

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.statistics.logistic.design import Flags, Floats, GroupedDesign
    from tallybook.statistics.logistic.fit import Fits
    from tallybook.statistics.logistic.newton import Summit

_INNER_STEPS = 200
_OUTER_STEPS = 60
_TOLERANCE = 1e-9
"""When a limit stands still, in standard errors; its own error is the square of it."""


def likelihood_ratio(fits: Fits, terms: Sequence[int]) -> Floats:
    """Twice the drop of the (penalised) log-likelihood when some coefficients are held at 0."""
    design = fits.basis.design
    ones, zeros = design.total(design.successes), design.total(design.failures)
    # The constant model obeys the constraint, and from it every step is damped; from the estimate 0 may be far away.
    constant = np.zeros_like(ones) if 0 in terms else np.log((ones + 0.5) / (zeros + 0.5))
    starts = [design.spread(constant)]
    if fits.penalized and len(terms) == 1:
        along = _ridge(fits.summit, terms[0], penalized=fits.penalized)[2]
        starts.append(fits.linear_predictor - design.spread(fits.coefficients[:, terms[0]]) * along)
    held = highest(fits.origin, starts, penalized=fits.penalized, held=terms, iterations=_INNER_STEPS)
    drop = gain(design, held.linear_predictor, fits.linear_predictor, penalized=fits.penalized)
    # Held at 0 it may end on a higher summit than the estimate's: then there is no such test.
    return np.where(held.converged & (drop > -ROUNDING), np.maximum(2.0 * drop, 0.0), np.nan)


def profile_limits(fits: Fits, term: int, quantile: float) -> tuple[Floats, Floats]:
    """The profile likelihood interval of one coefficient.

    The signed root of twice the drop is almost a straight line of the coefficient; Newton's method on it, kept within
    a shrinking bracket, finds where it reaches the normal quantile.
    """
    return _limit(fits, term, -quantile), _limit(fits, term, quantile)


@dataclass(frozen=True)
class _Point:
    """A place on the ridge of every fit: its distance from the estimate in standard errors, and where it leads."""

    distance: Floats
    linear_predictor: Floats
    along: Floats

    def at(self, design: GroupedDesign, distance: Floats, unit: Floats) -> Floats:
        """The linear predictor at another distance, straight on."""
        return self.linear_predictor + design.spread((distance - self.distance) * unit) * self.along

    def chosen(self, design: GroupedDesign, fits: Flags) -> _Point:
        """The places of some of the fits."""
        rows = design.spread(fits)
        return _Point(self.distance[fits], self.linear_predictor[rows], self.along[rows])

    def or_else(self, design: GroupedDesign, fits: Flags, other: _Point) -> _Point:
        """The places with others instead of some."""
        rows = design.spread(fits)
        return _Point(
            np.where(fits, other.distance, self.distance),
            np.where(rows, other.linear_predictor, self.linear_predictor),
            np.where(rows, other.along, self.along),
        )


def _limit(fits: Fits, term: int, target: float) -> Floats:
    """Find where the signed root of the profile reaches the target."""
    side, goal, penalized = np.sign(target), abs(target), fits.penalized
    _, scale, along = _ridge(fits.summit, term, penalized=penalized)
    unit, distance, outside = side * scale, np.full(scale.size, goal), np.full(scale.size, np.inf)
    found, active = np.full(scale.size, np.nan), np.arange(scale.size)
    part, basis = fits, fits.basis
    last = near = _Point(0.0 * scale, fits.linear_predictor, along)
    for _ in range(_OUTER_STEPS):
        if active.size == 0:
            break
        design = basis.design
        # From the last place, and from the last that was near enough: what looks too far may be a lower summit.
        starts = [last.at(design, distance, unit), near.at(design, distance, unit)]
        summit = highest(basis, starts, penalized=penalized, held=[term], iterations=_INNER_STEPS)
        drop = gain(design, summit.linear_predictor, part.linear_predictor, penalized=penalized)
        root = np.sqrt(np.maximum(2.0 * drop, 0.0))
        pull, _, along = _ridge(summit, term, penalized=penalized)
        last = _Point(distance, summit.linear_predictor, along)
        near = near.or_else(design, root < goal, last)
        outside = np.where(root < goal, outside, distance)
        with np.errstate(all="ignore"):
            change = (goal - root) * root / (-pull * unit)
        ended = np.abs(change) < _TOLERANCE
        new = np.where(ended, distance + change, _bracketed(distance + change, near.distance, outside))
        climbed = summit.converged & (drop > -ROUNDING)
        found[active] = np.where(ended & climbed, part.coefficients[:, term] + new * unit, np.nan)
        on = ~ended & climbed
        last, near = last.chosen(design, on), near.chosen(design, on)
        active, distance, unit, outside = active[on], new[on], unit[on], outside[on]
        part, basis = part.chosen(on), summit.basis.chosen(on)
    return found


def _bracketed(proposed: Floats, inside: Floats, outside: Floats) -> Floats:
    """A proposal, if it lies within its bracket; else the middle, or twice the distance where nothing is outside."""
    fallback = np.where(np.isfinite(outside), (inside + outside) / 2.0, 2.0 * inside)
    return np.where((proposed > inside) & (proposed < outside), proposed, fallback)


def _ridge(summit: Summit, term: int, *, penalized: bool) -> tuple[Floats, Floats, Floats]:
    """The profile of a coefficient around a summit."""
    design = summit.basis.design
    around = slope(design, summit.linear_predictor, penalized=penalized)
    towards = summit.basis.transform[:, term, :]
    follow = (inverse(around.information) @ towards[:, :, None])[:, :, 0]
    variance = np.einsum("fk,fk->f", follow, towards)
    with np.errstate(all="ignore"):
        # At a summit that holds the coefficient the score points along it: any metric gives the same slope.
        pull = np.einsum("fk,fk->f", follow, around.score) / variance
        along = design.predictor(follow / variance[:, None])
    return pull, np.sqrt(variance), along
