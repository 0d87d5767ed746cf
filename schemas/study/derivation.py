"""Columns made from other columns by a declared rule."""

from __future__ import annotations

import polars as pl
from pydantic import Field, model_validator

from schemas.study.base import Declaration, Identifier, all_faults


class Case(Declaration):
    """A value, and all that must hold of a row for it."""

    value: str
    """The new value."""
    equal: dict[Identifier, str] = Field(default={}, alias="is")
    """Column -> the value it must have."""
    contains: dict[Identifier, str] = {}
    """Column -> a regular expression that must match somewhere in its value (the syntax of Rust's `regex`, as in
    polars: `\\b` is the edge of a word, `(?i)` ignores case)."""

    @model_validator(mode="after")
    @all_faults
    def _some_condition(self) -> Case:
        if not self.equal and not self.contains:
            raise ValueError(
                "at least one of 'is' and 'contains'; a value for all other rows is the rule's 'otherwise'"
            )
        for column, expression in self.contains.items():
            _check_expression(expression, f"contains.{column}")
        return self


class Derivation(Declaration):
    """A column made from others by one rule. No value is left over: what the rule does not cover is an error."""

    source: Identifier | None = Field(default=None, alias="from")
    """The column it is made from. `map`, `extract` and `missing` need it; `cases` name their columns themselves."""
    map: dict[str, str] | None = None
    """Value -> new value. A value not listed is an error, unless there is `otherwise`."""
    extract: str | None = None
    """A regular expression; the new value is its first group. No match is an error, unless there is `otherwise`."""
    cases: tuple[Case, ...] | None = Field(default=None, min_length=1)
    """The first case that fits a row gives its value. A row that none fits is an error, unless there is `otherwise`."""
    missing: str | None = None
    """The value of rows in which the column `from` is missing or empty, whatever the rule says of these."""
    otherwise: str | None = None
    """The value of rows that the rule does not cover."""

    @model_validator(mode="after")
    @all_faults
    def _one_rule(self) -> Derivation:
        if sum(rule is not None for rule in (self.map, self.extract, self.cases)) != 1:
            raise ValueError("exactly one of 'map', 'extract' and 'cases'")
        needs_source = self.cases is None or self.missing is not None
        if needs_source and self.source is None:
            raise ValueError(f"'from' is needed: the column that {self._reader} reads")
        if self.source is not None and not needs_source:
            raise ValueError("'cases' name the columns they read; 'from' is only for 'missing'")
        if self.extract is not None:
            groups = _check_expression(self.extract, "extract")
            if not groups:
                raise ValueError(f"extract {self.extract!r} has no group")
        return self

    @property
    def _reader(self) -> str:
        return "'map'" if self.map is not None else "'extract'" if self.extract is not None else "'missing'"

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the rule reads, each once."""
        read = [name for case in self.cases or () for name in (*case.equal, *case.contains)]
        return tuple(dict.fromkeys([*([] if self.source is None else [self.source]), *read]))


def _check_expression(expression: str, setting: str) -> int:
    """Refuse what is no regular expression; returns how many groups it has."""
    try:
        groups = pl.select(pl.lit("").str.extract_groups(expression)).to_series().struct.fields
    except pl.exceptions.PolarsError as error:
        told = str(error).partition("\n\nThis error occurred")[0].rpartition("error: ")[2]
        raise ValueError(f"{setting} {expression!r} is no regular expression: {told}") from None
    return len(groups)
