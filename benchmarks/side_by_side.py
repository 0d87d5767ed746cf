"""Two commands timed in turn, so that a drifting machine slows both: ratios hold where seconds do not."""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # compiling the package in each process would be timed, too


@dataclass(frozen=True)
class Pair:
    """The ratios of one command's times to another's, pair by pair, and their median seconds."""

    ratios: tuple[float, ...]
    first: float
    second: float

    def __str__(self) -> str:
        low, middle, high = min(self.ratios), statistics.median(self.ratios), max(self.ratios)
        return f"ratio {middle:.2f} ({low:.2f} to {high:.2f}); medians {self.first:.2f} s and {self.second:.2f} s"


@dataclass(frozen=True)
class Cost:
    """What one run took: wall-clock seconds, the largest resident size in MB, and seconds of processors."""

    seconds: float
    megabytes: float
    cpu: float


def seconds(command: list[str]) -> float:
    """Wall-clock seconds of one run, which must succeed."""
    start = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{ended.stderr}")
    return time.perf_counter() - start


def seconds_told(command: list[str]) -> tuple[float, float]:
    """Wall-clock seconds of one run, which must succeed, and those that it prints of its own work."""
    start = time.perf_counter()
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    took = time.perf_counter() - start
    if ended.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{ended.stderr}")
    return took, float(ended.stdout)


def ratio(first: list[float], second: list[float]) -> str:
    """The median ratio of runs made in turn, with the smallest and the largest."""
    ratios = [a / b for a, b in zip(first, second, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def cost(command: list[str]) -> Cost:
    """Time and memory of one run, which must succeed."""
    with tempfile.TemporaryFile() as told:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=told)
        _, status, usage = os.wait4(process.pid, 0)  # the usage of this child alone, unlike that of all so far
        took = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            told.seek(0)
            sys.exit(f"{' '.join(command)} failed:\n{told.read().decode()}")
    return Cost(took, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime)


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
