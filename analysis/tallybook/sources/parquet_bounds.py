"""What a crafted Parquet file may take: as many values as its size allows, and no word of a panic on the terminal."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from tempfile import TemporaryFile
from threading import Lock
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Generator

FREE, MOST_RATIO = 2**26, 100
"""The number of values that any file may hold, and how many for each byte of a larger one: a value that repeats takes
a few bytes in a file however often, and sixteen each in memory."""
WITHIN = f"a Parquet file of at most {MOST_RATIO:,} values for each of its bytes"
"""What is expected of a file that holds more."""
_ERRORS = 2
_LOCK = Lock()


def holds_too_many(table: pl.LazyFrame, size: int) -> bool:
    """Tell by what a Parquet file of a size says of itself whether it holds more values than any dump does."""
    values = table.select(pl.len()).collect().item() * len(table.collect_schema())
    return values > FREE and values > MOST_RATIO * size


@contextmanager
def quietly() -> Generator[None]:
    """Keep back what a library says of its panic: it writes to the process's error stream before it raises.

    Whatever else was written there meanwhile is written afterwards.
    """
    with _LOCK, TemporaryFile() as held:
        sys.stderr.flush()
        kept = os.dup(_ERRORS)
        os.dup2(held.fileno(), _ERRORS)
        is_panic = False
        try:
            yield
        except pl.exceptions.PanicException:
            is_panic = True
            raise
        finally:
            sys.stderr.flush()
            os.dup2(kept, _ERRORS)
            os.close(kept)
            held.seek(0)
            if not is_panic and (said := held.read()):
                os.write(_ERRORS, said)
