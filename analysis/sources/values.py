"""The types that values of sources can be declared to have."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from schemas.study.base import ColumnType

TYPES: dict[ColumnType, type[pl.DataType]] = {"string": pl.String, "integer": pl.Int64, "number": pl.Float64}
"""Declared type -> the type of the frame's column."""
WORDS: dict[ColumnType, str] = {"string": "a string", "integer": "a whole number", "number": "a finite number"}
"""Declared type -> how messages call it."""


def typed(text: pl.Series, kind: ColumnType) -> pl.Series:
    """Strings as a declared type.

    Args:
        text: The strings.
        kind: The type.

    Returns:
        The values; null for what is not of this type.
    """
    values = text.cast(TYPES[kind], strict=False)
    return values.set(~values.is_finite().fill_null(value=True), None) if kind == "number" else values


def finite(text: pl.Expr) -> pl.Expr:
    """Strings as numbers.

    Args:
        text: The strings.

    Returns:
        The numbers; null for what is none, or is not finite.
    """
    number = text.cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)
