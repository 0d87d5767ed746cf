"""Where responses come from: files, keys, columns and the factors derived from them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, StrictFloat, StrictInt, StrictStr, model_validator

from schemas.study.base import ColumnType, Declaration, Identifier, all_faults, must_exist
from schemas.study.derivation import Derivation
from schemas.study.normalise import NormaliseStep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Delimiter = Literal[",", ";", "\t", "|"]

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
    """Columns taken from another file, where it says what belongs to a record.

    That is a row at a position that a column names, the row that is equal in some columns, or a path of a JSON file.
    """

    file: str
    """The CSV or JSON file, relative to the data folder; `{column}` stands for a column captured from the path."""
    own: bool = False
    """Whether the file is the study's own: relative to the folder of the study file (of a published study: to its
    bundled data), whatever data are read."""
    row: Identifier | None = None
    """The column that holds the row's position, counted from 0 after the header: a whole number."""
    on: dict[Identifier, str] = {}
    """Instead: column of the responses -> column of the file. The row is the one that is equal in all of them."""
    take: dict[Identifier, str] = Field(min_length=1)
    """New column -> column of the file. Of a JSON file the path of the value: keys joined by dots, in which `{column}`
    stands for what the response has there."""

    @property
    def is_json(self) -> bool:
        """Whether values are found by paths rather than in rows."""
        return self.file.lower().endswith(".json")

    @model_validator(mode="after")
    @all_faults
    def _one_way(self) -> Lookup:
        if [self.row is not None, bool(self.on), self.is_json].count(True) != 1:
            raise ValueError("exactly one of 'row' and 'on'; of a JSON file neither, for 'take' are paths")
        return self


class Unfold(Declaration):
    """Columns of a file that differ in one thing, as rows: each row becomes one for each value of it."""

    into: Identifier
    """The new column, which says which of the columns a row has its numbers from."""
    columns: dict[Identifier, str] = Field(min_length=1)
    """New column -> the form of the headers, in which `{into}` stands for the value: `score_{year}`."""
    type: ColumnType = "number"
    """The type the values must have. An empty cell is a missing value."""

    @model_validator(mode="after")
    @all_faults
    def _names_the_column(self) -> Unfold:
        for name, form in self.columns.items():
            if [part for part, _ in PART.findall(form)] != [self.into]:
                raise ValueError(f"unfold.columns.{name}: a form of headers with {{{self.into}}} in it, and no other")
        return self


class KeyedJsonSource(Declaration):
    """JSON files that each hold one object: record key -> record."""

    format: Literal["keyed-json"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to; a run reads all sources of one edition."""
    instrument: Identifier | None = None
    """Which of the study's `instruments` reads its responses; a study with a single `instrument` needs no name."""
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
    """Columns taken from other files at the row that a captured whole number names."""
    derive: dict[Identifier, Derivation] = {}
    """Column -> how it is derived, in this order."""

    @model_validator(mode="after")
    @all_faults
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
            _check_lookup(lookup, list(dict(captured)), positions, "captured whole number", made)
            made += lookup.take
        _check_once(made)
        _check_derivations(self.derive, made)
        return self

    @property
    def _captured(self) -> list[tuple[str, ColumnType]]:
        return [*_captured(self.files), *_captured(self.key)]

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


class CsvColumn(Declaration):
    """One column read from a CSV file. An empty cell is a missing value; in `text` it is an empty answer."""

    path: str
    """The column's header in the file."""
    type: ColumnType = "string"
    """The type the values must have. An integer is also a number."""
    optional: bool = False
    """Whether files may lack the column; its values are then missing."""
    blank: Literal["error", "report", "ignore"] = "ignore"
    """What an empty cell of the column is."""
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, to the texts of the column as they are read: `repair` mends a wrong encoding."""


class Items(Declaration):
    """The list of the items that were asked, as a CSV file of one item a row.

    Responses are matched with it: the column `item` then holds the number of the item's row, counted from 1 after the
    header. A response that is none of the items is an item of its own, `unlisted:FILE#ROW`.
    """

    file: str
    """The file, relative to the data folder."""
    delimiter: Delimiter = ","
    """What separates its columns."""
    on: dict[Identifier, str] = Field(min_length=1)
    """Column of the responses -> column of the file. A response is the item that is equal in all of them."""
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, to every such column on both sides before they are compared."""
    unlisted: Literal["error", "report"] = "error"
    """What a response is that is none of the items."""
    absent: Literal["error", "report", "ignore"] = "error"
    """What an item without a response is."""
    repeated: Literal["error", "report"] = "error"
    """What a row of the list is that equals an earlier one in all compared columns. When reported, the rows are one
    item under the earlier row's number."""
    by: tuple[Identifier, ...] = ("model",)
    """The columns of the responses within each combination of which every item is expected. Combinations without any
    response are not known."""


class CsvSource(Declaration):
    """CSV files with a header and one response a row: UTF-8, fields in double quotes where need be.

    A response's key is its row, counted as a spreadsheet does: the header is row 1. Where quoted fields before it span
    lines, the line is named too. Blank lines are passed over. The status is `ok`, unless a column, a constant or a
    derivation is called `status`.

    What is not as declared is an error. Where a setting is `report`, the study knows of it: it is told as a warning and
    listed in `findings.csv`, and the run goes on.
    """

    format: Literal["csv"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to; a run reads all sources of one edition."""
    instrument: Identifier | None = None
    """Which of the study's `instruments` reads its responses; a study with a single `instrument` needs no name."""
    files: str
    """The files, relative to the data folder: a path whose `{column}` parts are captured into columns. A part takes as
    much as it can: of `{model}_{kind}.csv` and `gpt_4_valid.csv`, `model` is `gpt_4`."""
    delimiter: Delimiter = ","
    """What separates the columns; a tab is written `"\\t"`."""
    columns: dict[Identifier, CsvColumn]
    """Column -> which column of the files it is."""
    require: tuple[Identifier, ...] = ()
    """Columns in which every row must have a value: a short form of `blank = "error"` for each."""
    extra: Literal["error", "report", "ignore"] = "error"
    """What a column of a file is that is not declared."""
    duplicates: Literal["error", "report"] = "error"
    """What a response is whose study key another response has too. When reported, all of them count."""
    constants: dict[Identifier, StrictStr | StrictInt | StrictFloat] = {}
    """Column -> the value that it has in every row."""
    unfold: Unfold | None = None
    """Columns that become rows."""
    lookups: tuple[Lookup, ...] = ()
    """Columns taken from other files."""
    derive: dict[Identifier, Derivation] = {}
    """Column -> how it is derived, in this order."""
    items: Items | None = None
    """The list that says which items were asked; it makes the column `item`."""

    @model_validator(mode="after")
    @all_faults
    def _names_exist(self) -> CsvSource:
        """Every column that a setting uses must be made before it, and none twice."""
        must_exist(self.require, self.columns, "require", "column")
        for name in self.require:
            if self.columns[name].optional:
                raise ValueError(f"require: column {name!r} is optional")
        own = ("file", "key", "position", "response_id")
        captured = [name for name, _ in _captured(self.files)]
        unfolded = [self.unfold.into, *self.unfold.columns] if self.unfold else []
        made = [*captured, *self.columns, *self.constants, *unfolded]
        whole = [name for name in made if self.made[name] == "integer"]
        for lookup in self.lookups:
            _check_lookup(lookup, captured, whole, "whole number", made)
            made += lookup.take
        _check_once([*own, *made, *(["item"] if self.items else [])])
        readable = ["file", "key", *made]
        _check_derivations(self.derive, readable)
        for name in (*own, *(["item"] if self.items else [])):
            if name in self.derive:
                raise ValueError(f"more than one column {name!r}")
        if self.items is not None:
            must_exist(self.items.on, readable, "items.on", "column")
            must_exist(self.items.by, readable, "items.by", "column")
        if self.made.get("count", "integer") != "integer":
            raise ValueError("column 'count' says how many responses a row stands for: its type must be 'integer'")
        return self

    @property
    def made(self) -> dict[str, ColumnType]:
        """The columns of the responses that are read, with their types."""
        types: dict[str, ColumnType] = dict.fromkeys(_OWN_COLUMNS, "string")
        types |= dict(_captured(self.files))
        types |= {name: column.type for name, column in self.columns.items()}
        types |= {name: _type_of(value) for name, value in self.constants.items()}
        if self.unfold is not None:
            types[self.unfold.into] = "string"
            types |= dict.fromkeys(self.unfold.columns, self.unfold.type)
        types |= dict.fromkeys((new for lookup in self.lookups for new in lookup.take), "string")
        types |= dict.fromkeys((*self.derive, *(["item"] if self.items else [])), "string")
        return types


class CodedSource(Declaration):
    """A table of coded responses, one row for `count` equal responses: CSV or Parquet."""

    format: Literal["coded"]
    edition: Identifier = "data"
    """Which edition of the data the source belongs to."""
    files: str
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


ResponseSource = KeyedJsonSource | CsvSource
"""A source of responses that are yet to be coded."""
Source = Annotated[KeyedJsonSource | CsvSource | CodedSource, Field(discriminator="format")]


def _captured(form: str) -> list[tuple[str, ColumnType]]:
    """The columns that a form of paths or keys captures, with their types."""
    return [(name, "integer" if kind else "string") for name, kind in PART.findall(form)]


def _type_of(constant: str | float) -> ColumnType:
    return "string" if isinstance(constant, str) else "integer" if isinstance(constant, int) else "number"


def _check_lookup(
    lookup: Lookup, captured: Sequence[str], whole: Sequence[str], whole_kind: str, made: Sequence[str]
) -> None:
    """Check that a lookup reads what is made before it."""
    must_exist([name for name, _ in PART.findall(lookup.file)], captured, "lookups.file", "captured part")
    if lookup.row is not None:
        must_exist([lookup.row], whole, "lookups.row", whole_kind)
    must_exist(lookup.on, made, "lookups.on", "column")
    if lookup.is_json:
        named = [name for path in lookup.take.values() for name, _ in PART.findall(path)]
        must_exist(named, made, "lookups.take", "column")


def _check_once(made: list[str]) -> None:
    if repeated := [name for name, times in Counter(made).items() if times > 1]:
        raise ValueError(f"more than one column {repeated[0]!r}")


def _check_derivations(derive: Mapping[str, Derivation], made: list[str]) -> None:
    """Check that derivations read what is made before them, and add what they make."""
    for name, rule in derive.items():
        must_exist([rule.source] if rule.source else [], made, f"derive.{name}.from", "column")
        must_exist([column for column in rule.columns if column != rule.source], made, f"derive.{name}.cases", "column")
        made.append(name)
