"""Report problems with the columns and cells of a file of records, however many parts it was read in."""

from __future__ import annotations

from dataclasses import replace
from itertools import repeat
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.issue_log import MOST, Findings, extend
from tallybook.core.wording import suggestion
from tallybook.sources.patterns import Pattern
from tallybook.sources.values import WORDS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from tallybook.core.issue_log import IssueLog
    from tallybook.core.spill_buffer import RowStore
    from tallybook.sources.content import Content
    from tallybook.sources.records import Records
    from tallybook.study.record_sources import RecordSource


class Header:
    """The columns of a file whose records may differ in their columns."""

    def __init__(self, source: RecordSource, content: Content) -> None:
        self._declared = {column.path: column.optional for column in source.columns.values()}
        self._content = content
        forms = () if source.unfold is None else source.unfold.columns.values()
        self._unfolded = [Pattern.parse(form) for form in forms]
        self.paths = [*self._declared, *(source.unfold.paths if source.unfold else ())]
        self.seen: dict[str, None] = {}  # in the order in which they were found
        self.repeated: list[Problem] = []  # declared columns that records have more than once

    def add(self, header: list[str]) -> None:
        """Add the columns of some records."""
        self.seen |= dict.fromkeys(header)
        repeated = [path for path in self._declared if header.count(path) > 1]
        self.repeated += [self._content.fault("", path, "", "this column once") for path in repeated]

    @property
    def missing(self) -> list[Problem]:
        """Declared columns that no record has."""
        others = [path for path in self.seen if path not in self._declared]
        return [
            self._content.fault("", path, "", f"this column{suggestion(path, others)}")
            for path, optional in self._declared.items()
            if path not in self.seen and not optional
        ]

    @property
    def extra(self) -> list[Problem]:
        """Columns that are not declared. One without a name is called by its place."""
        expected = f"one of the declared columns ({', '.join(self._declared)})"
        extra = [
            path or f"column {place}"
            for place, path in enumerate(self.seen, start=1)
            if path not in self._declared and not any(form.match(path) for form in self._unfolded)
        ]
        return [self._content.fault("", path, "", expected) for path in extra]


class Told:
    """Faults of the records of a file."""

    def __init__(self, source: RecordSource, file: str, issues: IssueLog | None, beside: RowStore | None) -> None:
        self._source, self._file, self._issues = source, file, issues
        self._lacking: dict[str, list[pl.Series]] = {column: [] for column in source.columns}
        self._marks: set[int] = set()
        self.problems: list[Problem] = []  # of a strict run's very many the first; the last one counts the others
        self.findings = Findings(beside=beside)  # what the study declares as known
        self.is_away = False  # whether some problems were put away

    def cells(self, column: str, part: Records, text: pl.Series, values: pl.Series) -> None:
        """Add the cells of a column that are of a wrong type or blank."""
        if values.null_count() or text.null_count():
            declared = self._source.columns[column]
            wrong = values.is_null() & text.is_not_null()
            self._add_cells(declared.path, WORDS[declared.type], part.keys.filter(wrong), text.filter(wrong))
            self._blank(column, part.keys.filter(text.is_null()))

    def lacking(self, column: str, part: Records) -> None:
        """Add records without a column: cells that are blank, if other records of the file have it."""
        self._lacking[column] += [] if self._severity(column) == "ignore" else [part.keys]

    def found(self, seen: Container[str]) -> None:
        """Tell of records without columns that others have, however the file was cut into parts."""
        for column, lacking in self._lacking.items():
            if lacking and self._source.columns[column].path in seen:
                for keys in lacking:
                    self._blank(column, keys)
                lacking.clear()

    def add(self, faults: Iterable[Problem], *, by_value: bool = False) -> None:
        """Add faults: each value once, or each of what is no record of this file, since other parts have it too."""
        new: list[Problem] = []
        for one in faults:
            is_own = one.key != "" and one.file == self._file
            mark = hash((one.column, one.value)) if by_value else None if is_own else hash(one)
            if mark not in self._marks:
                new.append(one)
            self._marks |= set() if mark is None else {mark}
        self._extend(new)

    def put_away(self) -> None:
        """Put very many faults away without waiting for the end of the file."""
        self.is_away |= bounded(self.problems, self._issues)

    def _blank(self, column: str, keys: pl.Series) -> None:
        """Add blank cells, if they matter."""
        path, severity = self._source.columns[column].path, self._severity(column)
        if severity == "error":
            self._add_cells(path, "a value", keys, None)
        elif severity == "report" and keys.len():
            cells = {"file": self._file, "key": keys, "column": path, "value": "", "expected": "a value", "check": ""}
            self.findings.extend(pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String)))

    def _add_cells(self, path: str, expected: str, keys: pl.Series, values: pl.Series | None) -> None:
        """Add cells; those of a strict run that are not kept are counted by the last one."""
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
    """Put very many problems away and tell so; of a strict run the first are kept, and the others counted."""
    if len(found) <= MOST:
        return False
    if issues is None:
        found[:], more = found[:MOST], found[MOST:]
        extend(found, more)
        return False
    issues.add(found)
    found.clear()
    return True
