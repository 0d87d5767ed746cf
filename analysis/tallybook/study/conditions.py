"""Conditions that rows meet or not: what cases of derivations and filters of sources are made of."""

from __future__ import annotations

import polars as pl
from pydantic import Field, model_validator

from tallybook.study.base import Declaration, Identifier, all_faults


class Conditions(Declaration):
    """What must hold of a row: all of it. A missing value meets no condition but `is_not` and `lacks`."""

    equal: dict[Identifier, str | tuple[str, ...]] = Field(default={}, alias="is")
    """Column -> the value it must have, or several of which it must have one."""
    differ: dict[Identifier, str | tuple[str, ...]] = Field(default={}, alias="is_not")
    """Column -> the value that it must not have, or several of which it must have none."""
    contains: dict[Identifier, str] = {}
    """Column -> a regular expression that must match somewhere in its value (the syntax of Rust's `regex`, as in
    polars: `\\b` is the edge of a word, `(?i)` ignores case)."""
    among: dict[Identifier, Identifier] = {}
    """Column -> the column that must name its value: alone, or in a list as JSON writes it. Case does not matter."""
    lacks: dict[Identifier, str] = {}
    """Column -> a regular expression that must match nowhere in its value."""
    at_least: dict[Identifier, float] = {}
    """Column -> the smallest number it may be. A value that is no number is an error."""
    at_most: dict[Identifier, float] = {}
    """Column -> the largest number it may be. A value that is no number is an error."""

    @model_validator(mode="after")
    @all_faults
    def _some_condition(self) -> Conditions:
        if not self.columns:
            raise ValueError(f"at least one of {', '.join(map(repr, CONDITIONS))}{self._otherwise}")
        for setting, expressions in (("contains", self.contains), ("lacks", self.lacks)):
            for column, expression in expressions.items():
                check_expression(expression, f"{setting}.{column}")
        for setting, values in (("is", self.equal), ("is_not", self.differ)):
            for column, value in values.items():
                if not isinstance(value, str) and not value:
                    raise ValueError(f"{setting}.{column}: no value is named; expected at least one")
        return self

    @property
    def _otherwise(self) -> str:
        """The end of a message, for those who want no condition."""
        return ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the conditions name, each once."""
        named = (self.equal, self.differ, self.contains, self.lacks, self.at_least, self.at_most)
        return tuple(dict.fromkeys([*(column for columns in named for column in columns), *self._listing]))

    @property
    def _listing(self) -> tuple[str, ...]:
        """The columns whose values name others."""
        return (*self.among, *self.among.values())


CONDITIONS = ("is", "is_not", "contains", "among", "lacks", "at_least", "at_most")
"""The settings that are conditions."""


def check_expression(expression: str, setting: str) -> int:
    """Count the groups of a regular expression; a ValueError says why it is invalid."""
    try:
        groups = pl.select(pl.lit("").str.extract_groups(expression)).to_series().struct.fields
    except pl.exceptions.PolarsError as error:
        told = str(error).partition("\n\nThis error occurred")[0].rpartition("error: ")[2]
        raise ValueError(f"{setting} {expression!r} is not a regular expression: {told}") from None
    return len(groups)
