"""The records of a dump file as text, whatever its format: one row a record, a key by which users find each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.errors import DataError, Problem
from analysis.sources.unicode_text import HALF, is_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

Row = tuple[str, "Mapping[str, str | None]"]
"""A record: its key, and column -> text; None (or an absent column) is a missing value."""

MOST_ROWS, MOST_TEXT = 2**14, 2**23
"""How many records, and about how many characters of them, are in memory at once."""


class Records(NamedTuple):
    """Some records of a dump file, in its order.

    Attributes:
        header: The columns' names.
        cells: The values, all strings, null where there is none; the columns are called by their places, from "0",
            because names may be equal.
        keys: Where users find the records: `row 2`, `row 2, line 5`, `line 7`, `sample 3, epoch 1`.
    """

    header: list[str]
    cells: pl.DataFrame
    keys: pl.Series

    def column(self, name: str) -> pl.Series:
        """The first column of a name.

        Args:
            name: A name in the header.

        Returns:
            Its values.
        """
        return self.cells.to_series(self.header.index(name))


def in_parts(rows: Iterable[Row], file: str) -> Iterator[Records]:
    """Gather records that come one by one, so that a large file is never in memory at once.

    Args:
        rows: The records, with distinct column names each.
        file: The file's name in messages.

    Yields:
        The records in parts; the columns of a part are those that its records have, in the order in which they come.

    Raises:
        DataError: If a text holds half surrogate pairs, which are no characters.

    >>> [part.header for part in in_parts([("line 1", {"a": "x"}), ("line 2", {"b": None})], "a.jsonl")]
    [['a', 'b']]
    """
    waiting: list[Row] = []
    size = 0
    for row in rows:
        waiting.append(row)
        size += sum(map(len, filter(None, row[1].values())))
        if len(waiting) >= MOST_ROWS or size >= MOST_TEXT:
            yield _together(waiting, file)
            waiting, size = [], 0
    if waiting:
        yield _together(waiting, file)


def _together(rows: list[Row], file: str) -> Records:
    header = list(dict.fromkeys(name for _, row in rows for name in row))
    columns = [[row.get(name) for _, row in rows] for name in header]
    try:
        cells = pl.DataFrame({str(place): pl.Series(texts, dtype=pl.String) for place, texts in enumerate(columns)})
    except UnicodeEncodeError:
        raise DataError(_no_text(rows, file)) from None
    return Records(header, cells, pl.Series("key", [key for key, _ in rows], dtype=pl.String))


def _no_text(rows: list[Row], file: str) -> list[Problem]:
    """The values that cannot be written as UTF-8."""
    return [
        Problem(file, key, name, text, HALF)
        for key, row in rows
        for name, text in row.items()
        if text is not None and not is_text(text)
    ]
