"""Frames held against their models, with data checks really on.

Pandera's default checks only the column types of a LazyFrame. Every frame that crosses a stage boundary goes through
`check`, which checks the data too and turns pandera's report into problems a user can find in their files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import pandera.polars as pa
import polars as pl
from pandera.config import ValidationDepth, config_context

from analysis.errors import DataError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def check(
    frame: pl.DataFrame | pl.LazyFrame,
    model: type[pa.DataFrameModel],
    *,
    where: str,
    unique: Sequence[str] = (),
    levels: Mapping[str, Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Check a frame against its model and the study's own rules.

    Args:
        frame: The frame; a LazyFrame is collected, for values cannot be checked otherwise.
        model: One of `schemas.frames`.
        where: What the frame is, for messages: a file, or the stage that made it.
        unique: Columns that together identify a row, beside those the model names.
        levels: The allowed values of factor columns; such a column must exist and have no nulls.

    Returns:
        The frame, collected and unchanged.

    Raises:
        DataError: With one problem a fault: the row's file and key where the frame has these columns.
    """
    data = frame.collect(engine="streaming") if isinstance(frame, pl.LazyFrame) else frame
    schema = model.to_schema()
    for name, allowed in (levels or {}).items():
        schema = schema.add_columns({name: pa.Column(pl.String, checks=pa.Check.isin(list(allowed)))})
    if unique:
        schema.unique = list(unique)
    try:
        with config_context(validation_enabled=True, validation_depth=ValidationDepth.SCHEMA_AND_DATA):
            schema.validate(data, lazy=True)
    except pa.errors.SchemaErrors as error:
        raise DataError(_problems(error, data, where, list(schema.unique or ()))) from None
    return data


def _problems(error: pa.errors.SchemaErrors, data: pl.DataFrame, where: str, unique: Sequence[str]) -> list[Problem]:
    problems: list[Problem] = []
    cases = cast("pl.DataFrame", error.failure_cases)
    for case in cases.iter_rows(named=True):
        if str(case["failure_case"]).startswith("ComputeError("):
            continue  # a value check that a wrong column type, reported on its own, kept from running
        row: int | None = case["index"]
        place = data.row(row, named=True) if row is not None and row < data.height else {}
        column = str(case["column"]) if case["schema_context"] == "Column" else ""
        found = str(case["failure_case"])
        expected = _expectation(str(case["check"]), unique)
        if case["check"] == "column_in_dataframe":
            column, found, expected = found, "", "this column"
        problems.append(
            Problem(
                file=str(place.get("file", where)),
                key=str(place.get("key", "" if row is None else f"row {row + 1}")),
                column=column,
                value=found,
                expected=expected,
            )
        )
    return problems


def _expectation(check_name: str, unique: Sequence[str]) -> str:
    """Pandera's name of a failed check, in words."""
    name, _, argument = check_name.partition("(")
    argument = argument.removesuffix(")")
    words = {
        "not_nullable": "a value, not null",
        "isin": f"one of {argument}",
        "greater_than_or_equal_to": f"at least {argument}",
        "less_than_or_equal_to": f"at most {argument}",
        "greater_than": f"more than {argument}",
        "less_than": f"less than {argument}",
        "dtype": f"type {argument.strip(chr(39))}",
        "multiple_fields_uniqueness": f"no two rows with the same {', '.join(unique) or 'key'}",
        "finite": "finite numbers or null",
    }
    return words.get(name, check_name)
