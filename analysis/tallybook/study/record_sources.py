"""Declarations of files with one response per record: tables, JSON, and the files of evaluation tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field, StrictFloat, StrictInt, StrictStr

from tallybook.study.base import ColumnType, DataPath, Declaration, Delimiter, Identifier, require_declared
from tallybook.study.derivation import NormaliseStep
from tallybook.study.format_base import own_formats
from tallybook.study.source_base import (
    OWN_COLUMNS,
    PART,
    Lookup,
    ResponseFiles,
    captured_parts,
    check_derivations,
    check_lookup,
    check_once,
)

if TYPE_CHECKING:
    RecordFormat = str
else:
    RecordFormat = Literal["auto", *(one.name for one in own_formats() if one.is_declared), "plugin"]
"""The format of the files: one that Tallybook reads, or one that an installed package brings."""

Encoding = Literal["utf-8", "utf-16", "windows-1252", "iso-8859-1"]
"""The encodings of text files. Spreadsheet programs write CSV files in Windows-1252 unless UTF-8 is selected."""

FormatName = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+$")]
"""The name of a format from an installed package."""

Row = Annotated[StrictInt, Field(ge=1)]
"""The number of a row, counted from 1."""

FileForm = Annotated[DataPath, Field(min_length=1)]
"""A pattern of paths, whose parts can be captured."""


_OF_FORMATS = {
    "delimiter": ("csv",),
    "encoding": ("csv", "tsv", "jsonl", "json", "text"),
    "sheet": ("excel",),
    "header": ("csv", "tsv", "excel"),
    "table": ("sqlite", "duckdb"),
}
"""Setting -> the formats of files that it applies to, besides `auto`."""


class RecordColumn(Declaration):
    """One column read from records. An empty cell is a missing value; in `text` it is an empty answer."""

    path: str
    """The column's name in the files: a header, or of JSON the names that lead to the value, joined by dots. A whole
    number takes an element of a list, counted from 0: `choices.0.message.content`; a role takes the last message of it:
    `messages.assistant.content`."""
    type: ColumnType = "string"
    """The type the values must have. An integer is also a number."""
    optional: bool = False
    """Whether files may lack the column; its values are then missing."""
    blank: Literal["error", "report", "ignore"] = "ignore"
    """How an empty cell of the column counts."""
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, to the texts of the column as they are read: `repair` mends a wrong encoding."""


if TYPE_CHECKING:
    Column = RecordColumn
else:
    Column = Annotated[
        RecordColumn | str, AfterValidator(lambda given: RecordColumn(path=given) if isinstance(given, str) else given)
    ]
"""A column with its settings, or its path alone."""


class Unfold(Declaration):
    """Columns of a file that differ in one thing, as rows: each row becomes one for each value of it."""

    into: Identifier
    """The new column, which says which of the columns a row has its numbers from."""
    columns: dict[Identifier, str] = Field(min_length=1)
    """New column -> the form of the headers, in which `{into}` stands for the value: `score_{year}`. `{sample:int}`
    stands for whole numbers alone; `{model}` and nothing else for every column that is not declared."""
    values: tuple[StrictStr | StrictInt, ...] | None = Field(default=None, min_length=1)
    """The values that are wanted; by default all that the headers have. Elements of lists in JSON are found only by
    values: of `answers.{sample:int}` the values 0, 1, 2."""
    elements: Identifier | None = None
    """The new column of the places in a list, counted from 0, where a cell of `text` holds a list of answers: each is a
    row."""
    type: ColumnType = "number"
    """The type the values must have. An empty cell is a missing value; in `text` it is an empty answer."""

    def _check_itself(self) -> None:
        for name, form in self.columns.items():
            if [part for part, _ in PART.findall(form)] != [self.into]:
                raise ValueError(f"unfold.columns.{name}: a form of headers with {{{self.into}}} in it, and no other")
        if "text" in self.columns and self.type != "string":
            raise ValueError("unfold.columns.text: answers are texts; expected type = 'string'")
        if self.elements is not None and [*self.columns] != ["text"]:
            raise ValueError("unfold.elements: lists of answers; expected columns = { text = ... } and no other")

    @property
    def made(self) -> dict[str, ColumnType]:
        """The new columns, with their types."""
        made: dict[str, ColumnType] = {self.into: self.into_type}
        made |= dict.fromkeys(self.columns, self.type)
        if self.elements is not None:
            made[self.elements] = "integer"
        return made

    @property
    def into_type(self) -> ColumnType:
        """The type of the new column `into`."""
        parts = [kind for form in self.columns.values() for _, kind in captured_parts(form)]
        return "integer" if set(parts) == {"integer"} else "string"

    @property
    def paths(self) -> list[str]:
        """The headers of the columns to unfold, for the values that are listed."""
        return [PART.sub(str(value), form) for form in self.columns.values() for value in self.values or ()]


class Items(Declaration):
    """The list of the items that were asked, as a CSV file of one item a row.

    Responses are matched with it: the column `item` then holds the number of the item's row, counted from 1 after the
    header. A response that is none of the items is an item of its own, `unlisted:FILE#ROW`.
    """

    file: DataPath
    """The file, relative to the data folder."""
    delimiter: Delimiter = ","
    """The delimiter of its columns."""
    on: dict[Identifier, str] = Field(min_length=1)
    """Column of the responses -> column of the file. A response is the item that is equal in all of them."""
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, to every such column on both sides before they are compared."""
    unlisted: Literal["error", "report"] = "error"
    """How a response to none of the items is treated."""
    absent: Literal["error", "report", "ignore"] = "error"
    """How an item without a response is treated."""
    repeated: Literal["error", "report"] = "error"
    """How a row of the list that equals an earlier one in all compared columns is treated. When reported, the rows are
    one item under the earlier row's number."""
    by: tuple[Identifier, ...] = ("model",)
    """The columns of the responses within each combination of which every item is expected. Combinations without any
    response are not known."""


class RecordSource(ResponseFiles):
    """Files of records, a response each: tables, JSON, and the files that evaluation tools write.

    A response's key says where it stands: `row 2` as a spreadsheet counts (the header is row 1; where quoted fields
    before it span lines, the line is named too), `line 7` of JSON lines, `record 3` of a JSON array. Blank lines are
    passed over. The status is `ok`, unless a column, a constant or a derivation is called `status`. Files may be
    compressed (gzip, zstd).

    What is not as declared is an error. Where a setting is `report`, the study knows of it: it is told as a warning and
    listed in `findings.csv`, and the run goes on.
    """

    format: RecordFormat
    """The format of the files; `auto` detects each file's format by its content."""
    plugin: FormatName | None = None
    """The format that an installed package brings, as its entry point is called: `package.format`."""
    files: FileForm | Annotated[tuple[FileForm, ...], Field(min_length=1)]
    """The files, relative to the data folder: a path, or several, whose `{column}` parts are captured into columns. A
    part takes as much as it can: of `{model}_{kind}.csv` and `gpt_4_valid.csv`, `model` is `gpt_4`. `*` stands for
    anything in a name, `**/` for folders however deep."""
    delimiter: Delimiter | None = None
    """The delimiter of CSV files, by default a comma (for `auto`, what their first lines suggest). A tab
    is written `"\\t"`."""
    encoding: Encoding = "utf-8"
    """The encoding of text files: CSV, JSON, plain text."""
    sheet: str | None = None
    """The sheet of spreadsheets; by default the only one that holds anything. `*` reads all that have the same headers,
    with the sheet's name in the column `sheet`."""
    header: Row | tuple[Row, Row] = 1
    """The row of the headers of CSV files and spreadsheets; what stands above it is passed over. `[1, 2]`: the headers
    stand in row 2, and where several are the same or blank, row 1 says of what: `gpt-4o`, over the columns `answer` and
    `time`, makes `gpt-4o answer` and `gpt-4o time`. `[1, 3]`: rows 1 and 2 say it together."""
    table: str | None = None
    """The table of databases; by default the only table that holds anything."""
    columns: dict[Identifier, Column]
    """Column -> which column of the files it is."""
    extra: Literal["error", "report", "ignore"] = "error"
    """How a column of a file that is not declared is treated."""
    duplicates: Literal["error", "report"] = "error"
    """How a response whose study key another response has too is treated. When reported, all of them count."""
    failed_texts: Literal["keep", "error"] = "keep"
    """How texts count that are messages of failed requests ("ERROR: Rate limit exceeded") or pages of the web: as
    answers, or as responses with the status `error`. The check `failed-request` finds the same texts."""
    missing: tuple[str, ...] = ()
    """Values that stand for a missing one, in every column but `text`: `["N/A", "-", "nan"]`. Blanks around them do not
    matter."""
    constants: dict[Identifier, StrictStr | StrictInt | StrictFloat] = {}
    """Column -> the value that it has in every row."""
    unfold: Unfold | None = None
    """Columns that become rows."""
    items: Items | None = None
    """The list that says which items were asked; it makes the column `item`."""
    samples_by: tuple[Identifier, ...] = ()
    """Columns; responses that are equal in all of them are repetitions, and numbered from 0 as they come: that makes
    the column `sample`."""

    def _check_itself(self) -> None:
        if (self.plugin is None) == (self.format == "plugin"):
            raise ValueError("plugin: format 'plugin', and no other, needs the name of the format")
        if not isinstance(self.header, int) and self.header[0] >= self.header[1]:
            raise ValueError("header: two rows, the upper one first")
        for setting, formats in _OF_FORMATS.items():
            is_set = getattr(self, setting) != type(self).model_fields[setting].default
            if is_set and self.format not in {*formats, "auto"}:
                what = "no row of headers" if setting == "header" else "none"
                raise ValueError(f"{setting}: files of format {self.format!r} have {what}")
        self._check_columns()

    def _check_columns(self) -> None:
        """Check that every column is created only once, and before it is used."""
        require_declared(self.require, self.columns, "require", "column")
        for name in self.require:
            if self.columns[name].optional:
                raise ValueError(f"require: column {name!r} is optional")
        own = ("file", "key", "position", "response_id")
        captured = [name for name, _ in self._captured]
        unfolded = self.unfold.made if self.unfold else ()
        made = [*captured, *self.columns, *self.constants, *unfolded]
        whole = [name for name in made if self.made[name] == "integer"]
        for lookup in self.lookups_before:
            check_lookup(lookup, captured, whole, made)
            made += lookup.take
        late = [lookup for lookup in self.lookups if lookup not in self.lookups_before]
        taken = [name for lookup in late for name in lookup.take]
        last = [*(["item"] if self.items else []), *(["sample"] if self.samples_by else [])]
        check_once([*own, *made, *taken, *last])
        readable = ["file", "key", *made]
        check_derivations(self.derive, readable)
        for lookup in late:
            check_lookup(lookup, captured, whole, readable)
            readable += lookup.take
        require_declared(self.keep.columns if self.keep else (), readable, "keep", "column")
        for name in (*own, *last):
            if name in self.derive:
                raise ValueError(f"more than one column {name!r}")
        if self.items is not None:
            require_declared(self.items.on, readable, "items.on", "column")
            require_declared(self.items.by, readable, "items.by", "column")
        require_declared(self.samples_by, [*readable, *(["item"] if self.items else [])], "samples_by", "column")
        if self.made.get("count", "integer") != "integer":
            raise ValueError("column 'count' is the number of responses of a row: its type must be 'integer'")

    @property
    def lookups_before(self) -> tuple[Lookup, ...]:
        """The lookups that do not match on derived columns; they are made before columns are derived."""
        return tuple(lookup for lookup in self.lookups if not set(lookup.on) & set(self.derive))

    @property
    def forms(self) -> tuple[str, ...]:
        """The path patterns of the files."""
        return (self.files,) if isinstance(self.files, str) else self.files

    @property
    def _captured(self) -> list[tuple[str, ColumnType]]:
        """The parts captured from paths; all path patterns must capture the same ones."""
        first, *others = (captured_parts(form) for form in self.forms)
        if any(sorted(other) != sorted(first) for other in others):
            raise ValueError("files: every form must capture the same parts")
        return first

    @property
    def made(self) -> dict[str, ColumnType]:
        """The columns of the responses that are read, with their types."""
        types: dict[str, ColumnType] = dict.fromkeys(OWN_COLUMNS, "string")
        types |= dict(self._captured)
        types |= {name: column.type for name, column in self.columns.items()}
        kinds: dict[type, ColumnType] = {str: "string", int: "integer", float: "number"}
        types |= {name: kinds[type(value)] for name, value in self.constants.items()}
        if self.unfold is not None:
            types |= self.unfold.made
        types |= self._made_later
        types |= {"item": "string"} if self.items else {}
        if self.samples_by:
            types["sample"] = "integer"
        return types
