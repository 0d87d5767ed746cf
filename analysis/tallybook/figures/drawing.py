"""Drawing of a study's declared figures in every format, in worker processes if there are many figures."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import MissingExtraError, TallybookError
from tallybook.figures.save import save
from tallybook.study.figure_base import Room

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from pathlib import Path

    import polars as pl

    from tallybook.study.figure_base import Numbered, Picture
    from tallybook.study.model import Study

# Starting a process takes about as long as drawing three figures.
_WORTH_A_PROCESS = 4


class Drawn(NamedTuple):
    """The alternative text and missing letters of a figure that was saved."""

    alt_text: str  # its alternative text
    lacking: frozenset[str]  # the letters that are in no font


def drawing(study: Study, figure: Numbered, estimates: pl.DataFrame) -> Picture:
    """Draw one figure."""
    try:
        return figure.draw(study, estimates, f"figure {figure.id}", Room(figure.width))
    except ModuleNotFoundError as error:
        if error.name != "plotnine":
            raise
        raise MissingExtraError("plotnine", "report") from error


def draw(study: Study, figure: Numbered, estimates: pl.DataFrame, folder: Path) -> Drawn:
    """Draw one figure and save it as `<folder>/<id>.svg`, `.pdf` and `.png`."""
    drawn = drawing(study, figure, estimates)
    saved = save(drawn.plot, folder, figure.id, drawn.width, drawn.height, font=study.style.font)
    return Drawn(drawn.alt_text, saved.lacking)


@contextmanager
def drawing_in_processes(
    study: Study, estimates: pl.DataFrame, folder: Path
) -> Generator[Callable[[Callable[[int], None]], dict[str, Drawn]]]:
    """Draw a study's figures in worker processes, or here if they are few; yield the function that collects them."""
    figures = study.figures
    count = min(os.cpu_count() or 1, len(figures) // _WORTH_A_PROCESS) if sys.executable else 0
    with ExitStack() as stack:
        processes = [stack.enter_context(_process()) for _ in range(count)]
        # Threads exchange data with the processes, so that no process waits for this one.
        threads = stack.enter_context(ThreadPoolExecutor(max(count, 1)))
        jobs = [(study, figures[first::count], estimates, folder) for first in range(count)]
        answers = [
            threads.submit(process.communicate, pickle.dumps(job)) for process, job in zip(processes, jobs, strict=True)
        ]

        def collect(advance: Callable[[int], None]) -> dict[str, Drawn]:
            made: dict[str, Drawn] = {}
            for process, answer, job in zip(processes, answers, jobs, strict=True):
                made |= _told(process.wait(), answer.result()[0])
                advance(len(job[1]))
            for figure in figures[: 0 if count else None]:
                made[figure.id] = draw(study, figure, estimates, folder)
                advance(1)
            return {figure.id: made[figure.id] for figure in figures}

        try:
            yield collect
        finally:
            for process in processes:
                process.kill()


def _process() -> subprocess.Popen[bytes]:
    """Start a process that runs `draw_here` on the job that it receives on standard input."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # -P: files in the current folder are not importable.
    command = [sys.executable, "-P", "-c", f"from {__name__} import {draw_here.__name__}; {draw_here.__name__}()"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)  # noqa: S603


def _told(code: int, answer: bytes) -> dict[str, Drawn]:
    if code:
        raise TallybookError(f"the process that draws figures ended with {code}")
    told: dict[str, Drawn] | Exception = pickle.loads(answer)  # noqa: S301 - of this very module
    if isinstance(told, Exception):
        raise told
    return told


def draw_here() -> None:
    """Draw the figures of the job that is pickled on standard input, and pickle the result to standard output."""
    answer, sys.stdout = sys.stdout.buffer, sys.stderr
    job: tuple[Study, Sequence[Numbered], pl.DataFrame, Path] = pickle.load(sys.stdin.buffer)  # noqa: S301
    study, figures, estimates, folder = job
    try:
        told: dict[str, Drawn] | Exception = {one.id: draw(study, one, estimates, folder) for one in figures}
    except Exception as error:  # noqa: BLE001 - raised where the figures are collected
        told = error
    pickle.dump(told, answer)
