"""Detection of duplicate keys among rows that are read in parts and need not fit into memory."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.issue_log import extend
from tallybook.core.spill_buffer import IN_MEMORY, RowStore

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from tallybook.core.issue_log import Findings

AT_ONCE = 2**24
"""The approximate largest number of hashes that are sorted at once."""
MOST = 2**19
"""The largest number of possibly repeated rows or keys that are compared at once."""
_KNOWN = "_known"
"""The column that marks rows whose source is known to repeat responses."""
HASH = "_hash"
"""The column of hashes."""


class RepeatedKeys:
    """Find the rows whose key occurs more than once; stores eight bytes per row, on disk if there are many rows.

    Equal keys have equal hashes, but different keys may, too, so rows with equal hashes are compared by their keys.

    >>> parts = [pl.DataFrame({"item": ["a", "b"], "row": [1, 2]}), pl.DataFrame({"item": ["a"], "row": [3]})]
    >>> repeated = RepeatedKeys(["item"])
    >>> for part in parts:
    ...     _ = repeated.add(part)
    >>> [rows["row"].to_list() for rows in repeated.among(parts)]
    [[1, 3]]
    """

    def __init__(self, key: Sequence[str], beside: RowStore | None = None, constant: Collection[str] = ()) -> None:
        """Initialise without rows; with `beside`, temporary files go into the folder of that store.

        Columns that are `constant` in all rows are not hashed.
        """
        self._key = list(key)
        self._hashed = [name for name in key if name not in constant] or self._key
        self._hashes = RowStore(beside=beside, share=IN_MEMORY / (8 * AT_ONCE))  # in memory if sorted at once
        self._number = 0
        self._kinds: list[pl.DataType] | None = None
        self._is_mixed = False

    def add(self, rows: pl.DataFrame) -> pl.Series:
        """Add rows, and return the hashes of their keys."""
        keys = rows.select(self._hashed)
        # A value that is text in one part and a number in another may count as equal although the hashes differ.
        self._is_mixed = self._is_mixed or self._kinds not in (None, keys.dtypes)
        self._kinds = keys.dtypes
        hashes = _hashed(keys).alias(HASH)
        self._hashes.add(hashes.to_frame())
        self._number += hashes.len()
        return hashes

    def among(self, again: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Yield the rows whose keys are repeated, in batches; `again` yields all rows anew, to compare their keys."""
        if self._number <= AT_ONCE:
            parts = [pl.Series(HASH, dtype=pl.Int64), *(part.to_series() for part in self._hashes.parts())]
            hashes = pl.concat(parts)
            with ThreadPoolExecutor(2) as threads:  # halves of the hashes, in order
                common = pl.concat(threads.map(_repeated, (hashes.filter(hashes < 0), hashes.filter(hashes >= 0))))
        else:
            common = repeated_hashes([self._hashes.scan()], self._number)
        if self._is_mixed:
            yield from self._compared(pl.concat(list(again), how="vertical_relaxed"))
        elif common.len():
            with RowStore(self._hashes.scratch) as suspects:
                number = 0
                for rows in again:
                    hashes = _hashed(rows.select(self._hashed)).alias(HASH)
                    found = rows.with_columns(hashes).filter(_among(hashes, common))
                    number += suspects.add(found).height if found.height else 0
                if 0 < number <= MOST:
                    yield from self._compared(suspects.scan().drop(HASH).collect())
                elif number:
                    yield from self._in_ranges(suspects.scan(), common)

    def _compared(self, suspects: pl.DataFrame) -> Iterator[pl.DataFrame]:
        repeated = suspects.filter(pl.struct(self._key).is_duplicated()).sort(self._key, maintain_order=True)
        if repeated.height:
            yield repeated

    def _in_ranges(self, suspects: pl.LazyFrame, common: pl.Series) -> Iterator[pl.DataFrame]:
        """Yield rows with repeated keys, one range of hashes at a time, as a single key may have millions of rows."""
        for start in range(0, common.len(), MOST):
            within = pl.col(HASH).is_between(common[start], common[min(start + MOST, common.len()) - 1])
            rows = suspects.filter(within)
            keys = rows.group_by(self._key).len().filter(pl.col("len") > 1).collect(engine="streaming")
            repeated = rows.join(keys.lazy(), on=self._key, how="semi", nulls_equal=True, maintain_order="left")
            yield from repeated.drop(HASH).collect_batches(maintain_order=True)


class Repeats(RepeatedKeys):
    """Find repeated responses; stores eight bytes per response."""

    def problems(self, again: Iterable[tuple[pl.DataFrame, bool]], told: Findings) -> tuple[list[Problem], Findings]:
        """Return the problems of unexpectedly repeated responses, and `told` extended by those of all repeated ones."""
        fault: list[Problem] = []
        for problems, is_known in self.tables(again):
            extend(fault, [Problem(*row) for row in problems.filter(~is_known).iter_rows()])
            told.extend(problems)
        return fault, told

    def tables(self, again: Iterable[tuple[pl.DataFrame, bool]]) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
        """Yield problems of repeated responses, each with whether its source is known to repeat responses."""
        told = ", ".join(self._key)
        columns = [*dict.fromkeys([*self._key, "file", "key"])]
        marked = (rows.select(*columns, pl.lit(value=is_known).alias(_KNOWN)) for rows, is_known in again)
        for repeated in self.among(marked):
            values = [written(repeated.get_column(name)).alias(f"_{place}") for place, name in enumerate(self._key)]
            value = pl.DataFrame(values).select(pl.concat_str(pl.all(), separator=", ").alias("value"))
            problems = repeated.select(
                "file",
                "key",
                pl.lit(told).alias("column"),
                value.to_series(),
                pl.lit("no duplicate key").alias("expected"),
                pl.lit("unique").alias("check"),
            )
            yield problems, repeated.get_column(_KNOWN)


def written(values: pl.Series) -> pl.Series:
    """Convert the values of a key to text as Python's `str` does.

    >>> written(pl.Series([True, None])).to_list()
    ['True', 'None']
    """
    if values.dtype == pl.String or values.dtype.is_integer():
        return values.cast(pl.String).fill_null("None")
    return pl.Series(values.name, [str(value) for value in values], dtype=pl.String)


def repeated_hashes(hashes: Sequence[pl.LazyFrame], number: int) -> pl.Series:
    """Return the hashes that occur more than once in frames of `number` hashes in all, by ranges of hashes."""
    ranges = -(-2 * number // AT_ONCE)  # of equal length, as hashes are spread evenly; reading takes memory, too
    ends = [-(2**63) + 2**64 * place // ranges for place in range(ranges + 1)]
    found: list[pl.Series] = []
    for low, high in pairwise(ends):
        bounds = pl.lit(low, dtype=pl.Int64), pl.lit(high - 1, dtype=pl.Int64)
        within = pl.concat(hashes).filter(pl.col(HASH).is_between(*bounds))
        # Nothing else refers to the rows: those of the next range take their memory.
        found.append(_repeated(within.collect(engine="streaming").to_series()))
    return pl.concat(found)


def _hashed(keys: pl.DataFrame) -> pl.Series:
    return keys.hash_rows().reinterpret(signed=True)  # signed integers, which every file format orders alike


def _repeated(hashes: pl.Series) -> pl.Series:
    ordered = hashes.sort(multithreaded=False)  # each of two threads of polars would take nearly as long as one
    return ordered.filter(ordered == ordered.shift()).unique(maintain_order=True)


def _among(hashes: pl.Series, ordered: pl.Series) -> pl.Series:
    """Return for each hash whether it is in `ordered`, a sorted series that may have millions of values."""
    places = ordered.search_sorted(hashes)
    found: Any = ordered.gather(pl.Series(places).clip(0, ordered.len() - 1))
    return found == hashes
