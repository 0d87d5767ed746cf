"""A survey of a dump: its files, its records and its columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.progress import Progress
from tallybook.core.spill_buffer import RowStore
from tallybook.core.untrusted import printable
from tallybook.drafting.columns import FILE, KEY, Column
from tallybook.drafting.copies import refuse_repeated, without_copies
from tallybook.drafting.files import choose_formats, fallback_format, model_of_all, parts_in, with_parts
from tallybook.drafting.header_guesses import below, header_row, refuse_values, repeated_row, where
from tallybook.drafting.missing_numbers import missing_numbers, said, without
from tallybook.sources.content import NOT_UTF8, Content
from tallybook.sources.folder import files_within
from tallybook.sources.formats.delimited import REORDERED, Delimited
from tallybook.sources.formats.registry import detect_format
from tallybook.sources.json_records import HALF, is_text
from tallybook.sources.records import numbered
from tallybook.study.format_base import Layout, formats, own_formats

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.drafting.columns import Kind
    from tallybook.sources.header_rows import HeaderRows
    from tallybook.study.format_base import Format

PLAIN_NAMES = {one.name for one in own_formats() if one.turn}
"""The formats for tables and JSON files that no particular tool writes."""
LISTED = 40
"""The largest number of distinct values that are all listed in a column's description."""
_SAMPLED = 2000
"""The number of records that are sampled where examining all would take long."""
_VALUES = 2**20
"""The approximate number of values of several columns that are in memory at once."""
ALL_SHEETS = "All sheets with the same headers are read, with the sheet's name in `sheet`; --set sheet=NAME reads one."
_SHEETS, _TABLES = "the sheet to be named", "the table to be named"
_UTF16, _UNKNOWN = "this is UTF-16", "a file of a known format"
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
"""Names of lists of messages that hold only the answer, as in training data with the prompt beside it."""
ANSWERS = (
    _ANSWERS
    + tuple(f"{name}.-1.{said}" for name in _TALKS for said in ("content", "value", "text"))
    + tuple(f"{name}.-1.content" for name in _REPLIES)
)
"""The paths of answers in the JSON that model APIs return, as people save it."""
ASKED = tuple(f"{name}.-2.{said}" for name in _TALKS for said in ("content", "value", "text"))
"""The paths of the message before the last one."""
MOST_APART = 2**12
"""The largest number of columns of a file whose records share few columns, as each would be described."""
_NAME, _VALUE = "\0name", "\0value"
"""The columns of unpivoted values."""
_COMMA = r"^[+-]?\d+,\d+$"
_THOUSANDS = r"^[+-]?[1-9]\d{0,2}(,\d{3})+$"
"""Numbers with a comma as decimal sign, and numbers with commas between thousands."""


class File(NamedTuple):
    """A file of a dump."""

    name: str  # its path, as given by the user
    format: str  # the name of its format in study files
    title: str  # the title of its format
    rows: int  # the number of its records


class Reading(NamedTuple):
    """The settings by which a dump is read."""

    paths: tuple[str, ...] = ()  # further paths into records to read as columns, such as those into arrays
    sheet: str | None = None  # the sheet of spreadsheets
    delimiter: str | None = None  # the delimiter of CSV files
    encoding: str = "utf-8"  # the encoding of text files
    table: str | None = None  # the table of databases
    # the one of lm-eval's filters whose records are read; "" for all
    filter: str | None = None
    header: HeaderRows = 1  # the header row of CSV files and spreadsheets


class Joined(NamedTuple):
    """A file without answers that is joined with the files that have them."""

    file: str  # its path, as given by the user
    column: str  # the column by which it is joined, in the files with answers
    key: str  # the name of that column in this file
    columns: tuple[str, ...]  # its other columns
    table: str | None = None  # the table, if the file is a database


class Kept(NamedTuple):
    """The selection of records to read from a dump that lists each response several times, or has others, too."""

    column: str  # the column by which they are selected
    called: str  # the name of that column in the study
    values: tuple[str, ...]  # the selected values; if there are none, records without a value are left out
    said: str  # the explanation for the user


class Part(NamedTuple):
    """A part of the values of a column: `nurse` in `gpt-4o|black|nurse|3`."""

    column: str  # the column
    form: str  # a regular expression whose group is the part
    is_number: bool = False  # whether it numbers what the other parts name


@dataclass(frozen=True, eq=False)
class Survey:
    """The files, records and columns of a dump."""

    files: tuple[File, ...]  # its files, without those that are only read along with others
    rows: int  # the number of their records
    columns: tuple[Column, ...]  # their columns, in order of first occurrence
    partial: frozenset[str]  # the columns that some files lack
    records: pl.LazyFrame  # the records, as text, with columns `FILE` and `KEY`
    sample: pl.DataFrame  # a sample of the records, spread over the whole dump
    reading: Reading = field(default_factory=Reading)  # how they were read
    is_named: bool = False  # whether every file was given by name, none as part of a folder
    # the store of the records, kept alive as long as the survey, as its temporary files go with it
    store: RowStore | None = None
    kept: tuple[Kept, ...] = ()  # the selection of records, where the dump lists responses several times
    guessed: tuple[str, ...] = ()  # the choices in reading the files that the user did not make, in words
    sheets: tuple[str, ...] = ()  # the sheets of workbooks, if none was chosen
    tables: tuple[str, ...] = ()  # the tables of databases, if none was chosen
    model: str | None = None  # the model in the name of the only file or of a folder of all files
    passed: tuple[str, ...] = ()  # the files in folders that hold no records
    beside: tuple[str, ...] = ()  # the files that are only read along with others
    unfold: Mapping[str, Any] | None = None  # the `unfold` settings, if columns were reshaped to rows
    joined: tuple[Joined, ...] = ()  # the files without answers that were joined with the others
    # column of numbers -> what stands for missing ones in it
    missing: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    parts: Mapping[str, Part] = field(default_factory=dict[str, Part])  # the columns that are parts of ids
    constants: Mapping[str, str] = field(
        default_factory=dict[str, str]
    )  # the columns with a constant that the user set

    @property
    def is_tool_output(self) -> bool:
        """Whether evaluation tools, whose columns are known, wrote all files."""
        return all(file.format not in PLAIN_NAMES for file in self.files)

    @property
    def formats(self) -> list[Format]:
        """The formats of its files."""
        known = formats()
        return [known[name] for name in {file.format for file in self.files} if name in known]

    @cached_property
    def levels(self) -> list[str]:
        """The columns that hold parts of the names of files and folders, or levels of nested JSON."""
        return parts_in(self)

    @property
    def numbers_in_ids(self) -> frozenset[str]:
        """The parts of ids that are numbers, which may be clusters, but nobody compares them."""
        return frozenset(name for name, part in self.parts.items() if part.is_number)

    @cached_property
    def by_name(self) -> dict[str, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    def column(self, name: str | None) -> Column | None:
        """Return the column of a name; None without a name, which is none of a column whose header is blank."""
        return None if name is None else self.by_name.get(name)

    @cached_property
    def _combinations(self) -> dict[frozenset[str], int]:
        return {}

    def times(self, columns: Sequence[str]) -> pl.DataFrame:
        """Count the records of each combination of values of some columns, in `times`."""
        return self.records.group_by(columns).len("times").collect(engine="streaming")

    def combinations(self, columns: Sequence[str]) -> int:
        """Return the number of distinct combinations of values of some columns."""
        among = frozenset(columns)
        if not among:
            return 1
        if among not in self._combinations:
            counted = self.records.select(pl.struct(*sorted(among)).n_unique())
            self._combinations[among] = counted.collect(engine="streaming").item()
        return self._combinations[among]

    def determines(self, columns: Sequence[str], other: str) -> bool:
        """Return whether records that agree in some columns agree in another, too."""
        return self.combinations([*columns, other]) == self.combinations(columns)

    def is_unique(self, columns: Sequence[str]) -> bool:
        """Return whether no two records agree in all of some columns."""
        return self.combinations(columns) == self.rows

    def distinct(self, column: str) -> list[str]:
        """Return the sorted distinct values of a column, without empty ones."""
        value = pl.col(column)
        found = self.records.select(value).filter(value != "").unique().collect(engine="streaming")
        return sorted(found.to_series().to_list())


def survey(paths: Sequence[Path], progress: Progress | None = None, reading: Reading | None = None) -> Survey:
    """Survey a dump; retry with another encoding, header row, sheets or table if it cannot be read."""
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
            row = header_row(found) or repeated_row(found) if reading.header == 1 else None
            if row is None:
                refuse_repeated(found.records)
                refuse_values(found)
                return replace(found, guessed=(*guessed, *found.guessed), sheets=names, tables=tables)
            better = reading._replace(header=row), where(row)
        reading, said = better
        guessed += [said] if said else []


def is_unknown(error: DataError) -> bool:
    """Return whether a file was refused only because its format is unknown or it is empty."""
    return all(problem.expected.startswith((_UNKNOWN, "at least one response; the")) for problem in error.problems)


def _named_in(error: DataError, parts: str) -> tuple[str, ...]:
    """List the sheets or tables among which a choice is needed, as the error names them."""
    named = (problem.expected.partition("; there are ") for problem in error.problems)
    names = (name for what, _, listed in named if what.startswith(parts) for name in listed.split(", "))
    return tuple(dict.fromkeys(names))


def _better(error: DataError, paths: Sequence[Path], reading: Reading) -> tuple[Reading, str] | None:
    """Guess other settings to read a refused dump, with an explanation; None if no guess applies."""
    contents = [Content(Path(), path.as_posix(), is_named=True) for path in files_within(paths)]
    expected = " ".join(problem.expected for problem in error.problems)
    if reading.encoding == "utf-8" and _UTF16 in expected:
        return reading._replace(encoding="utf-16"), "The files are UTF-16. See `encoding`."
    if reading.encoding == "utf-8" and NOT_UTF8 in expected and not any(map(_is_utf8, contents)):
        said = "The files are not UTF-8 and are read as windows-1252: if accents look wrong, --set encoding=iso-8859-1."
        return reading._replace(encoding="windows-1252"), said
    if reading.sheet is None and _SHEETS in expected:
        return reading._replace(sheet="*"), ALL_SHEETS
    if reading.table is None and (tables := _named_in(error, _TABLES)):
        return reading._replace(table=tables[0]), ""
    refused = {problem.file for problem in error.problems if problem.expected != REORDERED}
    rows = below([one for one in contents if one.name in refused]) if reading.header == 1 else None
    return None if rows is None or reading.encoding != "utf-8" else (reading._replace(header=rows), where(rows))


def _is_utf8(content: Content) -> bool:
    """Return whether a file is valid UTF-8 with characters beyond ASCII."""
    try:
        return any(not text.isascii() for _, text in content.lines())
    except DataError:
        return False


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
    files, copies = without_copies(all_files := files, store.scan())
    rows = sum(file.rows for file in files)
    left_out = tuple(file.name for file in all_files if file not in files)
    records = with_parts(files, store.scan().filter(~pl.col(FILE).is_in(left_out)), FILE)
    names = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    partial = frozenset(name for name in names if any(name not in header for header in headers))
    is_named = all(path.is_file() for path in paths)
    model = model_of_all([file.name for file in files], paths)
    beside = tuple(content.name for content in contents if content not in told and content.name not in passed)
    whole = Survey(tuple(files), rows, (), partial, records, pl.DataFrame(), reading, is_named, store)
    whole = replace(whole, model=model, beside=beside, guessed=(*copies, *_noted(contents)))
    whole = described(whole, records, may_have_commas="," not in delimiters)
    return replace(whole, passed=(*passed, *left_out))


def _noted(contents: Sequence[Content]) -> Iterator[str]:
    """Say what was found in reading files that is no fault, such as repeated headers."""
    noted = [finding for content in contents for finding in content.findings]
    for expected in dict.fromkeys(finding.expected for finding in noted):
        first, *others = (finding for finding in noted if finding.expected == expected)
        more = first.count - 1 + sum(finding.count for finding in others)
        place = " ".join(filter(None, (printable(first.file, 200), first.key)))
        yield f"{place}{f' and {more:,} more' if more else ''}: expected {printable(expected, 200)}."


def _formats(
    contents: Sequence[Content], paths: Sequence[Path], reading: Reading
) -> tuple[dict[Content, Format], dict[str, DataError]]:
    """Return the formats of the files with responses, and the errors of the files that are ignored."""
    layout = Layout(reading.delimiter, reading.sheet, reading.table, reading.header)
    told: dict[Content, Format] = {}
    unknown: dict[Content, DataError] = {}
    others: dict[Content, Format] = {}
    for content in contents:
        try:
            read_as, role = detect_format(content, layout)
        except DataError as error:
            other = fallback_format(content) if is_unknown(error) else None
            if other is not None and (len(contents) > 1 or other.name != "text-file"):
                others[content] = other
            elif Path(content.name) in paths or not is_unknown(error):
                raise
            unknown[content] = error
        else:
            if role == "responses":
                told[content] = read_as
    told = choose_formats(told, others)
    return told, {content.name: error for content, error in unknown.items() if content not in told}


def described(found: Survey, records: pl.LazyFrame, *, may_have_commas: bool = False) -> Survey:
    """Describe the columns of records, and return the survey with these records."""
    rows = records.select(pl.len()).collect(engine="streaming").item()
    names = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    sample = records.gather_every(max(1, rows // _SAMPLED)).head(_SAMPLED).collect()
    # Several columns are read together, as many as keep the number of values small.
    size = max(1, _VALUES // max(1, rows))
    batches = [names[start : start + size] for start in range(0, len(names), size)]
    some = (records.select(batch).collect().lazy() if len(batch) > 1 else records.select(batch) for batch in batches)
    columns = tuple(
        column
        for values in some
        for column in _columns(values.select(pl.all().replace("", None)), may_have_commas=may_have_commas)
    )
    made = replace(found, rows=rows, columns=columns, records=records, sample=sample)
    if not (missing := missing_numbers(columns, records, sample)):
        return made
    made = replace(made, missing={**found.missing, **missing})
    made = described(made, without(records, columns, missing), may_have_commas=may_have_commas)
    return replace(made, guessed=(*made.guessed, said(missing, columns, made.columns)))


def _read(content: Content, read_as: Format, store: RowStore, paths: Sequence[str]) -> tuple[int, set[str]]:
    """Add the records of a file to a store; return their number and their columns."""
    rows = 0
    header: set[str] = set()
    for part in read_as.read(content, paths):
        names, cells = numbered(part.header), part.cells
        if sum(not name.strip() for name in names) > 1:  # spreadsheet programs fill rows up with blank cells
            kept = [place for place, name in enumerate(names) if name.strip() or cells[:, place].count()]
            names, cells = [names[place] for place in kept], cells[:, kept]
        if repeated := [name for name, times in Counter(names).items() if times > 1]:
            raise content.refuse(f"one column {repeated[0]!r}")
        if broken := next((name for name in names if not is_text(name)), None):
            raise content.refuse(f"column names that are {HALF}", value=broken)
        frame = cells.rename(dict(zip(cells.columns, names, strict=True)))
        absent = [name for name in names if name in paths and frame.get_column(name).null_count() == frame.height]
        store.add(frame.drop(absent).with_columns(pl.lit(content.name).alias(FILE), part.keys.alias(KEY)))
        rows += frame.height
        header |= {*names} - {*absent}
        if len(header) > MOST_APART and 2 * len(names) < len(header):
            raise content.refuse(f"records with the same columns, not {len(header):,} that few records have")
    if content.problems:
        raise DataError(content.problems)
    return rows, header


def _columns(values: pl.LazyFrame, *, may_have_commas: bool) -> Iterator[Column]:
    """Yield descriptions of columns of text; blank values are null."""
    names = values.collect_schema().names()
    engine = "streaming" if len(names) == 1 else "in-memory"
    # Several columns are unpivoted first: building an expression for each takes longer than computing it.
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
