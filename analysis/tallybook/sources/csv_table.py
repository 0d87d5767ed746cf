"""A small CSV file that a study has beside its responses: read at once, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.safe_paths import below, read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

PLACE = "\0place"
"""The column, under a name that no file has, with the places of rows, counted from 0 below the header."""


def read(folder: Path, name: str, wanted: Iterable[str], readable: str = "a readable CSV file") -> pl.DataFrame:
    """Read a table."""
    try:
        table = pl.read_csv(read_bytes(below(folder, name)), infer_schema=False)
    except OSError:
        raise DataError([Problem(name, "", "", "", readable)]) from None
    except pl.exceptions.PolarsError as error:
        raise DataError([Problem(name, "", "", "", f"a CSV file ({str(error).partition(chr(10))[0]})")]) from None
    if absent := [column for column in dict.fromkeys(wanted) if column not in table.columns]:
        raise DataError([Problem(name, "", column, "", "this column") for column in absent])
    return table.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(PLACE))


def without_blank(table: pl.DataFrame) -> pl.DataFrame:
    """Drop blank rows; they still count as rows.

    >>> table = pl.DataFrame({"a": ["x", None, "y"], PLACE: [0, 1, 2]})
    >>> without_blank(table)["a"].to_list()
    ['x', 'y']
    """
    return table.filter(pl.any_horizontal(pl.exclude(PLACE).is_not_null()))


def key() -> pl.Expr:
    """Name the row of a table: the header is row 1."""
    return pl.format("row {}", pl.col(PLACE) + 2).alias("key")
