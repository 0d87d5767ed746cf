"""The records of a dump file as text, in any format: a row for each record, and a key by which users find it."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources.json_records import HALF, at, is_text, opened_list, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

Row = tuple[str, "Mapping[str, str | None]"]
"""A record: its key, and column -> text; None, or an absent column, is a missing value."""

MOST_ROWS, MOST_TEXT = 2**16, 2**23
"""The number of records, and the approximate number of their characters, that are in memory at once."""
NUMBER, WORD = "_number", "_word"
"""The columns for a row's number and for the word before it, from which keys are made only when needed."""
MOST_CELLS = 2**22
"""The number of cells in memory at once, which is large if records have different columns."""


class Records:
    """Consecutive records of a dump file."""

    def __init__(self, header: list[str], values: pl.DataFrame, keys: pl.Series, word: str = "row") -> None:
        """Initialise with records; `keys` are their positions as shown to users (`row 2, line 5`), or their numbers."""
        self.header = header
        self.height = keys.len()
        self.typed = values  # typed as in the file, null if missing; columns "0", "1", ..., as names may repeat
        # In chunks like those of the values: polars would copy frames with different chunks at each selection.
        ends = accumulate(next(values.iter_columns(), keys).chunk_lengths(), initial=0)
        self.numbers = pl.concat((keys[start:end] for start, end in pairwise(ends)), rechunk=False)
        self.word = word  # the word before a record's number in messages

    @cached_property
    def cells(self) -> pl.DataFrame:
        """The values as text, in columns "0", "1", ..."""
        return self.typed.select(as_text(column) for column in self.typed.iter_columns())

    @cached_property
    def keys(self) -> pl.Series:
        """The positions of the records, as named in messages."""
        if self.numbers.dtype == pl.String:
            return self.numbers
        # In one chunk, as polars cannot format a single number after empty chunks.
        return pl.select(pl.format(f"{self.word} {{}}", self.numbers.rechunk()).alias("key")).to_series()

    @property
    def is_numbered(self) -> bool:
        """Whether the records' keys are but numbers and the word before them, from which `with_keys` makes keys."""
        return self.numbers.dtype != pl.String

    def column(self, name: str) -> pl.Series:
        """Return the first column of a name, as text."""
        return as_text(self.typed.to_series(self.header.index(name)))

    def values(self, name: str, kind: Any) -> pl.Series | None:  # noqa: ANN401  polars' types have no common one
        """Return the first column of a name with a type; None if a conversion through text might change a value."""
        column = self.typed.to_series(self.header.index(name))
        if column.dtype not in _SPARED.get(kind, ()):
            return None
        return column.fill_nan(None) if column.dtype.is_float() else column.cast(kind)


def numbered(header: Sequence[str]) -> list[str]:
    """Number the headers that are repeated.

    >>> numbered(["prompt", "response", "response"])
    ['prompt', 'response (1)', 'response (2)']
    """
    times, seen = Counter(header), Counter[str]()
    names: list[str] = []
    for name in header:
        seen[name] += 1
        names.append(name if times[name] == 1 or not name.strip() else f"{name} ({seen[name]})")
    return names


def with_inner(part: Records, paths: Sequence[str]) -> Records:
    """Add columns for paths into JSON in cells, `metadata.race`; `response (2)` is the second column `response`."""
    names = numbered(part.header) if len({*part.header}) < len(part.header) else []
    if any(path in names for path in paths if path not in part.header):
        part = Records(names, part.typed, part.numbers, part.word)
    inner: dict[str, list[str]] = {}
    for path in paths:
        steps = path.split(".")
        starts = (".".join(steps[:end]) for end in range(len(steps) - 1, 0, -1))
        if path not in part.header and (start := next((one for one in starts if one in part.header), None)) is not None:
            inner.setdefault(start, []).append(path.removeprefix(f"{start}."))
    columns: dict[str, pl.Series] = {}
    for start, within in inner.items():
        if part.column(start).str.contains(r"^\s*[\[{]").any():
            values = [opened_list(cell) for cell in part.column(start)]
            for path in within:
                columns[f"{start}.{path}"] = pl.Series([text_of(at(value, path)) for value in values], dtype=pl.String)
    width = len(part.header)
    added = [column.alias(str(width + place)) for place, column in enumerate(columns.values())]
    return Records([*part.header, *columns], part.typed.with_columns(added), part.numbers, part.word) if added else part


def with_keys(rows: pl.DataFrame) -> pl.DataFrame:
    """Add the column `key` to rows that only have numbers."""
    if NUMBER not in rows.columns:
        return rows
    key = pl.format("{} {}", WORD, NUMBER).alias("key")
    return rows.rechunk().select(key if name == NUMBER else name for name in rows.columns if name != WORD)


def joined(parts: Sequence[Records]) -> Records:
    """Concatenate the parts of a file."""
    if not parts:
        return Records([], pl.DataFrame(), pl.Series([], dtype=pl.String))
    first, frames = parts[0], [part.typed for part in parts]
    if all(part.header == first.header and part.typed.schema == first.typed.schema for part in parts):
        header, values = first.header, pl.concat(frames)
    else:
        header = list(dict.fromkeys(name for part in parts for name in part.header))
        frames = [
            pl.DataFrame({str(header.index(name)): part.column(name) for name in dict.fromkeys(part.header)})
            for part in parts
        ]
        values = pl.concat(frames, how="diagonal").select(str(place) for place in range(len(header)))
    return Records(header, values, pl.concat([part.keys for part in parts]))


_SPARED: Mapping[Any, tuple[Any, ...]] = {
    pl.String: (pl.String,),
    pl.Int64: (pl.Int64, pl.Int32, pl.Int16, pl.Int8, pl.UInt32, pl.UInt16, pl.UInt8),
    pl.Float64: (pl.Float64, pl.Int64, pl.Int32, pl.Int16, pl.Int8, pl.UInt32, pl.UInt16, pl.UInt8),
    pl.Boolean: (pl.Boolean,),
}
"""Type -> the types whose values, written as text, are read as equal values of that type. Float32 is not among them:
its shortest text is another number when read as Float64."""


def as_text(column: pl.Series) -> pl.Series:
    """Convert numbers and booleans to text."""
    if column.dtype == pl.String:
        return column
    return (column.fill_nan(None) if column.dtype.is_float() else column).cast(pl.String)


def in_parts(rows: Iterable[Row], file: str) -> Iterator[Records]:
    """Gather single records into parts, each with all columns of its records.

    >>> [part.header for part in in_parts([("line 1", {"a": "x"}), ("line 2", {"b": None})], "a.jsonl")]
    [['a', 'b']]
    """
    waiting: list[Row] = []
    names = set[str]()
    size = 0
    for row in rows:
        waiting.append(row)
        names.update(row[1])
        size += sum(map(len, filter(None, row[1].values())))
        if len(waiting) >= MOST_ROWS or size >= MOST_TEXT or len(waiting) * len(names) >= MOST_CELLS:
            yield _together(waiting, file)
            waiting, size = [], 0
            names.clear()
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
    return [
        Problem(file, key, name, text, HALF)
        for key, row in rows
        for name, text in row.items()
        if text is not None and not is_text(text)
    ]
