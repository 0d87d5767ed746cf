"""Logistic regression of a million responses: from counts, and by statsmodels on one row a response.

Run as `python benchmarks/logistic.py`. Both start from the same columns of responses, so that counting them is part of
the first; they are timed in turn, so that a drifting machine slows both. The numbers of both must agree.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from statsmodels.discrete.discrete_model import Logit

from tallybook.statistics.logistic.regression import logistic_regression

if TYPE_CHECKING:
    from collections.abc import Callable

RESPONSES = 1_000_000
RUNS = 9
REQUIRED = 5.0
PREDICTORS = ["association", "stigma", "steered"]


def responses() -> pl.DataFrame:
    """Responses with a score of 17 values, two conditions and a decision."""
    random = np.random.default_rng(0)
    association = random.integers(-8, 9, RESPONSES) / 8
    stigma, steered = random.integers(0, 2, (2, RESPONSES))
    chance = 1 / (1 + np.exp(-(0.4 + 1.1 * association - 0.6 * stigma + 0.2 * steered)))
    decision = (random.random(RESPONSES) < chance).astype(np.int64)
    return pl.DataFrame({"association": association, "stigma": stigma, "steered": steered, "decision": decision})


def count(rows: pl.DataFrame) -> pl.DataFrame:
    """How often each combination of predictors and decision occurs."""
    return rows.lazy().group_by([*PREDICTORS, "decision"]).len("count").collect(engine="streaming")


def from_counts(counts: pl.DataFrame) -> np.ndarray:
    """Coefficients and standard errors, one column each."""
    estimates = logistic_regression(counts, [], PREDICTORS, outcome="decision")
    return estimates.head(len(PREDICTORS) + 1).select("estimate", "std_error").to_numpy()


def from_rows(rows: pl.DataFrame) -> np.ndarray:
    """The same by statsmodels."""
    design = np.column_stack([np.ones(rows.height), rows.select(PREDICTORS).to_numpy()])
    fit = Logit(rows.get_column("decision").to_numpy(), design).fit(disp=0)
    return np.column_stack([fit.params, fit.bse])


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one run."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    """Compare, print, and fail if the numbers differ or the ratio is too small."""
    rows = responses()
    # statsmodels stops when a step changes no coefficient by 1e-8.
    np.testing.assert_allclose(from_counts(count(rows)), from_rows(rows), rtol=1e-7)
    ways = (lambda: from_counts(count(rows)), lambda: from_rows(rows))
    pairs = [(seconds(ways[0]), seconds(ways[1])) for _ in range(RUNS)]
    ratios = [slow / quick for quick, slow in pairs]
    quick, slow = (statistics.median(pair[side] for pair in pairs) for side in (0, 1))
    print(
        f"{RESPONSES:,} responses, {len(PREDICTORS)} predictors, counting included: "
        f"{statistics.median(ratios):.1f} times faster ({min(ratios):.1f} to {max(ratios):.1f}); "
        f"medians {quick:.3f} s and {slow:.3f} s"
    )
    counts = count(rows)
    alone = statistics.median(seconds(lambda: from_counts(counts)) for _ in range(RUNS))
    print(f"from {counts.height} counts, as a tally has them: {slow / alone:.0f} times faster; median {alone:.4f} s")
    if statistics.median(ratios) < REQUIRED:
        sys.exit(f"expected at least {REQUIRED:g} times")


if __name__ == "__main__":
    main()
