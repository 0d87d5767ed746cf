"""Count-weighted tables of coded responses: the pipeline entered after coding."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import READABLE, Problem
from tallybook.core.safe_paths import below, read_bytes
from tallybook.sources.parquet_bounds import WITHIN, holds_too_many, quietly
from tallybook.sources.read_result import Delivery
from tallybook.sources.values import faults
from tallybook.study.coding import Categories, ReasonOutcome, ScoreOutcome
from tallybook_schemas.vocabulary import CODED_STATUSES, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from polars._typing import PolarsDataType

    from tallybook.sources.read_result import Inputs
    from tallybook.study.model import Study
    from tallybook.study.sources import CodedSource

WITHOUT_VALUES = (*WITHOUT_ANSWER, "error")
"""The coded statuses of responses that have no outcomes."""
NO_VALUE = "nothing, since the status says so"
"""Describe what was expected in an outcome of a response."""
_WORDS: dict[PolarsDataType, str] = {
    pl.Int64(): "a whole number of at least 1",
    pl.Float64(): "a finite number",
    pl.String(): "text",
}


def coded_columns(study: Study, source: CodedSource | None = None) -> dict[str, PolarsDataType]:
    """The columns of a table of a study's coded responses and their types.

    Factors (derived ones too), item, status, outcomes and count, in the order in which they are written.
    """
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


def read(source: CodedSource, inputs: Inputs) -> Delivery:
    """Read a table of coded responses.

    The coded responses with `position`, `file` and `key`, and everything that is wrong with them. A `position` is the
    row's number, counted from 0.
    """
    rows, problems = _rows(source, inputs)
    constants = [pl.lit(level).alias(name) for name, level in source.constants.items()]
    files = [] if source.own else [source.files]
    return Delivery(frames=[rows.with_columns(constants)], problems=problems, files=files)


def _rows(source: CodedSource, inputs: Inputs) -> tuple[pl.DataFrame, list[Problem]]:
    path = below(inputs.own if source.own else inputs.folder.path, source.files)
    try:
        content = read_bytes(path)
        with quietly():
            if path.suffix == ".parquet" and holds_too_many(pl.scan_parquet(content), len(content)):
                return pl.DataFrame(), [Problem(source.files, "", "", "", WITHIN)]
            raw = pl.read_parquet(content) if path.suffix == ".parquet" else pl.read_csv(content, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        if isinstance(error, OSError):
            reason = "" if isinstance(error, FileNotFoundError) else os.strerror(error.errno or errno.EIO)
            return pl.DataFrame(), [Problem(source.files, "", "", reason, READABLE)]
        return pl.DataFrame(), [Problem(source.files, "", "", "", f"a table ({str(error).splitlines()[0]})")]
    wanted = coded_columns(inputs.study, source)
    problems = _wrong_columns(raw, wanted, source.files)
    if not problems and not raw.height:
        problems.append(Problem(source.files, "", "", "", "at least one row"))
    if problems:
        return pl.DataFrame(), problems
    # A CSV's first row of data is its second line.
    header_lines = 0 if path.suffix == ".parquet" else 1
    rows = raw.with_row_index("position").with_columns(
        pl.lit(source.files).alias("file"),
        pl.format("row {}", pl.col("position") + 1 + header_lines).alias("key"),
        pl.col("position").cast(pl.Int64),
    )
    for name, kind in wanted.items():
        rows, wrong = _cast(rows, name, kind)
        problems += wrong
    problems += _out_of_vocabulary(rows, inputs.study, wanted)
    return rows, problems


def _wrong_columns(raw: pl.DataFrame, wanted: dict[str, PolarsDataType], file: str) -> list[Problem]:
    """Columns that are missing, too many, or of a type that would change values."""
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
    """Check whether a column can be read as a type without changing a value: true is not a count of 1."""
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
    """Statuses, counts and categories that the study does not know, and values of responses that can have none."""
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
