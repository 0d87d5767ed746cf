"""The errors that are reported to users, each with the exit code of the command line."""

from __future__ import annotations

import errno
import os
from dataclasses import dataclass

from tallybook.core.untrusted import escaped, printable

EXTRAS = {
    "numpy": "analysis",
    "scipy": "analysis",
    "statsmodels": "analysis",
    "pingouin": "analysis",
    "great_tables": "report",
    "plotnine": "report",
    "matplotlib": "report",
    "pypandoc": "report",
    "typst": "report",
    "textblob": "textblob",
    "xlsxwriter": "report",
    "fastexcel": "excel",
    "pyspark": "spark",
}
"""Optional package -> the extra of this project that installs it."""


READABLE = "a readable file"
"""The expected value of a problem whose file cannot be opened."""


class TallybookError(Exception):
    """Base of every error whose message is meant for the user."""

    exit_code = 2


class UsageError(TallybookError):
    """The command cannot run: an argument, a study file or the installation is at fault."""


class MissingExtraError(UsageError):
    """A command needs an optional dependency that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        extras = f"{extra!r} or 'all'" if extra in {"analysis", "report", "excel"} else repr(extra)
        super().__init__(f"this needs {package}, which is not installed: install tallybook with the extra {extras}")


class ReportError(TallybookError):
    """A report cannot be rendered: its sources, the project or an engine is at fault."""


class UnrenderedError(ReportError):
    """Results are written, and only their report could not be rendered."""


class MismatchError(TallybookError):
    """Regenerated numbers differ from the published ones and no erratum says why."""

    exit_code = 1


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem of the data: its place, the value found and the value expected; escaped when it is printed."""

    file: str  # relative to the folder that was read; empty if the fault belongs to no file
    key: str  # the record's key, or `row`, `line` or `byte` and its number; empty if the whole file is at fault
    column: str  # the column or path; empty if the whole record is at fault
    value: str  # the value found
    expected: str  # the value expected
    check: str = ""  # the violated check, where the place does not imply it: `unique`, `levels`, `items`
    count: int = 1  # the number of faults it stands for: of a great many, the last one kept counts the rest

    @property
    def is_unreadable(self) -> bool:
        """Whether the file exists but cannot be opened; `value` then is the operating system's reason."""
        has_reason = self.value not in {"", os.strerror(errno.ENOENT)}
        return self.expected == READABLE and has_reason and not self.key

    def __str__(self) -> str:
        place = ", ".join(
            f"{name} {printable(text)}" for name, text in (("key", self.key), ("column", self.column)) if text
        )
        found = f"found {printable(self.value)}; " if self.value else ""
        parts = (printable(self.file, limit=200), place, f"{found}expected {escaped(self.expected)}")
        return ": ".join(part for part in parts if part)


class DataError(TallybookError):
    """The data break their schema: exit code 1, or 2 if a file is there and cannot be opened."""

    exit_code = 1
    shown = 20
    """The largest number of lines in its message."""

    def __init__(self, problems: list[Problem], hint: str = "") -> None:
        """Build the message from the problems, and set the exit code."""
        self.problems = problems
        if any(problem.is_unreadable for problem in problems):
            self.exit_code = 2
        room, every = self.shown - bool(hint), sum(problem.count for problem in problems)
        lines = [str(problem) for problem in problems[: room if every <= room else room - 1]]
        if every > room:
            lines.append(f"... and {every - len(lines)} more")
        super().__init__("\n".join([*lines, *([hint] if hint else [])]))
