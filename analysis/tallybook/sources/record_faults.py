"""Report problems with the columns and cells of a file of records, however many parts it was read in."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, repeat
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.issue_log import MOST, Findings, extend
from tallybook.core.wording import suggestion
from tallybook.sources.patterns import Pattern
from tallybook.sources.values import WORDS

if TYPE_CHECKING:
    from collections.abc import Container

    from tallybook.core.issue_log import Tolerated
    from tallybook.core.spill_buffer import RowStore
    from tallybook.sources.content import Content
    from tallybook.study.record_sources import RecordSource
    from tallybook.study.source_base import Lookup


_FEW = 32
"""How many wrong cells of a column a strict run keeps at least."""


class Header:
    """The columns of a file whose records may differ in their columns.

    Attributes:
        paths: The declared columns.
        seen: The columns that were found, in their order.
        repeated: Declared columns that records have more than once.
    """

    def __init__(self, source: RecordSource, content: Content) -> None:
        self._declared = {column.path: column.optional for column in source.columns.values()}
        self._content = content
        forms = () if source.unfold is None else source.unfold.columns.values()
        self._unfolded = [Pattern.parse(form) for form in forms]
        self.paths = [*self._declared, *(source.unfold.paths if source.unfold else ())]
        self.seen: dict[str, None] = {}
        self.repeated: list[Problem] = []

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
        places = enumerate(self.seen, start=1)
        extra = [path or f"column {place}" for place, path in places if not self._is_declared(path)]
        return [self._content.fault("", path, "", expected) for path in extra]

    def _is_declared(self, path: str) -> bool:
        return path in self._declared or any(pattern.match(path) for pattern in self._unfolded)


class Told:
    """Faults of the cells of a file, column by column."""

    def __init__(self, source: RecordSource, *, is_strict: bool, beside: RowStore | None = None) -> None:
        """Begin a file; of a strict run's very many wrong cells the first are kept, and the others counted."""
        self._source = source
        self._most = max(_FEW, MOST // max(1, len(source.columns))) if is_strict else None
        self._wrong: dict[str, list[Problem]] = {column: [] for column in source.columns}
        self._blank: dict[str, list[Problem]] = {column: [] for column in source.columns}
        self._reported = {column: Findings(beside=beside) for column in source.columns}
        self._lacking: dict[str, list[pl.Series]] = {column: [] for column in source.columns}
        self._not_unfolded: list[Problem] = []
        self._not_found: list[list[Problem]] = [[] for _ in source.lookups]
        self._underived: dict[str, list[Problem]] = {column: [] for column in source.derive}
        self._values: dict[str, set[int]] = {}
        self._not_compared: dict[tuple[str, str], Problem] = {}

    def cells(self, column: str, name: str, keys: pl.Series, text: pl.Series, values: pl.Series) -> None:
        """Add the cells of a column that are of a wrong type or blank."""
        if not values.null_count() and not text.null_count():
            return
        declared = self._source.columns[column]
        wrong = values.is_null() & text.is_not_null()
        place = (name, declared.path, WORDS[declared.type])
        self._add(self._wrong[column], place, keys.filter(wrong), text.filter(wrong))
        self._without(column, name, keys.filter(text.is_null()))

    def lacking(self, column: str, name: str, keys: pl.Series) -> None:
        """Add records without a column: cells that are blank, if other records of the file have it."""
        self._lacking[column] += [] if self._severity(column) == "ignore" else [keys.alias(name)]

    def found(self, seen: Container[str]) -> None:
        """Tell of records without columns that others have, however the file was cut into parts."""
        for column, lacking in self._lacking.items():
            if lacking and self._source.columns[column].path in seen:
                for keys in lacking:
                    self._without(column, keys.name, keys)
                lacking.clear()

    def _without(self, column: str, name: str, keys: pl.Series) -> None:
        """Add blank cells, if they matter."""
        place = (name, self._source.columns[column].path, "a value")
        if self._severity(column) == "error":
            self._add(self._blank[column], place, keys, None)
        elif self._severity(column) == "report" and keys.len():
            file, path, expected = place
            cells = {"file": file, "key": keys, "column": path, "value": "", "expected": expected, "check": ""}
            self._reported[column].extend(pl.DataFrame(cells, schema=dict.fromkeys(cells, pl.String)))

    def _add(self, kept: list[Problem], place: tuple[str, str, str], keys: pl.Series, values: pl.Series | None) -> None:
        """Add cells to those of a column; those that are not kept are counted by the last one."""
        file, path, expected = place
        room = keys.len() if self._most is None else max(0, self._most - len(kept))
        texts = repeat("") if values is None else values.head(room)
        kept += [Problem(file, key, path, value, expected) for key, value in zip(keys.head(room), texts, strict=False)]
        if rest := keys.len() - min(room, keys.len()):
            kept[-1] = replace(kept[-1], count=kept[-1].count + rest)

    def _gather(self, kept: list[Problem], more: list[Problem]) -> None:
        if self._most is None:
            kept += more
        else:
            extend(kept, more)

    def put_away(self, tolerated: Tolerated) -> None:
        """Tell of what stops, if it is much, without waiting for the end of the file."""
        of_cells = (*self._wrong.values(), *self._blank.values())
        for kinds in (of_cells, (self._not_unfolded, *self._not_found, *self._underived.values())):
            if sum(map(len, kinds)) > MOST:
                tolerated.add(self._cells() if kinds is of_cells else chain(*kinds))
                for kind in kinds:
                    kind.clear()

    def not_unfolded(self, faults: list[Problem]) -> None:
        """Add the cells of unfolded columns that have a wrong type; a pattern without a column is reported once."""
        known = set(self._not_unfolded)
        self._gather(self._not_unfolded, [fault for fault in faults if fault not in known])

    def not_found(self, lookup: Lookup, faults: list[Problem]) -> None:
        """Add values that a lookup lacks; problems with its file are reported once."""
        told = self._not_found[self._source.lookups.index(lookup)]
        known = set(told)
        self._gather(told, [fault for fault in faults if fault not in known])

    def underived(self, column: str, faults: list[Problem]) -> None:
        """Add the values from which a column cannot be derived, each once."""
        known = self._values.setdefault(column, set[int]())
        self._gather(self._underived[column], [fault for fault in faults if hash(fault.value) not in known])
        known.update(hash(fault.value) for fault in faults)

    def not_compared(self, faults: list[Problem]) -> None:
        """Add the values that conditions cannot be compared with, each once."""
        for fault in faults:
            self._not_compared.setdefault((fault.column, fault.value), fault)

    @property
    def problems(self) -> list[Problem]:
        """The faults that stop a run."""
        made = (*self._not_found, *self._underived.values(), self._not_compared.values())
        return [*self._cells(), *chain(self._not_unfolded, *made)]

    def _cells(self) -> list[Problem]:
        """The cells that stop."""
        return [*chain(*([*self._wrong[column], *self._blank[column]] for column in self._source.columns))]

    def report(self, findings: Findings) -> None:
        """Add the faults that the study declares as known, column by column."""
        for of_column in self._reported.values():
            findings.extend(of_column)

    def _severity(self, column: str) -> str:
        """Get the severity of a blank cell of a column."""
        return "error" if column in self._source.require else self._source.columns[column].blank
