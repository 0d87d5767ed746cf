"""A store for rows that arrive in parts: in memory while they are few, otherwise in temporary files."""

from __future__ import annotations

import shutil
import tempfile
import weakref
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Self

import polars as pl

from tallybook.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

IN_MEMORY = 2**26
"""The number of bytes of rows that a store keeps in memory."""
_ROW_GROUP = 2**15
"""The number of rows in a row group of a temporary file, which are read at once."""
_ONE_FILE = Lock()
"""Stores of several threads share a folder; no store holds it, for stores are pickled."""


class RowStore:
    """A sequence of frames that spills to temporary files, which are removed on closing or garbage collection."""

    def __init__(self, scratch: Path | None = None, *, share: float = 1, beside: RowStore | None = None) -> None:
        """Initialise an empty store; its bytes count `share` times, and `beside` is a store whose folder it uses."""
        self.scratch = scratch if beside is None else beside.scratch  # where to make its folder; None: the default
        self._share = share
        self.folder = _Folder(scratch) if beside is None else beside.folder
        self._files: list[Path] = []
        self._in_memory: list[StoredRows] = []
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def add(self, rows: pl.DataFrame) -> StoredRows:
        """Add rows, and return a handle to them."""
        part = StoredRows(rows, self.folder)
        self._in_memory.append(part)
        self._bytes += rows.estimated_size()
        if self._bytes * self._share > IN_MEMORY:
            # Consecutive parts with the same columns share a file, as there may be thousands of small ones.
            for _, parts in groupby(self._in_memory, lambda part: part.collect().schema):
                self._files.append(self.folder.move(list(parts)))
            self._in_memory.clear()
            self._bytes = 0
        return part

    def scan(self) -> pl.LazyFrame:
        """Scan all rows in their order; columns missing in a part are null."""
        files = [pl.scan_parquet(file, glob=False) for file in self._files]
        return pl.concat([*files, *(part.scan() for part in self._in_memory)], how="diagonal_relaxed")

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield all rows in their order, as frames of some thousand rows."""
        files, in_memory = [*self._files], [*self._in_memory]  # copies: the store may grow meanwhile
        for file in files:
            yield from pl.read_parquet(file, glob=False).iter_slices(_ROW_GROUP)
        yield from (part.collect() for part in in_memory)

    def close(self) -> None:
        """Remove the temporary files."""
        self.folder.remove()


class StoredRows:
    """Rows that were added to a store at once; in memory at first, later in a temporary file."""

    def __init__(self, rows: pl.DataFrame, folder: _Folder) -> None:
        self.height = rows.height
        self._rows: pl.DataFrame | pl.LazyFrame = rows
        self._folder = folder

    def scan(self) -> pl.LazyFrame:
        """Return the rows as a lazy frame."""
        return self._rows.lazy()

    def collect(self) -> pl.DataFrame:
        """Return the rows as a data frame."""
        return self._rows.lazy().collect()

    def move(self, file: Path, start: int) -> None:
        """Replace the rows in memory by those in a file from row `start`."""
        self._rows = pl.scan_parquet(file, glob=False).slice(start, self.height)


class _Folder:
    """A temporary folder, made when first needed and removed when nothing refers to it any more, errors included."""

    def __init__(self, scratch: Path | None) -> None:
        self._scratch = scratch
        self._path: Path | None = None
        self._files = 0

    def move(self, parts: list[StoredRows]) -> Path:
        """Write rows with the same columns to a new file, release them from memory and return the file's path."""
        rows = pl.concat([part.collect() for part in parts])
        try:
            with _ONE_FILE:
                if self._path is None:
                    self._path = Path(tempfile.mkdtemp(prefix=".tallybook-", dir=self._scratch))
                    weakref.finalize(self, shutil.rmtree, self._path, ignore_errors=True)
                self._files += 1
                file = self._path / f"{self._files}.parquet"
            rows.write_parquet(file, compression="lz4", statistics=False, row_group_size=_ROW_GROUP)
        except (OSError, pl.exceptions.ComputeError) as error:  # the latter if no space is left
            where = self._scratch or tempfile.gettempdir()
            reason = (isinstance(error, OSError) and error.strerror) or str(error).rpartition(": ")[2]
            raise UsageError(f"cannot write temporary files to {where}: {reason}") from None
        start = 0
        for part in parts:
            part.move(file, start)
            start += part.height
        return file

    def remove(self) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)
