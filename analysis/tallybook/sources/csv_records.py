"""CSV files record by record, by the standard library: slower than by blocks, and right whatever stands in them."""

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
"""About how many bytes of a file are read at once, which bounds the memory that a large one takes: below 32 MiB, up to
which the system keeps memory for the next block."""
_OF_RECORD = 2**7
"""About how many bytes a record, or the problem that it is, takes in memory beside its text."""
MOST_FIELD = 2**24
"""The longest field, in characters: what a double quote that nothing closes takes of the memory."""
MOST_COLUMNS = 2**15
"""The most columns of a file: each takes time wherever something is said of columns."""
_BYTE_ORDER_MARK = "\ufeff"
_LINE_ENDS = "lines that end in LF or CRLF, not in CR alone"


class Record(NamedTuple):
    """A record of a CSV file."""

    line: int  # the line that it begins in
    fields: list[str]  # its fields; none of a blank line
    raw: str  # its text, with the end of its last line
    expected: str = ""  # what is expected of a line that begins no record; empty of a record


class Place(NamedTuple):
    """The beginning of a record."""

    row: int  # which record of the file it is: the header is row 1
    line: int
    byte: int = 0  # how many bytes stand before it


def header(content: Content, delimiter: str) -> list[str]:
    """Read the first record of a CSV file."""
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
    """Read the records from a place on, some at a time; those that are broken are problems and keep no others back."""
    width = len(header)
    rows, keys, size = list[list[str | None]](), list[str](), 0
    try:
        with in_records(content, delimiter, start=start) as records:
            for row, record in enumerate(records, start=start.row):
                key = place(row, record.line)
                size += len(record.raw) + _OF_RECORD
                if record.raw.endswith("\r"):  # others do not take it for the end of a line
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
    """Make records of rows."""
    schema = {str(place): pl.String for place in range(len(header))}
    return Records(header, pl.DataFrame(rows, schema=schema, orient="row"), pl.Series("key", keys, dtype=pl.String))


def place(row: int, line: int) -> str:
    """Name the row of a CSV file."""
    return f"row {row}" if line == row else f"row {row}, line {line}"


@contextmanager
def in_records(
    content: Content, delimiter: str, encoding: str = "utf-8-sig", start: Place | None = None
) -> Generator[Iterator[Record]]:
    """Read a CSV file record by record: header, blank lines, and lines that begin no record, among them."""
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
    """Read a line, of one that is too long a little more than is allowed."""
    line = file.readline(MOST_LINE + 1)
    if len(line) <= MOST_LINE:
        return line
    rest = line
    while rest and not rest.endswith("\n"):
        rest = file.readline(MOST_LINE)
    return f"{line}\n" if rest else line


def _expectation(error: csv.Error) -> str:
    """Say what the standard library's parser missed."""
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
