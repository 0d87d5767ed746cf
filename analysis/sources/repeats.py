"""Responses whose key another response has too, among rows that come part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from analysis.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from analysis.row_store import StoredRows

_KNOWN = "_known"
"""Marks rows that may be repeated."""


class _Part(NamedTuple):
    rows: StoredRows
    hashes: pl.Series
    kinds: list[pl.DataType]
    is_known: bool


class Repeats:
    """Finds repeated responses, with eight bytes kept of each.

    Equal keys have equal hashes. Different keys may have, too: those whose hashes are equal are compared themselves.
    """

    def __init__(self, key: Sequence[str]) -> None:
        """Begin without responses.

        Args:
            key: The columns that identify a response.
        """
        self._key = list(key)
        self._parts: list[_Part] = []

    def add(self, rows: pl.DataFrame, stored: StoredRows, *, is_known: bool) -> None:
        """Take in responses.

        Args:
            rows: The responses, with the key's columns, `file` and `key`.
            stored: Where they are found again.
            is_known: Whether their source may repeat some.
        """
        keys = rows.select(self._key)
        self._parts.append(_Part(stored, keys.hash_rows(), keys.dtypes, is_known))

    def problems(self) -> tuple[list[Problem], list[Problem]]:
        """Compare all responses.

        Returns:
            The repeated ones whose source may not repeat any; and all of them.
        """
        suspects = list(self._suspects())
        if not suspects:
            return [], []
        together = pl.concat(suspects, how="vertical_relaxed")
        repeated = together.filter(pl.struct(self._key).is_duplicated()).sort(self._key, maintain_order=True)
        told = [self._problem(row) for row in repeated.iter_rows(named=True)]
        at_fault = repeated.get_column(_KNOWN).not_()
        return [problem for problem, fault in zip(told, at_fault, strict=True) if fault], told

    def _problem(self, row: dict[str, Any]) -> Problem:
        value = ", ".join(str(row[name]) for name in self._key)
        return Problem(row["file"], row["key"], ", ".join(self._key), value, "each response once", "unique")

    def _suspects(self) -> Iterator[pl.DataFrame]:
        """The responses whose hashes are not theirs alone."""
        if not self._parts:
            return
        hashes = pl.concat([part.hashes for part in self._parts]).sort()
        common = hashes.filter(hashes == hashes.shift()).unique()
        # What is text in one part and a number in another may be equal all the same, and their hashes are not.
        is_mixed = any(part.kinds != self._parts[0].kinds for part in self._parts)
        for part in self._parts:
            is_common = part.hashes.is_in(common.implode())
            if is_mixed or is_common.any():
                columns = [*dict.fromkeys([*self._key, "file", "key"])]
                rows = part.rows.scan().select(*columns, pl.lit(part.is_known).alias(_KNOWN)).collect()
                yield rows if is_mixed else rows.filter(is_common)
