"""Problems of the columns and cells of a file of records, collected over all parts in which the file is read."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.issue_log import MOST, Findings, extend
from tallybook.core.wording import suggestion
from tallybook.sources.patterns import Pattern
from tallybook.sources.values import by_expected

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from tallybook.core.issue_log import IssueLog
    from tallybook.core.spill_buffer import RowStore
    from tallybook.sources.content import Content
    from tallybook.sources.records import Records
    from tallybook.study.record_sources import RecordSource


class Header:
    """The columns of a file, which may differ between its records."""

    def __init__(self, source: RecordSource, content: Content) -> None:
        self._declared = {column.path: column.optional for column in source.columns.values()}
        self._content = content
        forms = () if source.unfold is None else source.unfold.columns.values()
        self._unfolded = [Pattern.parse(form) for form in forms]
        self.paths = [*self._declared, *(source.unfold.paths if source.unfold else ())]
        self.seen: dict[str, None] = {}  # in order of first occurrence
        self.repeated: list[Problem] = []  # problems of repeated declared columns

    def add(self, header: list[str]) -> None:
        """Add the columns of some records."""
        self.seen |= dict.fromkeys(header)
        repeated = [path for path in self._declared if header.count(path) > 1]
        self.repeated += [self._content.fault("", path, "", "this column once") for path in repeated]

    @property
    def missing(self) -> list[Problem]:
        """The problems of required columns that no record has."""
        others = [path for path in self.seen if path not in self._declared]
        return [
            self._content.fault("", path, "", f"this column{suggestion(path, others)}")
            for path, optional in self._declared.items()
            if path not in self.seen and not optional
        ]

    @property
    def extra(self) -> list[Problem]:
        """The problems of undeclared columns; a column without a name is named by its position."""
        expected = f"one of the declared columns ({', '.join(self._declared)})"
        extra = [
            path or f"column {place}"
            for place, path in enumerate(self.seen, start=1)
            if path not in self._declared and not any(form.match(path) for form in self._unfolded)
        ]
        return [self._content.fault("", path, "", expected) for path in extra]


class RecordFaults:
    """Collect the faults of a file's records."""

    def __init__(self, source: RecordSource, file: str, issues: IssueLog | None, beside: RowStore | None) -> None:
        self._source, self._file, self._issues = source, file, issues
        self._lacking: dict[str, list[pl.Series]] = {column: [] for column in source.columns}
        self._marks: set[int] = set()
        self.problems: list[Problem] = []  # without a log, only the first ones; the last of these counts the others
        self.findings = Findings(beside=beside)  # faults that the study declares as known
        self.excluded: pl.Series | None = None  # which records of a part are not wanted, whatever their cells hold
        self.is_away = False  # whether some problems were moved to the log

    def cells(self, column: str, part: Records, text: pl.Series, values: pl.Series) -> None:
        """Report the cells of a column that are of a wrong type or blank."""
        if values.null_count() or text.null_count():
            declared = self._source.columns[column]
            wrong = values.is_null() & text.is_not_null()
            wrong = wrong if self.excluded is None else wrong & ~self.excluded
            if wrong.any():
                for expected, rows in by_expected(declared.type, text, wrong):
                    self._add_cells(declared.path, expected, part.keys.filter(rows), text.filter(rows))
            self._blank(column, part.keys.filter(text.is_null()))

    def lacking(self, column: str, part: Records) -> None:
        """Note records without a column, whose cells count as blank if other records of the file have the column."""
        self._lacking[column] += [] if self._severity(column) == "ignore" else [part.keys]

    def found(self, seen: Container[str]) -> None:
        """Report records without a column if others have it, in whichever part of the file."""
        for column, lacking in self._lacking.items():
            if lacking and self._source.columns[column].path in seen:
                for keys in lacking:
                    self._blank(column, keys)
                lacking.clear()

    def add(self, faults: Iterable[Problem], *, by_value: bool = False) -> None:
        """Add faults: with `by_value` each value once, otherwise those that are no record's of this file once."""
        new: list[Problem] = []
        for one in faults:
            is_own = one.key != "" and one.file == self._file
            mark = hash((one.column, one.value)) if by_value else None if is_own else hash(one)
            if mark not in self._marks:
                new.append(one)
            self._marks |= set() if mark is None else {mark}
        self._extend(new)

    def put_away(self) -> None:
        """Move very many faults to the log without waiting for the end of the file."""
        self.is_away |= bounded(self.problems, self._issues)

    def _blank(self, column: str, keys: pl.Series) -> None:
        """Report blank cells as errors or findings, unless they are ignored."""
        path, severity = self._source.columns[column].path, self._severity(column)
        if severity == "error":
            self._add_cells(path, "a value", keys, None)
        elif severity == "report" and keys.len():
            cells = {"file": self._file, "key": keys, "column": path, "value": "", "expected": "a value", "check": ""}
            self.findings.extend(pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String)))

    def _add_cells(self, path: str, expected: str, keys: pl.Series, values: pl.Series | None) -> None:
        """Report cells; without a log, the last one kept counts those beyond the limit."""
        room = keys.len() if self._issues is not None else max(1, MOST - len(self.problems))
        texts = repeat("") if values is None else values.head(room)
        made = [
            Problem(self._file, key, path, value, expected) for key, value in zip(keys.head(room), texts, strict=False)
        ]
        if rest := keys.len() - len(made):
            made[-1] = replace(made[-1], count=1 + rest)
        self._extend(made)

    def _extend(self, more: list[Problem]) -> None:
        if self._issues is None:
            extend(self.problems, more)
        else:
            self.problems += more

    def _severity(self, column: str) -> str:
        return "error" if column in self._source.require else self._source.columns[column].blank


def bounded(found: list[Problem], issues: IssueLog | None) -> bool:
    """Move very many problems to the log, and return whether that was done; without a log, keep only the first."""
    if len(found) <= MOST:
        return False
    if issues is None:
        found[:], more = found[:MOST], found[MOST:]
        extend(found, more)
        return False
    issues.add(found)
    found.clear()
    return True
