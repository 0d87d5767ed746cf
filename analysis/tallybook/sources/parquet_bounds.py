"""What a crafted Parquet file may take: as many values as its size allows, and no word of a panic on the terminal."""

from __future__ import annotations

import os
import sys
import time
from contextlib import contextmanager, suppress
from tempfile import TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Generator
    from typing import TextIO

FREE, MOST_RATIO = 2**26, 100
"""The number of values that any file may hold, and how many for each byte of a larger one: a value that repeats takes
a few bytes in a file however often, and sixteen each in memory."""
WITHIN = f"a Parquet file of at most {MOST_RATIO:,} values for each of its bytes"
"""What is expected of a file that holds more."""
_ERRORS = 2
_MEANWHILE = 0.3
"""The seconds in which other threads of a library end what they say of a panic."""


def holds_too_many(table: pl.LazyFrame, size: int) -> bool:
    """Tell by what a Parquet file of a size says of itself whether it holds more values than any dump does."""
    values = table.select(pl.len()).collect().item() * len(table.collect_schema())
    return values > FREE and values > MOST_RATIO * size


class _ErrorStream:
    """The process's error stream: what libraries say of their panics, in any thread, before they raise.

    It is held back while anything is read. What Python writes, such as progress, goes through.
    """

    def __init__(self) -> None:
        self._lock, self._readers = Lock(), 0
        self._own: TextIO | None = None

    def hold(self) -> None:
        with self._lock:
            self._readers += 1
            if self._readers > 1:
                return
            sys.stderr.flush()
            self._held = TemporaryFile()  # noqa: SIM115  `release` closes it
            self._kept, self._before = os.dup(_ERRORS), sys.stderr
            with suppress(OSError):  # an error stream of Python's own making has no number
                if sys.stderr.fileno() == _ERRORS:
                    self._own = self._own or os.fdopen(os.dup(_ERRORS), "w", encoding=sys.stderr.encoding, buffering=1)
                    os.dup2(self._kept, self._own.fileno())
                    sys.stderr = self._own
            os.dup2(self._held.fileno(), _ERRORS)

    def release(self) -> None:
        with self._lock:
            self._readers -= 1
            if self._readers:
                return
            sys.stderr.flush()
            self._held.seek(0)
            said = self._held.read()
            if is_panic := b"panicked at" in said:
                time.sleep(_MEANWHILE)
            os.dup2(self._kept, _ERRORS)
            os.close(self._kept)
            self._held.close()
            sys.stderr = self._before if sys.stderr is self._own else sys.stderr
            if said and not is_panic:
                os.write(_ERRORS, said)


_STREAM = _ErrorStream()


@contextmanager
def quietly() -> Generator[None]:
    """Keep back what a library says of its panic; anything else that it says is written afterwards."""
    _STREAM.hold()
    try:
        yield
    finally:
        _STREAM.release()
