"""Drawing of a study's declared figures in every format, in worker processes if there are many figures."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue
from typing import IO, TYPE_CHECKING, NamedTuple, cast

from tallybook.core.errors import MissingExtraError, TallybookError
from tallybook.figures.save import save
from tallybook.study.figure_base import Room

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
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
    waiting, answers = iter(figures), SimpleQueue[tuple[str, Drawn | Exception]]()

    def ask(process: subprocess.Popen[bytes]) -> None:
        requests, told = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        for figure in waiting:  # the other processes take theirs from the same iterator
            try:
                pickle.dump((study, figure, estimates, folder), requests)
                requests.flush()
                answer: Drawn | Exception = pickle.load(told)  # noqa: S301 - of this very module
            except (EOFError, OSError):
                answer = TallybookError(f"the process that draws figures ended with {process.wait()}")
            answers.put((figure.id, answer))

    with ExitStack() as stack:
        processes = [stack.enter_context(_process()) for _ in range(count)]
        # Threads exchange data with the processes, so that no process waits for this one.
        threads = stack.enter_context(ThreadPoolExecutor(max(count, 1)))
        for process in processes:
            threads.submit(ask, process)

        def collect(advance: Callable[[int], None]) -> dict[str, Drawn]:
            made: dict[str, Drawn] = {}
            for figure in figures:
                name, drawn = answers.get() if count else (figure.id, draw(study, figure, estimates, folder))
                if isinstance(drawn, Exception):
                    raise drawn
                made[name] = drawn
                advance(1)
            return {figure.id: made[figure.id] for figure in figures}

        try:
            yield collect
        finally:
            for process in processes:
                process.kill()


def _process() -> subprocess.Popen[bytes]:
    """Start a process that runs `draw_here`."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    # -P: files in the current folder are not importable.
    command = [sys.executable, "-P", "-c", f"from {__name__} import {draw_here.__name__}; {draw_here.__name__}()"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)  # noqa: S603


def draw_here() -> None:
    """Draw each figure that comes pickled on standard input, and pickle the result to standard output."""
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    while True:
        try:
            job: tuple[Study, Numbered, pl.DataFrame, Path] = pickle.load(sys.stdin.buffer)  # noqa: S301
        except EOFError:
            return
        try:
            told: Drawn | Exception = draw(*job)
        except Exception as error:  # noqa: BLE001 - raised where the figures are collected
            told = error
        pickle.dump(told, answers)
        answers.flush()
