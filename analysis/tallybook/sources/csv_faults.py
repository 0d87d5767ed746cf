"""Find where a CSV file is broken: read it record by record, if it cannot be read at once."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from contextlib import contextmanager
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import DataError, Problem
from tallybook.core.issue_log import MOST
from tallybook.core.wording import counted
from tallybook.sources.content import MOST_LINE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from tallybook.core.issue_log import Tolerated
    from tallybook.sources.content import Content

MOST_FIELD = 2**24
"""The longest field, in characters: what a double quote that nothing closes takes of the memory."""
MOST_COLUMNS = 2**15
"""The most columns of a file: each takes time wherever something is said of columns."""
_BYTE_ORDER_MARK = "\ufeff"
_LINE_ENDS = "lines that end in LF or CRLF, not in CR alone"
_QUOTES = 'double quotes only around whole fields, and doubled ("") within them'


class Faults(NamedTuple):
    """Faults of a file."""

    problems: list[Problem]
    blank: list[int]  # the rows that are blank lines, counted as the records are: the header is row 1
    by_row: bool = True  # whether each problem is a row's own, and the other rows can be read without it

    def add(self, problem: Problem, log: Tolerated | None) -> None:
        """Add a problem: the first of very many go to the log, or the last ones are counted."""
        if len(self.problems) < MOST:
            self.problems.append(problem)
        elif log is None:
            last = self.problems[-1]
            self.problems[-1] = replace(last, count=last.count + 1)
        else:
            log.add(self.problems)
            self.problems[:] = [problem]


class Record(NamedTuple):
    """A record of a CSV file."""

    line: int  # the line that it begins in
    fields: list[str]  # its fields; none of a blank line
    raw: str  # its text, with the end of its last line
    expected: str = ""  # what is expected of a line that begins no record; empty of a record


def header(content: Content, delimiter: str) -> tuple[list[str], list[Problem]]:
    """Read the first record of a CSV file."""
    try:
        with in_records(content, delimiter) as records:
            first = next(records, None)
    except DataError as error:  # it cannot be opened or unpacked
        return [], error.problems
    except UnicodeDecodeError:
        return [], [_not_utf8(content)]
    problems = _header_faults(first, content.name, delimiter)
    return ([] if first is None else first.fields), problems


def _header_faults(first: Record | None, name: str, delimiter: str) -> list[Problem]:
    if first is None:
        return [Problem(name, "", "", "", "a header and at least one row")]
    if first.expected:
        return [Problem(name, "row 1", "", "", first.expected)]
    if not first.fields:
        return [Problem(name, "row 1", "", "", "a header, not a blank line")]
    if len(first.fields) > MOST_COLUMNS:
        return [Problem(name, "row 1", "", f"{len(first.fields):,} fields", f"at most {MOST_COLUMNS:,} columns")]
    if first.raw.endswith("\r"):
        return [Problem(name, "", "", "", _LINE_ENDS)]
    is_whole = _record_form(delimiter).fullmatch(first.raw.rstrip("\r\n"))
    return [] if is_whole else [Problem(name, "row 1", "", "", _QUOTES)]


def faults(content: Content, delimiter: str, width: int, *, refused: str = "", log: Tolerated | None = None) -> Faults:
    """Find what is wrong with the records of a CSV file."""
    found = Faults([], [])
    expected = f"{width}, as in the header"
    stray: list[Problem] = []
    broken = ""
    form = _record_form(delimiter)
    try:
        with in_records(content, delimiter) as records:
            for row, record in enumerate(records, start=1):
                key = place(row, record.line)
                broken = broken or (key if record.raw.endswith("\r") else "")
                if record.expected:
                    found.add(content.fault(key, "", "", record.expected), log)
                elif not record.fields:
                    found.blank.append(row)
                elif len(record.fields) != width:
                    found.add(content.fault(key, "", counted(len(record.fields), "field"), expected), log)
                elif '"' in record.raw and not form.fullmatch(record.raw.rstrip("\r\n")):
                    stray.append(content.fault(key, "", "", _QUOTES))
    except UnicodeDecodeError:
        found.problems.append(_not_utf8(content))
        return found._replace(by_row=False)
    if refused and not found.problems:
        found.problems.extend(stray or [content.fault("", "", "", f"a CSV file ({refused})")])
        return found._replace(by_row=False)
    if broken and found.blank and not found.problems:  # other readers count rows in another way: blank ones, too
        found.problems.append(content.fault(broken, "", "", _LINE_ENDS))
    return found._replace(by_row=not broken and not stray)


def holds(content: Content, delimiter: str, rows: Iterable[list[str]]) -> bool:
    """Compare rows with those of a CSV file without faults, one by one."""
    with in_records(content, delimiter) as records:
        next(records)
        filled = (record.fields for record in records if record.fields)
        return all(one == other for one, other in zip_longest(filled, rows))


def place(row: int, line: int) -> str:
    """Name the row of a CSV file."""
    return f"row {row}" if line == row else f"row {row}, line {line}"


def _expectation(error: csv.Error) -> str:
    """Say what the standard library's parser missed."""
    told = str(error)
    if told == "unexpected end of data":
        return "the double quote that closes a field"
    if told.startswith("field larger"):
        return f"a field of at most {MOST_FIELD:,} characters, the double quote that closes it among them"
    return _QUOTES if "expected after" in told else f"a CSV record ({told})"


def _record_form(delimiter: str) -> re.Pattern[str]:
    field = rf'(?:"(?:[^"]|"")*"|[^"{re.escape(delimiter)}]*)'
    return re.compile(rf"{field}(?:{re.escape(delimiter)}{field})*")


@contextmanager
def in_records(content: Content, delimiter: str, encoding: str = "utf-8-sig") -> Generator[Iterator[Record]]:
    """Read a CSV file record by record.

    `encoding`: That of the text; `utf-8` and the like keep a byte order mark in the text of the first record.

    The records, the header and blank lines among them, and lines that begin none: what follows such a line is read on.
    """
    longest = csv.field_size_limit(MOST_FIELD)  # a response may be longer than the standard library's limit
    try:
        with io.TextIOWrapper(content.open(), encoding=encoding, newline="") as file:
            yield _parsed(file, delimiter)
    finally:
        csv.field_size_limit(longest)


def _parsed(file: io.TextIOWrapper, delimiter: str) -> Iterator[Record]:
    taken, waiting, number = list[str](), deque[str](), 1

    def lines() -> Iterator[str]:
        while line := waiting.popleft() if waiting else _line(file):
            taken.append(line)
            if len(line) > MOST_LINE:
                raise csv.Error(f"of at most {MOST_LINE:,} characters in a line")
            yield line.removeprefix(_BYTE_ORDER_MARK) if number == len(taken) == 1 else line

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


def _not_utf8(content: Content) -> Problem:
    with content.open() as file:
        for number, line in enumerate(iter(lambda: file.readline(MOST_LINE), b""), start=1):
            try:
                line.decode()
            except UnicodeDecodeError as error:
                return content.not_utf8(error, number)
    return content.fault("", "", "", "UTF-8 text")
