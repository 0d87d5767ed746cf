"""Declarations of sources of responses: records, keyed JSON, or tables of coded responses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tallybook.study.base import ColumnType, DataPath, Declaration, Identifier, require_declared
from tallybook.study.record_sources import RecordSource
from tallybook.study.source_base import (
    OWN_COLUMNS,
    ResponseFiles,
    captured_parts,
    check_derivations,
    check_lookup,
    check_once,
)

if TYPE_CHECKING:
    from tallybook.study.model import Study


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


class KeyedJsonSource(ResponseFiles):
    """JSON files that each hold one object: record key -> record."""

    format: Literal["keyed-json"]
    files: DataPath
    """The files, relative to the data folder: a path whose `{column}` parts are captured into columns."""
    key: str
    """The form of a record's key: `{column}` or `{column:int}` parts are captured into columns."""
    columns: dict[Identifier, SourceColumn]
    """Column -> where it stands in the record. A value may be absent."""
    extra: Literal["error", "ignore"] = "error"
    """How a value that no column declares is treated. An error by default: a misspelt name must not look like a
    refusal."""
    status: tuple[StatusRule, ...] = ()
    """The first rule that fits gives the status; otherwise it is `ok`."""

    def _check_itself(self) -> None:
        """Check that every column is created only once, and before it is used."""
        captured = self._captured
        made = [*OWN_COLUMNS, *(name for name, _ in captured), *self.columns]
        require_declared(self.require, self.columns, "require", "column")
        if self.extra == "error":
            for rule in self.status:
                if not any(f"{column.path}.".startswith(f"{rule.when_missing}.") for column in self.columns.values()):
                    raise ValueError(f"status: no column is read from the path {rule.when_missing!r}")
        positions = [name for name, kind in captured if kind == "integer"]
        for lookup in self.lookups:
            check_lookup(lookup, list(dict(captured)), positions, made)
            made += lookup.take
        check_once(made)
        check_derivations(self.derive, made)
        require_declared(self.keep.columns if self.keep else (), made, "keep", "column")

    @property
    def forms(self) -> tuple[str, ...]:
        """The path patterns of the files."""
        return (self.files,)

    @property
    def _captured(self) -> list[tuple[str, ColumnType]]:
        return [*captured_parts(self.files), *captured_parts(self.key)]

    @property
    def made(self) -> dict[str, ColumnType]:
        """The columns of the records that are read, with their types."""
        types: dict[str, ColumnType] = dict.fromkeys(OWN_COLUMNS, "string")
        types |= dict(self._captured)
        types |= {name: column.type for name, column in self.columns.items()}
        return types | self._made_later


class CodedSource(Declaration):
    """A table of coded responses, one row for `count` equal responses: CSV or Parquet."""

    format: Literal["coded"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to."""
    files: DataPath
    """The file, relative to the data folder."""
    own: bool = False
    """Whether the file is the study's own: relative to the folder of the study file (of a published study: to its
    bundled data), whatever data are read."""
    items: bool = True
    """Whether its rows say which item they answer. Without items, equal answers to different items are one row: a
    smaller table, from which no statistic of items can be computed."""
    constants: dict[Identifier, str] = {}
    """Factor -> the level that all its rows have."""
    outcomes: tuple[Identifier, ...] | None = None
    """The outcomes that it holds; all by default."""

    def check(self, study: Study, place: str) -> None:
        """Raise an error for undeclared factors, levels or outcomes."""
        require_declared(self.constants, study.factors, f"{place}.constants", "factor")
        for name, level in self.constants.items():
            require_declared([level], study.factors[name].levels, f"{place}.constants.{name}", "level")
        require_declared(self.outcomes or (), study.outcomes, f"{place}.outcomes", "outcome")

    @property
    def forms(self) -> tuple[str, ...]:
        """The path pattern of the file."""
        return (self.files,)


ResponseSource = KeyedJsonSource | RecordSource
"""A source of responses that have yet to be coded."""


Source = Annotated[KeyedJsonSource | RecordSource | CodedSource, Field(discriminator="format")]
