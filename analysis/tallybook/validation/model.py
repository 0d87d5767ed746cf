"""What validation finds, as data: checks, and the failures of each."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import READABLE, Problem
from tallybook.core.spill_buffer import RowStore
from tallybook.validation.grouping import grouped
from tallybook.validation.safe import VALUE, safe_columns
from tallybook.validation.severity import SEVERITIES, graver

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tallybook.validation.declared import Reading
    from tallybook.validation.grouping import Group
    from tallybook.validation.severity import FailOn, Severity


class Failure(NamedTuple):
    """One thing that is wrong: where it is, what stands there and what was expected."""

    check: str  # the check that failed
    severity: Severity
    # the file, as it is named on the command line or relative to the data folder; empty if it belongs to none
    file: str
    line: int | None  # the physical line in a text file, counted from 1; None where there is none or it is not known
    key: str  # the record's key or number; empty if the whole file is at fault, or the data as a whole
    column: str  # the column; empty if the whole record is at fault
    value: str  # what stands there, shortened and escaped
    expectation: str  # what should stand there
    times: int = 1  # how many responses it stands for


SCHEMA: dict[str, Any] = dict.fromkeys(Failure._fields, pl.String) | {"line": pl.Int64, "times": pl.Int64}
"""The columns of failures as a frame."""


@dataclass(frozen=True)
class Check:
    """One check that was made."""

    name: str
    description: str  # what it is about, in a sentence
    severity: Severity = "error"  # the severity of its failures, if nothing else is said of one
    # how many failures of each severity it has
    counts: dict[Severity, int] = field(default_factory=dict["Severity", int])

    @property
    def worst(self) -> Severity | None:
        """The gravest severity of its failures; None if it passed."""
        return next((severity for severity in SEVERITIES if self.counts.get(severity)), None)


class Failures:
    """All failures of a validation; many are kept in temporary files."""

    def __init__(self, scratch: Path | None = None) -> None:
        """Begin without any."""
        self._store = RowStore(scratch, share=4)
        self._store.add(pl.DataFrame(schema=SCHEMA))
        self._counts: dict[str, dict[Severity, int]] = {}
        self.has_unreadable = False
        """Whether a file is there and cannot be opened."""

    def add(self, failures: Iterable[Failure] | pl.DataFrame) -> None:
        """Add failures, or a frame of them, shortened and escaped."""
        frame = failures.select(list(SCHEMA)) if isinstance(failures, pl.DataFrame) else frame_of(failures)
        if frame.height:
            self._store.add(safe_columns(frame, {"column": VALUE, "value": VALUE, "expectation": 400}))
        refused = frame.filter(pl.col("severity") == "error", pl.col("expectation") == READABLE)
        places = refused.select("file", "key", "column", "value", "expectation").iter_rows()
        self.has_unreadable |= any(Problem(*place).is_unreadable for place in places)
        for check, severity, number in frame.group_by("check", "severity").agg(pl.len()).iter_rows():
            of_check = self._counts.setdefault(check, {})
            of_check[severity] = of_check.get(severity, 0) + number

    def scan(self) -> pl.LazyFrame:
        """Get the failures in the order in which they were found; `file` and `key` as they stand in the data."""
        return self._store.scan()

    def tables(self) -> Iterator[pl.DataFrame]:
        """Yield all failures, the gravest first, safe to show, in parts: they may be millions."""
        for severity in SEVERITIES:
            if any(severity in of_check for of_check in self._counts.values()):
                for part in self._store.parts():
                    found = part.filter(pl.col("severity") == severity)
                    if found.height:
                        yield safe_columns(found, {"file": 200, "key": VALUE})

    def table(self) -> pl.DataFrame:
        """Get all failures, the gravest first, safe to show."""
        return pl.concat([pl.DataFrame(schema=SCHEMA), *self.tables()])

    def counts(self) -> dict[str, dict[Severity, int]]:
        """Count the failures of each check by severity."""
        return {check: dict(sorted(of_check.items())) for check, of_check in sorted(self._counts.items())}

    def groups(self, most: int | None = None) -> list[Group]:
        """Group failures that differ only in their place."""
        return grouped(self._store.parts(), SEVERITIES, most)

    def failing(self, fail_on: FailOn) -> pl.DataFrame:
        """List the places where data are invalid."""
        counted = self.scan().filter(pl.col("severity").is_in(graver(fail_on)), pl.col("file") != "")
        return counted.select("file", "key").unique(maintain_order=True).collect()

    def close(self) -> None:
        """Remove temporary files."""
        self._store.close()


def frame_of(failures: Iterable[Failure]) -> pl.DataFrame:
    r"""Make a frame of failures; halves of surrogate pairs become escapes.

    >>> frame_of([Failure("values", "error", "a.jsonl", 1, "line 1", "text", "\ud83d", "text")]).item(0, "value")
    '\\ud83d'
    """
    rows = list(failures)
    try:
        return pl.DataFrame(rows, schema=SCHEMA, orient="row")
    except UnicodeEncodeError:
        cells = [[_text(cell) if isinstance(cell, str) else cell for cell in row] for row in rows]
        return pl.DataFrame(cells, schema=SCHEMA, orient="row")


def _text(text: str) -> str:
    return text.encode(errors="backslashreplace").decode()


@dataclass(frozen=True)
class Report:
    """The result of a validation."""

    title: str  # what was validated: the study's or schema's name
    checks: Sequence[Check]  # the checks that were made, with their counts
    failures: Failures  # everything that failed
    files: Sequence[str]  # the files that were read
    rows: int  # how many records or responses were read
    fail_on: FailOn = "error"  # the least grave failure that makes the data invalid
    details: dict[str, Any] = field(default_factory=dict[str, Any])  # what else a machine may want to know, by name
    summary: str = ""  # the same in words, for people: what the data hold
    notes: Sequence[str] = ()  # lines that are told below it, about what is a failure of `labels`
    # the folder that the files are named relative to; None where they are named as on the command line
    folder: Path | None = None
    words: tuple[str, str] = ("valid", "invalid")  # what is said where nothing failed, and where something did
    # how files are read of which the study says so
    reading: Mapping[str, Reading] = field(default_factory=dict[str, "Reading"])

    def count(self, severity: Severity) -> int:
        """Count the failures of a severity."""
        return sum(check.counts.get(severity, 0) for check in self.checks)

    def path(self, file: str) -> str:
        """Get the path of a file for tools: relative to the working folder or the workspace, with slashes."""
        whole = os.path.abspath(file if self.folder is None else self.folder / file)  # noqa: PTH100  keeps links
        near = os.path.relpath(whole, os.environ.get("GITHUB_WORKSPACE") or None)
        return Path(whole if near.startswith("..") else near).as_posix()

    @property
    def is_valid(self) -> bool:
        """Whether no failure is severe enough."""
        return not any(self.count(severity) for severity in graver(self.fail_on))

    @property
    def exit_code(self) -> int:
        """How a command ends that made this validation: a file that cannot be opened leaves its rows unjudged."""
        return 2 if self.failures.has_unreadable else int(not self.is_valid)


def counted(checks: Iterable[Check], failures: Failures) -> list[Check]:
    """Count the failures of checks."""
    counts = failures.counts()
    known = {check.name: check for check in checks}
    for name in counts:
        known.setdefault(name, Check(name, "What the data break."))
    return [Check(one.name, one.description, one.severity, counts.get(one.name, {})) for one in known.values()]
