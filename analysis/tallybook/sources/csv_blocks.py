"""A CSV file in blocks of whole records, so that a large one is never in memory at once."""

from __future__ import annotations

import codecs
import re
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources.content import MOST_LINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content

MOST_AT_ONCE = 2**28
"""The most bytes of a file that is read as a whole, because it has one column or double quotes within fields."""
HELD = 2**28
"""The number of bytes of records that stay in memory between the first and the second reading."""
_NOT_CUT = f"records of at most {MOST_LINE:,} bytes, double quotes only around whole fields"


def blocks(content: Content, at_once: int | None) -> Iterator[bytes]:
    """Cut a file between records.

    A line end is between records if an even number of double quotes stands before it. That is so unless double quotes
    stand within fields that are not quoted, or not closed: whoever reads the blocks must see to that.
    """
    with content.open() as file:
        if at_once is None:
            whole = file.read(MOST_AT_ONCE + 1)
            if len(whole) > MOST_AT_ONCE:
                raise pl.exceptions.ComputeError(_NOT_CUT)
            yield whole
            return
        rest = b""
        # A block without a line end to cut at is doubled: not every attempt may read only a little more.
        while read := file.read(max(at_once, len(rest))):
            block = rest + read
            end = _last_end(block)
            rest = block[end:]
            if end:
                yield block[:end]
            elif len(rest) > MOST_LINE:
                raise pl.exceptions.ComputeError(_NOT_CUT)
        if rest:
            yield rest


def _last_end(block: bytes) -> int:
    """Find the end of the last whole record of a block; 0 if there is none."""
    end, quotes = len(block), block.count(b'"')
    while (line_end := block.rfind(b"\n", 0, end)) >= 0:
        quotes -= block.count(b'"', line_end, end)
        if quotes % 2 == 0:
            return line_end + 1
        end = line_end
    return 0


class Frames:
    """The records of a file as frames, and what must be known of all of them before any is used.

    Attributes:
        rows: How many records there are below the header, blank lines among them.
        lines: How many lines the file has.
        is_ragged: Whether some rows may have too few fields or be blank, which the reader fills up without a word; or
            the last row an empty field too many, which it passes over in a file without a line end.
        has_stray: Whether a double quote stands neither around a field nor doubled within one that is in quotes. The
            reader and the cuts may then take a line end for what it is not.
    """

    def __init__(self, content: Content, delimiter: str, header: Sequence[str], at_once: int | None) -> None:
        """Read a file once, to see what it holds."""
        self._content, self._delimiter, self._header, self._at_once = content, delimiter, header, at_once
        self._held: list[pl.DataFrame] = []
        self._well_quoted = _well_quoted(delimiter)
        self.rows = self.lines = 0
        self.is_ragged = self.has_stray = False
        last = b""
        self._number = size = 0
        for number, block in enumerate(blocks(content, at_once)):
            frame = self._parsed(block, is_first=number == 0)
            self._add(block, frame, is_first=number == 0)
            self._number = number + 1
            size += frame.estimated_size()
            if size <= HELD or not number:
                self._held.append(frame)
            last = block[-1:]
        self.lines += last != b"\n"
        self.is_ragged = self.is_ragged or last == delimiter.encode()

    def __iter__(self) -> Iterator[pl.DataFrame]:
        """The records below the header, block by block: strings in columns "0", "1", ..."""
        yield from self._held
        if len(self._held) < self._number:
            for block in islice(blocks(self._content, self._at_once), len(self._held), None):
                yield self._parsed(block, is_first=False)

    def _parsed(self, block: bytes, *, is_first: bool) -> pl.DataFrame:
        return parsed(block, self._delimiter, len(self._header), is_first=is_first)

    def _add(self, block: bytes, frame: pl.DataFrame, *, is_first: bool) -> None:
        self.rows += frame.height
        self.lines += block.count(b"\n")
        is_sound = b'"' not in block or self._well_quoted.fullmatch(block.removeprefix(codecs.BOM_UTF8)) is not None
        self.has_stray = self.has_stray or not is_sound
        self.is_ragged = self.is_ragged or self._may_be_ragged(block, frame, is_first=is_first)

    def _may_be_ragged(self, block: bytes, frame: pl.DataFrame, *, is_first: bool) -> bool:
        """Whether some rows of a block may have too few fields or be blank.

        Then their last field is null. If none have too few, the block holds just as many delimiters as its fields hold
        and as stand between them. In a file of one column none stand between: any empty field may be a blank line.
        """
        width = len(self._header)
        if not frame.get_column(str(width - 1)).null_count():
            return False
        headers = sum(name.count(self._delimiter) for name in self._header) if is_first else 0
        within = frame.select(pl.all().str.count_matches(self._delimiter, literal=True).sum()).sum_horizontal().item()
        between = (frame.height + is_first) * (width - 1)
        return width == 1 or block.count(self._delimiter.encode()) != headers + within + between


def parsed(block: bytes, delimiter: str, width: int, *, is_first: bool = False) -> pl.DataFrame:
    """Read whole records."""
    # Each block gets a header, a row of its own: the reader takes the number of columns from the first row, and passes
    # over blank lines before it. Headers may be equal, so that they are no names.
    header = b"" if is_first else delimiter.join("x" * width).encode() + b"\n"
    schema = {str(place): pl.String for place in range(width)}
    return pl.read_csv(header + block, separator=delimiter, has_header=False, schema=schema).slice(1)


def _well_quoted(delimiter: str) -> re.Pattern[bytes]:
    """A text in which every double quote belongs to a field in quotes, from one delimiter or line end to the next."""
    separator = re.escape(delimiter)
    field = rf'"(?<![^{separator}\n]")[^"]*+(?:""[^"]*+)*+"(?![^{separator}\r\n])'
    return re.compile(rf'[^"]*+(?:{field}[^"]*+)*+'.encode())
