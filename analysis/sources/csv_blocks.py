"""A CSV file in blocks of whole records, so that a large one is never in memory at once."""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.sources.content import Content

HELD = 2**28
"""How many bytes of records are kept in memory between the first reading and the second."""


def blocks(content: Content, at_once: int | None) -> Iterator[bytes]:
    """Cut a file between records.

    A line end is between records if an even number of double quotes stands before it. That is so unless double quotes
    stand within fields that are not quoted, or not closed: whoever reads the blocks must see to that.

    Args:
        content: The file.
        at_once: About how many bytes a block has, more if a record has more; None for the whole file.

    Yields:
        The blocks; put together they are the file.
    """
    with content.open() as file:
        if at_once is None:
            yield file.read()
            return
        rest = b""
        # A block without a line end to cut at is doubled: not every attempt may read only a little more.
        while read := file.read(max(at_once, len(rest))):
            block = rest + read
            end = _last_end(block)
            rest = block[end:]
            if end:
                yield block[:end]
        if rest:
            yield rest


def _last_end(block: bytes) -> int:
    """Where the last whole record of a block ends; 0 if none does."""
    end, quotes = len(block), block.count(b'"')
    while (line_end := block.rfind(b"\n", 0, end)) >= 0:
        quotes -= block.count(b'"', line_end, end)
        if quotes % 2 == 0:
            return line_end + 1
        end = line_end
    return 0


class Frames:
    """The records of a file as frames, and how much of everything they hold.

    Attributes:
        rows: How many records there are below the header, blank lines among them.
        lines: How many lines the file has.
        delimiters: How many delimiters, within fields or between them.
        within: How many of them within fields in double quotes.
        has_empty: Whether some field is empty and not quoted.
        last: The last byte.
        is_cut: Whether the file is read in more than one block.
        has_stray: Whether a double quote stands neither around a field nor doubled within one that is in quotes. The
            reader and the cuts may then take a line end for what it is not.
    """

    def __init__(self, content: Content, delimiter: str, width: int, at_once: int | None) -> None:
        """Read a file once, to count what it holds.

        Args:
            content: The file.
            delimiter: What separates its columns.
            width: How many columns it has.
            at_once: About how many bytes are read at once; None for all.

        Raises:
            polars.exceptions.PolarsError: If some records cannot be read.
        """
        self._content, self._delimiter, self._width, self._at_once = content, delimiter, width, at_once
        self._held: list[pl.DataFrame] = []
        self._in_quotes = _field_in_quotes(delimiter)
        self.rows = self.lines = self.delimiters = self.within = 0
        self.has_empty = self.has_stray = self.is_cut = False
        self.last = b""
        self._number = size = 0
        for number, block in enumerate(blocks(content, at_once)):
            frame = self._parsed(block, is_first=number == 0)
            self._add(block, frame)
            self.is_cut = number > 0
            self._number = number + 1
            size += frame.estimated_size()
            if size <= HELD or not number:
                self._held.append(frame)
        self.lines += not self.last.endswith(b"\n")

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The records below the header, block by block: strings in columns "0", "1", ..."""
        yield from self._held
        if len(self._held) < self._number:
            for block in islice(blocks(self._content, self._at_once), len(self._held), None):
                yield self._parsed(block, is_first=False)

    def _parsed(self, block: bytes, *, is_first: bool) -> pl.DataFrame:
        return parsed(block, self._delimiter, self._width, is_first=is_first)

    def _add(self, block: bytes, frame: pl.DataFrame) -> None:
        self.rows += frame.height
        self.lines += block.count(b"\n")
        delimiters = block.count(self._delimiter.encode())
        self.delimiters += delimiters
        self.has_empty = self.has_empty or any(column.null_count() for column in frame.iter_columns())
        self.last = block[-1:]
        if b'"' in block:
            rest = self._in_quotes.sub(b"", block.removeprefix(codecs.BOM_UTF8))
            self.within += delimiters - rest.count(self._delimiter.encode())
            self.has_stray = self.has_stray or b'"' in rest


def parsed(block: bytes, delimiter: str, width: int, *, is_first: bool = False) -> pl.DataFrame:
    """Read whole records.

    Args:
        block: Their text.
        delimiter: What separates their fields.
        width: How many fields each has.
        is_first: Whether they begin with the header, which is passed over.

    Returns:
        Strings in columns "0", "1", ...; null where a field is empty and not in quotes.

    Raises:
        polars.exceptions.PolarsError: If some records cannot be read.
    """
    # Each block gets a header, a row of its own: the reader takes the number of columns from the first row, and passes
    # over blank lines before it. Headers may be equal, so that they are no names.
    header = b"" if is_first else delimiter.join("x" * width).encode() + b"\n"
    schema = {str(place): pl.String for place in range(width)}
    return pl.read_csv(header + block, separator=delimiter, has_header=False, schema=schema).slice(1)


def _field_in_quotes(delimiter: str) -> re.Pattern[bytes]:
    """A whole field in quotes, from one delimiter or line end to the next. It never starts over within a field."""
    separator = re.escape(delimiter)
    return re.compile(rf'"(?<![^{separator}\n]")[^"]*+(?:""[^"]*+)*+"(?![^{separator}\r\n])'.encode())
