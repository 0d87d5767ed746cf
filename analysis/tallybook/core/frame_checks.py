"""Frames held against their models, with data checks really on.

Every frame that crosses a stage boundary goes through `check`: one query tells whether it passes. Only of one that does
not is pandera asked, which takes as long to import as a small study to run, and its report becomes problems a user can
find in their files.
"""

from __future__ import annotations

import math
from copy import copy
from functools import cache
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.core.errors import DataError, Problem

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import pandera.polars as pa

    from tallybook_schemas.columns import Column, Frame

_TYPES: dict[type, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64}

NOT_BLANK = r"\S"
"""The pattern of texts that are not blank."""


def check(
    frame: pl.DataFrame | pl.LazyFrame,
    model: Frame,
    *,
    where: str,
    unique: Sequence[str] = (),
    levels: Mapping[str, Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Check a frame against its model and the study's own rules."""
    data = frame.collect(engine="streaming") if isinstance(frame, pl.LazyFrame) else frame
    levels = levels or {}
    problems = [] if _passes(data, model, levels) else _reported(data, model, levels, where)
    for key in [list(key) for key in (model.unique, unique) if key]:
        absent = [name for name in key if name not in data.columns]
        if absent:
            known = {*model.columns, *levels}
            problems += [Problem(where, "", name, "", "this column") for name in absent if name not in known]
        else:
            problems += _repeated(data, key, where)
    if problems:
        raise DataError(problems)
    return data


def _passes(data: pl.DataFrame, model: Frame, levels: Mapping[str, Sequence[str]]) -> bool:
    """Hold a frame against its model by one query."""
    kinds = dict(data.schema)  # which polars makes anew whenever it is asked for
    declared = {**{name: _TYPES[one.kind] for name, one in model.columns.items()}, **dict.fromkeys(levels, pl.String)}
    absent = {name for name, one in model.columns.items() if one.optional and name not in kinds}
    if any(kinds.get(name) != kind for name, kind in declared.items() if name not in absent):
        return False
    named = {name: column for name, column in model.columns.items() if name not in {*levels, *absent}}
    holds = [one for name, column in named.items() for one in _holding(name, column)]
    holds += [pl.col(name).is_in(list(of)).all(ignore_nulls=False) for name, of in levels.items()]
    if model.is_finite:
        holds += [pl.col(name).is_finite().all() for name, kind in kinds.items() if kind.is_float()]
    return bool(data.select(pl.all_horizontal(one.fill_null(value=False) for one in holds)).item())


def _holding(name: str, column: Column) -> list[pl.Expr]:
    """Get the expression that holds of a column as it is declared."""
    value = pl.col(name)
    holds = [] if column.nullable else [value.null_count() == 0]
    if column.kind is float and not column.nullable:
        holds.append(value.is_not_nan().all())
    holds += [value.is_in(column.isin).all()] if column.isin else []
    limits = ((column.ge, value.ge), (column.le, value.le), (column.gt, value.gt), (column.lt, value.lt))
    return [*holds, *(within(limit).all() for limit, within in limits if limit is not None)]


def _reported(data: pl.DataFrame, model: Frame, levels: Mapping[str, Sequence[str]], where: str) -> list[Problem]:
    """List what pandera finds; nothing if it finds nothing."""
    import pandera.errors
    from pandera.config import ValidationDepth, config_context

    schema = _with_levels(model.name, tuple((name, tuple(allowed)) for name, allowed in levels.items()))
    try:
        # Pandera's default checks only the column types of a LazyFrame.
        with config_context(validation_enabled=True, validation_depth=ValidationDepth.SCHEMA_AND_DATA):
            schema.validate(data, lazy=True)
    except pandera.errors.SchemaErrors as error:
        return _problems(error, schema, data, where, levels)
    return []


@cache
def _with_levels(name: str, levels: tuple[tuple[str, tuple[str, ...]], ...]) -> pa.DataFrameSchema:
    """Get the schema of a model whose factors have levels; it is the same for every part of a dump."""
    import pandera.polars as pa

    from tallybook_schemas import frames

    schema = copy(getattr(frames, name).to_schema())  # pandera keeps one schema a model for all callers
    for column, allowed in levels:
        schema = schema.add_columns({column: pa.Column(pl.String, checks=pa.Check.isin(list(allowed)))})
    schema.unique = None  # reported by `_repeated`, which names the key and not the whole row
    return schema


def _problems(
    error: pa.errors.SchemaErrors, schema: pa.DataFrameSchema, data: pl.DataFrame, where: str, levels: Collection[str]
) -> list[Problem]:
    cases = list(cast("pl.DataFrame", error.failure_cases).iter_rows(named=True))
    mistyped = {case["column"] for case in cases if str(case["check"]).startswith("dtype(")}
    problems: list[Problem] = []
    for case in cases:
        check = str(case["check"])
        column = str(case["column"]) if case["schema_context"] == "Column" else ""
        row: int | None = case["index"]
        if check == "column_in_dataframe":
            problems.append(Problem(where, "", str(case["failure_case"]), "", "this column"))
        elif check == "finite":
            problems += _not_finite(data, row, where)
        elif check.startswith("dtype(") or column not in mistyped:  # a wrong type is reported on its own
            found = "" if case["failure_case"] is None else str(case["failure_case"])
            kind = "levels" if column in levels else ""
            words = expectation(check, schema, column)
            problems.append(Problem(*_place(data, row, where), column, found, words, kind))
    return problems


def _repeated(data: pl.DataFrame, key: list[str], where: str) -> list[Problem]:
    """Report each row whose key another row has too."""
    rows = data.select(row=pl.int_range(pl.len()), again=pl.struct(key).is_duplicated()).filter("again")
    problems: list[Problem] = []
    for row in rows.get_column("row"):
        found = ", ".join(str(value) for value in data.select(key).row(row))
        expected = f"no two rows with the same {', '.join(key)}"
        problems.append(Problem(*_place(data, row, where), "", found, expected, "unique"))
    return problems


def _not_finite(data: pl.DataFrame, row: int | None, where: str) -> list[Problem]:
    """Get the numbers of a row that are infinite or NaN."""
    numbers = {} if row is None else data.row(row, named=True)
    return [
        Problem(*_place(data, row, where), name, str(value), "a finite number or null")
        for name, value in numbers.items()
        if isinstance(value, float) and not math.isfinite(value)
    ]


def _place(data: pl.DataFrame, row: int | None, where: str) -> tuple[str, str]:
    """Get the file and the key of a row, where the frame knows them."""
    if row is None or row >= data.height:
        return where, ""
    file = data.item(row, "file") if "file" in data.columns else None
    key = data.item(row, "key") if "key" in data.columns else None
    return str(file or where), str(key or f"row {row + 1}")


def expectation(check: str, schema: pa.DataFrameSchema, column: str) -> str:
    """Describe what pandera's check expects."""
    name, _, argument = check.partition("(")
    argument = argument.removesuffix(")")
    if name == "isin":
        settings = next(known.statistics for known in schema.columns[column].checks if known.name == name)
        return f"one of {', '.join(map(str, cast('dict[str, list[object]]', settings)['allowed_values']))}"
    if name == "str_length":
        return _length(*argument.split(", "))
    if argument == f"'{NOT_BLANK}'":
        return "text that is not blank"
    words = {
        "not_nullable": "a value, not null",
        "greater_than_or_equal_to": f"at least {argument}",
        "less_than_or_equal_to": f"at most {argument}",
        "greater_than": f"more than {argument}",
        "less_than": f"less than {argument}",
        "finite": "finite numbers or null",
        "str_contains": f"text that matches {argument}",
        "str_matches": f"text that matches {argument}",
        "dtype": f"type {argument.strip(chr(39))}",
    }
    return words.get(name, check)


def _length(least: str, most: str) -> str:
    """Describe how long a text must be."""
    parts = [f"{word} {number}" for word, number in (("at least", least), ("at most", most)) if number != "None"]
    return f"text of {' and '.join(parts)} character{'s' if parts[-1:] != ['at least 1'] else ''}"
