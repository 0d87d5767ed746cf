"""The columns that formats of tools give, and the beginning of a file, by which its format is recognised."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

from tallybook.core.errors import DataError, UsageError
from tallybook.sources.content import START
from tallybook.sources.formats import subprocess_reader
from tallybook.sources.json_records import is_talk, parse
from tallybook.sources.json_stream import first_names
from tallybook.sources.zip_archive import BROKEN_ARCHIVE, ZipFile

if TYPE_CHECKING:
    from tallybook.sources.content import Content

_BLANK = b"\xef\xbb\xbf \t\r\n"
"""Characters before the first value of a JSON file: blanks and a byte order mark."""


class Head:
    """The beginning of a file, from which its format is detected."""

    def __init__(self, content: Content) -> None:
        self.name = content.bare_name  # without folders and compression suffix
        self.start = content.start()  # unpacked
        self._content = content

    @property
    def suffix(self) -> str:
        """The suffix of the name in lower case, with its dot."""
        return f".{self.name.rpartition('.')[2].lower()}" if "." in self.name else ""

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The members of a zip archive; empty for any other file."""
        if not self.start.startswith(b"PK\x03\x04"):
            return ()
        try:
            with self._content.seekable() as file, ZipFile(file) as archive:
                return tuple(archive.namelist())
        except (*BROKEN_ARCHIVE, OSError):
            return ()

    @cached_property
    def line(self) -> dict[str, Any] | None:
        """The object in the first line of JSON lines; None if there is none, or it was not read whole."""
        first = self.start.lstrip(_BLANK).partition(b"\n")[0]
        try:
            found = parse(first)
        except ValueError:
            return None
        return cast("dict[str, Any]", found) if isinstance(found, dict) else None

    @cached_property
    def is_talk(self) -> bool:
        """Whether the first line is an array of messages, and others follow."""
        first, _, rest = self.start.strip(_BLANK).partition(b"\n")
        try:
            return bool(rest) and is_talk(parse(first))
        except ValueError:
            return False

    @property
    def is_line_whole(self) -> bool:
        """Whether the first line was read to its end."""
        return b"\n" in self.start.strip(_BLANK) or len(self.start) < START

    @property
    def has_lines(self) -> bool:
        """Whether anything follows the first line."""
        return b"\n" in self.start.strip(_BLANK) or len(self.start) >= START

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names in the first object of a JSON file, as far as it was read; empty for any other file."""
        return tuple(first_names(self.start))

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The columns of a Parquet file; empty for any other file."""
        if not self.start.startswith(b"PAR1"):
            return ()
        try:
            parts = subprocess_reader.frames(self._content, "Parquet file's header")
            return tuple(name for part in parts for name in part["name"])
        except (DataError, UsageError):
            return ()

    @property
    def is_database(self) -> bool:
        """Whether the file begins like a SQLite database."""
        return self.start.startswith(b"SQLite format 3\0")

    @cached_property
    def tables(self) -> dict[str, tuple[str, ...]]:
        """The tables of a SQLite database with their columns; empty if it cannot be read."""
        if not self.is_database:
            return {}
        from tallybook.sources.sqlite_file import opened  # not every Python has the module sqlite3

        try:
            with opened(self._content) as database:
                return {name: database.columns(name) for name in database.tables()}
        except (DataError, ValueError, OSError):
            return {}

    @property
    def is_array(self) -> bool:
        """Whether the file begins like a JSON array."""
        return self.start.lstrip(_BLANK).startswith(b"[")
