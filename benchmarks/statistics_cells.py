"""Statistics of 5,000 cells at once beside a loop of scipy calls, one a cell, on raw rows.

    python benchmarks/statistics_cells.py

The loops are timed on a sample of the cells and scaled up; both sides are timed in one run, import excluded, and must
agree on every sampled cell.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy import stats

from analysis.statistics.binomial import two_sided_p_value
from analysis.statistics.contrasts import one_sample_contrasts
from analysis.statistics.moments import moments
from analysis.statistics.rank_association import rank_association
from analysis.statistics.student import t_tests

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS, SAMPLE, SIZE = 5_000, 250, 200
Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


def seconds(work: Callable[[], Numbers]) -> tuple[float, Numbers]:
    """The shortest of three runs, and what the work gave."""
    best, result = float("inf"), work()
    for _ in range(3):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def report(name: str, ours: Callable[[], Numbers], loop: Callable[[], Numbers]) -> None:
    """Print how many times faster one side is, after holding them equal."""
    our_time, our_values = seconds(ours)
    loop_time, loop_values = seconds(loop)
    np.testing.assert_allclose(our_values[:SAMPLE], loop_values, rtol=1e-9)
    ratio = loop_time * CELLS / SAMPLE / our_time
    print(f"{name}: {ratio:,.0f} times as fast as the loop ({our_time * 1e3:.1f} ms for {CELLS:,} cells)")


def p_values(estimates: pl.DataFrame) -> Numbers:
    """The p-values of estimates, in order of their cells."""
    return estimates.sort("cell").get_column("p_value").to_numpy()


def one_sample_t_test(values: Numbers) -> float:
    """What an estimate row holds: the p-value, and the interval beside it."""
    result = stats.ttest_1samp(values, 3.0)
    result.confidence_interval()
    return float(result.pvalue)


def main() -> None:
    """Print the ratios."""
    generator = np.random.default_rng(1)
    scores = generator.choice(np.arange(1.0, 6.0), size=(CELLS, SIZE), p=[0.1, 0.2, 0.3, 0.25, 0.15])
    signs = generator.choice([-1.0, 1.0], size=(CELLS, SIZE))
    cell = np.repeat(np.arange(CELLS), SIZE)
    rows = pl.DataFrame({"cell": cell, "x": signs.ravel(), "value": scores.ravel()})
    values = rows.group_by("cell", "value").agg(pl.len().alias("count"))
    pairs = rows.group_by("cell", "x", "value").agg(pl.len().alias("count"))
    shares = generator.uniform(0.05, 0.95, CELLS)
    successes = generator.binomial(SIZE, shares)
    references = generator.uniform(0.05, 0.95, CELLS)

    report(
        "one-sample t test",
        lambda: p_values(t_tests(one_sample_contrasts(moments(values, ["cell"]), ["cell"], null_value=3.0), ["cell"])),
        lambda: np.array([one_sample_t_test(scores[index]) for index in range(SAMPLE)]),
    )
    report(
        "exact binomial test",
        lambda: two_sided_p_value(successes, SIZE, references),
        lambda: np.array(
            [stats.binomtest(int(successes[index]), SIZE, references[index]).pvalue for index in range(SAMPLE)]
        ),
    )
    report(
        "Kendall's tau",
        lambda: p_values(rank_association(pairs, ["cell"], "x", "value", coefficients=["tau_c"])),
        lambda: np.array(
            [
                stats.kendalltau(signs[index], scores[index], variant="c", method="asymptotic").pvalue
                for index in range(SAMPLE)
            ]
        ),
    )


if __name__ == "__main__":
    main()
