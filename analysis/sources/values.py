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
