"""Declarations of conditions on rows, text normalisation, and columns derived from other columns."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal

import polars as pl
from pydantic import Field

from tallybook.study.arithmetic import Arithmetic
from tallybook.study.base import BRACED, Characters, ColumnType, Declaration, Identifier, Several

CONDITIONS = ("is", "is_not", "contains", "among", "lacks", "at_least", "at_most")
"""The settings of `Conditions` that are conditions."""
_RULES = ("map", "extract", "bands", "combine", "compute", "pick", "cases")
_NAMING = ("combine", "compute", "pick", "cases")
"""The rules that contain the names of the columns they read."""


class Conditions(Declaration):
    """Conditions that a row must meet, all of them. A missing value meets no condition but `is_not` and `lacks`."""

    equal: dict[Identifier, Several] = Field(default={}, alias="is")
    """Column -> the value it must have, or several of which it must have one."""
    differ: dict[Identifier, Several] = Field(default={}, alias="is_not")
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

    def _check_itself(self) -> None:
        if not self.columns:
            raise ValueError(f"at least one of {', '.join(map(repr, CONDITIONS))}{self._otherwise}")
        for setting, expressions in (("contains", self.contains), ("lacks", self.lacks)):
            for column, expression in expressions.items():
                check_expression(expression, f"{setting}.{column}")
        for setting, values in (("is", self.equal), ("is_not", self.differ)):
            for column, value in values.items():
                if not value:
                    raise ValueError(f"{setting}.{column}: no value is named; expected at least one")

    @property
    def _otherwise(self) -> str:
        """The end of the error message for a declaration without any condition."""
        return ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The distinct columns that the conditions name."""
        named = (self.equal, self.differ, self.contains, self.lacks, self.at_least, self.at_most)
        listing = (*self.among, *self.among.values())
        return tuple(dict.fromkeys([*(column for columns in named for column in columns), *listing]))


def check_expression(expression: str, setting: str) -> int:
    """Return the number of groups in a regular expression; raise a ValueError that explains why it is invalid."""
    try:
        groups = pl.select(pl.lit("").str.extract_groups(expression)).to_series().struct.fields
    except pl.exceptions.PolarsError as error:
        told = str(error).partition("\n\nThis error occurred")[0].rpartition("error: ")[2]
        raise ValueError(f"{setting} {expression!r} is not a regular expression: {told}") from None
    return len(groups)


class NormaliseStep(Declaration):
    """One step that makes a text comparable; exactly one of the settings."""

    lower_case: Literal[True] | None = None
    """Write it in lower case."""
    trim: Literal[True] | None = None
    """Remove white space at both ends."""
    strip_start: Characters | None = None
    """Remove any of these characters at the start."""
    cut_at: Characters | None = None
    """Cut the text off at the first of these characters."""
    delete: Characters | None = None
    """Delete every one of these characters."""
    replace: tuple[Characters, str] | None = None
    """Replace a text by another."""
    repair: Literal["mac-roman"] | None = None
    """Undo that UTF-8 was read as this encoding. A text of which that cannot be true is left as it is."""

    def _check_itself(self) -> None:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one setting a step")


class Case(Conditions):
    """A value, and all that must hold of a row for it."""

    value: str
    """The new value."""

    @property
    def _otherwise(self) -> str:
        return "; a value for all other rows is the rule's 'otherwise'"


class Derivation(Declaration):
    """A column made from others by one rule. No value is left over: what the rule does not cover is an error."""

    source: Identifier | None = Field(default=None, alias="from")
    """The column it is made from. `map`, `extract`, `bands` and `missing` need it; other rules name their columns
    themselves."""
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, to the values of the column `from` before the rule: `[{ trim = true }, { lower_case =
    true }]`."""
    map: dict[str, str] | None = None
    """Value -> new value. A value not listed is an error, unless there is `otherwise`."""
    extract: str | None = None
    """A regular expression; the new value is its first group. No match is an error, unless there is `otherwise`."""
    bands: dict[str, float] | None = Field(default=None, min_length=1)
    """New value -> the number at which its band begins, rising; it ends before the next one begins: `{ young = 18, old
    = 65 }`. A smaller number, or what is no number, is an error, unless there is `otherwise`."""
    combine: str | None = None
    """A text in which `{column}` stands for what the row has there: `"{gender}, {age_group}"`. Where one of the columns
    is missing the new value is, too."""
    compute: str | None = None
    """Arithmetic of columns, a number: `"logprob_a - logprob_b"`, `"mean(first, second)"`, `"log(a / b)"`. There are
    numbers, + - * / **, parentheses, abs, exp, log, log2, log10, sqrt, max, mean, min and sum; `{a-b}` is a column
    whose name is no word. Where a column is missing the new value is, too; what is no number, and a result that does
    not exist (the logarithm of 0), is an error, unless there is `otherwise`."""
    pick: str | None = None
    """The form of a column's name, in which `{column}` stands for what the row has there: the new value is what it has
    in the column of that name, `"answer_{label}"`. A name of no column is an error, unless there is `otherwise`."""
    cases: tuple[Case, ...] | None = Field(default=None, min_length=1)
    """The first case that fits a row gives its value. A row that none fits is an error, unless there is `otherwise`."""
    missing: str | None = None
    """The value of rows in which the column `from` is missing or empty, whatever the rule says of these."""
    otherwise: str | None = None
    """The value of rows that the rule does not cover; "" leaves them without one."""

    def _check_itself(self) -> None:
        if sum(getattr(self, rule) is not None for rule in _RULES) != 1:
            raise ValueError(f"exactly one of {', '.join(map(repr, _RULES[:-1]))} and {_RULES[-1]!r}")
        names_columns = self.rule in _NAMING
        if self.source is None and (not names_columns or self.missing is not None):
            raise ValueError(f"'from' is needed: the column that {'missing' if names_columns else self.rule!r} reads")
        if self.source is not None and names_columns and self.missing is None:
            told = "'cases' name the columns they read" if self.cases else f"{self.rule!r} names the columns it reads"
            raise ValueError(f"{told}; 'from' is only for 'missing'")
        if self.normalise and names_columns:
            raise ValueError("normalise: its steps are for the column 'from' of 'map', 'extract' or 'bands'")
        if self.extract is not None and not check_expression(self.extract, "extract"):
            raise ValueError(f"extract {self.extract!r} has no group")
        self._check_bands()
        for name in ("combine", "pick"):
            if (form := getattr(self, name)) is not None and not BRACED.search(form):
                raise ValueError(f"{name}: {form!r} names no column; expected text with {{column}} in it")
        if self.compute is not None:
            self._check_arithmetic(self.compute)

    def _check_arithmetic(self, text: str) -> None:
        try:
            Arithmetic(text)
        except ValueError as fault:
            raise ValueError(f"compute: {fault}") from None
        for setting in ("otherwise", "missing"):
            try:
                float(getattr(self, setting) or "0")
            except ValueError:
                value = getattr(self, setting)
                raise ValueError(f"{setting}: {value!r} is not a number; 'compute' makes numbers") from None

    def _check_bands(self) -> None:
        for (lower, start), (upper, end) in pairwise((self.bands or {}).items()):
            if end <= start:
                raise ValueError(f"bands.{upper}: {end:g} does not lie above {start:g}, where {lower!r} begins")

    @property
    def columns(self) -> tuple[str, ...]:
        """The distinct columns that the rule reads."""
        read = [name for case in self.cases or () for name in case.columns]
        read += BRACED.findall(self.combine or self.pick or "")
        read += Arithmetic(self.compute).columns if self.compute is not None else ()
        return tuple(dict.fromkeys([*([] if self.source is None else [self.source]), *read]))

    @property
    def rule(self) -> str:
        """The name of the rule."""
        return next(rule for rule in _RULES if getattr(self, rule) is not None)

    @property
    def type(self) -> ColumnType:
        """The type of the derived column."""
        return "string" if self.compute is None else "number"

    def picks(self, column: str) -> bool:
        """Return whether `pick` could select a column of this name."""
        pieces = [re.escape(text) for text in BRACED.split(self.pick or "")[::2]]
        return re.fullmatch(".+".join(pieces), column) is not None
