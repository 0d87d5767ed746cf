"""A dump file as bytes and lines, decompressed if necessary, within size limits that no ordinary dump reaches."""

from __future__ import annotations

import codecs
import gzip
import io
import sys
import zlib
from pathlib import PurePath
from typing import IO, TYPE_CHECKING

from tallybook.core.errors import READABLE, DataError, Problem
from tallybook.core.safe_paths import below, open_regular

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START = 2**16
"""The number of unpacked bytes from which a file's format is detected."""
MOST_LINE = 2**26
"""The longest line, in bytes."""
MOST_RATIO, FREE = 1000, 2**26
"""The largest ratio of unpacked to packed size, and the size from which it is enforced: text that models
write shrinks to a tenth, and a small file that unpacks to terabytes is an attack."""

LFS_POINTER = b"version https://git-lfs.github.com/spec/"
"""The beginning of a pointer to a file that Git LFS stores elsewhere."""
_PACKED = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
"""The first bytes of compressed files, by compression."""
NOT_UTF8 = "UTF-8 text; another 'encoding', such as windows-1252, can be set"
_SUFFIXES = (".gz", ".gzip", ".zst", ".zstd")
_BROKEN = (EOFError, gzip.BadGzipFile, zlib.error, zstd.ZstdError)


class Content:
    """A file of a dump; readers add to its lists of problems, findings and consulted files."""

    def __init__(
        self, folder: Path, name: str, encoding: str = "utf-8", *, is_named: bool = False, above: int = 0
    ) -> None:
        self._is_named = is_named  # by the user: it may lie anywhere
        self.above = above  # the number of first lines that are skipped
        self._encoding = encoding
        self.folder = folder  # the data folder
        self.name = name  # relative to it
        self.path = folder / name if is_named else below(folder, name)
        self.problems: list[Problem] = []  # problems of records that do not stop the reading of others
        self.findings: list[Problem] = []  # information about the file that is not a fault
        self.consulted: list[str] = []  # files that were read along with it, relative to the folder
        self.share = 0.0  # the share that was read so far, if a reader says so; see `position`
        self._opened: list[IO[bytes]] = []

    @property
    def position(self) -> int:
        """The number of bytes of the file, as it is, that were read so far, as far as that is known."""
        if self.share:
            return int(self.share * self.path.stat().st_size)
        return max((file.tell() for file in self._opened if not file.closed), default=0)

    @property
    def bare_name(self) -> str:
        """The file's name without folders and without a compression suffix."""
        name = self.path.name
        return next((name[: -len(suffix)] for suffix in _SUFFIXES if name.lower().endswith(suffix)), name)

    @property
    def is_packed(self) -> bool:
        """Whether the file is compressed."""
        with self.raw() as file:
            return _packing(file) is not None

    def fault(self, key: str, column: str, value: str, expected: str) -> Problem:
        """Return a problem of this file."""
        return Problem(self.name, key, column, value, expected)

    def refuse(self, expected: str, *, key: str = "", value: str = "") -> DataError:
        """Return the error that ends the reading of this file; earlier problems are in `problems`."""
        return DataError([self.fault(key, "", value, expected)])

    def open(self) -> IO[bytes]:
        """Open the file as uncompressed UTF-8 bytes, after the skipped lines."""
        file = self.raw()
        packing = _packing(file)
        if packing is not None:
            stream: io.BufferedIOBase = gzip.GzipFile(fileobj=file) if packing == "gzip" else zstd.ZstdFile(file)
            file = io.BufferedReader(_Unpacked(stream, file, self, packing), START)
        if self._encoding != "utf-8":
            file = io.BufferedReader(_Recoded(file, self, self._encoding), START)
        for _ in range(self.above):
            file.readline(MOST_LINE)
        return file

    def raw(self) -> IO[bytes]:
        """Open the file as it is."""
        try:
            file = open_regular(self.path, None if self._is_named else self.folder)
            self._opened[:] = [file, *(one for one in self._opened if not one.closed)]
            start = file.read(len(LFS_POINTER))
            file.seek(0)
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DataError([self.fault("", "", reason, READABLE)]) from None
        if start == LFS_POINTER:
            file.close()
            fetched = "`git lfs pull` fetches the file, as `lfs: true` of actions/checkout does"
            raise self.refuse(f"the data; this is a pointer of Git LFS: {fetched}")
        return file

    def beside(self, suffix: str) -> IO[bytes]:
        """Open the file of this name and a suffix where the file itself lies; if there is none, it is empty."""
        path, root = self.path.resolve(), None if self._is_named else self.folder.resolve()
        try:
            return open_regular(path.with_name(f"{path.name}{suffix}"), root)
        except FileNotFoundError:
            return io.BytesIO()
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise DataError([Problem(f"{self.name}{suffix}", "", "", reason, READABLE)]) from None

    def seekable(self) -> IO[bytes]:
        """Open the file for random access; a compressed file is unpacked in memory."""
        if not self.is_packed:
            return self.raw()
        with self.open() as stream:
            return io.BytesIO(stream.read())

    def start(self) -> bytes:
        """Return the first bytes of the unpacked file."""
        with self.open() as stream:
            start = stream.read(START)
        if any(start.startswith(magic) for magic in _PACKED):
            raise self.refuse("a file that is compressed once")
        return start

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines of a text file that are not blank, with their numbers."""
        with self.open() as stream:
            number = 0
            while line := stream.readline(MOST_LINE + 1):
                number += 1
                text = self.line(number, line)
                if text and not text.isspace():
                    yield number, text

    def line(self, number: int, raw: bytes) -> str:
        """Decode a line and strip its end."""
        if len(raw) > MOST_LINE:
            raise self.refuse(f"at most {MOST_LINE:,} bytes in a line", key=f"line {number}")
        try:
            return raw.decode("utf-8-sig" if number == 1 else "utf-8").strip("\r\n")
        except UnicodeDecodeError as error:
            raise DataError([self.not_utf8(error, number)]) from None

    def not_utf8(self, error: UnicodeDecodeError, line: int = 1) -> Problem:
        """Return the problem of bytes that are not UTF-8 text."""
        raw, start = error.object, error.start
        above, before = raw.count(b"\n", 0, start), raw.rfind(b"\n", 0, start)
        key = f"line {line + above}, byte {start - before}"
        return self.fault(key, "", raw[start : error.end].hex(" "), NOT_UTF8)

    def again(self) -> Content:
        """Return a copy without the problems."""
        return self.below_line(self.above)

    def below_line(self, above: int) -> Content:
        """Return the same file without its first lines."""
        same = Content(self.folder, self.name, self._encoding, is_named=self._is_named, above=above)
        same._opened = self._opened
        return same

    def siblings(self) -> list[Content]:
        """List the other files in the same folder, sorted by name, except for hidden ones."""
        beside = sorted(path.name for path in self.path.parent.iterdir() if path.is_file() and path != self.path)
        folder = PurePath(self.name).parent
        names = [name for name in beside if not name.startswith(".")]
        if self._is_named:
            for name in names:
                below(self.path.parent, name)
        return [Content(self.folder, (folder / name).as_posix(), is_named=self._is_named) for name in names]


def _packing(file: IO[bytes]) -> str | None:
    """Detect the compression of an open file, and rewind it."""
    start = file.read(4)
    file.seek(0)
    return next((name for magic, name in _PACKED.items() if start.startswith(magic)), None)


class MadeStream(io.RawIOBase):
    """A stream of bytes computed from other streams, which are closed with it."""

    def __init__(self, *streams: IO[bytes] | io.BufferedIOBase) -> None:
        super().__init__()
        self._streams = streams

    def take(self, size: int) -> bytes:
        """Return up to `size` bytes; none at the end."""
        raise NotImplementedError

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Read bytes into a buffer, as `io` requires."""
        found = self.take(len(buffer))
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        """Close this stream and its sources."""
        for stream in self._streams:
            stream.close()
        super().close()


class _Unpacked(MadeStream):
    """A decompressed stream that raises errors in the user's terms and limits the ratio of expansion."""

    def __init__(self, stream: io.BufferedIOBase, packed: IO[bytes], content: Content, packing: str) -> None:
        super().__init__(stream, packed)
        self._stream, self._packed, self._content, self._packing = stream, packed, content, packing
        self._size = 0

    def take(self, size: int) -> bytes:
        try:
            found = self._stream.read(size)
        except _BROKEN:
            raise self._content.refuse(f"whole {self._packing} data", key=f"byte {self._size + 1}") from None
        self._size += len(found)
        if self._size > FREE and self._size > MOST_RATIO * self._packed.tell():
            raise self._content.refuse(f"compressed data that expand to at most {MOST_RATIO:,} times their size")
        return found


class _Recoded(MadeStream):
    """A stream that re-encodes text of another encoding as UTF-8."""

    def __init__(self, stream: IO[bytes], content: Content, encoding: str) -> None:
        super().__init__(stream)
        self._stream, self._content, self._encoding = stream, content, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._waiting = b""

    def take(self, size: int) -> bytes:
        while not self._waiting:
            read = self._stream.read(START)
            try:
                self._waiting = self._decoder.decode(read, final=not read).encode()
            except UnicodeError as error:
                found = error.object[error.start : error.end] if isinstance(error, UnicodeDecodeError) else b""
                raise self._content.refuse(f"text in {self._encoding}", value=found.hex(" ")) from None
            if not read and not self._waiting:
                break
        found, self._waiting = self._waiting[:size], self._waiting[size:]
        return found
