"""Permutation tests of two samples of categories, which exchange single responses or whole clusters."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from tallybook.statistics.estimates import counted
from tallybook.statistics.proportions.binomial import TIE_TOLERANCE, log_probability_mass
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl
    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats

    TableStatistic: TypeAlias = Callable[[Floats, Floats], Floats]

MOST_OBSERVATIONS = 10**9 - 1
"""The largest population from which numpy draws hypergeometric numbers."""

MOST_TABLES = 10_000
"""The maximum number of tables that are enumerated; if there are more, random ones are drawn."""


class PermutationTest(NamedTuple):
    """The result for a pair of samples."""

    p_value: float
    log_p_value: float
    exact: bool


def permutation_test(
    counts_p: Counts,
    counts_q: Counts,
    statistic: TableStatistic,
    key: NDArray[np.uint64],
    *,
    permutations: int,
    most_tables: int = MOST_TABLES,
) -> PermutationTest | None:
    """Test whether two samples come from the same distribution, by permuting their observations.

    If they do, every way of dealing the pooled observations out to two samples of the observed sizes is equally
    probable: the first sample's counts are multivariate hypergeometric. p is the probability of a statistic at least as
    large as the observed one, to a relative tolerance of 1e-7, as rounding may separate ties.

    Exact: the sum of the probabilities of these tables, where no more than `most_tables` candidates (all combinations
    of the counts of the smaller sample, but for the most frequent category) have to be listed. Otherwise simulated:
    (b + 1) / (m + 1), where b of m random tables have such a statistic.

    Returns:
        p, its natural logarithm, which is finite where p underflows, and whether p is exact. None where the observed
        statistic does not exist, and if tables of 1e9 observations or more would have to be drawn.

    References:
        Good, P. (2005). Permutation, Parametric and Bootstrap Tests of Hypotheses (3rd ed.). Springer. Phipson, B. &
        Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in Genetics and
        Molecular Biology, 9, article 39.
    """
    pooled, number = counts_p + counts_q, int(counts_p.sum())
    observed = statistic(counts_p[None].astype(np.float64), counts_q[None].astype(np.float64))[0]
    if not np.isfinite(observed):
        return None
    exact = _candidates(pooled, number) <= most_tables
    if exact:
        tables = _all_tables(pooled, number)
    elif permutations and pooled.sum() <= MOST_OBSERVATIONS:
        tables = stream(key).multivariate_hypergeometric(pooled, number, size=permutations, method="marginals")
    else:
        return None
    found = statistic(tables.astype(np.float64), (pooled - tables).astype(np.float64))
    reached = ~(found < observed * (1.0 - TIE_TOLERANCE))
    if exact:
        log_p = min(float(np.logaddexp.reduce(_log_masses(tables[reached], pooled, number))), 0.0)
        return PermutationTest(float(np.exp(log_p)), log_p, exact)
    share = float((reached.sum() + 1.0) / (permutations + 1.0))
    return PermutationTest(share, float(np.log(share)), exact)


def _candidates(pooled: Counts, number: int) -> float:
    """Count the candidate tables: combinations of the smaller sample's counts, except the most frequent category."""
    choices = np.minimum(pooled, min(number, pooled.sum() - number)) + 1.0
    with np.errstate(over="ignore"):
        return choices.prod() / choices.max()


def _all_tables(pooled: Counts, number: int) -> Counts:
    """List all possible counts of a sample of a given size, tables x categories."""
    smaller = min(number, int(pooled.sum()) - number)
    rest = int(pooled.argmax())
    others = np.delete(np.arange(pooled.size), rest)
    crossed: Any = np.meshgrid
    grid: list[Counts] = crossed(*(np.arange(min(count, smaller) + 1) for count in pooled[others]), indexing="ij")
    tables = np.zeros((grid[0].size if grid else 1, pooled.size), np.int64)
    for category, counts in zip(others, grid, strict=True):
        tables[:, category] = counts.ravel()
    tables[:, rest] = smaller - tables.sum(axis=1)
    tables = tables[(tables[:, rest] >= 0) & (tables[:, rest] <= pooled[rest])]
    return tables if smaller == number else pooled - tables


def _log_masses(tables: Counts, pooled: Counts, number: int) -> Floats:
    """Compute log probabilities of multivariate hypergeometric tables, as binomial ones given their total."""
    share = number / pooled.sum()
    total = log_probability_mass(number, pooled.sum(), share)
    return log_probability_mass(tables, pooled, share).sum(axis=1) - total


Parts: TypeAlias = dict[tuple[Any, ...], dict[Any, dict[Any, int]]]


def by_cluster(frame: pl.DataFrame, by: Sequence[str], between: str, category: str, cluster: str) -> Parts:
    """Map every cell and level to its clusters, and these to their counts by category."""
    found: Parts = {}
    for *group, one, value, count in counted(frame, [*by, between, cluster], [category]).iter_rows():
        found.setdefault(tuple(group), {}).setdefault(one, {})[value] = count
    return found


def clustered_tables(parts: Parts, pair: tuple[Any, ...]) -> tuple[Floats, Floats]:
    """Return the counts of each cluster at both levels of a pair, clusters first; zeros where it does not occur."""
    *cell, first, second = pair
    sides = [parts.get((*cell, level), {}) for level in (first, second)]
    clusters = sorted({*sides[0], *sides[1]})
    names = sorted({value for side in sides for counts in side.values() for value in counts})
    tables = [[[side.get(one, {}).get(name, 0) for name in names] for one in clusters] for side in sides]
    return np.array(tables[0], np.float64), np.array(tables[1], np.float64)


def cluster_permutation(
    p: Floats, q: Floats, statistic: TableStatistic, key: NDArray[np.uint64], *, permutations: int
) -> PermutationTest:
    """Test whether two groups have the same distribution, by permuting clusters.

    A cluster at both levels swaps them with probability 1/2; among the clusters at a single level, the levels are
    permuted. p is the share of all such arrangements whose statistic is at least the observed one, or, where there are
    more than 10,000, (b + 1) / (m + 1) of m random ones.

    Args:
        p: The counts of each cluster at the first level, clusters first.
        q: Likewise at the second.

    Returns:
        p, its logarithm, and whether it is exact.

    References:
        Good, P. (2005). Permutation, Parametric and Bootstrap Tests of Hypotheses (3rd ed.). Springer.
    """
    both = (p.sum(axis=1) > 0) & (q.sum(axis=1) > 0)
    pooled = p + q
    number, alone = int((p[~both].sum(axis=1) > 0).sum()), int((~both).sum())
    exact = 2.0 ** int(both.sum()) * comb(alone, number) <= MOST_TABLES
    if exact:
        flips: Any = np.array(list(product([False, True], repeat=int(both.sum()))), np.bool_)
        dealt = np.zeros((comb(alone, number), alone), np.bool_)
        for row, chosen in enumerate(combinations(range(alone), number)):
            dealt[row, list(chosen)] = True
        flips, dealt = np.repeat(flips, len(dealt), axis=0), np.tile(dealt, (len(flips), 1))
    else:
        generator = stream(key)
        flips = generator.random((permutations, int(both.sum()))) < 0.5  # noqa: PLR2004
        dealt = generator.permuted(np.tile(np.arange(alone) < number, (permutations, 1)), axis=1)
    swapped = flips.astype(np.float64)
    first = p[both].sum(axis=0) + swapped @ (q[both] - p[both]) + dealt.astype(np.float64) @ pooled[~both]
    found = statistic(first, pooled.sum(axis=0) - first)
    observed = statistic(p.sum(axis=0)[None], q.sum(axis=0)[None])[0]
    reached = float((~(found < observed * (1.0 - TIE_TOLERANCE))).sum())
    share = reached / len(found) if exact else (reached + 1.0) / (permutations + 1.0)
    return PermutationTest(share, float(np.log(share)), exact)
