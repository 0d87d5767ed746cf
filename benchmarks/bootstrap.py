"""How long BCa intervals of 5,000 cells of a five-point score take, beside scipy's bootstrap of the same cells.

    python benchmarks/bootstrap.py

scipy.stats.bootstrap (9,999 resamples, batch=500) is timed on a sample of the cells and its time scaled to all of them;
its time does not depend on what the other cells hold. Both are timed in turn in one process.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.stats import bootstrap
from side_by_side import Pair, peak_memory

from tallybook.statistics.bootstrap.intervals import bootstrap_intervals

if TYPE_CHECKING:
    from collections.abc import Callable

CELLS = 5000
SAMPLE = 20
RUNS = 5
SHARES = (0.1, 0.2, 0.4, 0.2, 0.1)


def tally(cells: int, responses: int) -> pl.DataFrame:
    """Counts of a five-point score in cells."""
    counts = np.random.default_rng(1).multinomial(responses, SHARES, size=cells)
    return pl.DataFrame(
        {
            "cell": np.repeat(np.arange(cells), len(SHARES)),
            "score": np.tile(np.arange(1, len(SHARES) + 1), cells),
            "count": counts.ravel(),
        }
    )


def scipy_loop(tallied: pl.DataFrame) -> None:
    """The intervals of a frame, cell by cell from repeated rows."""
    for cell in tallied.partition_by("cell"):
        bootstrap((np.repeat(cell["score"], cell["count"]),), np.mean, batch=500, method="BCa", rng=0)


def seconds(work: Callable[[], object]) -> float:
    """Wall-clock seconds of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def compared(responses: int, *, exact: bool) -> Pair:
    """The ratios of scipy's scaled times to ours."""
    cells = CELLS if exact else SAMPLE * 10
    ours, theirs = tally(cells, responses), tally(SAMPLE, responses)
    pairs = [
        (
            seconds(lambda: scipy_loop(theirs)) * cells / SAMPLE,
            seconds(lambda: bootstrap_intervals(ours, ["cell"], "score", exact=exact)),
        )
        for _ in range(RUNS + 1)
    ][1:]
    first, second = (statistics.median(times) for times in zip(*pairs, strict=True))
    return Pair(tuple(a / b for a, b in pairs), first, second)


def main() -> None:
    """Print the ratios and the peak memory."""
    if len(sys.argv) > 1:
        bootstrap_intervals(tally(int(sys.argv[1]), 500), ["cell"], "score", exact=sys.argv[2] == "computed")
        return
    for how, numbers in (("simulated", (1, 50, 500)), ("computed", (1, CELLS, 10 * CELLS))):
        for cells in numbers:
            subprocess.run([sys.executable, __file__, str(cells), how], check=True)
            print(f"{how}, {cells} cells: the largest process so far took {peak_memory():.0f} MB")
    for responses in (50, 500):
        print(f"{CELLS} cells of {responses} responses, scipy.stats.bootstrap / ours:")
        print(f"  computed (the default): {compared(responses, exact=True)}")
        print(f"  simulated with {SAMPLE * 10} cells: {compared(responses, exact=False)}")


if __name__ == "__main__":
    main()
