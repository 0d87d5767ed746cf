"""Two commands timed in turn, so that a drifting machine slows both: ratios hold where seconds do not."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """The ratios of one command's times to another's, pair by pair, and their median seconds."""

    ratios: tuple[float, ...]
    first: float
    second: float

    def __str__(self) -> str:
        low, middle, high = min(self.ratios), statistics.median(self.ratios), max(self.ratios)
        return f"ratio {middle:.2f} ({low:.2f} to {high:.2f}); medians {self.first:.2f} s and {self.second:.2f} s"


def seconds(command: list[str]) -> float:
    """Wall-clock seconds of one run, which must succeed."""
    start = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{ended.stderr}")
    return time.perf_counter() - start


def compare(first: list[str], second: list[str], runs: int = 7) -> Pair:
    """Time two commands in turn after a warm-up of each."""
    seconds(first), seconds(second)
    pairs = [(seconds(first), seconds(second)) for _ in range(runs)]
    return Pair(
        tuple(a / b for a, b in pairs),
        statistics.median(a for a, _ in pairs),
        statistics.median(b for _, b in pairs),
    )


def peak_memory() -> float:
    """The largest resident size of any finished child, in MB."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
