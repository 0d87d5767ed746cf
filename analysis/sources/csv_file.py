"""One CSV file as text: its header, its cells and the numbers of its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.errors import Problem
from analysis.sources import csv_faults

if TYPE_CHECKING:
    from pathlib import Path

_BLOCK = 2**20


class Cells(NamedTuple):
    """What a CSV file holds.

    Attributes:
        header: The headers.
        cells: The cells, all strings; the columns are called by their places, from "0". An empty field is null, an
            empty field in quotes "".
        keys: The rows as users find them: `row 2` is the first below the header; where fields before it span lines,
            `row 2, line 5`.
    """

    header: list[str]
    cells: pl.DataFrame
    keys: pl.Series

    def column(self, header: str) -> pl.Series:
        """The first column of a header."""
        return self.cells.to_series(self.header.index(header))


def read(path: Path, name: str, delimiter: str = ",") -> tuple[Cells | None, list[Problem]]:
    """Read a CSV file.

    Args:
        path: The file.
        name: Its name in messages.
        delimiter: What separates its columns.

    Returns:
        Its cells, None if it is broken; and everything that is wrong with it. Blank lines are passed over, but counted
        as rows.
    """
    header, problems = csv_faults.header(path, name, delimiter)
    if problems:
        return None, problems
    cells, problems = _read(path, name, delimiter, header)
    if problems and (misread := wrong_delimiter(name, delimiter, header)):
        return None, [misread]
    return cells, problems


def wrong_delimiter(name: str, delimiter: str, header: list[str]) -> Problem | None:
    """Suspect that the columns of a file are separated by something else.

    Args:
        name: The file.
        delimiter: What is declared.
        header: Its headers.

    Returns:
        The problem, if there is a single header and it looks like several.
    """
    if len(header) > 1 or not any(other in header[0] for other in ",;\t|"):
        return None
    expected = f"columns separated by {delimiter!r}; another separator is declared with 'delimiter'"
    return Problem(name, "row 1", "", header[0], expected)


def _read(path: Path, name: str, delimiter: str, header: list[str]) -> tuple[Cells | None, list[Problem]]:
    problems: list[Problem] = []
    schema = {str(place): pl.String for place in range(len(header))}
    try:
        # The header is read as a row: headers may be equal, and a row is counted from it.
        records = pl.read_csv(path, separator=delimiter, has_header=False, schema=schema, glob=False)
    except pl.exceptions.PolarsError as error:
        refused = str(error).partition("\n")[0]
        return None, csv_faults.faults(path, name, delimiter, len(header), refused=refused).problems
    cells = records.slice(1)
    size = _measure(path, delimiter)
    keys = _keys(header, cells, size)
    if cells.height and _may_be_ragged(header, cells, size, delimiter):
        problems, blank = csv_faults.faults(path, name, delimiter, len(header))
        is_row = ~pl.int_range(2, cells.height + 2, eager=True).is_in(blank)
        cells, keys = cells.filter(is_row), keys.filter(is_row)
    if not cells.height and not problems:
        problems.append(Problem(name, "", "", "", "at least one row"))
    return (None, problems) if problems else (Cells(header, cells, keys), [])


class _Size(NamedTuple):
    lines: int
    delimiters: int
    last: bytes


def _measure(path: Path, delimiter: str) -> _Size:
    """The lines of a file, the delimiters in it, within fields or between them, and its last byte."""
    lines = delimiters = 0
    last = b""
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            lines += block.count(b"\n")
            delimiters += block.count(delimiter.encode())
            last = block[-1:]
    return _Size(lines + (last != b"\n"), delimiters, last)


def _keys(header: list[str], cells: pl.DataFrame, size: _Size) -> pl.Series:
    row = pl.int_range(2, pl.len() + 2)
    key = pl.format("row {}", row)
    if size.lines > cells.height + 1:  # some rows span lines
        lines = pl.sum_horizontal(pl.all().str.count_matches("\n", literal=True).fill_null(0)).cast(pl.Int64)
        before = lines.cum_sum() - lines + sum(name.count("\n") for name in header)
        key = pl.when(before > 0).then(pl.format("row {}, line {}", row, row + before)).otherwise(key)
    return cells.select(key.alias("key")).to_series()


def _may_be_ragged(header: list[str], cells: pl.DataFrame, size: _Size, delimiter: str) -> bool:
    """Whether some rows have too few fields or are blank, which the reader fills up without a word.

    If none have, the file holds just as many delimiters as its fields hold and as stand between them. A file of one
    column has none between fields: there any empty field may be a blank line. At the end of a file without a line end
    the reader passes over an empty field too many.
    """
    if size.last == delimiter.encode() or (cells.width == 1 and cells.to_series().null_count()):
        return True
    within = cells.select(pl.sum_horizontal(pl.all().str.count_matches(delimiter, literal=True).sum())).item()
    within += sum(name.count(delimiter) for name in header)
    return size.delimiters != within + (cells.height + 1) * (cells.width - 1)
