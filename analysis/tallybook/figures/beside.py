"""Figures drawn by other processes, while this one makes tables."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from typing import IO, TYPE_CHECKING, cast

from tallybook.core.errors import TallybookError
from tallybook.figures.drawing import Drawn, draw

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    import polars as pl

    from tallybook.study.figure_base import Numbered
    from tallybook.study.model import Study

    Collect = Callable[[Callable[[int], None]], dict[str, Drawn]]

# A process takes about as long to start as three figures to be drawn.
_WORTH_A_PROCESS = 4


@contextmanager
def drawn_beside(study: Study, estimates: pl.DataFrame, folder: Path) -> Generator[Collect]:
    """Draw a study's figures in processes beside this one, a few in this one; yield what waits for them."""
    figures = study.figures
    count = min(os.cpu_count() or 1, len(figures) // _WORTH_A_PROCESS) if sys.executable else 0
    with ExitStack() as stack:
        jobs = [(study, figures[first::count], estimates, folder) for first in range(count)]
        running = [stack.enter_context(_running(pickle.dumps(job))) for job in jobs]

        def collect(advance: Callable[[int], None]) -> dict[str, Drawn]:
            made: dict[str, Drawn] = {}
            for number, figure in enumerate(figures):
                one = _next_of(running[number % count]) if count else draw(study, figure, estimates, folder)
                made[figure.id] = one
                advance(1)
            return made

        yield collect


@contextmanager
def _running(job: bytes) -> Generator[subprocess.Popen[bytes]]:
    """Run a process that does a job; it ends with this block."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # -P: what lies in the current folder is no module.
    process = subprocess.Popen(  # noqa: S603 - this interpreter and this module
        [sys.executable, "-P", "-m", __name__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    try:
        given = cast("IO[bytes]", process.stdin)
        given.write(job)
        given.close()
        yield process
    finally:
        process.kill()
        process.wait()
        cast("IO[bytes]", process.stdout).close()


def _next_of(process: subprocess.Popen[bytes]) -> Drawn:
    try:
        told: Drawn | Exception = pickle.load(cast("IO[bytes]", process.stdout))  # noqa: S301 - of this very module
    except EOFError:
        raise TallybookError(f"the process that draws figures ended with {process.wait()}") from None
    if isinstance(told, Exception):
        raise told
    return told


def draw_here() -> None:
    """Do the job that stands on standard input."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    job: tuple[Study, Sequence[Numbered], pl.DataFrame, Path] = pickle.load(sys.stdin.buffer)  # noqa: S301
    study, figures, estimates, folder = job
    for figure in figures:
        try:
            told: Drawn | Exception = draw(study, figure, estimates, folder)
        except Exception as error:  # noqa: BLE001 - raised where the figure is waited for
            told = error
        pickle.dump(told, answers)
        answers.flush()


if __name__ == "__main__":
    draw_here()
