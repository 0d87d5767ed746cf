"""Responses whose key another response has too, among rows that come part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.duplicate_keys import RepeatedKeys, written
from tallybook.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from tallybook.core.spill_buffer import StoredRows

_KNOWN = "_known"
"""Marks rows that may be repeated."""


class _Part(NamedTuple):
    rows: StoredRows
    is_known: bool


class Repeats:
    """Finds repeated responses, with eight bytes kept of each."""

    def __init__(self, key: Sequence[str], scratch: Path | None = None) -> None:
        """Begin without responses."""
        self._key = list(key)
        self._repeated = RepeatedKeys(key, scratch)
        self._parts: list[_Part] = []

    def add(self, rows: pl.DataFrame, stored: StoredRows, *, is_known: bool) -> None:
        """Take in responses."""
        self._repeated.add(rows)
        self._parts.append(_Part(stored, is_known))

    def problems(self) -> tuple[list[Problem], list[Problem]]:
        """Compare all responses."""
        fault: list[Problem] = []
        told: list[Problem] = []
        for problems, is_known in self.tables():
            of_part = [Problem(*row) for row in problems.iter_rows()]
            fault += [one for one, known in zip(of_part, is_known, strict=True) if not known]
            told += of_part
        return fault, told

    def tables(self) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
        """Compare all responses.

        The problems of repeated ones as frames, for they may be millions; and of each whether its source may repeat
        some.
        """
        told = ", ".join(self._key)
        for repeated in self._repeated.among(self._again()):
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

    def _again(self) -> Iterator[pl.DataFrame]:
        columns = [*dict.fromkeys([*self._key, "file", "key"])]
        for part in self._parts:
            yield part.rows.scan().select(*columns, pl.lit(part.is_known).alias(_KNOWN)).collect()
