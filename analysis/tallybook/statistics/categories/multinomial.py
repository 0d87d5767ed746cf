"""The exact multinomial test of a whole distribution: by enumeration, or by Monte Carlo where that is too long."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from scipy.special import gammaln, xlogy

from tallybook.statistics.pairs import run_lengths, run_sums
from tallybook.statistics.proportions.binomial import TIE_TOLERANCE
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]
    Codes: TypeAlias = NDArray[np.intp]

# Outcomes listed at a time, of as many cells as fit: what bounds the memory.
_OUTCOMES_AT_ONCE = 2_000_000


def number_of_outcomes(n: Counts, categories: Counts) -> Floats:
    """Count the outcomes of n observations of k categories: (n + k - 1)! / (n! (k - 1)!)."""
    size, k = n.astype(np.float64), categories.astype(np.float64)
    return np.rint(np.exp(gammaln(size + k) - gammaln(size + 1.0) - gammaln(k)))


def enumerated_p_value(observed: Counts, proportions: Floats, first: Codes) -> tuple[Floats, Floats]:
    """The probability of all outcomes at most as likely as the observed one, by listing every outcome.

    p = sum of P(outcome) over the outcomes with P(outcome) <= P(observed) (1 + 1e-7), the tolerance of the exact
    binomial test. All cells are listed together, category by category, some two million outcomes at a time: time and
    memory grow with the number of outcomes (`number_of_outcomes`), which the caller bounds.

    References:
        Read, T. R. C. & Cressie, N. A. C. (1988). Goodness-of-Fit Statistics for Discrete Multivariate Data. Springer,
        section 5.3.
    """
    categories, n = run_lengths(first, observed.size), run_sums(observed, first)
    outcomes = number_of_outcomes(n, categories)
    at_once = np.floor_divide(np.cumsum(outcomes) - outcomes, _OUTCOMES_AT_ONCE)
    log_sum = np.zeros(first.size)
    for chunk in np.unique(at_once):
        cells = np.flatnonzero(at_once == chunk)
        log_sum[cells] = _log_rare_mass(cells, observed, proportions, first)
    log_p = np.minimum(0.0, log_sum + _log_mass(observed, proportions, first))
    return np.exp(log_p), log_p


def simulated_p_value(
    observed: Counts, proportions: Floats, first: Codes, keys: NDArray[np.uint64], draws: int
) -> Floats:
    """The same probability, estimated: (1 + draws at most as likely as the observed outcome) / (1 + draws).

    References:
        Davison, A. C. & Hinkley, D. V. (1997). Bootstrap Methods and their Application. Cambridge, section 4.2.
    """
    n, ends = run_sums(observed, first), first + run_lengths(first, observed.size)
    result = np.empty(first.size)
    # A cell at a time: each has a generator of its own, and its draws are already a large array.
    for cell, (start, end) in enumerate(zip(first, ends, strict=True)):
        p = proportions[start:end]
        drawn = stream(keys[cell]).multinomial(n[cell], p, size=draws)
        bound = _log_weight(observed[start:end], p).sum() + np.log1p(TIE_TOLERANCE)
        result[cell] = (1.0 + np.count_nonzero(_log_weight(drawn, p).sum(axis=1) <= bound)) / (1.0 + draws)
    return result


def _log_weight(counts: Counts, proportions: Floats) -> Floats:
    """Compute a category's part of the logarithm of an outcome's probability, without n!."""
    return xlogy(counts, proportions) - gammaln(counts + 1.0)


def _log_mass(observed: Counts, proportions: Floats, first: Codes) -> Floats:
    n = run_sums(observed, first)
    return gammaln(n + 1.0) + run_sums(_log_weight(observed, proportions), first)


def _log_rare_mass(cells: Codes, observed: Counts, proportions: Floats, first: Codes) -> Floats:
    """The logarithm of the sum of P(outcome) / P(observed) over the outcomes that are as rare as the observed one."""
    categories = run_lengths(first, observed.size)[cells]
    log_weight = run_sums(_log_weight(observed, proportions), first)[cells]
    # One row an outcome, as far as it is listed: its cell, what is left of n, and the weight so far.
    owner = np.arange(cells.size)
    left = run_sums(observed, first)[cells]
    weight = np.zeros(cells.size)
    for category in range(int(categories.max(initial=1))):
        of_owner = categories[owner]
        is_last, is_open = of_owner == category + 1, of_owner > category
        ways = np.where(of_owner > category + 1, left + 1, 1)
        before = np.cumsum(ways) - ways
        row = np.repeat(np.arange(ways.size), ways)
        # The last category takes what is left.
        taken = np.where(is_last[row], left[row], np.arange(row.size) - before[row])
        taken = np.where(is_open[row], taken, 0)
        owner = owner[row]
        place = np.minimum(first[cells][owner] + category, observed.size - 1)
        added = _log_weight(taken, proportions[place])
        weight = weight[row] + np.where(is_open[row], added, 0.0)
        left = left[row] - taken
    ratio = weight - log_weight[owner]
    bound = np.log1p(TIE_TOLERANCE)
    rare = np.where(ratio <= bound, np.exp(np.minimum(ratio, bound)), 0.0)
    return np.log(np.bincount(owner, weights=rare, minlength=cells.size))
