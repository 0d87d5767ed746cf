"""Declared conditions on rows as expressions, problems of values they cannot compare, and counts of excluded rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import polars as pl

from tallybook.core.errors import Problem
from tallybook.sources.values import finite, uncovered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tallybook.sources.records import Records
    from tallybook.study.derivation import Conditions
    from tallybook.study.record_sources import RecordColumn, RecordSource
    from tallybook.study.sources import KeyedJsonSource

_Value = TypeVar("_Value")


def fits(conditions: Conditions, columns: Collection[str] | None = None) -> pl.Expr:
    """Build an expression for whether rows meet all conditions; missing values meet only `is_not` and `lacks`.

    >>> from tallybook.study.derivation import Conditions
    >>> adults = Conditions.model_validate({"at_least": {"age": 18}, "is_not": {"language": ["de", "fr"]}})
    >>> rows = pl.DataFrame({"age": [18, 17, 40, None], "language": ["en", "en", "de", "en"]})
    >>> rows.select(fits(adults)).to_series().to_list()
    [True, False, False, False]
    """
    met = [_text(column).is_in(values) for column, values in _of(columns, conditions.equal)]
    met += [_text(column).str.contains(expression) for column, expression in _of(columns, conditions.contains)]
    met += [_is_named(column, listing) for column, listing in _of(columns, conditions.among)]
    met += [finite(pl.col(column)) >= limit for column, limit in _of(columns, conditions.at_least)]
    met += [finite(pl.col(column)) <= limit for column, limit in _of(columns, conditions.at_most)]
    violated = [_text(column).is_in(values) for column, values in _of(columns, conditions.differ)]
    violated += [_text(column).str.contains(expression) for column, expression in _of(columns, conditions.lacks)]
    held = [condition.fill_null(value=False) for condition in met]
    held += [~condition.fill_null(value=False) for condition in violated]
    return pl.all_horizontal(pl.lit(value=True), *held)


def non_numeric_problems(
    frame: pl.DataFrame, conditions: Conditions, columns: Collection[str] | None = None
) -> list[Problem]:
    """Return a problem for each value that a condition compares with a number and that is not one."""
    compared = dict.fromkeys([*conditions.at_least, *conditions.at_most])
    chosen = [column for column in compared if columns is None or column in columns]
    wrong = {column: pl.col(column).is_not_null() & finite(pl.col(column)).is_null() for column in chosen}
    return [
        problem
        for column, fault in wrong.items()
        for problem in uncovered(frame.filter(fault), column, "a number, which a condition compares")
    ]


def _of(columns: Collection[str] | None, setting: Mapping[str, _Value]) -> list[tuple[str, _Value]]:
    return [(column, value) for column, value in setting.items() if columns is None or column in columns]


def _is_named(column: str, listing: str) -> pl.Expr:
    """Build an expression for whether the other column equals a column's value or lists it, ignoring case."""
    value, names = _text(column).str.to_lowercase(), _text(listing).str.to_lowercase()
    return (names == value) | names.str.contains(pl.format('"{}"', value), literal=True)


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


class LeftOut(NamedTuple):
    """The numbers of responses that a source has and that its conditions exclude."""

    files: str  # the pattern of its files
    read: int  # the number of responses in them
    left_out: int  # the number of responses that are excluded

    @property
    def problems(self) -> list[Problem]:
        """The problem that the conditions exclude every response, if so."""
        if not self.read or self.left_out < self.read:
            return []
        told = f"a response in {self.files} that 'keep' keeps ({self.read:,} are left out)"
        return [Problem("", "", "", "", told)]


class Filter:
    """Filter the rows of a source by its `keep` conditions, part by part."""

    def __init__(self, source: KeyedJsonSource | RecordSource) -> None:
        self._keep = source.keep
        self._files = " or ".join(source.forms)
        made_late = {*source.derive, *(name for lookup in source.lookups for name in lookup.take)}
        named = () if source.keep is None else source.keep.columns
        self._early = [column for column in named if column not in made_late]
        self._late = [column for column in named if column in made_late]
        self._read = self._left_out = 0

    def excludes(self, part: Records, columns: Mapping[str, RecordColumn]) -> pl.Series | None:
        """Return which records conditions on texts exclude, whose other cells may be of any type."""
        named = [] if self._keep is None else [*self._keep.equal, *self._keep.contains]
        paths = {name: columns[name].path for name in named if name in columns and columns[name].path in part.header}
        if self._keep is None or not paths:
            return None
        return (
            pl.DataFrame({name: part.column(path) for name, path in paths.items()})
            .select(~fits(self._keep, [*paths]))
            .to_series()
        )

    def before(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
        """Filter rows by columns that exist before lookups and derivations."""
        if self._keep is not None:
            self._read += _responses(frame)
        return self._kept(frame, self._early)

    def after(self, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[Problem]]:
        """Filter rows by columns that were looked up or derived."""
        return self._kept(frame, self._late)

    def _kept(self, frame: pl.DataFrame, columns: list[str]) -> tuple[pl.DataFrame, list[Problem]]:
        if self._keep is None or not columns:
            return frame, []
        kept = frame.filter(fits(self._keep, columns))
        self._left_out += _responses(frame) - _responses(kept)
        return kept, non_numeric_problems(frame, self._keep, columns)

    @property
    def counted(self) -> list[LeftOut]:
        """The counts of excluded responses; empty for a source without conditions."""
        return [] if self._keep is None else [LeftOut(self._files, self._read, self._left_out)]

    @property
    def problems(self) -> list[Problem]:
        """The problem that the conditions exclude every response, if so."""
        return [problem for one in self.counted for problem in one.problems]


def _responses(frame: pl.DataFrame) -> int:
    """Return the number of responses that rows stand for."""
    return int(frame.get_column("count").fill_null(1).sum()) if "count" in frame.columns else frame.height
