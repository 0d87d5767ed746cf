"""The records of typed tables: Parquet, Arrow, Excel."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources.json_records import at, text_of
from tallybook.sources.records import Records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.sources.content import Content


def records(frame: pl.DataFrame, content: Content, paths: Sequence[str], above: int) -> Records:
    """Rows of a typed table as records.

    Their values: text, numbers and truth values as they are, dates as text in ISO 8601, lists as JSON; a structure
    gives a column for each of its fields, with a dotted name.
    """
    columns: dict[str, pl.Series] = {}
    for column in frame.iter_columns():
        for leaf in _leaves(column):
            if leaf.name in columns:
                raise content.refuse(f"one column {leaf.name!r}")
            columns[leaf.name] = _plain(leaf, content)
            inner = [path for path in paths if path.startswith(f"{leaf.name}.") and _is_list(leaf)]
            for path in inner:
                steps = path.removeprefix(f"{leaf.name}.")
                columns[path] = pl.Series([text_of(at(value, steps)) for value in leaf.to_list()], dtype=pl.String)
    values = pl.DataFrame({str(place): column for place, column in enumerate(columns.values())})
    return Records([*columns], values, pl.int_range(above + 1, above + 1 + frame.height, eager=True))


def _leaves(column: pl.Series) -> list[pl.Series]:
    """A structure's fields with dotted names, those of structures in it too."""
    if not isinstance(column.dtype, pl.Struct):
        return [column]
    fields = [column.struct.field(field.name).alias(f"{column.name}.{field.name}") for field in column.dtype.fields]
    return [leaf for field in fields for leaf in _leaves(field)]


def _is_list(column: pl.Series) -> bool:
    return isinstance(column.dtype, pl.List | pl.Array)


def _plain(column: pl.Series, content: Content) -> pl.Series:
    """A column as strings, numbers or truth values."""
    kind = column.dtype
    if _is_list(column):
        try:
            return pl.Series([text_of(value) for value in column.to_list()], dtype=pl.String)
        except TypeError:  # bytes or dates within lists
            raise content.refuse(f"lists of text and numbers in column {column.name!r}") from None
    if kind == pl.Binary:
        raise content.refuse(f"text, numbers, dates or lists in column {column.name!r}, not bytes")
    if kind == pl.Boolean or kind.is_integer() or kind.is_float():
        return column
    return column.dt.to_string("iso") if kind.is_temporal() else column.cast(pl.String)
