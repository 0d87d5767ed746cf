"""The order of a dump, which breaks ties: by the levels of the factors, then as read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_PART, _START, _WITHIN = "_part", "_start", "_within"


class Places:
    """The positions of rows that come part by part in the order of them all.

    >>> parts = [pl.DataFrame({"model": ["b", "a", "b"]}), pl.DataFrame({"model": ["a", "b"]})]
    >>> places = Places([part.lazy() for part in parts], {"model": ["a", "b"]})
    >>> [places.number(part, rows)["position"].to_list() for part, rows in enumerate(parts)]
    [[2, 0, 3], [1, 4]]
    """

    def __init__(self, parts: Iterable[pl.LazyFrame], levels: Mapping[str, Sequence[str]]) -> None:
        """Count how many rows of each part have which levels: all that is needed at once."""
        self._keys = [pl.col(name).cast(pl.Enum(list(of))) for name, of in levels.items()]
        self._keys = self._keys or [pl.repeat(0, pl.len()).alias("_all")]
        self._names = [*levels] or ["_all"]
        counts = [
            part.select(self._keys).group_by(self._names).agg(pl.len().cast(pl.Int64).alias(_START)).collect()
            for part in parts
        ]
        together = pl.concat(part.with_columns(pl.lit(number).alias(_PART)) for number, part in enumerate(counts))
        before = pl.col(_START).cum_sum() - pl.col(_START)
        self._starts = together.sort(*self._names, _PART).with_columns(before).partition_by(_PART, as_dict=True)

    def number(self, part: int, rows: pl.DataFrame) -> pl.DataFrame:
        """Number the rows of a part."""
        if not rows.height:
            return rows.with_columns(pl.lit(None, dtype=pl.Int64).alias("position"))
        within = pl.int_range(pl.len(), dtype=pl.Int64).over(self._names).alias(_WITHIN)
        keys = rows.select(self._keys).with_columns(within)
        found = keys.join(self._starts[part,], on=self._names, how="left", maintain_order="left")
        return rows.with_columns(found.select((pl.col(_START) + pl.col(_WITHIN)).alias("position")).to_series())
