"""Validation of files against a schema alone, without a study: part by part, in any format."""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pandera.polars as pa
import polars as pl
from pandera.config import ValidationDepth, config_context

from tallybook.core.duplicate_keys import RepeatedKeys, written
from tallybook.core.errors import DataError, UsageError
from tallybook.core.frame_checks import expectation
from tallybook.core.issue_log import MOST
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted as in_words
from tallybook.core.wording import suggestion
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect_format
from tallybook.sources.records import joined
from tallybook.validation.model import SCHEMA, Check, Failures, Report, counted, failures_at, of_problems
from tallybook.validation.user_schemas import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.sources.records import Records
    from tallybook.study.check_base import Severity
    from tallybook.validation.expected import Expected
    from tallybook.validation.model import FailOn

_FILE, _KEY = "file", "key"
_STIMULI = "stimuli"
"""The check that an instrument can use the columns with options, groups and words."""
_WORDS = {"String": "text", "Int64": "a whole number", "Float64": "a number", "Boolean": "true or false"}


def validate_files(paths: Sequence[Path], name: str, fail_on: FailOn, progress: Progress) -> Report:
    """Validate files against a schema."""
    expected = load(name)
    for path in paths:
        if not path.is_file():
            raise UsageError(f"no file {printable(str(path), 200)}")
    checking = _Checking(expected)
    advance = progress.stage(f"Validating {in_words(len(paths), 'file')}", len(paths))
    for path in paths:
        checking.file(Content(path.parent, path.name, is_named=True), str(path))
        advance(1)
    failures = checking.finish()
    checks = counted(_checks(expected), failures)
    summary = f"{in_words(len(paths), 'file')}, {in_words(checking.rows, 'row')}, schema {printable(expected.name)}"
    details = {"schema": printable(expected.name), "files": len(paths), "rows": checking.rows}
    title, files = printable(expected.name), [str(path) for path in paths]
    notes = _notes(expected, checks)
    return Report(title, checks, failures, files, checking.rows, fail_on, details, summary, notes)


def _notes(expected: Expected, checks: Sequence[Check]) -> list[str]:
    """Return hints for a dump whose columns differ from the names in an instrument's schema."""
    if expected.instrument is None or not any(one.name.endswith(".required") and one.worst for one in checks):
        return []
    name = expected.name
    others = "`tallybook init` writes a study that reads others"
    coded = f"coded responses are validated with -s coded-{name}"
    return [f"note: columns are called as `tallybook simulate {name}` calls them; {others}; {coded}"]


def _checks(expected: Expected) -> list[Check]:
    """Return a check for every rule of the schema, with a description."""
    made = [("files", "Files can be read."), ("records", "Every record of a file can be read.")]
    for column, declared in expected.schema.columns.items():
        about = printable(column)
        made += [(f"{column}.required", f"Column {about} is there.")] if declared.required else []
        made.append((f"{column}.type", f"Values of {about} are of its type."))
        made += [] if declared.nullable else [(f"{column}.not_nullable", f"{about} has a value in every row.")]
        for one in declared.checks:
            words = expectation(str(one.error or one.name), expected.schema, column)
            made.append((f"{column}.{one.name}", f"{about}: {words}."))
    made += [(str(one.name), f"Rows: {one.name}.") for one in cast("list[pa.Check]", expected.schema.checks or [])]
    made += [(f"unique({', '.join(key)})", "No two rows are equal in these columns.") for key in expected.unique]
    made += [(f"{one}.filled", f"{one} has a value in some row.") for one in expected.filled]
    made += [(rule.name, rule.description) for rule in expected.rules]
    made += [("outcomes", "There is a column that the instrument makes.")] if expected.one_of else []
    made += [(_STIMULI, "The instrument can use the other columns.")] if expected.instrument is not None else []
    made += [("extra", "There are no other columns.")] if expected.is_closed else []
    severities: dict[str, Severity] = {rule.name: rule.severity for rule in expected.rules}
    return [Check(printable(name), about, severities.get(name, "error")) for name, about in made]


class _Checking:
    """Checks one file after another against a schema."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._schema = copy(expected.schema)
        self._schema.unique = None  # checked across all parts and files
        self._schema.strict = False
        self._present: dict[tuple[str, ...], pa.DataFrameSchema] = {}
        self._failures = Failures()
        self._repeated = [(key, RepeatedKeys(_places(key))) for key in expected.unique]
        self._files: list[tuple[Content, str, dict[str, None]]] = []
        self._unfilled: set[str] = set()
        self._lacking: list[tuple[set[str], pl.DataFrame]] = []
        self.rows = 0

    def file(self, content: Content, shown: str) -> None:
        """Read a file and check its rows and header."""
        above, is_told = self.rows, False
        header: dict[str, None] = {}
        self._files.append((content, shown, header))
        self._unfilled, self._lacking = set(self._expected.filled), []
        try:
            for part in self._parts(content):
                header.update(dict.fromkeys(part.header))
                self._part(part, shown)
                if len(content.problems) > MOST:
                    self._tell(content, shown)
                    content.problems.clear()
                    is_told = True
            if self.rows == above and not (content.problems or is_told):
                raise content.refuse("at least one row")
            if header:  # without a readable record the columns are unknown
                self._header(header, shown)
        except DataError as error:
            content.problems += error.problems
        self._tell(content, shown)

    def finish(self) -> Failures:
        """Check uniqueness across all files, and return all failures."""
        for key, repeated in self._repeated:
            for found in repeated.among(self._again(key)):
                rows = found.with_columns(written(found.get_column(name)) for name in _places(key))
                told = ", ".join(key)
                value = pl.concat_str(_places(key), separator=", ")
                self._fail(rows, f"unique({told})", told, value, f"no two rows with the same {told}")
        return self._failures

    def _fail(self, rows: pl.DataFrame, check: str, column: str, value: pl.Expr, words: str) -> None:
        self._failures.add(failures_at(rows, printable(check), "error", column=column, value=value, expectation=words))

    def _parts(self, content: Content) -> Iterator[Records]:
        parts = detect_format(content).format.read(content, list(self._schema.columns))
        if self._expected.in_parts:
            yield from parts
        elif every := list(parts):
            yield joined(every)

    def _again(self, key: list[str]) -> Iterator[pl.DataFrame]:
        """Read the files again and yield the columns of a key, with the rows' places."""
        above = 0
        for content, shown, header in self._files:
            is_there = {*key} <= {*header, *self._expected.supplied}
            with suppress(DataError):  # already reported; the rows before the error were read
                for part in self._parts(Content(content.folder, content.name, is_named=True)):
                    data, _ = self._data(part, shown, above)
                    above += part.height
                    if is_there:
                        yield _where(part, shown).with_columns(self._key(data, key, part.height))

    def _key(self, data: pl.DataFrame, key: list[str], height: int) -> list[pl.Series]:
        """Return the columns of a key under working names; absent ones are null."""
        return [self._filled(data, name, height).alias(place) for name, place in zip(key, _places(key), strict=True)]

    def _filled(self, data: pl.DataFrame, name: str, height: int) -> pl.Series:
        """Return a column of the schema; null if the rows lack it."""
        if name in data.columns:
            return data.get_column(name)
        return pl.Series(name, [None], dtype=_kind(self._schema.columns[name])).new_from_index(0, height)

    def _tell(self, content: Content, shown: str) -> None:
        problems = of_problems(content.problems, "error")
        self._failures.add(problems.with_columns(pl.lit(shown).alias("file")))

    def _header(self, header: dict[str, None], shown: str) -> None:
        given = {*header, *(name for name in self._expected.supplied if name not in header)}
        columns = self._schema.columns
        absent = [name for name, one in columns.items() if one.required and name not in given]
        extra = [name for name in header if name not in columns] if self._expected.is_closed else []
        others = [name for name in header if name not in columns]
        told: list[tuple[str, str, str]] = []
        for name in absent:
            about = columns[name].description if self._expected.instrument is not None else None
            due = f"this column: {about[:1].lower()}{about[1:].removesuffix('.')}" if about else "this column"
            told.append((f"{name}.required", name, f"{due}{suggestion(name, others)}"))
        told += [("extra", name, f"one of the columns {', '.join(columns)}") for name in extra]
        told += [(f"{name}.filled", name, "a value in one row at least") for name in self._unfilled & header.keys()]
        if self._expected.one_of and not header.keys() & set(self._expected.one_of):
            told.append(("outcomes", "", f"one of the columns {', '.join(self._expected.one_of)}"))
        # If no column is known the header may be in another language, or not a header at all: it is shown.
        found = ", ".join(header) if absent and not columns.keys() & header.keys() else ""
        place = pl.DataFrame({_FILE: [shown], _KEY: [""]})
        for check, column, words in told:
            self._fail(place, check, column, pl.lit(found if check.endswith(".required") else ""), words)
        for names, failures in self._lacking:
            if names <= header.keys():  # only where other records of the file have the column
                self._failures.add(failures)

    def _part(self, part: Records, shown: str) -> None:
        """Check a chunk of a file's rows."""
        data, mistyped = self._data(part, shown, self.rows)
        where = _where(part, shown)
        self.rows += part.height
        for name, wrong in mistyped.items():
            kind = _kind(self._schema.columns[name])
            value = pl.lit(part.column(name).filter(wrong))
            self._fail(where.filter(wrong), f"{name}.type", name, value, _WORDS.get(str(kind), f"type {kind}"))
        self._failures.add(self._cases(self._schema_of(data), data, mistyped, where))
        self._beside(data, where)
        for key, repeated in self._repeated:
            repeated.add(pl.DataFrame(self._key(data, key, part.height)))

    def _beside(self, data: pl.DataFrame, where: pl.DataFrame) -> None:
        """Check what pandera's schema does not cover: missing columns, filled columns, rules, the instrument."""
        for name, declared in self._schema.columns.items():
            if name not in data.columns and declared.required and not declared.nullable:
                check, words = printable(f"{name}.not_nullable"), "a value, not null"
                told = failures_at(where, check, "error", column=name, value=pl.lit(""), expectation=words)
                self._lacking.append(({name}, told))
        for name in self._unfilled & {*data.columns}:
            if (data.get_column(name).cast(pl.String).str.strip_chars() != "").any():
                self._unfilled.remove(name)
        for rule in self._expected.rules:
            rows = pl.DataFrame([self._filled(data, name, where.height) for name in rule.needs])
            if (wrong := rows.select(rule.fails).to_series()).any():
                value = pl.lit(rows.get_column(rule.column).filter(wrong).cast(pl.String))
                failing, words = where.filter(wrong), rule.expectation
                told = failures_at(
                    failing, rule.name, rule.severity, column=rule.column, value=value, expectation=words
                )
                if absent := {*rule.needs} - {*data.columns}:
                    self._lacking.append((absent, told))
                else:
                    self._failures.add(told)
        if self._expected.instrument is not None:
            from tallybook.validation.instruments import unusable

            rows = where.hstack(data.drop(_FILE, _KEY, strict=False))
            problems = [replace(one, check=_STIMULI) for one in unusable(self._expected.instrument, rows)]
            self._failures.add(of_problems(problems, "error"))

    def _data(self, part: Records, shown: str, above: int) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
        """Return the columns of the schema, cast to their types, and masks of the values that could not be cast."""
        columns: dict[str, pl.Series] = {}
        mistyped: dict[str, pl.Series] = {}
        for name, declared in self._schema.columns.items():
            kind = _kind(declared)
            values = part.values(name, kind) if name in part.header else None
            if values is not None and not (name in self._expected.supplied and values.null_count()):
                columns[name] = values.fill_null("") if name in self._expected.empties else values
                continue
            text = part.column(name) if name in part.header else None
            if text is None or text.null_count():
                supplied = self._supplied(name, part, shown, above)
                text = (
                    supplied if text is None else text if supplied is None else text.zip_with(~text.is_null(), supplied)
                )
            if text is not None:
                text = text.fill_null("") if name in self._expected.empties else text
                columns[name] = _typed(text, kind)
                wrong = columns[name].is_null() & text.replace("", None).is_not_null()
                mistyped |= {name: wrong} if kind != pl.String and wrong.any() else {}
        return pl.DataFrame(columns), mistyped

    def _supplied(self, name: str, part: Records, shown: str, above: int) -> pl.Series | None:
        """Return a column that reading supplies if a file lacks it; None for any other column."""
        if name not in self._expected.supplied:
            return None
        where = _where(part, shown).with_columns(position=pl.int_range(above, above + pl.len()).cast(pl.String))
        return where.with_columns(self._expected.supplied[name].alias(name)).get_column(name)

    def _schema_of(self, data: pl.DataFrame) -> pa.DataFrameSchema:
        """Return the schema without the columns that these rows lack: missing columns are reported per file."""
        names = tuple(data.columns)
        if names not in self._present:
            absent = [name for name in self._schema.columns if name not in names]
            self._present[names] = self._schema.remove_columns(absent) if absent else self._schema
        return self._present[names]

    def _cases(
        self, schema: pa.DataFrameSchema, data: pl.DataFrame, mistyped: dict[str, pl.Series], where: pl.DataFrame
    ) -> pl.DataFrame:
        """Convert pandera's failure cases to failures."""
        try:
            with config_context(validation_enabled=True, validation_depth=ValidationDepth.SCHEMA_AND_DATA):
                schema.validate(data, lazy=True)
        except pa.errors.SchemaErrors as error:
            cases = cast("pl.DataFrame", error.failure_cases)
        else:
            return pl.DataFrame(schema=SCHEMA)
        for name, wrong in mistyped.items():  # values that could not be cast are null now, and already reported
            is_told = pl.col("index").is_in(wrong.arg_true().implode()).fill_null(value=False)
            cases = cases.filter(~((pl.col("column") == name) & (pl.col("check") == "not_nullable") & is_told))
        kinds = cases.select("schema_context", "column", "check").unique(maintain_order=True)
        told: list[tuple[str, ...]] = []
        for context, column, check in kinds.iter_rows():
            of_column = column if context == "Column" else ""
            kind = str(check).partition("(")[0]
            words = expectation(str(check), schema, of_column)
            words = f"rows that pass {words}" if not of_column and words == check else words
            name = printable(f"{of_column}.{kind}" if of_column else kind)
            told.append((context, column, check, name, of_column, words))
        same = ["schema_context", "column", "check"]
        names = dict.fromkeys((*same, "_name", "_column", "_words"), pl.String)
        numbered = where.with_row_index("index").cast({"index": cases.schema["index"]})
        placed = (
            cases.join(pl.DataFrame(told, schema=names, orient="row"), on=same, how="left", maintain_order="left")
            .join(numbered, on="index", how="left", maintain_order="left")
            .with_columns(pl.col(_FILE).fill_null(where.item(0, _FILE) if where.height else ""))
        )
        check, column, words = map(pl.col, ("_name", "_column", "_words"))
        value = pl.col("failure_case")
        return failures_at(placed, check, "error", column=column, value=value, expectation=words)


def _where(part: Records, shown: str) -> pl.DataFrame:
    """Return the places of the rows: file and key."""
    return part.keys.alias(_KEY).to_frame().select(pl.lit(shown).alias(_FILE), _KEY)


def _places(key: list[str]) -> list[str]:
    """Return working names for a key's columns, distinct from the columns with the rows' places."""
    return [f"_{place}" for place in range(len(key))]


def _kind(declared: pa.Column) -> Any:  # noqa: ANN401  polars' types have no common one
    return cast("Any", declared.dtype).type if declared.dtype is not None else pl.String()


def _typed(text: pl.Series, kind: Any) -> pl.Series:  # noqa: ANN401
    """Cast texts to a type: null where that fails."""
    if kind == pl.String:
        return text
    filled = text.replace("", None)
    if kind == pl.Boolean:
        known = {"true": True, "false": False, "1": True, "0": False}
        return filled.str.to_lowercase().replace_strict(known, default=None, return_dtype=pl.Boolean)
    return filled.cast(kind, strict=False)
