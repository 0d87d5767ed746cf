"""Repetitions that a dump does not number: they are numbered as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

_BEFORE = "_before"


class Samples:
    """Numbers the responses that are equal in some columns, part by part.

    >>> samples = Samples(["item"])
    >>> [samples.number(pl.DataFrame({"item": items}))["sample"].to_list() for items in (["a", "b", "a"], ["a", "b"])]
    [[0, 0, 1], [2, 1]]
    """

    def __init__(self, by: Sequence[str]) -> None:
        """Begin to count."""
        self._by = list(by)
        self._counted: pl.DataFrame | None = None

    def number(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Number responses."""
        if not self._by:
            return rows
        keys = rows.select(*self._by, pl.int_range(pl.len(), dtype=pl.Int64).over(self._by).alias("sample"))
        counted = keys.group_by(self._by).agg(pl.len().cast(pl.Int64).alias(_BEFORE))
        if self._counted is not None:
            found = keys.join(self._counted, on=self._by, how="left", nulls_equal=True, maintain_order="left")
            keys = found.with_columns(pl.col("sample") + pl.col(_BEFORE).fill_null(0))
            counted = pl.concat([self._counted, counted]).group_by(self._by).agg(pl.col(_BEFORE).sum())
        self._counted = counted
        return rows.with_columns(keys.get_column("sample"))
