"""Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.sources.formats.tabular import records
from tallybook.sources.records import MOST_ROWS
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Role


class Parquet(Format):
    """Parquet files, a response a row."""

    name = "parquet"
    title = "Parquet"
    has_header = True
    turn = 1

    def recognises(self, head: Head) -> Role | None:
        """A file that begins as every Parquet file does."""
        return "responses" if head.start.startswith(b"PAR1") else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file some rows at a time."""
        above = 0
        try:
            table = pl.scan_parquet(content.seekable() if content.is_packed else content.path, glob=False)
            for frame in table.collect_batches(chunk_size=MOST_ROWS, maintain_order=True):
                yield records(frame, content, paths, above)
                above += frame.height
        except pl.exceptions.PanicException:
            raise UsageError(f"{printable(content.name, 200)}: expected a whole Parquet file") from None
        except (pl.exceptions.PolarsError, OSError):
            raise content.refuse("a whole Parquet file") from None


FORMAT = Parquet()
