"""Reading of CSV files as text, in parts: header, cells and row numbers.

Polars reads blocks of whole records, but ignores malformed records silently. It is therefore only given blocks whose
form rules out malformed records; from the first other block on, a file is read record by record (`csv_records`).
"""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources import csv_records
from tallybook.sources.content import MOST_LINE, Content
from tallybook.sources.csv_records import Place
from tallybook.sources.records import Records, joined

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

NO_ROW = "at least one row"
KEY = "\0key"
"""The column of row keys; no column of a file has this name."""


def read(content: Content, delimiter: str = ",", wanted: Iterable[str] = (), *, may_be_empty: bool = False) -> Records:
    """Read a small CSV file with the columns in `wanted`; raise a `DataError` with all its problems."""
    try:
        header = csv_records.header(content, delimiter)
        found = [csv_records.records_of(header, [], []), *parts(content, delimiter)]
    except DataError as error:
        raise DataError([*content.problems, *error.problems]) from None
    absent = [content.fault("", name, "", "this column") for name in dict.fromkeys(wanted) if name not in header]
    if problems := [one for one in content.problems if not may_be_empty or one.expected != NO_ROW] or absent:
        misread = wrong_delimiter(content.name, delimiter, header)
        raise DataError(problems if misread is None else [misread])
    return joined(found)


def table(folder: Path, name: str, wanted: Iterable[str]) -> pl.DataFrame:
    """Read a small comma-separated table, with row keys in `KEY` and without empty rows."""
    cells = read(Content(folder, name), ",", wanted, may_be_empty=True)
    columns = {column: cells.column(column) for column in dict.fromkeys(cells.header)}
    return pl.DataFrame({KEY: cells.keys} | columns).filter(pl.any_horizontal(pl.exclude(KEY).is_not_null()))


def parts(content: Content, delimiter: str) -> Iterator[Records]:
    """Read a CSV file in parts; malformed rows become problems of the file, and blank lines are skipped but counted."""
    header = csv_records.header(content, delimiter)
    place, is_read = Place(content.above + 1, content.above + 1), False
    known = len(content.problems)
    # In a file of one column, a cut within a quoted field cannot be told from one between records.
    well_quoted = _well_quoted(delimiter)
    for block, is_well_quoted in _blocks(content, well_quoted) if len(header) > 1 else ():
        if not is_well_quoted:
            break
        lines = block.count(b"\n")
        part = _part(block, lines, delimiter, header, place)
        if part is None:
            break
        if part.height:
            is_read = True
            yield part
        rows = part.height + (place.byte == 0)
        place = Place(place.row + rows, place.line + lines, place.byte + len(block))
    else:
        if len(header) > 1:
            place = None
    if place is not None:
        for part in csv_records.parts(content, delimiter, header, place):
            is_read = True
            yield part
    if not is_read and len(content.problems) == known:
        content.problems.append(content.fault("", "", "", NO_ROW))


def wrong_delimiter(name: str, delimiter: str, header: list[str]) -> Problem | None:
    """Return the problem that the delimiter seems to be another one, if so."""
    if len(header) > 1 or not any(other in header[0] for other in ",;\t|"):
        return None
    expected = f"columns separated by {delimiter!r}; another separator is declared with 'delimiter'"
    return Problem(name, "row 1", "", header[0], expected)


def _blocks(content: Content, well_quoted: re.Pattern[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Yield blocks of whole records, each with whether its double quotes stand only around fields."""

    def is_well_quoted(block: bytes) -> bool:
        return b'"' not in block or well_quoted.fullmatch(block.removeprefix(codecs.BOM_UTF8)) is not None

    with content.open() as file:
        rest = b""
        # A block without a line end is doubled, so that not every attempt reads only a little more.
        while read := file.read(max(csv_records.AT_ONCE, len(rest))):
            read = rest + read
            end = read.rfind(b"\n") + 1
            block, rest = read[:end], read[end:]
            if not (is_right := is_well_quoted(block)):
                end = _last_end(read)
                block, rest = read[:end], read[end:]
                is_right = is_well_quoted(block)
            if block:
                yield block, is_right
            elif len(rest) > MOST_LINE:
                break
        if rest:
            yield rest, is_well_quoted(rest)


def _last_end(block: bytes) -> int:
    """Return the end of the last whole record of a block; 0 if there is none."""
    end, quotes = len(block), block.count(b'"')
    while (line_end := block.rfind(b"\n", 0, end)) >= 0:
        quotes -= block.count(b'"', line_end, end)
        if quotes % 2 == 0:
            return line_end + 1
        end = line_end
    return 0


def _part(block: bytes, line_ends: int, delimiter: str, header: list[str], place: Place) -> Records | None:
    """Parse a block of well-quoted records by polars; None unless all have as many fields as the header."""
    if len(block) > MOST_LINE or (not block.endswith(b"\n") and block.endswith(delimiter.encode())):
        return None  # polars ignores a superfluous empty field in a last line without a line end
    width, is_first = len(header), place.byte == 0
    # Polars takes the number of columns from the first row, and skips blank lines before it: if that is in doubt, a row
    # is put above the block. Headers may be repeated, so they cannot be column names here.
    first_line = block[: block.find(b"\n") + 1]
    is_plain = b'"' not in first_line and first_line.count(delimiter.encode()) == width - 1
    above = b"" if is_first or is_plain else delimiter.join("x" * width).encode() + b"\n"
    schema = {str(column): pl.String for column in range(width)}
    try:
        cells = pl.read_csv(above + block, separator=delimiter, has_header=False, schema=schema)
        cells = cells.slice(1 if is_first or above else 0)
    except pl.exceptions.PolarsError:
        return None
    if _may_be_ragged(block, cells, delimiter, header if is_first else []):
        return None
    row = place.row + is_first
    rows = pl.int_range(row, row + cells.height, eager=True).alias("row")
    lines = line_ends + (not block.endswith(b"\n"))
    if place.row == place.line and lines == cells.height + is_first:
        return Records(header, cells, rows)
    within = pl.sum_horizontal(pl.all().str.count_matches("\n", literal=True).fill_null(0).cast(pl.Int64))
    above = place.line + is_first + (sum(name.count("\n") for name in header) if is_first else 0)
    further = cells.select(within.alias("lines")).with_columns(rows)
    line = above + pl.int_range(pl.len()) + pl.col("lines").cum_sum() - pl.col("lines")
    key = pl.when(line > pl.col("row")).then(pl.format("row {}, line {}", "row", line))
    return Records(header, cells, further.select(key.otherwise(pl.format("row {}", "row")).alias("key")).to_series())


def _may_be_ragged(block: bytes, cells: pl.DataFrame, delimiter: str, header: list[str]) -> bool:
    """Return whether rows of a block may have too few fields, which polars fills with nulls, by counting delimiters."""
    if not cells.get_column(str(cells.width - 1)).null_count():
        return False
    headers = sum(name.count(delimiter) for name in header)
    within = cells.select(pl.all().str.count_matches(delimiter, literal=True).sum()).sum_horizontal().item()
    between = (cells.height + bool(header)) * (cells.width - 1)
    return block.count(delimiter.encode()) != headers + within + between


def _well_quoted(delimiter: str) -> re.Pattern[bytes]:
    """Compile a pattern of text in which each double quote belongs to a field between delimiters or line ends."""
    separator = re.escape(delimiter)
    field = rf'"(?<![^{separator}\n]")[^"]*+(?:""[^"]*+)*+"(?![^{separator}\r\n])'
    return re.compile(rf'[^"]*+(?:{field}[^"]*+)*+'.encode())
