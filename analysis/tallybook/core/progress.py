"""The progress of long work: a bar on a terminal; elsewhere nothing or, on request, a line for each stage."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from rich.progress import Progress as Bar


class Progress:
    """Progress that is not shown; the base class."""

    def stage(self, name: str, total: int | None = None) -> Callable[[int], None]:
        """Begin a stage of the work; return a function that advances it by a number of steps."""
        del name, total
        return lambda steps: None  # noqa: ARG005  nothing to show


class _PlainProgress(Progress):
    """Progress as one line for each stage, where printed text cannot be overwritten: in a notebook or a log."""

    def stage(self, name: str, total: int | None = None) -> Callable[[int], None]:
        print(name, file=sys.stderr)  # noqa: T201  the purpose of this class
        return super().stage(name, total)


class _TerminalProgress(Progress):
    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("Starting", total=None)

    def stage(self, name: str, total: int | None = None) -> Callable[[int], None]:
        self._bar.reset(self._task, description=name, total=total)

        def advance(steps: int) -> None:
            self._bar.advance(self._task, steps)

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
        SpinnerColumn,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TaskProgressColumn(show_speed=True),
        TimeElapsedColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _TerminalProgress(bar)
