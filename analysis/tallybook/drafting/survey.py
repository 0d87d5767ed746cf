"""A survey of a dump: its files, its records and its columns."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.progress import Progress
from tallybook.core.spill_buffer import RowStore
from tallybook.drafting.columns import Column
from tallybook.drafting.files import as_answers, last_resort, model_of_all, with_parts
from tallybook.sources.content import NOT_UTF8, Content
from tallybook.sources.folder import files_within
from tallybook.sources.formats.delimited import Delimited, header_line
from tallybook.sources.formats.registry import told_format
from tallybook.sources.json_records import HALF, is_text
from tallybook.study.format_base import formats, own_formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.drafting.columns import Kind
    from tallybook.study.format_base import Format

PLAIN_NAMES = {one.name for one in own_formats() if one.turn}
"""The formats of tables and JSON of anyone's making."""
LISTED = 40
"""With at most so many different values a column is described by all of them."""
_SAMPLED = 2000
"""How many records are looked at where looking at all would take long."""
_VALUES = 2**20
"""About how many values of several columns are in memory at once."""


class File(NamedTuple):
    """A file of the dump."""

    name: str  # its path, as it was asked for
    format: str  # how study files name its format
    title: str  # how people name it
    rows: int  # how many records it holds


class Reading(NamedTuple):
    """The settings by which a dump is read."""

    paths: tuple[str, ...] = ()  # paths into records that are columns too: those that go into arrays
    sheet: str | None = None  # the sheet of spreadsheets
    delimiter: str | None = None  # what separates the columns of CSV files
    encoding: str = "utf-8"  # the encoding of text files
    table: str | None = None  # the table of databases
    # of the filters that lm-eval read each completion with, the one whose records are wanted; "" for all
    filter: str | None = None
    header: int = 1  # the row of the headers of CSV files and spreadsheets


class Joined(NamedTuple):
    """A file that holds no answers and is joined with those that do."""

    file: str  # its path, as it was asked for
    column: str  # the column of the answers' files by which it is joined
    key: str  # what that is called in it
    columns: tuple[str, ...]  # its other columns


class Kept(NamedTuple):
    """The records that are read of a dump that lists responses several times."""

    column: str  # the column that tells them
    called: str  # what the study calls it
    values: tuple[str, ...]  # its values in them
    said: str  # what is told of it


class Part(NamedTuple):
    """A part of the values of a column: `nurse` of `gpt-4o|black|nurse|3`."""

    column: str  # the column
    form: str  # a regular expression whose group is the part


class Survey(NamedTuple):
    """The files, records and columns of a dump."""

    files: tuple[File, ...]  # its files, those that are only read beside others left out
    rows: int  # how many records they hold together
    columns: tuple[Column, ...]  # their columns, in the order in which they first come
    partial: frozenset[str]  # the columns that some files lack
    records: pl.LazyFrame  # the records, all text, with `file` and `key` under names that no column has
    sample: pl.DataFrame  # some of them, from the whole dump
    reading: Reading = Reading()  # how they were read
    is_named: bool = False  # whether every file was asked for by its name, none as part of a folder
    # what keeps the records: many are in temporary files that are there no longer than it is
    store: RowStore | None = None
    kept: tuple[Kept, ...] = ()  # which records are here, where the dump lists responses several times
    guessed: tuple[str, ...] = ()  # how the files were read although nobody said so
    sheets: tuple[str, ...] = ()  # the sheets of workbooks of which none was named
    tables: tuple[str, ...] = ()  # the tables of databases of which none was named
    model: str | None = None  # the model that the folder of all files, or the only file, is called after
    passed: tuple[str, ...] = ()  # the files of folders that hold no records
    beside: tuple[str, ...] = ()  # the files that are only read beside others
    unfold: Mapping[str, Any] | None = None  # settings by which columns became rows
    joined: tuple[Joined, ...] = ()  # files without answers whose columns stand beside those of the others
    parts: Mapping[str, Part] = {}  # the columns that are parts of ids
    constants: Mapping[str, str] = {}  # the columns with a value that the user told

    @property
    def is_of_tools(self) -> bool:
        """Tell whether evaluation tools wrote all files, whose columns are known."""
        return all(file.format not in PLAIN_NAMES for file in self.files)

    @property
    def formats(self) -> list[Format]:
        """The formats of its files."""
        known = formats()
        return [known[name] for name in {file.format for file in self.files} if name in known]

    @property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    def times(self, columns: Sequence[str]) -> pl.DataFrame:
        """Count the records of each combination of values of some columns, in `times`."""
        return self.records.group_by(columns).len("times").collect(engine="streaming")

    def combinations(self, columns: Sequence[str]) -> int:
        """Count the combinations of values of some columns."""
        if not columns:
            return 1
        return self.records.select(pl.struct(*columns).n_unique()).collect(engine="streaming").item()

    def is_unique(self, columns: Sequence[str]) -> bool:
        """Tell whether no two records are equal in some columns."""
        return self.combinations(columns) == self.rows

    def distinct(self, column: str) -> list[str]:
        """Get the different values of a column."""
        value = pl.col(column)
        found = self.records.select(value).filter(value != "").unique().collect(engine="streaming")
        return sorted(found.to_series().to_list())


def survey(paths: Sequence[Path], progress: Progress | None = None, reading: Reading | None = None) -> Survey:
    """Look at a dump; try again with another encoding, other headers or all sheets where it cannot be read."""
    reading, guessed, names, tables = reading or Reading(), list[str](), tuple[str, ...](), tuple[str, ...]()
    while True:
        try:
            found = _survey(paths, progress or Progress(), reading)
        except DataError as error:
            better = _better(error, paths, reading) if len(guessed) <= len(Reading._fields) else None
            if better is None:
                raise
            names, tables = names or _named_in(error, _SHEETS), tables or _named_in(error, _TABLES)
        else:
            row = _header_row(found) if reading.header == 1 else None
            if row is None:
                return found._replace(guessed=tuple(guessed), sheets=names, tables=tables)
            better = reading._replace(header=row), _BELOW.format(row)
        reading, said = better
        guessed += [said] if said else []


_BELOW = "The headers seem to stand in row {}; rows above are ignored. See `header`."
_SHEETS, _TABLES = "the sheet to be named", "the table to be named"
_UTF16, _UNKNOWN = "this is UTF-16", "a file of a known format"


def _is_unknown(error: DataError) -> bool:
    """Tell whether a file of a folder is only no dump: of no known format, or empty."""
    return all(problem.expected.startswith((_UNKNOWN, "at least one response; the")) for problem in error.problems)


def _named_in(error: DataError, parts: str) -> tuple[str, ...]:
    """List the sheets or tables of which one was to be named."""
    named = (problem.expected.partition("; there are ") for problem in error.problems)
    names = (name for what, _, listed in named if what.startswith(parts) for name in listed.split(", "))
    return tuple(dict.fromkeys(names))


def _better(error: DataError, paths: Sequence[Path], reading: Reading) -> tuple[Reading, str] | None:
    """Guess how a dump is read that was refused, and say so; None if nothing comes to mind."""
    contents = [Content(Path(), path.as_posix(), is_named=True) for path in files_within(paths)]
    expected = " ".join(problem.expected for problem in error.problems)
    if reading.encoding == "utf-8" and _UTF16 in expected:
        return reading._replace(encoding="utf-16"), "The files are UTF-16. See `encoding`."
    if reading.encoding == "utf-8" and NOT_UTF8 in expected and not any(map(_is_utf8, contents)):
        said = "The files are not UTF-8 and are read as windows-1252: if accents look wrong, --set encoding=iso-8859-1."
        return reading._replace(encoding="windows-1252"), said
    if reading.sheet is None and _SHEETS in expected:
        said = (
            "All sheets with the same headers are read, with the sheet's name in `sheet`; --set sheet=NAME reads one."
        )
        return reading._replace(sheet="*"), said
    if reading.table is None and (tables := _named_in(error, _TABLES)):
        return reading._replace(table=tables[0]), ""
    refused = {problem.file for problem in error.problems}
    rows = {header_line(_start_of(one)) for one in contents if one.name in refused and reading.encoding == "utf-8"}
    if reading.header == 1 and len(rows) == 1 and (row := rows.pop()) > 1:
        return reading._replace(header=row), _BELOW.format(row)
    return None


def _start_of(content: Content) -> bytes:
    try:
        return content.start()
    except DataError:
        return b""


def _is_utf8(content: Content) -> bool:
    """Tell whether a file is UTF-8 that another encoding would garble."""
    try:
        return any(not text.isascii() for _, text in content.lines())
    except DataError:
        return False


def _header_row(found: Survey) -> int | None:
    """Find the row of the headers of a spreadsheet whose first row has blanks."""
    unnamed = [column.name for column in found.columns if column.name.startswith("__UNNAMED__")]
    if not unnamed or any(file.format != "excel" for file in found.files):
        return None
    rows = found.records.select(KEY, *(column.name for column in found.columns)).head(_MOST_ABOVE).collect()
    filled = (int(key.rpartition(" ")[2]) for key, *cells in rows.iter_rows() if all(cells))
    return next(filled, None)


_MOST_ABOVE = 20
"""How many rows may stand above the headers."""


def _survey(paths: Sequence[Path], progress: Progress, reading: Reading) -> Survey:
    store = RowStore()
    contents = [Content(Path(), path.as_posix(), reading.encoding, is_named=True) for path in files_within(paths)]
    advance = progress.stage("Reading the dump", len(contents))
    files: list[File] = []
    headers: list[set[str]] = []
    delimiters: set[str] = set()
    told, passed = _formats(contents, paths, reading)
    for content in contents:
        if (read_as := told.get(content)) is not None:
            rows, header = _read(content, read_as, store, (*ANSWERS, *ASKED, *reading.paths))
            files.append(File(content.name, read_as.name, read_as.title, rows))
            headers += [header] if header else []
            delimiters.add(read_as.delimiter(content) if isinstance(read_as, Delimited) else ",")
        advance(1)
    rows = sum(file.rows for file in files)
    if not rows:
        if passed and not files:
            raise next(iter(passed.values()))
        raise DataError([Problem(content.name, "", "", "", "at least one response") for content in contents])
    records = with_parts(files, store.scan(), FILE)
    names = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    partial = frozenset(name for name in names if any(name not in header for header in headers))
    is_named = all(path.is_file() for path in paths)
    model = model_of_all([file.name for file in files], paths)
    beside = tuple(content.name for content in contents if content not in told and content.name not in passed)
    whole = Survey(tuple(files), rows, (), partial, records, pl.DataFrame(), reading, is_named, store)
    whole = whole._replace(model=model, beside=beside)
    return described(whole, records, may_have_commas="," not in delimiters)._replace(passed=tuple(passed))


def _formats(
    contents: Sequence[Content], paths: Sequence[Path], reading: Reading
) -> tuple[dict[Content, Format], dict[str, DataError]]:
    """Tell the formats of files that hold responses, and which files are passed over."""
    told: dict[Content, Format] = {}
    unknown: dict[Content, DataError] = {}
    others: dict[Content, Format] = {}
    for content in contents:
        try:
            read_as, role = told_format(content, reading.delimiter, reading.sheet, reading.table, reading.header)
        except DataError as error:
            other = last_resort(content) if _is_unknown(error) else None
            if other is not None and (len(contents) > 1 or other.name != "text-file"):
                others[content] = other
            elif Path(content.name) in paths or not _is_unknown(error):
                raise
            unknown[content] = error
        else:
            if role == "responses":
                told[content] = read_as
    told = as_answers(told, others)
    return told, {content.name: error for content, error in unknown.items() if content not in told}


def described(found: Survey, records: pl.LazyFrame, *, may_have_commas: bool = False) -> Survey:
    """Describe the columns of records that are, or were made of, those of a dump."""
    rows = records.select(pl.len()).collect(engine="streaming").item()
    names = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    sample = records.gather_every(max(1, rows // _SAMPLED)).head(_SAMPLED).collect()
    # Of many columns some are read at once, as many as are few values.
    size = max(1, _VALUES // max(1, rows))
    batches = [names[start : start + size] for start in range(0, len(names), size)]
    some = (records.select(batch).collect().lazy() if len(batch) > 1 else records.select(batch) for batch in batches)
    columns = tuple(
        column
        for values in some
        for column in _columns(values.select(pl.all().replace("", None)), may_have_commas=may_have_commas)
    )
    return found._replace(rows=rows, columns=columns, records=records, sample=sample)


_TALKS = ("messages", "conversation", "conversations", "turns", "chat", "dialogue")
_ANSWERS = tuple(
    f"{before}{path}"
    for before in ("", "response.", "output.", "result.", "response.body.", "completion.")
    for path in (
        "choices.0.message.content",
        "choices.0.text",
        "choices.0.turns.0",
        "content.0.text",
        "output.0.content.0.text",
        "candidates.0.content.parts.0.text",
    )
)
_REPLIES = ("completion", "response", "output", "answer", "generation", "reply")
"""Lists of messages that hold the answer alone, as data sets for training have them beside the prompt's."""
ANSWERS = (
    _ANSWERS
    + tuple(f"{name}.-1.{said}" for name in _TALKS for said in ("content", "value", "text"))
    + tuple(f"{name}.-1.content" for name in _REPLIES)
)
"""Where the answers of the interfaces of models stand that people write to files as they come."""
ASKED = tuple(f"{name}.-2.{said}" for name in _TALKS for said in ("content", "value", "text"))
"""What was said before the last message."""

MOST_APART = 2**12
"""The columns of a file whose records share few of them: each would be described and compared with the others."""
FILE, KEY = "\0file", "\0key"
"""The columns of `Survey.records` that say where a record stands."""


def _read(content: Content, read_as: Format, store: RowStore, paths: Sequence[str]) -> tuple[int, set[str]]:
    """Put the records of a file into a store: how many they are, and which columns they have."""
    rows = 0
    header: set[str] = set()
    for part in read_as.read(content, paths):
        if repeated := [name for name, times in Counter(part.header).items() if times > 1]:
            raise content.refuse(f"one column {repeated[0]!r}")
        if broken := next((name for name in part.header if not is_text(name)), None):
            raise content.refuse(f"column names that are {HALF}", value=broken)
        frame = part.cells.rename(dict(zip(part.cells.columns, part.header, strict=True)))
        absent = [name for name in part.header if name in paths and frame.get_column(name).null_count() == frame.height]
        store.add(frame.drop(absent).with_columns(pl.lit(content.name).alias(FILE), part.keys.alias(KEY)))
        rows += frame.height
        header |= {*part.header} - {*absent}
        if len(header) > MOST_APART and 2 * len(part.header) < len(header):
            raise content.refuse(f"records with the same columns, not {len(header):,} that few records have")
    if content.problems:
        raise DataError(content.problems)
    return rows, header


_NAME, _VALUE = "\0name", "\0value"
"""The columns of values one below the other."""
_COMMA = r"^[+-]?\d+,\d+$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})+$"
"""Numbers with commas that may stand before their decimals, or between thousands."""


def _columns(values: pl.LazyFrame, *, may_have_commas: bool) -> Iterator[Column]:
    """Describe columns of texts, a blank one being none."""
    names = values.collect_schema().names()
    engine = "streaming" if len(names) == 1 else "in-memory"
    # Of many columns one below the other: an expression for each takes longer than to compute it.
    listed = values.unpivot(names, variable_name=_NAME, value_name=_VALUE).group_by(_NAME)
    asked = _about(pl.col(names[0] if len(names) == 1 else _VALUE))
    described = values.select(pl.lit(names[0]).alias(_NAME), **asked) if len(names) == 1 else listed.agg(**asked)
    about = {told[_NAME]: told for told in described.collect(engine=engine).iter_rows(named=True)}
    few = [name for name in names if 0 < about[name]["distinct"] <= LISTED]
    of_few = values.unpivot(few, variable_name=_NAME, value_name=_VALUE).drop_nulls().group_by(_NAME, _VALUE).len()
    counted: dict[str, dict[str, int]] = {name: {} for name in names}
    for name, value, times in of_few.collect(engine=engine).iter_rows() if few else ():
        counted[name][value] = times
    kinds: tuple[Kind, ...] = ("integer", "number", "boolean", "text")
    for name in names:
        told = about[name]
        has_commas = may_have_commas and told["commas"]
        told["number"] = told["number"] or has_commas
        kind: Kind = "empty" if not told["distinct"] else next(kind for kind in kinds if told.get(kind, True))
        ordered = dict(sorted(counted[name].items(), key=lambda item: (-item[1], item[0])))
        example = told["example"] or ""
        yield Column(name, kind, told["missing"], told["distinct"], ordered, told["length"], example, has_commas)


def _about(value: pl.Expr) -> dict[str, pl.Expr]:
    known = value.drop_nulls()
    has_comma = known.str.contains(_COMMA)
    return {
        "missing": value.null_count(),
        "distinct": known.n_unique(),
        "length": value.str.len_chars().mean().fill_null(0.0),
        "integer": known.str.contains(r"^[+-]?\d{1,18}$").all(),
        "number": known.str.contains(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$").all(),
        "commas": (has_comma | known.str.contains(r"^[+-]?\d+$")).all()
        & (has_comma & ~known.str.contains(_THOUSANDS)).any(),
        "boolean": known.str.to_lowercase().is_in(["true", "false"]).all(),
        "example": known.first(),
    }
