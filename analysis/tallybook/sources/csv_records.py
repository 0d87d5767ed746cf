"""Reading of CSV files record by record with the standard library: slower than in blocks, but right for any content."""

from __future__ import annotations

import csv
import io
from collections import deque
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.wording import counted
from tallybook.sources.content import MOST_LINE
from tallybook.sources.records import Records

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tallybook.sources.content import Content

AT_ONCE = 3 * 2**23
"""The approximate number of bytes of a file that are read at once, which bounds the memory for large files: below 32
MiB, up to which the system keeps memory for the next block."""
_OF_RECORD = 2**7
"""The approximate memory, in bytes, of a record or of the problem for it, apart from its text."""
MOST_FIELD = 2**24
"""The longest field, in characters, which bounds the memory that an unclosed double quote takes."""
MOST_COLUMNS = 2**15
"""The largest number of columns of a file, as each column takes time in many places."""
_BYTE_ORDER_MARK = "\ufeff"
_LINE_ENDS = "lines that end in LF or CRLF, not in CR alone"


class Record(NamedTuple):
    """A record of a CSV file."""

    line: int  # the number of its first line
    fields: list[str]  # its fields; empty for a blank line
    raw: str  # its text, including its last line end
    expected: str = ""  # the expectation that a malformed line breaks; empty for a record


class Place(NamedTuple):
    """The position at which a record begins."""

    row: int  # the number of the record in the file; the header is row 1
    line: int
    byte: int = 0  # the number of bytes before it


def header(content: Content, delimiter: str) -> list[str]:
    """Read the header of a CSV file."""
    try:
        with in_records(content, delimiter) as records:
            first = next(records, None)
    except UnicodeDecodeError:
        raise DataError([_not_utf8(content)]) from None
    if first is None:
        raise content.refuse("a header and at least one row")
    if first.raw.endswith("\r"):
        raise content.refuse(_LINE_ENDS)
    key = place(content.above + 1, content.above + first.line)
    if first.expected or not first.fields:
        raise content.refuse(first.expected or "a header, not a blank line", key=key)
    if len(first.fields) > MOST_COLUMNS:
        value = f"{len(first.fields):,} fields"
        raise content.refuse(f"at most {MOST_COLUMNS:,} columns", key=key, value=value)
    return first.fields


def parts(content: Content, delimiter: str, header: list[str], start: Place) -> Iterator[Records]:
    """Yield the records from a position on, in parts; malformed records become problems of the file."""
    width = len(header)
    rows, keys, size = list[list[str | None]](), list[str](), 0
    try:
        with in_records(content, delimiter, start=start) as records:
            for row, record in enumerate(records, start=start.row):
                key = place(row, record.line)
                size += len(record.raw) + _OF_RECORD
                if record.raw.endswith("\r"):  # other readers do not treat it as a line end
                    raise content.refuse(_LINE_ENDS, key=key)
                if row == content.above + 1:
                    continue
                if record.expected:
                    content.problems.append(content.fault(key, "", "", record.expected))
                elif len(record.fields) == width:
                    rows.append([field or None for field in record.fields])
                    keys.append(key)
                elif record.fields:
                    found = counted(len(record.fields), "field")
                    content.problems.append(content.fault(key, "", found, f"{width}, as in the header"))
                if size >= AT_ONCE:
                    yield records_of(header, rows, keys)
                    rows, keys, size = [], [], 0
    except UnicodeDecodeError:
        raise DataError([_not_utf8(content)]) from None
    if rows:
        yield records_of(header, rows, keys)


def records_of(header: list[str], rows: list[list[str | None]], keys: list[str]) -> Records:
    """Build `Records` from rows and their keys."""
    schema = {str(place): pl.String for place in range(len(header))}
    return Records(header, pl.DataFrame(rows, schema=schema, orient="row"), pl.Series("key", keys, dtype=pl.String))


def place(row: int, line: int) -> str:
    """Format the key of a row: its number, and the number of its line if that differs."""
    return f"row {row}" if line == row else f"row {row}, line {line}"


@contextmanager
def in_records(
    content: Content, delimiter: str, encoding: str = "utf-8-sig", start: Place | None = None
) -> Generator[Iterator[Record]]:
    """Yield an iterator over the records of a CSV file, including header, blank lines and malformed lines."""
    longest = csv.field_size_limit(MOST_FIELD)  # a response may be longer than the standard library's limit
    try:
        with content.open() as stream:
            passed = 0
            while start is not None and passed < start.byte:
                passed += len(stream.read(min(start.byte - passed, AT_ONCE)))
            with io.TextIOWrapper(stream, encoding=encoding, newline="") as file:
                yield _parsed(file, delimiter, 1 if start is None else start.line)
    finally:
        csv.field_size_limit(longest)


def _parsed(file: io.TextIOWrapper, delimiter: str, number: int) -> Iterator[Record]:
    taken, waiting, first = list[str](), deque[str](), number

    def lines() -> Iterator[str]:
        while line := waiting.popleft() if waiting else _line(file):
            taken.append(line)
            if len(line) > MOST_LINE:
                raise csv.Error(f"of at most {MOST_LINE:,} characters in a line")
            yield line.removeprefix(_BYTE_ORDER_MARK) if number == first and len(taken) == 1 else line

    while True:
        try:
            for fields in csv.reader(lines(), delimiter=delimiter, strict=True):
                raw = "".join(taken)
                yield Record(number, fields, raw)
                number += raw.count("\n")  # as other readers count: CR alone ends no line
                taken.clear()
        except csv.Error as error:
            raw, *rest = taken
            waiting.extendleft(reversed(rest))
            yield Record(number, [], raw, _expectation(error))
            number += raw.count("\n")
            taken.clear()
        else:
            return


def _line(file: io.TextIOWrapper) -> str:
    """Read a line; of an overlong line, only slightly more than the limit."""
    line = file.readline(MOST_LINE + 1)
    if len(line) <= MOST_LINE:
        return line
    rest = line
    while rest and not rest.endswith("\n"):
        rest = file.readline(MOST_LINE)
    return f"{line}\n" if rest else line


def _expectation(error: csv.Error) -> str:
    """Describe what the standard library's parser expected."""
    told = str(error)
    if told == "unexpected end of data":
        return "the double quote that closes a field"
    if told.startswith("field larger"):
        return f"a field of at most {MOST_FIELD:,} characters, the double quote that closes it among them"
    if "expected after" in told:
        return 'double quotes only around whole fields, and doubled ("") within them'
    return f"a CSV record ({told})"


def _not_utf8(content: Content) -> Problem:
    with content.open() as file:
        for number, line in enumerate(iter(lambda: file.readline(MOST_LINE), b""), start=content.above + 1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return content.not_utf8(error, number)
    return content.fault("", "", "", "UTF-8 text")
