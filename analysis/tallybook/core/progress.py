"""The progress of long work: a bar on a terminal; elsewhere nothing or, on request, a line for each stage."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Generator

    from rich.progress import Progress as Bar
    from rich.progress import Task


class Advance(Protocol):
    """Advances a stage."""

    def __call__(self, steps: int, share: float = 0) -> None:
        """Advance by a number of steps; `share` is the share that is done then, if the total is not known."""


FAST = 10
"""From so many steps a second on, the rate is shown without decimals."""


class Progress:
    """Progress that is not shown; the base class."""

    def stage(self, name: str, total: int | None = None) -> Advance:
        """Begin a stage of the work; return a function that advances it."""
        del name, total
        return lambda steps, share=0: None  # noqa: ARG005  nothing to show


class _PlainProgress(Progress):
    """Progress as one line for each stage, where printed text cannot be overwritten: in a notebook or a log."""

    def stage(self, name: str, total: int | None = None) -> Advance:
        print(name, file=sys.stderr)  # noqa: T201  the purpose of this class
        return super().stage(name, total)


class _TerminalProgress(Progress):
    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("Starting", total=None)

    def stage(self, name: str, total: int | None = None) -> Advance:
        self._bar.remove_task(self._task)
        self._task = self._bar.add_task(name, total=total)
        task = self._bar.tasks[-1]

        def advance(steps: int, share: float = 0) -> None:
            self._bar.advance(task.id, steps)
            if share:
                task.total = round(task.completed / share)  # `update` would forget the rate

        return advance


@contextmanager
def progress(*, quiet: bool, anywhere: bool = False) -> Generator[Progress]:
    """Show progress on standard error if that is a terminal; with `anywhere`, print the stages elsewhere."""
    # pre-commit gives a hook a terminal, and prints the terminal's content once the hook has failed.
    if quiet or not sys.stderr.isatty() or "PRE_COMMIT" in os.environ:
        yield _PlainProgress() if anywhere and not quiet else Progress()
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        ProgressColumn,
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar
    from rich.text import Text

    class Rate(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:,.{0 if task.speed > FAST else 1}f}/s")

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(),
        Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _TerminalProgress(bar)
