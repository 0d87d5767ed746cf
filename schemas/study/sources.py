"""Where responses come from: files, keys, columns and the factors derived from them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.study.base import Declaration, Identifier

ColumnType = Literal["string", "integer", "number"]


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
    take: dict[Identifier, str]
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


class CodedSource(Declaration):
    """A table of coded responses, one row for `count` equal responses: CSV or Parquet."""

    format: Literal["coded"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to."""
    files: str
    """The file, relative to the data folder."""


Source = Annotated[KeyedJsonSource | CodedSource, Field(discriminator="format")]
