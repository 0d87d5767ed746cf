"""Responses whose key another response has too, among rows that come part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.duplicate_keys import RepeatedKeys, written
from tallybook.core.errors import Problem
from tallybook.core.issue_log import extend

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.core.issue_log import Findings

_KNOWN = "_known"
"""Marks rows that may be repeated."""


class Repeats(RepeatedKeys):
    """Finds repeated responses, with eight bytes kept of each."""

    def problems(self, again: Iterable[tuple[pl.DataFrame, bool]], told: Findings) -> tuple[list[Problem], Findings]:
        """Compare all responses.

        `again`: The responses once more, and of each part whether its source may repeat some: they are only read if
        hashes of keys are equal.

        `told`: What they are all added to.
        """
        fault: list[Problem] = []
        for problems, is_known in self.tables(again):
            extend(fault, [Problem(*row) for row in problems.filter(~is_known).iter_rows()])
            told.extend(problems)
        return fault, told

    def tables(self, again: Iterable[tuple[pl.DataFrame, bool]]) -> Iterator[tuple[pl.DataFrame, pl.Series]]:
        """Compare all responses.

        The problems of repeated ones as frames, for they may be millions; and of each whether its source may repeat
        some.
        """
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
