"""Tables of separated values: CSV and TSV."""

from __future__ import annotations

import codecs
import csv
import io
from dataclasses import replace
from typing import TYPE_CHECKING

from tallybook.core.errors import DataError
from tallybook.sources import csv_file, csv_records
from tallybook.sources.content import START
from tallybook.sources.header_rows import as_one, first_and_last
from tallybook.sources.records import Records, with_inner
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.header_rows import HeaderRows
    from tallybook.study.format_base import Layout, Role

DELIMITERS = (",", "\t", ";", "|")
"""The possible delimiters, likelier ones first."""


class Delimited(Format):
    """Files with a header and a response in each row below: UTF-8, with fields in double quotes where needed."""

    has_header = True

    def __init__(self, name: str, title: str, delimiter: str | None, header: HeaderRows = 1) -> None:
        self.name = name
        self._header = header
        self.title = title
        self._delimiter = delimiter
        self.is_declared = delimiter is not None
        self.turn = 7 if self.is_declared else 8

    def recognises(self, head: Head) -> Role | None:
        """Recognise text whose first records all have the same number of fields, more than one."""
        if not _is_text(head.start) or head.keys:
            return None
        delimiter = suggested(head.start)
        if delimiter is None:  # a single column has no delimiter, so the suffix decides
            return "responses" if self._delimiter == "," and head.suffix == ".csv" else None
        return "responses" if self._delimiter in {delimiter, None} else None

    def laid_out(self, content: Content, layout: Layout) -> Format:
        """Return the format with a delimiter and header row, if they are given."""
        if layout.delimiter is None and layout.header == 1:
            return self
        table = content.below_line(first_and_last(layout.header)[1] - 1)
        separator = layout.delimiter or self.delimiter(table)
        name = self.name if separator == self._delimiter else "csv"
        return Delimited(name, self.title, separator, layout.header)

    def delimiter(self, content: Content) -> str:
        """Return the delimiter of a file."""
        return self._delimiter or suggested(content.start()) or ","

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        first, last = first_and_last(self._header)
        table = content.below_line(last - 1)
        table.problems = content.problems
        delimiter = self.delimiter(table)
        above = [csv_records.header(content.below_line(row - 1), delimiter) for row in range(first, last)]
        for place, found in enumerate(csv_file.parts(table, delimiter)):
            part = found if place else _without_more_headers(found)
            if above:
                part = Records(as_one(*above, part.header), part.typed, part.numbers, part.word)
            # A single header that looks like several, and is not a wanted column.
            misread = csv_file.wrong_delimiter(content.name, delimiter, part.header)
            if misread is not None and part.header[0] not in paths:
                raise DataError([misread])
            yield with_inner(_without_repeated_headers(part, content), paths)


def _without_repeated_headers(part: Records, content: Content) -> Records:
    """Leave out rows that repeat the header, as files that were put together have them, and note each as a finding.

    After a header in another order rows mean something else: that is a problem.
    """
    names = part.header
    if len(names) == 1 or not part.height:
        return part
    likely = part.typed.to_series(0).is_in(names)
    places = likely.arg_true().to_list() if likely.any() else []
    rows = {place: [cell or "" for cell in part.cells.row(place)] for place in places}
    repeated = [place for place, row in rows.items() if row == names]
    for number, place in enumerate(repeated[:_MOST_NOTED], start=1):
        more = len(repeated) - _MOST_NOTED if number == _MOST_NOTED else 0
        noted = content.fault(part.keys[place], "", "", "a record: this row repeats the header and is left out")
        content.findings.append(replace(noted, count=1 + more))
    is_other = {place: len(names) > _PAIR and sorted(row) == sorted(names) for place, row in rows.items()}
    other = [place for place in places if is_other[place] and place not in repeated]
    content.problems.extend(content.fault(part.keys[place], "", "", REORDERED) for place in other[:_MOST_NOTED])
    if not (left := {*repeated, *other}):
        return part
    kept = [place for place in range(part.height) if place not in left]
    return Records(names, part.typed[kept], part.numbers[kept], part.word)


REORDERED = "the columns in the order of the first header: this row names them in another"
_MOST_NOTED, _PAIR = 100, 2
"""The number of repeated headers that are named one by one; the number of columns in which a row may be anything."""


def _without_more_headers(part: Records) -> Records:
    """Drop the two further rows of headers of Qualtrics, the wording of questions and their identifiers in JSON."""
    second = part.cells.row(1) if part.height > 1 else ()
    if not any(cell and cell.startswith('{"ImportId"') for cell in second):
        return part
    return Records(part.header, part.typed[2:], part.numbers[2:], part.word)


def header_line(start: bytes) -> int:
    r"""Return the line of the headers, counted from 1: from there on, all records have equally many fields.

    >>> header_line(b"Answers of May\n\nid,answer\n1,yes\n2,no\n3,no\n")
    3
    """
    if start.lstrip(b"\xef\xbb\xbf \t\r\n").startswith((b"{", b"[")):
        return 1
    text = start.decode("utf-8-sig", errors="replace")
    whole = (text[: text.rfind("\n") + 1] or text).splitlines(keepends=True)
    for number in range(1, min(len(whole), _MOST_ABOVE) - 1):
        delimiter = suggested("".join(whole[number:]).encode())
        # A title that a spreadsheet program filled up with blank cells is no header.
        blank = [not cell.strip() for cell in whole[number].split(delimiter)]
        if delimiter is not None and sum(blank) <= 1 < len(blank):
            return number + 1
    return 1


_MOST_ABOVE = 20
"""The largest number of lines above the headers."""


def suggested(start: bytes) -> str | None:
    r"""Return the delimiter that splits all whole records into equally many fields, and into the most; else None.

    >>> suggested(b'id;answer\n1;"yes, gladly"\n2;"no"\n')
    ';'
    """
    text = start.decode("utf-8-sig", errors="replace")
    whole = text[: text.rfind("\n") + 1] or text
    widths = {delimiter: _width(whole, delimiter) for delimiter in DELIMITERS}
    best = max(widths, key=lambda delimiter: widths[delimiter])
    return best if widths[best] > 1 else None


def _width(text: str, delimiter: str) -> int:
    """Return the number of fields of each record; 0 if it differs, or for one record. The last may be cut off."""
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        widths = [len(record) for record in records if record]
    except csv.Error:
        return 0
    whole = widths[:-1] if len(widths) > 2 else widths  # noqa: PLR2004  a header, a record and one that may be cut off
    return whole[0] if len(widths) > 1 and len(set(whole)) == 1 else 0


def _is_text(start: bytes) -> bool:
    """Return whether a file begins with UTF-8 text; its last character may be cut off."""
    try:
        codecs.getincrementaldecoder("utf-8-sig")().decode(start, final=len(start) < START)
    except UnicodeDecodeError:
        return False
    return bool(start) and b"\0" not in start


CSV = Delimited("csv", "CSV", ",")
TSV = Delimited("tsv", "TSV", "\t")
FORMAT = Delimited("delimited", "table of separated values", None)
