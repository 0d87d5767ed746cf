"""Zip archives whose members are read in place, within size limits: no unpacking to disk, no member name as a path."""

from __future__ import annotations

import io
import struct
import sys
import zlib
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from tallybook.sources.content import FREE, MOST_RATIO, MadeStream

if sys.version_info >= (3, 14):
    from zipfile import BadZipFile, ZipFile

    from compression import zstd
else:
    from backports import zstd
    from backports.zstd.zipfile import BadZipFile, ZipFile

if TYPE_CHECKING:
    from types import TracebackType
    from typing import IO

    from tallybook.sources.content import Content

MOST_MEMBER = 200 * 2**20
"""The largest member that is read as one piece, in bytes. Inspect writes larger ones in several frames of Zstandard, of
which readers of zip archives see only the first."""

_METHODS = {0: "stored", 8: "deflated", 93: "compressed with Zstandard"}
_ENCRYPTED = 1
_END, _MOST_END, _MANY = b"PK\x05\x06", 22 + 2**16, 2**16 - 1
"""What the end of a directory begins with, its largest size, and the number that stands for all larger ones."""
_CHUNK = 2**20
BROKEN_ARCHIVE = (BadZipFile, NotImplementedError, ValueError, OverflowError, EOFError, struct.error)
"""The exceptions for zip archives with a damaged directory."""
_BROKEN_MEMBER = (*BROKEN_ARCHIVE, OSError, RuntimeError, zlib.error, zstd.ZstdError)


class ZipArchive(AbstractContextManager["ZipArchive"]):
    """A zip archive opened for reading."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._expanded = 0
        self._file = content.seekable()
        try:
            self._size = self._file.seek(0, io.SEEK_END)
            self._zip = ZipFile(self._file)
            self._file.seek(max(0, self._size - _MOST_END))
            end = self._file.read().rpartition(_END)[2]
            # A damaged comment swallows the members behind it.
            if int.from_bytes(end[6:8], "little") not in {len(self._zip.infolist()), _MANY}:
                raise ValueError("as many members as the archive says")
        except (*BROKEN_ARCHIVE, OSError):
            self._file.close()
            raise content.refuse("a whole zip archive") from None
        # A member that is written again follows the older one under the same name: the last one counts.
        self._members = {member.filename: member for member in self._zip.infolist()}
        self.names = tuple(self._members)  # without duplicates, in the order of the directory

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()
        self._file.close()

    def open(self, name: str) -> IO[bytes]:
        """Open a member; a broken one raises a `ValueError`, and excessive expansion of the archive a `DataError`."""
        member = self._members[name]
        if member.flag_bits & _ENCRYPTED:
            raise ValueError("a member that is not encrypted")
        if member.compress_type not in _METHODS:
            raise ValueError(f"a member that is {', '.join(_METHODS.values())}")
        if member.file_size > FREE and member.file_size > MOST_RATIO * member.compress_size:
            raise ValueError(f"a member that expands to at most {MOST_RATIO:,} times its size")
        try:
            stream = self._zip.open(member)
        except _BROKEN_MEMBER:
            raise ValueError("a whole member of the archive") from None
        return io.BufferedReader(_Member(stream, self), _CHUNK)

    def read(self, name: str) -> bytes:
        """Read a member as one piece."""
        if self._members[name].file_size > MOST_MEMBER:
            raise ValueError(f"a member of at most {MOST_MEMBER:,} bytes")
        with self.open(name) as stream:
            return stream.read()

    def count(self, size: int) -> None:
        """Add to the total unpacked size and check it, as members that share bytes stay within their own limits."""
        self._expanded += size
        if self._expanded > FREE and self._expanded > MOST_RATIO * self._size:
            raise self._content.refuse(f"an archive that expands to at most {MOST_RATIO:,} times its size")


class _Member(MadeStream):
    """The stream of a member's unpacked bytes."""

    def __init__(self, stream: IO[bytes], archive: ZipArchive) -> None:
        super().__init__(stream)
        self._stream, self._archive = stream, archive

    def take(self, size: int) -> bytes:
        try:
            found = self._stream.read(min(size, _CHUNK))
        except _BROKEN_MEMBER:
            raise ValueError("a whole member of the archive") from None
        self._archive.count(len(found))
        return found
