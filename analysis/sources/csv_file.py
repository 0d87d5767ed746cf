"""One CSV file as text: its header, its cells and the numbers of its rows; a large one part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.errors import Problem
from analysis.sources import csv_faults
from analysis.sources.csv_blocks import Frames

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

AT_ONCE = 2**23
"""About how many bytes of a file are read at once: what bounds the memory that a large one takes."""


class Cells(NamedTuple):
    """What a CSV file, or a part of it, holds.

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
    parts, problems = read_parts(path, name, delimiter, None)
    return next(parts, None), problems


def read_parts(path: Path, name: str, delimiter: str, at_once: int | None) -> tuple[Iterator[Cells], list[Problem]]:
    """Read a CSV file part by part.

    Args:
        path: The file.
        name: Its name in messages.
        delimiter: What separates its columns.
        at_once: About how many bytes of it are read at once; None for all.

    Returns:
        Its cells in parts, in the order of the file, each read when it is asked for; none if the file is broken. And
        everything that is wrong with the whole file. The parts are together what `read` gives.
    """
    header, problems = csv_faults.header(path, name, delimiter)
    if problems:
        return iter(()), problems
    # In a file of one column no delimiter would tell a cut within a field from one between records.
    parts, problems = _read(path, name, delimiter, header, None if len(header) == 1 else at_once)
    if problems and (misread := wrong_delimiter(name, delimiter, header)):
        problems = [misread]
    return parts, problems


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


def _read(
    path: Path, name: str, delimiter: str, header: list[str], at_once: int | None
) -> tuple[Iterator[Cells], list[Problem]]:
    width, blank, refused = len(header), list[int](), ""
    try:
        frames = Frames(path, delimiter, width, at_once)
    except pl.exceptions.PolarsError as error:
        frames, refused = None, str(error).partition("\n")[0]
    if frames is not None and frames.rows and (frames.has_stray or _may_be_ragged(header, frames, delimiter)):
        found = csv_faults.faults(path, name, delimiter, width)
        if found.problems:
            return iter(()), found.problems
        blank = [row for row in found.blank if row <= frames.rows + 1]
        if frames.has_stray and not csv_faults.holds(path, delimiter, _rows(_parts(header, frames, blank))):
            frames, refused = None, "double quotes within fields"
    if frames is None:
        # A file that cannot be cut may be readable at once: quotes in fields without quotes mislead the cut.
        if at_once is not None:
            return _read(path, name, delimiter, header, None)
        return iter(()), csv_faults.faults(path, name, delimiter, width, refused=refused).problems
    if frames.rows == len(blank):
        return iter(()), [Problem(name, "", "", "", "at least one row")]
    return _parts(header, frames, blank), []


def _parts(header: list[str], frames: Frames, blank: Sequence[int]) -> Iterator[Cells]:
    """The rows that are no blank lines, with their keys."""
    above = 1
    lines_above = 1 + sum(name.count("\n") for name in header)
    for cells in frames:
        row = pl.int_range(above + 1, above + 1 + pl.len(), dtype=pl.Int64)
        key = pl.format("row {}", row)
        if frames.lines > frames.rows + 1:  # some rows span lines
            lines = pl.sum_horizontal(1, pl.all().str.count_matches("\n", literal=True).fill_null(0).cast(pl.Int64))
            line = lines_above + 1 + lines.cum_sum() - lines
            key = pl.when(line > row).then(pl.format("row {}, line {}", row, line)).otherwise(key)
            lines_above += cells.select(lines.sum()).item()
        keyed = cells.select(pl.all(), key.alias("key"))
        if blank:
            keyed = keyed.filter(~row.is_in(blank))
        if keyed.height:
            yield Cells(header, keyed.drop("key"), keyed.get_column("key"))
        above += cells.height


def _rows(parts: Iterator[Cells]) -> Iterator[list[str]]:
    for part in parts:
        for row in part.cells.iter_rows():
            yield [cell or "" for cell in row]


def _may_be_ragged(header: list[str], frames: Frames, delimiter: str) -> bool:
    """Whether some rows have too few fields or are blank, which the reader fills up without a word.

    If none have, the file holds just as many delimiters as its fields hold and as stand between them. A file of one
    column has none between fields: there any empty field may be a blank line. At the end of a file without a line end
    the reader passes over an empty field too many.
    """
    if frames.last == delimiter.encode() or (len(header) == 1 and frames.has_empty):
        return True
    within = frames.within + sum(name.count(delimiter) for name in header)
    return frames.delimiters != within + (frames.rows + 1) * (len(header) - 1)
