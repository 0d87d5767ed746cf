"""The numbering of rows that are read in parts: by factor levels, and in reading order within equal levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BEFORE = "_before"


class Occurrences:
    """Number the rows that are equal in some columns consecutively from 0, across parts.

    >>> occurrences = Occurrences(["item"])
    >>> parts = [pl.DataFrame({"item": items}) for items in (["a", "b", "a"], ["a", "b"])]
    >>> [occurrences.number(part, "sample")["sample"].to_list() for part in parts]
    [[0, 0, 1], [2, 1]]
    """

    def __init__(self, by: Sequence[str]) -> None:
        self.by = list(by)
        self.counted: pl.DataFrame | None = None  # the number of rows so far of each combination, in column `_before`

    def number(self, rows: pl.DataFrame, name: str) -> pl.DataFrame:
        """Add column `name` with the numbers of a part's rows, and count these rows."""
        numbered = self.add_before(rows.with_columns(self.within.alias(name)), name)
        self.count(rows)
        return numbered

    @property
    def within(self) -> pl.Expr:
        """The expression that numbers the rows of a part as if it were the first."""
        return pl.int_range(pl.len(), dtype=pl.Int64).over(self.by)

    def add_before(self, rows: pl.DataFrame, name: str) -> pl.DataFrame:
        """Add the counts of earlier parts to numbers within a part."""
        if self.counted is None:
            return rows
        found = rows.join(self.counted, on=self.by, how="left", nulls_equal=True, maintain_order="left")
        return found.with_columns(pl.col(name) + pl.col(_BEFORE).fill_null(0)).drop(_BEFORE)

    def count(self, rows: pl.DataFrame, number: pl.Expr | None = None) -> None:
        """Add the rows of a part to the counts; with `number`, each row stands for that many."""
        total = pl.len() if number is None else number.sum()
        counted = rows.group_by(self.by).agg(total.cast(pl.Int64).alias(_BEFORE))
        if self.counted is not None:
            counted = pl.concat([self.counted, counted]).group_by(self.by).agg(pl.col(_BEFORE).sum())
        self.counted = counted


class Places:
    """The positions of rows, which come in parts, in the sorted order of all parts.

    >>> parts = [pl.DataFrame({"model": ["b", "a", "b"]}), pl.DataFrame({"model": ["a", "b"]})]
    >>> places = Places({"model": ["a", "b"]})
    >>> numbered = [places.number(part) for part in parts]
    >>> [places.ordered(part.lazy()).collect()["position"].to_list() for part in numbered]
    [[2, 0, 3], [1, 4]]
    """

    def __init__(self, levels: Mapping[str, Sequence[str]]) -> None:
        """Initialise without rows; without levels, rows keep the order in which they come."""
        self._levels = levels
        self._within = Occurrences([*levels])
        self._number = 0

    @property
    def counted(self) -> pl.DataFrame:
        """The number of rows of each combination of levels, in column `rows`."""
        counted = self._within.counted
        return pl.DataFrame() if counted is None else counted.rename({_BEFORE: "rows"})

    @counted.setter
    def counted(self, rows: pl.DataFrame) -> None:
        self._within.counted = rows.rename({"rows": _BEFORE})

    def number(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add `position`, a row's number among all rows so far that have the same levels."""
        if self._levels:
            return self._within.number(rows, "position")
        first, self._number = self._number, self._number + rows.height
        return rows.with_columns(pl.int_range(first, self._number, dtype=pl.Int64).alias("position"))

    def number_first(self, rows: pl.DataFrame, alike: pl.DataFrame) -> pl.DataFrame:
        """Number the first row of each kind in a part: `position` is its index there, `_rows` its number of rows."""
        if not self._levels:
            first, self._number = self._number, self._number + rows.height
            return alike.with_columns(pl.col("position") + first)
        # Most kinds of rows occur early in a part: the rows after the last first occurrence need no number.
        last: int = alike.select(pl.col("position").max()).item()
        seen = rows.head(last + 1).select(self._within.within.alias("position"))
        numbered = alike.with_columns(seen.get_column("position").gather(alike.get_column("position")))
        numbered = self._within.add_before(numbered, "position")
        self._within.count(alike, pl.col("_rows"))
        return numbered

    def ordered(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Convert numbers among equal levels to positions in the order of all rows, once all parts are numbered."""
        if self._within.counted is None:
            return rows
        kinds = {name: pl.Enum(list(of)) for name, of in self._levels.items()}
        in_order = self._within.counted.sort(pl.col(name).cast(kind) for name, kind in kinds.items())
        starts = in_order.with_columns(pl.col(_BEFORE).cum_sum() - pl.col(_BEFORE))
        found = rows.join(starts.lazy(), on=self._within.by, how="left", maintain_order="left")
        return found.with_columns(pl.col("position") + pl.col(_BEFORE)).drop(_BEFORE)
