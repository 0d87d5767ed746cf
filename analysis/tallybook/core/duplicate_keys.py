"""Keys that stand more than once, among rows that come part by part and need not fit into memory."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.issue_log import extend
from tallybook.core.spill_buffer import RowStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.core.issue_log import Findings

AT_ONCE = 2**24
"""The number of hashes sorted at once."""
MOST = 2**19
"""The number of suspect rows, or suspect keys, compared at once."""
_KNOWN = "_known"
"""Marks rows that may be repeated."""
HASH = "_hash"
"""The column of hashes."""


class RepeatedKeys:
    """Finds the rows whose key another row has too, with eight bytes kept of each, in temporary files if they are many.

    Equal keys have equal hashes. Different keys may have, too: those whose hashes are equal are compared themselves.

    >>> parts = [pl.DataFrame({"item": ["a", "b"], "row": [1, 2]}), pl.DataFrame({"item": ["a"], "row": [3]})]
    >>> repeated = RepeatedKeys(["item"])
    >>> for part in parts:
    ...     _ = repeated.add(part)
    >>> [rows["row"].to_list() for rows in repeated.among(parts)]
    [[1, 3]]
    """

    def __init__(self, key: Sequence[str], beside: RowStore | None = None) -> None:
        """Begin without rows; temporary files lie with those of another store, if there is one."""
        self._key = list(key)
        self._hashes = RowStore(beside=beside)
        self._number = 0
        self._kinds: list[pl.DataType] | None = None
        self._is_mixed = False

    def add(self, rows: pl.DataFrame) -> pl.Series:
        """Take in rows, and give the hashes of their keys."""
        keys = rows.select(self._key)
        # What is text in one part and a number in another may be equal all the same, and their hashes are not.
        self._is_mixed = self._is_mixed or self._kinds not in (None, keys.dtypes)
        self._kinds = keys.dtypes
        hashes = _hashed(keys).alias(HASH)
        self._hashes.add(hashes.to_frame())
        self._number += hashes.len()
        return hashes

    def among(self, again: Iterable[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        """Compare the rows whose hashes others have too, which are read `again`; yield those whose keys are equal."""
        if self._number <= AT_ONCE:
            hashes = [pl.Series(HASH, dtype=pl.Int64), *(part.to_series() for part in self._hashes.parts())]
            common = _repeated(pl.concat(hashes))
        else:
            common = in_several([self._hashes.scan()], self._number)
        if self._is_mixed:
            yield from self._compared(pl.concat(list(again), how="vertical_relaxed"))
        elif common.len():
            with RowStore(self._hashes.scratch) as suspects:
                number = 0
                for rows in again:
                    hashes = _hashed(rows.select(self._key)).alias(HASH)
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
        """Compare the suspects by ranges of their hashes; one key alone may have millions of rows."""
        for start in range(0, common.len(), MOST):
            within = pl.col(HASH).is_between(common[start], common[min(start + MOST, common.len()) - 1])
            rows = suspects.filter(within)
            keys = rows.group_by(self._key).len().filter(pl.col("len") > 1).collect(engine="streaming")
            repeated = rows.join(keys.lazy(), on=self._key, how="semi", nulls_equal=True, maintain_order="left")
            yield from repeated.drop(HASH).collect_batches(maintain_order=True)


class Repeats(RepeatedKeys):
    """Finds repeated responses, with eight bytes kept of each."""

    def problems(self, again: Iterable[tuple[pl.DataFrame, bool]], told: Findings) -> tuple[list[Problem], Findings]:
        """Compare all responses, which are read `again` if hashes are equal; add every repeated one to `told`."""
        fault: list[Problem] = []
        for problems, is_known in self.tables(again):
            extend(fault, [Problem(*row) for row in problems.filter(~is_known).iter_rows()])
            told.extend(problems)
        return fault, told

    def tables(self, again: Iterable[tuple[pl.DataFrame, bool]]) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
        """Yield the problems of repeated responses, and of each whether its source may repeat some."""
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
    """Write the values of a key as Python does.

    >>> written(pl.Series([True, None])).to_list()
    ['True', 'None']
    """
    if values.dtype == pl.String or values.dtype.is_integer():
        return values.cast(pl.String).fill_null("None")
    return pl.Series(values.name, [str(value) for value in values], dtype=pl.String)


def in_several(hashes: Sequence[pl.LazyFrame], number: int) -> pl.Series:
    """Get the hashes that stand more than once in some frames of `number` hashes in all, a range of them at a time."""
    ranges = -(-number // AT_ONCE)  # of equal length: hashes are spread evenly
    ends = [-(2**63) + 2**64 * place // ranges for place in range(ranges + 1)]
    found: list[pl.Series] = []
    for low, high in pairwise(ends):
        bounds = pl.lit(low, dtype=pl.Int64), pl.lit(high - 1, dtype=pl.Int64)
        rows = pl.concat(hashes).filter(pl.col(HASH).is_between(*bounds)).collect(engine="streaming")
        found.append(_repeated(rows.to_series()))
    return pl.concat(found)


def _hashed(keys: pl.DataFrame) -> pl.Series:
    return keys.hash_rows().reinterpret(signed=True)  # numbers that every file format orders alike


def _repeated(hashes: pl.Series) -> pl.Series:
    ordered = hashes.sort(multithreaded=False)  # two threads take nearly as long, each
    return ordered.filter(ordered == ordered.shift()).unique(maintain_order=True)


def _among(hashes: pl.Series, ordered: pl.Series) -> pl.Series:
    """Tell whether hashes are among others, which are in order and may be millions."""
    places = ordered.search_sorted(hashes)
    found: Any = ordered.gather(pl.Series(places).clip(0, ordered.len() - 1))
    return found == hashes
