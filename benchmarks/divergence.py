"""How long divergences of 5,000 pairs of groups take, beside a loop of scipy calls on the same counts.

    python benchmarks/divergence.py

Both are timed in turn in one process.
"""

from __future__ import annotations

import statistics
import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.spatial.distance import jensenshannon
from scipy.stats import entropy, permutation_test
from side_by_side import Pair

from tallybook.statistics.divergences.divergence import divergence
from tallybook.statistics.divergences.groups import group_divergences

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = 5000
RUNS = 7
EPSILON = 1e-12
SAMPLE = 20
PERMUTATIONS = 999


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compared(first: Callable[[], object], second: Callable[[], object], runs: int = RUNS) -> Pair:
    """The ratios of the first's times to the second's, after a warm-up of each."""
    pairs = [(seconds(first), seconds(second)) for _ in range(runs + 1)][1:]
    medians = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Pair(tuple(a / b for a, b in pairs), *medians)


def tally(p: np.ndarray, q: np.ndarray) -> pl.DataFrame:
    """The counts as a frame: cell, group, category, count."""
    cells, categories = p.shape
    return pl.concat(
        [
            pl.DataFrame(
                {
                    "cell": np.repeat(np.arange(cells), categories),
                    "group": group,
                    "category": np.tile([f"c{i}" for i in range(categories)], cells),
                    "count": counts.ravel(),
                }
            )
            for group, counts in (("p", p), ("q", q))
        ]
    )


def permutation_loop(p: np.ndarray, q: np.ndarray) -> None:
    """Permutation tests of rows, pair by pair."""
    categories = np.arange(p.shape[1])

    def distance(first: np.ndarray, second: np.ndarray) -> float:
        return jensenshannon(*(np.bincount(rows, minlength=categories.size) for rows in (first, second)))

    for own, other in zip(p, q, strict=True):
        rows = (np.repeat(categories, own), np.repeat(categories, other))
        permutation_test(rows, distance, n_resamples=PERMUTATIONS, alternative="greater", rng=0)


def main() -> None:
    """Print the ratios."""
    random = np.random.default_rng(1)
    p, q = (random.multinomial(475, random.dirichlet(np.ones(6)), size=CELLS) for _ in "pq")
    ratio = compared(
        lambda: [entropy(a + EPSILON, b + EPSILON) for a, b in zip(p, q, strict=True)],
        lambda: divergence("kullback-leibler", p, q, epsilon=EPSILON),
    )
    print(f"{CELLS} Kullback-Leibler divergences, loop of scipy.stats.entropy / ours: {ratio}")
    ratio = compared(
        lambda: [jensenshannon(a, b) for a, b in zip(p, q, strict=True)],
        lambda: np.sqrt(divergence("jensen-shannon", p, q)),
    )
    print(f"{CELLS} Jensen-Shannon distances, loop of scipy.spatial.distance.jensenshannon / ours: {ratio}")
    few = tally(p[:SAMPLE], q[:SAMPLE])
    ratio = compared(
        lambda: permutation_loop(p[:SAMPLE], q[:SAMPLE]),
        lambda: group_divergences(few, ["cell"], "group", "category", permutations=PERMUTATIONS),
        runs=3,
    )
    print(f"{SAMPLE} tests with {PERMUTATIONS} permutations, loop of scipy.stats.permutation_test / ours: {ratio}")


if __name__ == "__main__":
    main()
