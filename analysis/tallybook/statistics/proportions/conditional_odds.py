"""The conditional odds ratio of 2 x 2 tables: its maximum-likelihood estimate and its exact interval."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from scipy.special import logit, ndtri

from tallybook.statistics.inputs import check_confidence
from tallybook.statistics.proportions.hypergeometric import in_chunks, log_ratios, tables_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.proportions.hypergeometric import Tables

    Floats: TypeAlias = NDArray[np.float64]
    Indices: TypeAlias = NDArray[np.intp]


class ConditionalOdds(NamedTuple):
    """The natural logarithms of odds ratios: -inf for an odds ratio of 0, inf for an infinite one."""

    estimate: Floats
    low: Floats
    high: Floats


def conditional_odds_ratio(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike], confidence: float = 0.95
) -> ConditionalOdds:
    """The conditional maximum-likelihood estimate of the odds ratio of two groups, and its exact interval.

    Given the margins of the table and an odds ratio w, the successes X of the first group have Fisher's noncentral
    hypergeometric distribution, P(X = i) proportional to C(n1, i) C(n2, K - i) w^i. The estimate is the w with
    E(X) = x; the limits are the w with P(X >= x) = alpha/2 and P(X <= x) = alpha/2, alpha = 1 - confidence. At the
    smallest possible x the estimate and the lower limit are 0, at the largest the estimate and the upper limit are
    infinite; where the margins allow one table only there is no estimate, and the limits are 0 and infinite.

    R's fisher.test computes the same, but stops its search at a relative error of about 1e-4 and lists all tables,
    which takes as much memory as there are successes. Here sums end where they no longer matter, and roots are
    found to the last digits.

    Returns:
        Logarithms of the estimate and the limits; NaN where a group has no trials or a count is NaN.

    References:
        Cornfield, J. (1956). A statistical problem arising from retrospective studies. Proceedings of the Third
        Berkeley Symposium, 4, 135-148. Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley, section 3.5.
    """
    check_confidence(confidence)
    tables, whole = tables_of(first, second)
    tail = (1.0 - confidence) / 2.0
    results: list[Floats] = []
    for values in (_estimates(tables, tail), _lower_limits(tables, tail), -_lower_limits(tables.mirrored(), tail)):
        column = np.full(whole.shape, np.nan)
        column[whole] = values
        results.append(column)
    return ConditionalOdds(*results)


def _estimates(tables: Tables, tail: float) -> Floats:
    lowest, highest = tables.x == tables.lowest, tables.x == tables.highest
    result = np.where(lowest, np.where(highest, np.nan, -np.inf), np.inf)
    inner = ~lowest & ~highest
    # The mean is x where the steps above x weigh as much as those below: sums from the first step on.
    result[inner] = _roots(tables.only(inner), tail, 0.0, start=1, power=1)
    return result


def _lower_limits(tables: Tables, tail: float) -> Floats:
    result = np.full(tables.x.shape, -np.inf)
    inner = tables.x > tables.lowest
    # The probability of x and above has the given odds to that of what is below.
    result[inner] = _roots(tables.only(inner), tail, float(logit(tail)), start=0, power=0)
    return result


def _roots(tables: Tables, tail: float, level: float, *, start: int, power: int) -> Floats:
    """The log odds ratio at which two sums of probabilities have a given log ratio."""
    result = np.empty(tables.x.shape)
    first_share = (tables.x + 0.5) / (tables.first + 1.0)
    second_share = (tables.successes - tables.x + 0.5) / (tables.second + 1.0)
    origin: Floats = logit(first_share) - logit(second_share)
    longest = np.maximum(tables.highest - tables.x, tables.x - tables.lowest) + 1.0
    for cells, nodes, weights in in_chunks(np.minimum(longest, _reach(tables, tail))):
        above, below = (
            _Side.of(
                steps,
                log_ratios(tables.only(cells), steps, first_share[cells], second_share[cells]),
                weights * np.abs(steps) ** power,
            )
            for steps in (nodes + start, -(nodes + 1.0))
        )
        result[cells] = origin[cells] + _solved(above, below, level)
    return result


def _reach(tables: Tables, tail: float) -> Floats:
    """Compute how far from x a term can matter while the odds ratio stays between the limits."""
    x, first, second, successes = tables
    parts = (x, first - x, successes - x, second - successes + x)
    variance = 1.0 / np.sum([1.0 / (part + 1.0) for part in parts], axis=0)
    away = -float(ndtri(tail))
    shift = away * np.sqrt(variance) + away * away
    return np.ceil(shift + 13.0 + np.sqrt(152.0 + 74.0 * (variance + shift)))


class _Side(NamedTuple):
    """One of the two sums, tables x nodes."""

    steps: Floats
    log_terms: Floats
    """At the origin of the log odds ratio."""
    weights: Floats

    @classmethod
    def of(cls, steps: Floats, log_terms: Floats, weights: Floats) -> _Side:
        """Add up terms; those without weight do not make others vanish."""
        return cls(steps, np.where(weights == 0, -np.inf, log_terms), weights)

    def log_sum(self, shift: Floats, tables: Indices) -> Floats:
        """The logarithm of the sum, with the log odds ratio shifted by so much from its origin."""
        terms = self.log_terms[tables] + shift[:, None] * self.steps[tables]
        largest = terms.max(axis=1)
        return largest + np.log((self.weights[tables] * np.exp(terms - largest[:, None])).sum(axis=1))


def _solved(above: _Side, below: _Side, level: float) -> Floats:
    """The shift at which the log ratio of the sums is at the level."""
    every: Indices = np.arange(above.steps.shape[0], dtype=np.intp)

    def beyond(shift: Floats, tables: Indices) -> Floats:
        return above.log_sum(shift, tables) - below.log_sum(shift, tables) - level

    reach = np.abs(beyond(np.zeros(every.size), every)) * (1.0 + 1e-9) + 1e-9
    from scipy.optimize import elementwise  # a third of a second, and few analyses have an odds ratio

    return np.asarray(elementwise.find_root(beyond, (-reach, reach), args=(every,)).x, np.float64)
