"""Files held against a schema by itself, without a study: part by part, whatever their format."""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pandera.polars as pa
import polars as pl
from pandera.config import ValidationDepth, config_context

from analysis.coded_words import counted as in_words
from analysis.errors import DataError, UsageError
from analysis.row_store import RowStore
from analysis.sources.content import Content
from analysis.sources.formats.registry import told_format
from analysis.sources.records import Records
from analysis.sources.repeats import Repeats
from analysis.untrusted import printable
from analysis.validation.model import SCHEMA, Check, Failures, Report, counted
from analysis.validation.places import failures_at, line, of_problems
from analysis.validation.user_schemas import Expected, load
from schemas.checking import expectation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from analysis.progress import Progress
    from analysis.validation.model import FailOn

_FILE, _KEY = "file", "key"
_WORDS = {"String": "text", "Int64": "a whole number", "Float64": "a number", "Boolean": "true or false"}


def validate_files(paths: Sequence[Path], name: str, fail_on: FailOn, progress: Progress) -> Report:
    """Hold files against a schema.

    Args:
        paths: The files, of any format that is read.
        name: A frame's name, or a file or Python object that declares a schema.
        fail_on: The least grave failure that makes the data invalid.
        progress: Where to report how far it is.

    Returns:
        What was found. Uniqueness is checked over all files together.

    Raises:
        UsageError: If there is no such schema or file.
    """
    expected = load(name)
    for path in paths:
        if not path.is_file():
            raise UsageError(f"no file {printable(str(path), 200)}")
    checking = _Checking(expected)
    advance = progress.stage(f"Validating {in_words(len(paths), 'file')}", len(paths))
    for path in paths:
        checking.file(Content(path.parent, path.name), str(path))
        advance(1)
    failures = checking.finish()
    checks = counted(_checks(expected), failures)
    summary = f"{in_words(len(paths), 'file')}, {in_words(checking.rows, 'row')}, schema {printable(expected.name)}"
    details = {"schema": printable(expected.name), "files": len(paths), "rows": checking.rows}
    title, files = printable(expected.name), [str(path) for path in paths]
    notes = _notes(expected, checks)
    return Report(title, checks, failures, files, checking.rows, fail_on, details, summary, notes)


def _notes(expected: Expected, checks: Sequence[Check]) -> list[str]:
    """What helps where a dump has other columns than an instrument's schema names."""
    if expected.instrument is None or not any(one.name.endswith(".required") and one.worst for one in checks):
        return []
    name = expected.name
    others = "`tallybook init` writes a study that reads others"
    coded = f"coded responses are validated with -s coded-{name}"
    return [f"note: columns are called as `tallybook simulate {name}` calls them; {others}; {coded}"]


def _checks(expected: Expected) -> list[Check]:
    """A check for everything that the schema says of each column."""
    made = [Check("files", "Files can be read."), Check("records", "Every record of a file can be read.")]
    for column, declared in expected.schema.columns.items():
        about = printable(column)
        made += [Check(f"{column}.required", f"Column {about} is there.")] if declared.required else []
        made.append(Check(f"{column}.type", f"Values of {about} are of its type."))
        made += [] if declared.nullable else [Check(f"{column}.not_nullable", f"{about} has a value in every row.")]
        made += [
            Check(
                f"{column}.{one.name}", f"{about}: {expectation(str(one.error or one.name), expected.schema, column)}."
            )
            for one in declared.checks
        ]
    made += [Check(str(one.name), f"Rows: {one.name}.") for one in cast("list[pa.Check]", expected.schema.checks or [])]
    made += [Check(f"unique({', '.join(key)})", "No two rows are equal in these columns.") for key in expected.unique]
    made += [Check(f"{one}.filled", f"{one} has a value in some row.") for one in expected.filled]
    made += [Check(rule.name, rule.description, rule.severity) for rule in expected.rules]
    made += [Check("outcomes", "There is a column that the instrument makes.")] if expected.one_of else []
    if expected.instrument is not None:
        from analysis.validation.instruments import STIMULI

        made.append(Check(STIMULI, "The instrument can use what stands beside the texts."))
    made += [Check("extra", "There are no other columns.")] if expected.is_closed else []
    return [Check(printable(one.name), one.description, one.severity) for one in made]


class _Checking:
    """Holds one file after the other against a schema."""

    def __init__(self, expected: Expected) -> None:
        self._expected = expected
        self._schema = copy(expected.schema)
        self._schema.unique = None  # checked over all parts and files
        self._schema.strict = False
        self._failures = Failures()
        self._store = RowStore()
        self._repeats = [(key, Repeats([f"_{place}" for place in range(len(key))])) for key in expected.unique]
        self._mistyped: dict[str, pl.Series] = {}
        self._unfilled: set[str] = set()
        self._lacking: list[tuple[str, pl.DataFrame]] = []
        self.rows = 0

    def file(self, content: Content, shown: str) -> None:
        """Read a file and check its rows."""
        above = self.rows
        self._unfilled, self._lacking = set(self._expected.filled), []
        try:
            told = told_format(content)
            header: dict[str, None] = {}
            parts = told.format.read(content, list(self._schema.columns))
            for part in parts if self._expected.in_parts else _together(parts):
                header |= dict.fromkeys(part.header)
                self._part(part, shown)
            if self.rows == above and not content.problems:
                raise content.refuse("at least one row")
            if header:  # of a file in which no record can be read nothing is known
                self._header(header, shown)
        except DataError as error:
            content.problems += error.problems
        problems = of_problems(content.problems, "error")
        self._failures.add(problems.with_columns(pl.lit(shown).alias("file")))

    def finish(self) -> Failures:
        """What is wrong with all files together."""
        for key, repeats in self._repeats:
            problems, _ = repeats.problems()
            found = of_problems(problems, "error").with_columns(
                pl.lit(", ".join(key)).alias("column"),
                pl.lit(printable(f"unique({', '.join(key)})")).alias("check"),
                pl.lit(f"no two rows with the same {', '.join(key)}").alias("expectation"),
            )
            self._failures.add(found)
        self._store.close()
        return self._failures

    def _header(self, header: dict[str, None], shown: str) -> None:
        given = {*header, *(name for name in self._expected.supplied if name not in header)}
        columns = self._schema.columns
        absent = [name for name, one in columns.items() if one.required and name not in given]
        extra = [name for name in header if name not in columns] if self._expected.is_closed else []
        told = [(f"{name}.required", name, self._due(name)) for name in absent]
        told += [("extra", name, f"one of the columns {', '.join(columns)}") for name in extra]
        told += [(f"{name}.filled", name, "a value in one row at least") for name in self._unfilled & header.keys()]
        if self._expected.one_of and not header.keys() & set(self._expected.one_of):
            told.append(("outcomes", "", f"one of the columns {', '.join(self._expected.one_of)}"))
        place = pl.DataFrame({_FILE: [shown], _KEY: [""]})
        for check, column, words in told:
            self._failures.add(
                failures_at(place, printable(check), "error", column=column, value=pl.lit(""), expectation=words)
            )
        for name, rows in self._lacking:
            if name in header:  # records that lack a column which others have
                check, words = printable(f"{name}.not_nullable"), "a value, not null"
                self._failures.add(failures_at(rows, check, "error", column=name, value=pl.lit(""), expectation=words))

    def _due(self, name: str) -> str:
        about = self._schema.columns[name].description if self._expected.instrument is not None else None
        return f"this column: {about[:1].lower()}{about[1:].removesuffix('.')}" if about else "this column"

    def _part(self, part: Records, shown: str) -> None:
        """Check some rows of a file."""
        count = part.keys.len()
        where = pl.DataFrame({_FILE: pl.Series([shown], dtype=pl.String).new_from_index(0, count), _KEY: part.keys})
        columns: dict[str, pl.Series] = {}
        self._mistyped.clear()
        for name, declared in self._schema.columns.items():
            text = part.column(name) if name in part.header else None
            if text is None or text.null_count():
                supplied = self._supplied(name, where)
                text = (
                    supplied
                    if text is None
                    else text
                    if supplied is None
                    else text.zip_with(text.is_not_null(), supplied)
                )
            if text is not None:
                text = text.fill_null("") if name in self._expected.empties else text
                columns[name] = self._typed(name, declared, text, where)
            elif declared.required and not declared.nullable:
                self._lacking.append((name, where))
        self.rows += count
        data = pl.DataFrame(columns)
        self._check(data, where)
        self._beside(data, where)
        for key, repeats in self._repeats:
            if all(name in data.columns for name in key):
                rows = where.with_columns(data.get_column(name).alias(f"_{place}") for place, name in enumerate(key))
                repeats.add(rows, self._store.add(rows), is_known=False)

    def _beside(self, data: pl.DataFrame, where: pl.DataFrame) -> None:
        """Check what no schema of columns says."""
        self._unfilled -= {name for name in self._unfilled & {*data.columns} if _has_value(data.get_column(name))}
        for rule in self._expected.rules:
            if set(rule.needs) <= {*data.columns} and (wrong := data.select(rule.fails).to_series()).any():
                rows, value = where.filter(wrong), data.get_column(rule.column).filter(wrong).cast(pl.String)
                self._failures.add(
                    failures_at(
                        rows,
                        rule.name,
                        rule.severity,
                        column=rule.column,
                        value=pl.lit(value),
                        expectation=rule.expectation,
                    )
                )
        if self._expected.instrument is not None:
            from analysis.validation.instruments import STIMULI, unusable

            rows = where.hstack(data.drop(_FILE, _KEY, strict=False))
            problems = [replace(one, check=STIMULI) for one in unusable(self._expected.instrument, rows)]
            self._failures.add(of_problems(problems, "error"))

    def _supplied(self, name: str, where: pl.DataFrame) -> pl.Series | None:
        """What every reader of records gives beside the columns of a file."""
        if name not in self._expected.supplied:
            return None
        count = where.height
        match name:
            case "file" | "key":
                return where.get_column(name)
            case "response_id":
                return where.select(pl.format("{}#{}", _FILE, _KEY)).to_series()
            case "position":
                return pl.int_range(self.rows, self.rows + count, eager=True).cast(pl.String)
            case _:
                value = self._expected.supplied[name]
                return pl.Series([value], dtype=pl.String).new_from_index(0, count)

    def _typed(self, name: str, declared: pa.Column, text: pl.Series, where: pl.DataFrame) -> pl.Series:
        """The texts as values of the declared type: one that is none is a failure, and not checked further."""
        kind: Any = cast("Any", declared.dtype).type if declared.dtype is not None else pl.String()
        if kind == pl.String:
            return text
        filled = text.replace("", None)
        values = _values(filled, kind)
        wrong = values.is_null() & filled.is_not_null()
        if wrong.any():
            rows = where.filter(wrong).with_columns(text.filter(wrong).alias("_text"))
            words = f"{_WORDS.get(str(kind), f'type {kind}')}"
            check = printable(f"{name}.type")
            self._failures.add(failures_at(rows, check, "error", column=name, value=pl.col("_text"), expectation=words))
            self._mistyped[name] = wrong
        return values

    def _check(self, data: pl.DataFrame, where: pl.DataFrame) -> None:
        """Run pandera and place its failure cases."""
        present = copy(self._schema)
        absent = [name for name in present.columns if name not in data.columns]
        present = present.remove_columns(absent) if absent else present
        try:
            with config_context(validation_enabled=True, validation_depth=ValidationDepth.SCHEMA_AND_DATA):
                present.validate(data, lazy=True)
        except pa.errors.SchemaErrors as error:
            self._failures.add(self._cases(cast("pl.DataFrame", error.failure_cases), present, where))

    def _cases(self, cases: pl.DataFrame, schema: pa.DataFrameSchema, where: pl.DataFrame) -> pl.DataFrame:
        """Pandera's failure cases as failures."""
        for name, wrong in self._mistyped.items():  # what is no number is null now, and told already
            is_told = pl.col("index").is_in(wrong.arg_true().implode()).fill_null(value=False)
            cases = cases.filter(~((pl.col("column") == name) & (pl.col("check") == "not_nullable") & is_told))
        kinds = cases.select("schema_context", "column", "check").unique(maintain_order=True)
        told: list[tuple[str, str, str, str, str]] = []
        for context, column, check in kinds.iter_rows():
            of_column = column if context == "Column" else ""
            kind = str(check).partition("(")[0]
            name = f"{of_column}.{kind}" if of_column else kind
            words = expectation(str(check), schema, of_column)
            words = f"rows that pass {words}" if not of_column and words == check else words
            told.append((context, column, check, printable(name), words))
        names = ("schema_context", "column", "check", "_name", "expectation")
        words = pl.DataFrame(told, schema=dict.fromkeys(names, pl.String), orient="row")
        placed = cases.join(words, on=["schema_context", "column", "check"], how="left", maintain_order="left")
        numbered = where.with_row_index("index").cast({"index": cases.schema["index"]})
        placed = placed.join(numbered, on="index", how="left", maintain_order="left")
        in_file = pl.col(_FILE).fill_null(where.item(0, _FILE) if where.height else "")
        return placed.select(
            pl.col("_name").alias("check"),
            pl.lit("error").alias("severity"),
            in_file,
            line(in_file, pl.col(_KEY)),
            pl.col(_KEY).fill_null(""),
            pl.when(pl.col("schema_context") == "Column").then("column").otherwise(pl.lit("")).alias("column"),
            pl.col("failure_case").cast(pl.String).fill_null("").alias("value"),
            "expectation",
            pl.lit(1, dtype=pl.Int64).alias("times"),
        ).select(list(SCHEMA))


def _together(parts: Iterator[Records]) -> Iterator[Records]:
    """All records of a file in one piece."""
    if every := list(parts):
        header = list(dict.fromkeys(name for part in every for name in part.header))
        frames = [
            pl.DataFrame({str(header.index(name)): part.column(name) for name in dict.fromkeys(part.header)})
            for part in every
        ]
        cells = pl.concat(frames, how="diagonal").select(str(place) for place in range(len(header)))
        yield Records(header, cells, pl.concat([part.keys for part in every]))


def _has_value(column: pl.Series) -> bool:
    return (column.cast(pl.String).str.strip_chars() != "").any()


def _values(text: pl.Series, kind: Any) -> pl.Series:  # noqa: ANN401  polars' types have no common one
    if kind == pl.Boolean:
        lower = text.str.to_lowercase()
        known = {"true": True, "false": False, "1": True, "0": False}
        return lower.replace_strict(known, default=None, return_dtype=pl.Boolean)
    return text.cast(kind, strict=False)
