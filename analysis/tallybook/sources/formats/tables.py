"""Typed tables: Parquet, Arrow, DuckDB, spreadsheets; what may harm the program is read elsewhere."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import MissingExtraError
from tallybook.sources.formats import subprocess_reader
from tallybook.sources.header_rows import first_and_last
from tallybook.sources.json_records import text_of
from tallybook.sources.records import Records, with_inner
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.header_rows import HeaderRows
    from tallybook.study.format_base import Layout, Role

_BESIDE = {
    "dataset_info.json": {"features", "citation", "builder_name"},
    "state.json": {"_data_files", "_fingerprint"},
    "dataset_dict.json": {"splits"},
}
"""The files that accompany the shards of a dataset -> names in them."""
_ALL, _SHEET = "*", "sheet"
"""The name for all sheets that share their headers, and the column that names a record's sheet."""


class Table(Format):
    """A file with a response in each row of a table."""

    has_header = True
    package: str | None = None
    """The optional package that reads it."""
    what: str
    """Its description in messages."""

    def __init__(self, table: str | None = None, header: HeaderRows = 1) -> None:
        self._table = table
        self._header = header

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        above = 0
        for frame in self.frames(content):
            if frame.height:
                yield _records(frame, content, paths, above)
                above += frame.height

    def frames(self, content: Content) -> Iterator[pl.DataFrame]:
        """Read the table in parts, in a separate process."""
        if self.package is not None and find_spec(self.package) is None:
            raise MissingExtraError(self.package, self.name)
        return subprocess_reader.frames(content, self.what, self._table, self._header)


class Parquet(Table):
    """Parquet files."""

    name = "parquet"
    title = "Parquet"
    what = subprocess_reader.PARQUET
    turn = 1

    def recognises(self, head: Head) -> Role | None:
        """Recognise a file that begins like a Parquet file."""
        return "responses" if head.start.startswith(b"PAR1") else None


class Arrow(Table):
    """Arrow IPC: the file format (Feather, Hugging Face datasets on disk) and the stream format."""

    name = "arrow"
    title = "Arrow IPC (Feather)"
    what = "Arrow file"
    turn = 2

    def recognises(self, head: Head) -> Role | None:
        """Recognise the two formats by their beginnings; `save_to_disk` of Hugging Face writes accompanying files."""
        if head.name in _BESIDE and {*head.keys} & _BESIDE[head.name]:
            return "beside"
        return "responses" if head.start.startswith((b"ARROW1", b"\xff\xff\xff\xff")) else None


class DuckDB(Table):
    """DuckDB databases, by the library, which is an extra."""

    name = "duckdb"
    title = "DuckDB"
    what = "DuckDB database"
    package = "duckdb"
    turn = 4

    def recognises(self, head: Head) -> Role | None:
        """Recognise a file that begins like a DuckDB database."""
        return "responses" if head.start[8:12] == b"DUCK" else None

    def laid_out(self, content: Content, layout: Layout) -> Format:
        return DuckDB(layout.table)


class Excel(Table):
    """Spreadsheets with headers in one row and a response in each row below."""

    name = "excel"
    title = "Excel (and OpenDocument) spreadsheet"
    what = "spreadsheet"
    package = "fastexcel"
    turn = 3

    def recognises(self, head: Head) -> Role | None:
        """Recognise an archive with a workbook in it, or an old Excel file by its suffix."""
        is_workbook = any(name.startswith("xl/workbook.") for name in head.members)
        is_open = head.start[30:38] == b"mimetype" and b"opendocument.spreadsheet" in head.start[:120]
        is_old = head.start.startswith(b"\xd0\xcf\x11\xe0") and head.suffix == ".xls"
        return "responses" if is_workbook or is_open or is_old else None

    def laid_out(self, content: Content, layout: Layout) -> Format:
        return Excel(layout.sheet, layout.header)

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        for sheet in self.frames(content):
            part = _records(sheet, content, paths, first_and_last(self._header)[1])
            keys, own = part.keys, pl.all()
            if self._table == _ALL and sheet.height:
                keys, own = f"sheet {sheet.item(0, _SHEET)}, " + keys, pl.exclude(str(len(part.header) - 1))
            is_filled = part.cells.select(~pl.all_horizontal(own.is_null())).to_series()
            yield Records(part.header, part.cells.filter(is_filled), keys.filter(is_filled))


def _records(frame: pl.DataFrame, content: Content, paths: Sequence[str], above: int) -> Records:
    """Build records from rows: dates in ISO 8601, lists as JSON, a column for each field of a structure."""
    columns: dict[str, pl.Series] = {}
    for column in frame.iter_columns():
        for leaf in _leaves(column):
            if leaf.name in columns:
                raise content.refuse(f"one column {leaf.name!r}")
            columns[leaf.name] = _plain(leaf, content)
    values = pl.DataFrame({str(place): column for place, column in enumerate(columns.values())})
    numbers = pl.int_range(above + 1, above + 1 + frame.height, eager=True)
    return with_inner(Records([*columns], values, numbers), paths)


def _leaves(column: pl.Series) -> list[pl.Series]:
    """Return the fields of a structure, including nested ones, with dotted names."""
    if not isinstance(column.dtype, pl.Struct):
        return [column]
    fields = [column.struct.field(field.name).alias(f"{column.name}.{field.name}") for field in column.dtype.fields]
    return [leaf for field in fields for leaf in _leaves(field)]


def _is_list(column: pl.Series) -> bool:
    return isinstance(column.dtype, pl.List | pl.Array)


def _plain(column: pl.Series, content: Content) -> pl.Series:
    """Convert a column to strings, numbers or booleans."""
    kind = column.dtype
    if _is_list(column):
        try:
            return pl.Series([text_of(value) for value in column.to_list()], dtype=pl.String)
        except TypeError:  # bytes or dates within lists
            raise content.refuse(f"lists of text and numbers in column {column.name!r}") from None
    if kind == pl.Binary:
        raise content.refuse(f"text, numbers, dates or lists in column {column.name!r}, not bytes")
    if kind == pl.Boolean or kind.is_integer() or kind.is_float():
        return column
    return column.dt.to_string("iso") if kind.is_temporal() else column.cast(pl.String)


PARQUET, ARROW, DUCKDB, EXCEL = Parquet(), Arrow(), DuckDB(), Excel()
