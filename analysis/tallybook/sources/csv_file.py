"""One CSV file as text: its header, its cells and the numbers of its rows; a large one part by part."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources import csv_faults
from tallybook.sources.csv_blocks import Frames, parsed
from tallybook.sources.records import Records

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content

NO_ROW = "at least one row"
AT_ONCE = 2**23
"""About how many bytes of a file are read at once: what bounds the memory that a large one takes."""


def read(content: Content, delimiter: str = ",") -> tuple[Records | None, list[Problem]]:
    """Read a CSV file.

    Its rows, None if anything is wrong with it; and everything that is. Blank lines are passed over, but counted as
    rows.
    """
    parts, problems = read_parts(content, delimiter, None)
    return None if problems else next(parts, None), problems


def read_parts(content: Content, delimiter: str, at_once: int | None) -> tuple[Iterator[Records], list[Problem]]:
    """Read a CSV file part by part.

    Its cells in parts, in the order of the file, each read when it is asked for. And everything that is wrong with the
    whole file: the parts lack what is wrong, and there are none where records cannot be told from each other. Without
    problems the parts are together what `read` gives.
    """
    try:
        header, problems = csv_faults.header(content, delimiter)
        if problems:
            return iter(()), problems
        # In a file of one column no delimiter would tell a cut within a field from one between records.
        parts, problems = _read(content, delimiter, header, None if len(header) == 1 else at_once)
    except DataError as error:  # it breaks off while it is unpacked
        return iter(()), error.problems
    if problems and (misread := wrong_delimiter(content.name, delimiter, header)):
        return iter(()), [misread]
    return parts, problems


def wrong_delimiter(name: str, delimiter: str, header: list[str]) -> Problem | None:
    """Suspect that the columns of a file are separated by something else."""
    if len(header) > 1 or not any(other in header[0] for other in ",;\t|"):
        return None
    expected = f"columns separated by {delimiter!r}; another separator is declared with 'delimiter'"
    return Problem(name, "row 1", "", header[0], expected)


def _read(
    content: Content, delimiter: str, header: list[str], at_once: int | None
) -> tuple[Iterator[Records], list[Problem]]:
    width, blank, refused = len(header), list[int](), ""
    log = None if wrong_delimiter(content.name, delimiter, header) else content.log
    try:
        frames = Frames(content, delimiter, header, at_once)
    except pl.exceptions.PolarsError as error:
        frames, refused = None, str(error).partition("\n")[0]
    if frames is not None and frames.rows and (frames.has_stray or frames.is_ragged):
        found = csv_faults.faults(content, delimiter, width, log=log)
        if found.problems:
            return _sound(content, delimiter, header, found), found.problems
        blank = [row for row in found.blank if row <= frames.rows + 1]
        if frames.has_stray and not csv_faults.holds(content, delimiter, _rows(_parts(header, frames, blank))):
            frames, refused = None, "double quotes within fields"
    if frames is None:
        found = csv_faults.faults(content, delimiter, width, refused="" if at_once else refused, log=log)
        # A file that cannot be cut may be readable at once: quotes in fields without quotes mislead the cut.
        if at_once is not None and not found.problems:
            return _read(content, delimiter, header, None)
        return _sound(content, delimiter, header, found), found.problems
    if frames.rows == len(blank):
        return iter(()), [content.fault("", "", "", NO_ROW)]
    return _parts(header, frames, blank), []


def _sound(content: Content, delimiter: str, header: list[str], found: csv_faults.Faults) -> Iterator[Records]:
    """The rows with as many fields as the header, of a file in which others have more or fewer."""
    if not found.by_row:
        return
    texts, keys, size = list[str](), list[str](), 0
    with csv_faults.in_records(content, delimiter) as records:
        for row, record in enumerate(records, start=1):
            if row > 1 and len(record.fields) == len(header):
                texts.append(record.raw)
                keys.append(csv_faults.place(row, record.line))
                size += len(record.raw)
            if size >= AT_ONCE:
                yield _of_texts(texts, keys, delimiter, header)
                texts, keys, size = [], [], 0
    if texts:
        yield _of_texts(texts, keys, delimiter, header)


def _of_texts(texts: list[str], keys: list[str], delimiter: str, header: list[str]) -> Records:
    cells = parsed("".join(texts).encode(), delimiter, len(header))
    return Records(header, cells, pl.Series("key", keys, dtype=pl.String))


def _parts(header: list[str], frames: Frames, blank: Sequence[int]) -> Iterator[Records]:
    """Drop blank rows, and add keys."""
    above = 1
    lines_above = 1 + sum(name.count("\n") for name in header)
    for cells in frames:
        rows = pl.int_range(above + 1, above + 1 + cells.height, eager=True).alias("row")
        above += cells.height
        keys = rows
        if frames.lines > frames.rows + 1:  # some rows span lines
            within = pl.sum_horizontal(pl.all().str.count_matches("\n", literal=True).fill_null(0).cast(pl.Int64))
            further = cells.select(within.alias("lines")).to_series()
            keys = _keys(rows, further, lines_above)
            lines_above += cells.height + int(further.sum())
        is_filled = ~rows.is_in(pl.Series(blank, dtype=pl.Int64).implode()) if blank else None
        part = cells if is_filled is None else cells.filter(is_filled)
        if part.height:
            yield Records(header, part, keys if is_filled is None else keys.filter(is_filled))


def _keys(rows: pl.Series, further: pl.Series, lines_above: int) -> pl.Series:
    """The numbers of rows, and of the lines in which they begin, where these differ."""
    line = lines_above + pl.col("row").cum_count() + pl.col("lines").cum_sum() - pl.col("lines")
    numbered = pl.DataFrame([rows, further]).with_columns(line.alias("line"))
    key = pl.when(pl.col("line") > pl.col("row")).then(pl.format("row {}, line {}", "row", "line"))
    return numbered.select(key.otherwise(pl.format("row {}", "row")).alias("key")).to_series()


def _rows(parts: Iterator[Records]) -> Iterator[list[str]]:
    for part in parts:
        for row in part.cells.iter_rows():
            yield [cell or "" for cell in row]
