"""Reading of count-weighted tables of coded responses, which enter the pipeline after coding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources import csv_file
from tallybook.sources.content import Content
from tallybook.sources.formats import subprocess_reader
from tallybook.sources.values import faults
from tallybook.study.coding import Categories, ReasonOutcome, ScoreOutcome
from tallybook_schemas.vocabulary import CODED_STATUSES, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from polars._typing import PolarsDataType

    from tallybook.sources.read_result import Delivery, Inputs
    from tallybook.study.model import Study
    from tallybook.study.sources import CodedSource

WITHOUT_VALUES = (*WITHOUT_ANSWER, "error")
"""The statuses of coded responses that cannot have outcomes."""
NO_VALUE = "nothing, since the status says so"
"""The expected value of an outcome in a response that cannot have one."""
_WORDS: dict[PolarsDataType, str] = {
    pl.Int64(): "a whole number of at least 1",
    pl.Float64(): "a finite number",
    pl.String(): "text",
}


def coded_columns(study: Study, source: CodedSource | None = None) -> dict[str, PolarsDataType]:
    """Return the columns of a table of coded responses with their types, in the order in which they are written."""
    constants: Mapping[str, str] = {} if source is None else source.constants
    has_items = source is None or source.items
    names = [*(name for name in study.factors if name not in constants), *(["item"] if has_items else []), "status"]
    columns: dict[str, PolarsDataType] = dict.fromkeys(names, pl.String())
    held = study.outcomes if source is None or source.outcomes is None else source.outcomes
    for name in held:
        outcome = study.outcomes[name]
        columns[name] = pl.Float64() if isinstance(outcome, ScoreOutcome) else pl.String()
    columns["count"] = pl.Int64()
    return columns


def read(source: CodedSource, inputs: Inputs, delivery: Delivery) -> pl.DataFrame:
    """Read a table of coded responses in row order."""
    rows, problems = _rows(source, inputs)
    delivery.problems += problems
    delivery.files += [] if source.own else [source.files]
    return rows.with_columns(pl.lit(level).alias(name) for name, level in source.constants.items())


def _rows(source: CodedSource, inputs: Inputs) -> tuple[pl.DataFrame, list[Problem]]:
    content = Content(inputs.own if source.own else inputs.folder.path, source.files)
    try:
        raw, keys = _read(content)
    except DataError as error:
        return pl.DataFrame(), error.problems
    wanted = coded_columns(inputs.study, source)
    problems = _wrong_columns(raw, wanted, source.files)
    if not problems and not raw.height:
        problems.append(content.fault("", "", "", "at least one row"))
    if problems:
        return pl.DataFrame(), problems
    position = pl.int_range(raw.height, dtype=pl.Int64, eager=True)
    rows = raw.with_columns(keys.alias("key"), position=position, file=pl.lit(source.files))
    for name, kind in wanted.items():
        rows, wrong = _cast(rows, name, kind)
        problems += wrong
    problems += _out_of_vocabulary(rows, inputs.study, wanted)
    return rows, problems


def _read(content: Content) -> tuple[pl.DataFrame, pl.Series]:
    """Read a Parquet or CSV table, and the keys of its rows."""
    if content.path.suffix == ".parquet":
        raw = pl.concat(subprocess_reader.frames(content, subprocess_reader.PARQUET))
        return raw, raw.select(pl.format("row {}", pl.int_range(1, pl.len() + 1)).alias("key")).to_series()
    cells = csv_file.read(content)
    if repeated := dict.fromkeys(name for name in cells.header if cells.header.count(name) > 1):
        raise DataError([content.fault("", name, "", "this column once") for name in repeated])
    return cells.cells.rename(dict(zip(cells.cells.columns, cells.header, strict=True))), cells.keys


def _wrong_columns(raw: pl.DataFrame, wanted: dict[str, PolarsDataType], file: str) -> list[Problem]:
    """Return problems of columns that are missing, unknown, or of a type whose conversion would change values."""
    known = ", ".join(wanted)
    return [
        *(Problem(file, "", name, "", "this column") for name in wanted if name not in raw.columns),
        *(Problem(file, "", name, "", f"one of the columns {known}") for name in raw.columns if name not in wanted),
        *(
            Problem(file, "", name, f"type {raw.schema[name]}", _WORDS[kind])
            for name, kind in wanted.items()
            if name in raw.columns and not _fits(raw.schema[name], kind)
        ),
    ]


def _fits(delivered: pl.DataType, kind: PolarsDataType) -> bool:
    """Return whether a column can be converted to a type without changing a value: true is not a count of 1."""
    if delivered in {pl.String(), pl.Null()}:
        return True
    if kind == pl.Float64():
        return delivered.is_numeric()
    return delivered.is_integer() or (kind == pl.String() and isinstance(delivered, pl.Categorical | pl.Enum))


def _cast(rows: pl.DataFrame, name: str, kind: PolarsDataType) -> tuple[pl.DataFrame, list[Problem]]:
    typed = rows.with_columns(pl.col(name).cast(kind, strict=False).alias("_typed"))
    wrong = pl.col("_typed").is_null() & (pl.col(name).is_not_null() | (name == "count"))
    if kind == pl.Float64():
        wrong = wrong | ~pl.col("_typed").is_finite().fill_null(value=True)
    return typed.with_columns(pl.col("_typed").alias(name)).drop("_typed"), faults(
        typed.filter(wrong), name, _WORDS[kind]
    )


def _out_of_vocabulary(rows: pl.DataFrame, study: Study, columns: Collection[str]) -> list[Problem]:
    """Return problems of unknown statuses, counts and categories, and of outcomes where the status excludes them."""
    wrong = [
        (
            "status",
            ~pl.col("status").is_in(CODED_STATUSES).fill_null(value=False),
            f"one of {', '.join(CODED_STATUSES)}",
        ),
        ("count", pl.col("count") < 1, _WORDS[pl.Int64()]),
    ]
    for name, outcome in study.outcomes.items():
        if name not in columns:
            continue
        valueless = pl.col("status").is_in(WITHOUT_VALUES)
        if isinstance(outcome, ScoreOutcome) and outcome.of_prompt:
            valueless = pl.lit(value=False)
        if isinstance(outcome, ReasonOutcome):
            valueless = ~pl.col("status").is_in(WITHOUT_ANSWER).fill_null(value=False)
        wrong.append((name, valueless, NO_VALUE))
        if isinstance(outcome, Categories):
            wrong.append((name, ~pl.col(name).is_in(list(outcome.labels)), f"one of {', '.join(outcome.labels)}"))
    found = (
        (rows.filter(fault & (pl.col(name).is_not_null() | (name == "status"))), name, expected)
        for name, fault, expected in wrong
    )
    return [problem for one in found for problem in faults(*one)]
