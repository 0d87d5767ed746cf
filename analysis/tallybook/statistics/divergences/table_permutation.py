"""Permutation tests of two samples of categories: all tables with the same margins, or random ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from tallybook.statistics.proportions.binomial import TIE_TOLERANCE, log_probability_mass
from tallybook.statistics.ragged import BLOCK, Ragged
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]
    TableStatistic: TypeAlias = Callable[[Floats, Floats], Floats]
    _Reached: TypeAlias = Callable[[Integers, NDArray[np.intp]], NDArray[np.bool_]]

MOST_OBSERVATIONS = 10**9 - 1
"""numpy draws hypergeometric numbers from no more than this."""

MOST_TABLES = 10_000
"""As many tables are listed; beyond, random ones are drawn."""


class PermutationTest(NamedTuple):
    """One entry a pair of samples; NaN where there is no test."""

    p_value: Floats
    log_p_value: Floats
    exact: NDArray[np.bool_]


def permutation_test(
    counts_p: Integers,
    counts_q: Integers,
    statistic: TableStatistic,
    keys: NDArray[np.uint64],
    *,
    permutations: int,
    most_tables: int = MOST_TABLES,
) -> PermutationTest:
    """Test whether two samples come from one distribution, by exchanging their observations.

    If they do, every way of dealing the pooled observations out to two samples of the observed sizes is equally
    probable: the first sample's counts are multivariate hypergeometric. p is the probability of a statistic at least as
    large as the observed one, a relative 1e-7 below it included, as rounding may separate ties.

    Exact: the sum of the probabilities of these tables, where no more than `most_tables` candidates (all combinations
    of the counts of the smaller sample, but for the most frequent category) have to be listed. Otherwise simulated:
    (b + 1) / (m + 1), where b of m random tables have such a statistic.

    Returns:
        p and its natural logarithm, which goes on where p underflows, and whether it is exact. NaN where the observed
        statistic does not exist, and where tables would have to be drawn of 1e9 observations or more.

    References:
        Good, P. (2005). Permutation, Parametric and Bootstrap Tests of Hypotheses (3rd ed.). Springer. Phipson, B. &
        Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in Genetics and
        Molecular Biology, 9, article 39.
    """
    pooled = counts_p + counts_q
    size = np.minimum(counts_p.sum(axis=1), counts_q.sum(axis=1))
    first_is_smaller = counts_p.sum(axis=1) <= counts_q.sum(axis=1)
    observed = statistic(counts_p.astype(np.float64), counts_q.astype(np.float64))
    bound = observed * (1.0 - TIE_TOLERANCE)

    def is_as_large(tables: Integers, pairs: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether tables, given as the counts of the smaller sample, reach the observed statistic of their pairs."""
        drawn, rest = tables.astype(np.float64), (pooled[pairs] - tables).astype(np.float64)
        order = first_is_smaller[pairs, None]
        return ~(statistic(np.where(order, drawn, rest), np.where(order, rest, drawn)) < bound[pairs])

    exists = np.isfinite(observed)
    candidates = _candidates(pooled, size)
    listed = exists & (candidates <= most_tables)
    drawn = exists & ~listed & (pooled.sum(axis=1) <= MOST_OBSERVATIONS) & (permutations > 0)
    p, log_p = np.full((2, size.size), np.nan)
    for pairs in _blocks(np.flatnonzero(listed), candidates * pooled.shape[1]):
        log_p[pairs] = _listed(pairs, pooled, size, is_as_large)
        p[pairs] = np.exp(log_p[pairs])
    load = np.full(candidates.shape, float(permutations * pooled.shape[1]))
    for pairs in _blocks(np.flatnonzero(drawn), load):
        reached = _drawn(pairs, pooled, size, keys, is_as_large, permutations=permutations)
        p[pairs] = (reached + 1.0) / (permutations + 1.0)
        log_p[pairs] = np.log(p[pairs])
    return PermutationTest(p, log_p, listed)


def _candidates(pooled: Integers, size: Integers) -> Floats:
    """How many combinations of counts of the smaller sample there are, the most frequent category being the rest."""
    choices = np.minimum(pooled, size[:, None]) + 1.0
    with np.errstate(over="ignore"):
        return choices.prod(axis=1) / choices.max(axis=1)


def _blocks(pairs: NDArray[np.intp], load: Floats) -> list[NDArray[np.intp]]:
    """Pairs in blocks that together hold few enough numbers, unless one pair alone needs more."""
    number = np.cumsum(load[pairs]) // BLOCK
    return np.split(pairs, np.flatnonzero(np.diff(number)) + 1) if pairs.size else []


def _listed(pairs: NDArray[np.intp], pooled: Integers, size: Integers, is_as_large: _Reached) -> Floats:
    """The logarithm of p by listing all tables of every pair."""
    order = np.argsort(-pooled[pairs], axis=1, kind="stable")
    margin, drawn = np.take_along_axis(pooled[pairs], order, axis=1), size[pairs]
    most = np.minimum(margin, drawn[:, None])
    tables = Ragged((most[:, 1:] + 1).prod(axis=1))
    row = tables.owners()
    remainder = np.arange(row.size) - tables.starts()[row]
    counts = np.zeros((row.size, margin.shape[1]), dtype=np.int64)
    # Mixed-radix digits of the table's number; the most frequent category takes what is left.
    for category in range(1, margin.shape[1]):
        remainder, counts[:, category] = np.divmod(remainder, most[row, category] + 1)
    counts[:, 0] = drawn[row] - counts.sum(axis=1)
    possible = (counts[:, 0] >= 0) & (counts[:, 0] <= margin[row, 0])
    row, counts = row[possible], counts[possible]
    log_mass = _log_masses(row, counts, margin, drawn)
    back = np.empty_like(counts)
    np.put_along_axis(back, order[row], counts, axis=1)
    log_mass[~is_as_large(back, pairs[row])] = -np.inf
    start = np.flatnonzero(np.diff(row, prepend=-1))
    largest = np.maximum.reduceat(log_mass, start)
    return np.minimum(largest + np.log(np.add.reduceat(np.exp(log_mass - largest[row]), start)), 0.0)


def _log_masses(row: NDArray[np.intp], counts: Integers, margin: Integers, drawn: Integers) -> Floats:
    """Log probabilities of multivariate hypergeometric tables: binomial ones over that of their total."""
    share = (drawn / margin.sum(axis=1))[:, None]
    total = log_probability_mass(drawn, margin.sum(axis=1), share[:, 0])
    least = np.zeros_like(margin)
    least[:, 0] = np.maximum(drawn - (margin[:, 1:]).sum(axis=1), 0)
    different = Ragged((np.minimum(margin, drawn[:, None]) - least + 1).ravel())
    owner = different.owners()
    count = np.arange(owner.size) - different.starts()[owner] + least.ravel()[owner]
    shares = np.broadcast_to(share, margin.shape).ravel()
    of_count = log_probability_mass(count, margin.ravel()[owner], shares[owner])
    place = different.starts().reshape(margin.shape)[row] + counts - least[row]
    return of_count[place].sum(axis=1) - total[row]


def _drawn(
    pairs: NDArray[np.intp],
    pooled: Integers,
    size: Integers,
    keys: NDArray[np.uint64],
    is_as_large: _Reached,
    *,
    permutations: int,
) -> Integers:
    """How many random tables of every pair reach the observed statistic."""
    streams = [stream(keys[pair]) for pair in pairs]
    reached = np.zeros(pairs.size, dtype=np.int64)
    step = max(1, BLOCK // (pairs.size * pooled.shape[1]))
    for start in range(0, permutations, step):
        number = min(step, permutations - start)
        tables = np.stack(
            [
                # One call for all tables of a pair: numpy's generators draw one stream at a time.
                own.multivariate_hypergeometric(pooled[pair], int(size[pair]), size=number, method="marginals")
                for own, pair in zip(streams, pairs, strict=True)
            ]
        )
        flags = is_as_large(tables.reshape(-1, pooled.shape[1]), np.repeat(pairs, number))
        reached += flags.reshape(pairs.size, number).sum(axis=1)
    return reached
