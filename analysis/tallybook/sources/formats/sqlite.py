"""SQLite databases: a table of one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.core.wording import suggestion
from tallybook.sources.json_records import is_text
from tallybook.sources.records import MOST_ROWS, MOST_TEXT, Records, with_inner
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.sqlite_file import Database, Value
    from tallybook.study.format_base import Layout, Role

_BESIDE = (b"\x37\x7f\x06", b"\x18\xe2\x2d\x00", b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")
"""The beginnings of the files that SQLite keeps beside a database."""
_LISTED = 40
"""The largest number of tables that a message lists."""
_SHOWN = 16
"""The number of bytes that are shown of a value that is not text."""


class Sqlite(Format):
    """Databases with a response in each row of a table."""

    name = "sqlite"
    title = "SQLite"
    has_header = True
    turn = 4

    def __init__(self, table: str | None = None) -> None:
        self._table = table

    def laid_out(self, content: Content, layout: Layout) -> Format:
        return Sqlite(layout.table)

    def recognises(self, head: Head) -> Role | None:
        if head.is_database:
            return "responses"
        is_beside = head.start.startswith(_BESIDE) or not head.start.strip(b"\0")
        return "beside" if is_beside and head.name.endswith(("-wal", "-shm", "-journal")) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a table in order of rowid or primary key; records with bytes or invalid UTF-8 become problems."""
        from tallybook.sources.sqlite_file import opened  # not every Python has the module sqlite3

        with opened(content) as database:
            try:
                rows = database.rows(self._chosen(database, content))
                header = [column for column, *_ in rows.description]
            except ValueError:
                raise content.refuse("names of tables and columns that are UTF-8 text") from None
            used = [column in paths or any(path.startswith(f"{column}.") for path in paths) for column in header]
            waiting: list[tuple[Value, ...]] = []
            size = 0
            for row in rows:
                waiting.append(row)
                database.records += 1
                size += sum([len(value) for value in row if isinstance(value, str | bytes)])
                if len(waiting) >= MOST_ROWS or size >= MOST_TEXT:
                    yield with_inner(_part(header, used, waiting, database.records - len(waiting), content), paths)
                    waiting, size = [], 0
            if waiting:
                yield with_inner(_part(header, used, waiting, database.records - len(waiting), content), paths)

    def _chosen(self, database: Database, content: Content) -> str:
        tables = database.tables()
        if self._table is not None:
            if self._table not in tables:
                meant = suggestion(self._table, tables)
                raise content.refuse(f"a table '{printable(self._table)}'; there are {_listed(tables)}{meant}")
            return self._table
        filled = [name for name in tables if database.has_rows(name)]
        if not tables:
            raise content.refuse("a table; this database has none")
        if len(filled) > 1:
            known = _listed(filled)
            raise content.refuse(f"the table to be named with 'table' (init: --set table=NAME); there are {known}")
        return (filled or tables)[0]


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(printable(name) for name in names[:_LISTED])
    return f"{shown} and {len(names) - _LISTED} more" if len(names) > _LISTED else shown


def _part(
    header: Sequence[str], used: Sequence[bool], rows: Sequence[tuple[Value, ...]], above: int, content: Content
) -> Records:
    """Build records from rows; those that cannot be read become problems."""
    numbers = pl.int_range(above + 1, above + 1 + len(rows), eager=True)
    cells = [*zip(*rows, strict=True)]
    faults: dict[tuple[int, int], tuple[Value, str]] = {}
    columns: dict[str, pl.Series] = {}
    for place, values in enumerate(cells):
        column, wrong = _column(values, is_used=used[place])
        columns[str(place)] = column
        faults |= {(row, place): (values[row], expected) for row, expected in wrong.items()}
    for (row, place), (value, expected) in sorted(faults.items()):
        content.problems.append(
            content.fault(f"record {above + 1 + row}", header[place], _hexadecimal(value), expected)
        )
    table = pl.DataFrame(columns)
    if faults:
        wrong = {row for row, _ in faults}
        kept = pl.Series([row not in wrong for row in range(len(rows))])
        table, numbers = table.filter(kept), numbers.filter(kept)
    return Records([*header], table, numbers, "record")


def _column(values: Sequence[Value], *, is_used: bool) -> tuple[pl.Series, dict[int, str]]:
    """Return the values of a column, and for each row that cannot be read the expected value."""
    wrong: dict[int, str] = {}
    if bytes not in map(type, values):
        with suppress(UnicodeEncodeError):
            return _typed(values), wrong
    for row, value in enumerate(values):
        if isinstance(value, bytes) and is_used:
            wrong[row] = "text or a number, not bytes"
        elif isinstance(value, str) and not is_text(value):
            wrong[row] = "UTF-8 text"
    kept = [None if row in wrong or isinstance(value, bytes) else value for row, value in enumerate(values)]
    return _typed(kept), wrong


def _typed(values: Sequence[Value]) -> pl.Series:
    """Return values with their type if they share one; otherwise as text, each converted on its own."""
    kinds = {*map(type, values)} - {type(None)}
    if len(kinds) <= 1:
        kind = next(iter(kinds), str)
        return pl.Series(values, dtype={int: pl.Int64, float: pl.Float64, str: pl.String}[kind])
    fractions = pl.Series([value if isinstance(value, float) else None for value in values], dtype=pl.Float64)
    others = [str(value) if isinstance(value, int) else value if isinstance(value, str) else None for value in values]
    return pl.Series(others, dtype=pl.String).zip_with(fractions.is_null(), fractions.cast(pl.String))


def _hexadecimal(value: Value) -> str:
    """Format the first bytes of a value, or the invalid ones of a text, as hexadecimal."""
    raw = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogateescape")
    if not isinstance(value, bytes):
        try:
            raw.decode()
        except UnicodeDecodeError as error:
            raw = raw[error.start : error.end]
    return f"{raw[:_SHOWN].hex(' ')}{'…' if len(raw) > _SHOWN else ''}"


FORMAT = Sqlite()
