"""The order of a dump, which breaks ties: by the levels of the factors, then as read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_BEFORE = "_before"


class Occurrences:
    """Numbers the rows that are equal in some columns from 0, part by part.

    >>> occurrences = Occurrences(["item"])
    >>> parts = [pl.DataFrame({"item": items}) for items in (["a", "b", "a"], ["a", "b"])]
    >>> [occurrences.number(part, "sample")["sample"].to_list() for part in parts]
    [[0, 0, 1], [2, 1]]
    """

    def __init__(self, by: Sequence[str]) -> None:
        self.by = list(by)
        self.counted: pl.DataFrame | None = None  # how many rows there are so far of each combination, in `_before`

    def number(self, rows: pl.DataFrame, name: str) -> pl.DataFrame:
        """Number the rows of a part."""
        numbered = self.add_before(rows.with_columns(self.within.alias(name)), name)
        self.count(rows)
        return numbered

    @property
    def within(self) -> pl.Expr:
        """The numbers of rows of a part as if it were the first."""
        return pl.int_range(pl.len(), dtype=pl.Int64).over(self.by)

    def add_before(self, rows: pl.DataFrame, name: str) -> pl.DataFrame:
        """Add the rows of the parts before to numbers within a part."""
        if self.counted is None:
            return rows
        found = rows.join(self.counted, on=self.by, how="left", nulls_equal=True, maintain_order="left")
        return found.with_columns(pl.col(name) + pl.col(_BEFORE).fill_null(0)).drop(_BEFORE)

    def count(self, rows: pl.DataFrame, number: pl.Expr | None = None) -> None:
        """Count the rows of a part; or the `number` of rows that each row stands for."""
        total = pl.len() if number is None else number.sum()
        counted = rows.group_by(self.by).agg(total.cast(pl.Int64).alias(_BEFORE))
        if self.counted is not None:
            counted = pl.concat([self.counted, counted]).group_by(self.by).agg(pl.col(_BEFORE).sum())
        self.counted = counted


class Places:
    """The positions of rows that come part by part in the order of them all.

    >>> parts = [pl.DataFrame({"model": ["b", "a", "b"]}), pl.DataFrame({"model": ["a", "b"]})]
    >>> places = Places({"model": ["a", "b"]})
    >>> numbered = [places.number(part) for part in parts]
    >>> [places.ordered(part.lazy()).collect()["position"].to_list() for part in numbered]
    [[2, 0, 3], [1, 4]]
    """

    def __init__(self, levels: Mapping[str, Sequence[str]]) -> None:
        """Begin without rows; without levels their order is that in which they come."""
        self._levels = levels
        self._within = Occurrences([*levels])
        self._number = 0

    @property
    def counted(self) -> pl.DataFrame:
        """The number of rows by their levels: `rows`."""
        counted = self._within.counted
        return pl.DataFrame() if counted is None else counted.rename({_BEFORE: "rows"})

    @counted.setter
    def counted(self, rows: pl.DataFrame) -> None:
        self._within.counted = rows.rename({"rows": _BEFORE})

    def number(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Number the rows of a part among those with the same levels, over all parts so far."""
        if self._levels:
            return self._within.number(rows, "position")
        first, self._number = self._number, self._number + rows.height
        return rows.with_columns(pl.int_range(first, self._number, dtype=pl.Int64).alias("position"))

    def number_first(self, rows: pl.DataFrame, alike: pl.DataFrame) -> pl.DataFrame:
        """Number the first row of each kind in a part; `position` is its place there, `_rows` how many are alike."""
        if not self._levels:
            first, self._number = self._number, self._number + rows.height
            return alike.with_columns(pl.col("position") + first)
        # Most kinds of rows come up early: what is behind them need not be numbered.
        last: int = alike.select(pl.col("position").max()).item()
        seen = rows.head(last + 1).select(self._within.within.alias("position"))
        numbered = alike.with_columns(seen.get_column("position").gather(alike.get_column("position")))
        numbered = self._within.add_before(numbered, "position")
        self._within.count(alike, pl.col("_rows"))
        return numbered

    def ordered(self, rows: pl.LazyFrame) -> pl.LazyFrame:
        """Give numbered rows their positions in the order of all, once all parts are numbered."""
        if self._within.counted is None:
            return rows
        kinds = {name: pl.Enum(list(of)) for name, of in self._levels.items()}
        in_order = self._within.counted.sort(pl.col(name).cast(kind) for name, kind in kinds.items())
        starts = in_order.with_columns(pl.col(_BEFORE).cum_sum() - pl.col(_BEFORE))
        found = rows.join(starts.lazy(), on=self._within.by, how="left", maintain_order="left")
        return found.with_columns(pl.col("position") + pl.col(_BEFORE)).drop(_BEFORE)
