"""Permutation tests of two groups whose responses come in clusters: all of a cluster at a level moves together."""

from __future__ import annotations

from itertools import combinations, product
from math import comb
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tallybook.statistics.divergences.table_permutation import MOST_TABLES, PermutationTest
from tallybook.statistics.inputs import counted
from tallybook.statistics.proportions.binomial import TIE_TOLERANCE
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from numpy.typing import NDArray

    from tallybook.statistics.divergences.table_permutation import TableStatistic

    Floats: TypeAlias = NDArray[np.float64]

Parts: TypeAlias = dict[tuple[Any, ...], dict[Any, dict[Any, int]]]


def by_cluster(frame: pl.DataFrame, by: Sequence[str], between: str, category: str, cluster: str) -> Parts:
    """The counts of every cell and level -> cluster -> category."""
    found: Parts = {}
    for *group, one, value, count in counted(frame, [*by, between, cluster], [category]).iter_rows():
        found.setdefault(tuple(group), {}).setdefault(one, {})[value] = count
    return found


def clustered_tables(parts: Parts, pair: tuple[Any, ...]) -> tuple[Floats, Floats]:
    """The counts of each cluster at both levels of a pair, clusters first; zeros where it is not."""
    *cell, first, second = pair
    sides = [parts.get((*cell, level), {}) for level in (first, second)]
    clusters = sorted({*sides[0], *sides[1]})
    names = sorted({value for side in sides for counts in side.values() for value in counts})
    tables = [[[side.get(one, {}).get(name, 0) for name in names] for one in clusters] for side in sides]
    return np.array(tables[0], np.float64), np.array(tables[1], np.float64)


def cluster_permutation(
    p: Floats, q: Floats, statistic: TableStatistic, key: NDArray[np.uint64], *, permutations: int
) -> PermutationTest:
    """Test whether two groups have one distribution, by exchanging what clusters have.

    A cluster at both levels exchanges the two with probability 1/2; among those at a single level, the levels are dealt
    out anew. p is the share of all such arrangements whose statistic is at least the observed one, or, where there are
    more than 10,000, (b + 1) / (m + 1) of m random ones.

    Args:
        p: The counts of each cluster at the first level, clusters first.
        q: Likewise at the second.
        statistic: The divergence of tables of counts.
        key: The key of the random stream.
        permutations: How many arrangements are drawn.

    Returns:
        p, its logarithm, and whether it is exact; one entry each.

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
    return PermutationTest(np.array([share]), np.log([share]), np.array([exact]))
