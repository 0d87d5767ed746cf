"""Parquet files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.sources.formats.table_rows import parquet_parts
from tallybook.sources.formats.tabular import records
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
        for frame in parquet_parts(content):
            yield records(frame, content, paths, above)
            above += frame.height


FORMAT = Parquet()
