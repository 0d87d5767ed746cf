"""Read-only access to SQLite databases: nothing is written to or beside them, and their content is never trusted."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from tallybook.core.untrusted import printable
from tallybook.sources.content import MOST_LINE, Content

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

Value = int | float | str | bytes | None
"""A cell's value. In text that is not UTF-8, each invalid byte is a half surrogate."""

_LOG, _JOURNAL = "-wal", "-journal"
"""Suffixes of the files beside a database with data that are not yet in it (write-ahead log), and with
what an unfinished transaction has replaced (journal)."""
_UNFINISHED = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
"""The first bytes of the journal of an unfinished transaction."""
_WAL_MODE = 2
"""The 19th byte of the header of a database with a write-ahead log."""
_OPEN = Path("/dev/fd")
"""The files that this process has open, on systems that list them."""
_ALLOWED = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION}
_SHADOWS = {
    *("data", "idx", "content", "docsize", "config"),  # FTS5
    *("segments", "segdir", "stat"),  # FTS3 and FTS4
    *("node", "rowid", "parent"),  # R-trees
}
"""Suffixes of the tables in which virtual tables store their data."""


class Database:
    """An open database."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.records = 0  # the number read, for messages where reading stops

    def tables(self) -> list[str]:
        """List the tables made by users, in order of creation."""
        found = self._connection.execute("select name, sql from sqlite_master where type = 'table'")
        entries = [(str(name), str(sql)) for name, sql in found]
        virtual = {name for name, sql in entries if sql[:24].lower().split()[:2] == ["create", "virtual"]}
        shadows = {f"{name}_{suffix}" for name in virtual for suffix in _SHADOWS}
        return [name for name, _ in entries if name not in virtual | shadows and name[:7].lower() != "sqlite_"]

    def columns(self, name: str) -> tuple[str, ...]:
        """List the columns of a table."""
        return tuple(column for column, *_ in self._all(name, "limit 0").description)

    def has_rows(self, name: str) -> bool:
        """Return whether a table has rows."""
        return self._all(name, "limit 1").fetchone() is not None

    def rows(self, name: str) -> sqlite3.Cursor:
        """Return a cursor over the rows of a table in the order of its rowid, or else of its primary key."""
        # If an index has all columns of a table, SQLite would read that instead, in its order. A table without a
        # rowid is an index itself, by its primary key.
        keys = ", ".join(quoted(str(key)) for *_, key in self.query(f"pragma index_info({quoted(name)})"))
        return self._all(name, f"order by {keys}" if keys else "not indexed")

    def _all(self, name: str, rest: str) -> sqlite3.Cursor:
        return self.query(f"select * from {quoted(name)} {rest}")  # noqa: S608  SQL takes no parameters for names

    def query(self, statement: str, values: Sequence[Value] = ()) -> sqlite3.Cursor:
        """Execute a query."""
        return self._connection.execute(statement, values)


def quoted(name: str) -> str:
    """Quote a name for SQL, so that it cannot be read as anything else.

    >>> quoted('answers"; drop table "answers')
    '"answers""; drop table ""answers"'
    """
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


@contextmanager
def opened(content: Content) -> Generator[Database]:
    """Open a database; if it is compressed or has a write-ahead log, open temporary copies."""
    with tempfile.TemporaryDirectory(prefix="tallybook-") as scratch, content.raw() as file:
        path, mode = _place(content, file, Path(scratch))
        database: Database | None = None
        try:
            address = f"{path.as_uri()}?{mode}"
            with closing(
                sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)
            ) as connection:
                _guard(connection)
                database = Database(connection)
                database.tables()  # opens the file
                if path.parent != Path(scratch) and not _is_open_twice(file):
                    raise content.refuse("a file that nobody replaces while it is read")
                yield database
        except (sqlite3.Error, sqlite3.Warning) as error:
            place = f"after record {database.records}" if database is not None and database.records else ""
            raise content.refuse(_expected(error), key=place) from None


def _guard(connection: sqlite3.Connection) -> None:
    """Restrict a connection to reading, whatever expressions the database's schema contains."""
    connection.text_factory = _text
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MOST_LINE)
    for setting in ("query_only=on", "trusted_schema=off", "cell_size_check=on", "mmap_size=0"):
        connection.execute(f"pragma {setting}").close()
    connection.set_authorizer(_authorize)


def _authorize(action: int, subject: str | None, *_: str | None) -> int:
    is_allowed = action in _ALLOWED or (action == sqlite3.SQLITE_PRAGMA and subject == "index_info")
    return sqlite3.SQLITE_OK if is_allowed else sqlite3.SQLITE_DENY


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _expected(error: Exception) -> str:
    said = str(error)
    if "not a database" in said:
        return "a SQLite database that is not encrypted"
    if "locked" in said:
        return "a SQLite database that no other program is writing to"
    if "too big" in said:
        return f"at most {MOST_LINE:,} bytes in a value"
    if "malformed" in said:
        return "a whole SQLite database"
    return f"a SQLite database that can be read ({printable(said, 200)})"


def _place(content: Content, file: IO[bytes], scratch: Path) -> tuple[Path, str]:
    """Return the path and mode to open a database with, so that nothing is written beside the input."""
    copy = scratch / "database"
    if content.is_packed:
        with Content(content.folder, content.name, is_named=True).open() as stream:
            _copy(stream, copy)
        return copy, "mode=ro&immutable=1"
    with content.beside(_JOURNAL) as journal:
        if journal.read(len(_UNFINISHED)) == _UNFINISHED:
            # A journal may name any file to be removed on playback, so playback is left to the user.
            name = f"{content.path.resolve().name}{_JOURNAL}"
            finished = "opening the database with the program that wrote it, or with sqlite3, finishes that"
            raise content.refuse(f"a database without an unfinished transaction ({name}); {finished}")
    with content.beside(_LOG) as log:
        if log.read(1):
            log.seek(0)
            before = _stamp(file), _stamp(log)
            _copy(file, copy)
            _copy(log, scratch / f"database{_LOG}")
            if (_stamp(file), _stamp(log)) != before:
                raise content.refuse("a SQLite database that no other program is writing to")
            name = f"{content.name}{_LOG}"
            if name not in content.consulted and (content.folder / name).exists():
                content.consulted.append(name)
            return copy, "mode=rw"
    header = file.read(20)
    # Without a log nobody is writing, and SQLite would create an empty log.
    return content.path.resolve(), "mode=ro&immutable=1" if header[18:20].count(_WAL_MODE) else "mode=ro"


def _copy(stream: IO[bytes], path: Path) -> None:
    with path.open("wb") as copy:
        shutil.copyfileobj(stream, copy, 2**20)


def _stamp(file: IO[bytes]) -> tuple[int, int]:
    about = os.fstat(file.fileno())
    return about.st_size, about.st_mtime_ns


def _is_open_twice(file: IO[bytes]) -> bool:
    """Return whether this process has opened a file once more, or cannot tell on this system."""
    about, found = os.fstat(file.fileno()), 0
    for opened in _OPEN.iterdir() if _OPEN.exists() else ():
        with suppress(OSError):  # the list itself was open
            found += os.path.samestat(os.fstat(int(opened.name)), about)
    return found > 1 or not _OPEN.exists()
