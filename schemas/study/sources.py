"""Where responses come from: files, keys, columns and the factors derived from them."""

from __future__ import annotations

import re
from collections import Counter
from typing import Annotated, Literal

import polars as pl
from pydantic import Field, model_validator

from schemas.study.base import Declaration, Identifier, must_exist

ColumnType = Literal["string", "integer", "number"]

PART = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)(?::(int))?\}")
"""A part of a form of paths or keys that is captured into a column: `{name}`, or `{name:int}` for whole numbers."""


class SourceColumn(Declaration):
    """One column read from a record."""

    path: str
    """The path of the value in the record: keys joined by dots."""
    type: ColumnType = "string"
    """The type the value must have. An integer is also a number."""


class StatusRule(Declaration):
    """A status given to the records in which something is missing."""

    status: Literal["truncated", "refused", "filtered", "empty", "error", "expired", "canceled"]
    """The status given."""
    when_missing: str
    """The path whose absence (or null) means it."""


class Lookup(Declaration):
    """Columns taken from another file at a row position that the record's key names."""

    file: str
    """The CSV file, relative to the data folder; `{column}` stands for a column captured from the path."""
    row: Identifier
    """The captured column that holds the row's position, counted from 0 after the header."""
    take: dict[Identifier, str] = Field(min_length=1)
    """New column -> column of the file."""


class Derivation(Declaration):
    """A column made from another by one rule. No value is left over: what the rule does not cover is an error."""

    source: Identifier = Field(alias="from")
    """The column it is made from."""
    map: dict[str, str] | None = None
    """Value -> new value. A value not listed is an error."""
    extract: str | None = None
    """A regular expression; the new value is its first group. No match is an error."""

    @model_validator(mode="after")
    def _one_rule(self) -> Derivation:
        if (self.map is None) == (self.extract is None):
            raise ValueError("exactly one of 'map' and 'extract'")
        if self.extract is not None:
            try:
                groups = pl.select(pl.lit("").str.extract_groups(self.extract)).to_series().struct.fields
            except pl.exceptions.PolarsError as error:
                told = str(error).partition("\n\nThis error occurred")[0].rpartition("error: ")[2]
                raise ValueError(f"extract {self.extract!r} is no regular expression: {told}") from None
            if not groups:
                raise ValueError(f"extract {self.extract!r} has no group")
        return self


class KeyedJsonSource(Declaration):
    """JSON files that each hold one object: record key -> record."""

    format: Literal["keyed-json"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to; a run reads all sources of one edition."""
    files: str
    """The files, relative to the data folder: a path whose `{column}` parts are captured into columns."""
    key: str
    """The form of a record's key: `{column}` or `{column:int}` parts are captured into columns."""
    columns: dict[Identifier, SourceColumn]
    """Column -> where it stands in the record. A value may be absent."""
    require: tuple[Identifier, ...] = ()
    """Columns that every record must have."""
    extra: Literal["error", "ignore"] = "error"
    """What a value that no column declares is. An error by default: a misspelt name must not look like a refusal."""
    status: tuple[StatusRule, ...] = ()
    """The first rule that fits gives the status; otherwise it is `ok`."""
    lookups: tuple[Lookup, ...] = ()
    derive: dict[Identifier, Derivation] = {}
    """Column -> how it is derived, in this order."""

    @model_validator(mode="after")
    def _names_exist(self) -> KeyedJsonSource:
        """Every column that a rule uses must be made before it, and none twice."""
        captured = self._captured
        made = [*_OWN_COLUMNS, *(name for name, _ in captured), *self.columns]
        must_exist(self.require, self.columns, "require", "column")
        if self.extra == "error":
            for rule in self.status:
                if not any(f"{column.path}.".startswith(f"{rule.when_missing}.") for column in self.columns.values()):
                    raise ValueError(f"status: no column is read from the path {rule.when_missing!r}")
        positions = [name for name, kind in captured if kind == "integer"]
        for lookup in self.lookups:
            must_exist([name for name, _ in PART.findall(lookup.file)], dict(captured), "lookups.file", "captured part")
            must_exist([lookup.row], positions, "lookups.row", "captured whole number")
            made += lookup.take
        if repeated := [name for name, times in Counter(made).items() if times > 1]:
            raise ValueError(f"more than one column {repeated[0]!r}")
        for name, rule in self.derive.items():
            must_exist([rule.source], made, f"derive.{name}.from", "column")
            made.append(name)
        return self

    @property
    def _captured(self) -> list[tuple[str, ColumnType]]:
        return [
            (name, "integer" if kind else "string")
            for form in (self.files, self.key)
            for name, kind in PART.findall(form)
        ]

    @property
    def made(self) -> dict[str, ColumnType]:
        """The columns of the records that are read, with their types."""
        types: dict[str, ColumnType] = dict.fromkeys(_OWN_COLUMNS, "string")
        types |= dict(self._captured)
        types |= {name: column.type for name, column in self.columns.items()}
        for name in (*(new for lookup in self.lookups for new in lookup.take), *self.derive):
            types[name] = "string"
        return types


_OWN_COLUMNS = ("file", "key", "status")
"""Columns that every record has."""


class CodedSource(Declaration):
    """A table of coded responses, one row for `count` equal responses: CSV or Parquet."""

    format: Literal["coded"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to."""
    files: str
    """The file, relative to the data folder."""


Source = Annotated[KeyedJsonSource | CodedSource, Field(discriminator="format")]
