"""Conversion of text to declared types, and problems of values that a rule does not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.sources.records import Records
    from tallybook.study.base import ColumnType

TYPES: dict[ColumnType, type[pl.DataType]] = {"string": pl.String, "integer": pl.Int64, "number": pl.Float64}
"""Declared type -> the type of the frame's column."""
WORDS: dict[ColumnType, str] = {"string": "a string", "integer": "a whole number", "number": "a finite number"}
"""Declared type -> its description in messages."""
NO_NUMBERS = ("nan", "<na>", "null", "#n/a", "inf", "-inf", "infinity", "-infinity", "na", "none")
"""Words of programs, in lower or upper case, in the place of a missing number."""


def typed(text: pl.Series, kind: ColumnType) -> pl.Series:
    """Convert strings to a declared type; null where that is impossible."""
    values = text.cast(TYPES[kind], strict=False)
    return values.set(~values.is_finite().fill_null(value=True), None) if kind == "number" else values


def by_expected(kind: ColumnType, text: pl.Series, wrong: pl.Series) -> list[tuple[str, pl.Series]]:
    """Divide the rows with wrong values by what was expected: values that may stand for missing ones are named so."""
    stands_for_none = text.str.strip_chars().str.to_lowercase().is_in(NO_NUMBERS) & (kind != "string")
    named = f"{WORDS[kind]}; if it stands for a missing one, list it in `missing`"
    return [(WORDS[kind], wrong & ~stands_for_none), (named, wrong & stands_for_none)]


def without_missing(text: pl.Series, missing: Sequence[str]) -> pl.Series:
    """Replace strings that stand for a missing value by null."""
    if (text == "").any():
        text = text.replace("", None)
    stands_for_none = text.str.strip_chars().is_in([*map(str.strip, missing)]) if missing else None
    return text if stands_for_none is None else text.set(stands_for_none, None)


def texts_and_values(
    part: Records, name: str, kind: ColumnType, missing: Sequence[str] = ()
) -> tuple[pl.Series, pl.Series]:
    """Return a column as text, null where empty, and as a declared type, null where values do not have it."""
    values = None if kind == "string" else part.values(name, TYPES[kind])
    if values is not None and (kind == "integer" or values.is_finite().all()):
        return values, values
    text = without_missing(part.column(name), missing)
    return text, typed(text, kind)


def finite(text: pl.Expr) -> pl.Expr:
    """Build an expression that converts strings to finite numbers; null where that is impossible."""
    number = text.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def faults(rows: pl.DataFrame, column: str, expected: str) -> list[Problem]:
    """Return a problem for each of some rows, with its value in a column."""
    places = [name if name in rows.columns else pl.lit("").alias(name) for name in ("file", "key")]
    return [
        Problem(file, key, column, "" if value is None else str(value), expected)
        for file, key, value in rows.select(*places, pl.col(column).alias("value")).iter_rows()
    ]


def uncovered(rows: pl.DataFrame, column: str, expected: str) -> list[Problem]:
    """Return a problem for each distinct value in each file, among rows with an unexpected value."""
    subset = [column, *(["file"] if "file" in rows.columns else [])]
    return faults(rows.unique(subset=subset, keep="first", maintain_order=True), column, expected)
