"""Statistics of 5,000 cells at once beside a loop of scipy calls, one a cell.

    python benchmarks/statistics_cells.py [RESPONSES A CELL]

The loops go over the groups of a frame of responses, as a script would; what they take without fetching the groups is
printed in brackets. They are timed on a sample of the cells and scaled up. Both sides are timed in one run, import
excluded, and must agree on every sampled cell. Ours starts from the tally, whose size does not grow with the responses.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy import stats

from tallybook.statistics.association.rank_association import rank_association
from tallybook.statistics.means.contrasts import one_sample_contrasts
from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.student import t_tests
from tallybook.statistics.proportions.binomial import two_sided_p_value

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS, SAMPLE, SIZE = 5_000, 250, int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
Numbers = np.ndarray[tuple[int], np.dtype[np.float64]]


def seconds(work: Callable[[], Numbers]) -> tuple[float, Numbers]:
    """The shortest of three runs, and what the work gave."""
    best, result = float("inf"), work()
    for _ in range(3):
        start = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - start)
    return best, result


def report(name: str, ours: Callable[[], Numbers], rows: pl.DataFrame, one: Callable[[pl.DataFrame], float]) -> None:
    """Print how many times faster one side is, after holding them equal."""
    sampled = rows.filter(pl.col("cell") < SAMPLE)
    groups = sampled.partition_by("cell", maintain_order=True)
    our_time, our_values = seconds(ours)
    loop_time, loop_values = seconds(
        lambda: np.array([one(group) for _, group in sampled.group_by("cell", maintain_order=True)])
    )
    bare_time, _ = seconds(lambda: np.array([one(group) for group in groups]))
    np.testing.assert_allclose(our_values[:SAMPLE], loop_values, rtol=1e-9, atol=1e-300)
    ratio, bare = (time * CELLS / SAMPLE / our_time for time in (loop_time, bare_time))
    print(f"{name}: {ratio:,.0f} times ({bare:,.0f}) as fast as the loop: {our_time * 1e3:.1f} ms for {CELLS:,} cells")


def p_values(estimates: pl.DataFrame) -> Numbers:
    """The p-values of estimates, in order of their cells."""
    return estimates.sort("cell").get_column("p_value").to_numpy()


def one_sample_t_test(group: pl.DataFrame) -> float:
    """What an estimate row holds: the p-value, and the interval beside it."""
    result = stats.ttest_1samp(group["value"].to_numpy(), 3.0)
    result.confidence_interval()
    return float(result.pvalue)


def binomial_test(group: pl.DataFrame) -> float:
    """The two-sided p-value of one cell."""
    return float(stats.binomtest(int(group["success"].sum()), group.height, group["reference"][0]).pvalue)


def kendall_test(group: pl.DataFrame) -> float:
    """The two-sided p-value of one cell."""
    x, value = group["x"].to_numpy(), group["value"].to_numpy()
    return float(stats.kendalltau(x, value, variant="c", method="asymptotic").pvalue)


def main() -> None:
    """Print the ratios."""
    generator = np.random.default_rng(1)
    scores = generator.choice(np.arange(1.0, 6.0), size=(CELLS, SIZE), p=[0.1, 0.2, 0.3, 0.25, 0.15])
    signs = generator.choice([-1.0, 1.0], size=(CELLS, SIZE))
    cell = np.repeat(np.arange(CELLS), SIZE)
    rows = pl.DataFrame({"cell": cell, "x": signs.ravel(), "value": scores.ravel()})
    values = rows.group_by("cell", "value").agg(pl.len().alias("count"))
    pairs = rows.group_by("cell", "x", "value").agg(pl.len().alias("count"))
    references = generator.uniform(0.05, 0.95, CELLS)
    drawn = generator.uniform(size=(CELLS, SIZE)) < generator.uniform(0.05, 0.95, (CELLS, 1))
    tests = pl.DataFrame({"cell": cell, "success": drawn.ravel(), "reference": np.repeat(references, SIZE)})
    successes = drawn.sum(axis=1)

    report(
        "one-sample t test",
        lambda: p_values(t_tests(one_sample_contrasts(moments(values, ["cell"]), ["cell"], null_value=3.0), ["cell"])),
        rows,
        one_sample_t_test,
    )
    report("exact binomial test", lambda: two_sided_p_value(successes, SIZE, references), tests, binomial_test)
    report(
        "Kendall's tau",
        lambda: p_values(rank_association(pairs, ["cell"], "x", "value", coefficients=["tau_c"])),
        rows,
        kendall_test,
    )


if __name__ == "__main__":
    main()
