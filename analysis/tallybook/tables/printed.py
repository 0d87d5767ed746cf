"""Layout of tables printed as published, from the list of published numbers, because no data were released."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.published.audit.numbers import rounded
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.layout import CELL_SCHEMA, Tables, refuse_taken
from tallybook.tables.parts import Printed
from tallybook.tables.sets import natural_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.study.model import Study
    from tallybook.study.printed import CellForm, PrintedTable, Span
    from tallybook.tables.layout import Cell

SOURCE = "Printed as published: no data were released for this table, and nothing in it was regenerated."
"""The note under every table printed as published."""


class PrintedTables(NamedTuple):
    """Tables printed as published."""

    tables: list[Table]  # the finished tables, in the order in which they are declared
    cells: pl.DataFrame  # their numbers in long form, with the columns of `layout.CELL_SCHEMA`


class _Line(NamedTuple):
    """A row or a column of a printed table."""

    id: str
    label: str
    span: Span


@dataclass
class _Sheet:
    """One table during its layout; `listed` maps row and column to the published number of each statistic."""

    study: Study
    declared: PrintedTable
    listed: dict[tuple[str, str], dict[str, str]]
    faults: list[tuple[str, str, str]]
    cells: list[Cell] = field(default_factory=list["Cell"])
    has_unlisted: bool = False

    def lay_out(self) -> Table:
        rows, columns = list(self._lines(self.declared.rows)), list(self._lines(self.declared.columns))
        self._refuse_homeless(rows, columns)
        return Table(
            id=self.declared.id,
            title=self.declared.title,
            stub=self.declared.stub,
            columns=tuple(Column(column.id, column.label, spanner=column.span.label) for column in columns),
            rows=tuple(
                Row(row.id, row.label, tuple(self._cell(row.id, column) for column in columns), group=row.span.label)
                for row in rows
            ),
            notes=(*self.declared.notes, SOURCE, *self._signs(), *self._contradictions(rows, columns)),
        )

    def _lines(self, axes: Iterable[str]) -> Iterator[_Line]:
        for axis in axes:
            for span in self.study.printed.axes[axis]:
                for entry, label in span.named(self.study.factors).items():
                    yield _Line(entry, label, span)

    def _refuse_homeless(self, rows: list[_Line], columns: list[_Line]) -> None:
        """Refuse published numbers of the table that belong to none of its cells."""
        forms = {column.id: self._form(column) for column in columns}
        known = {row.id for row in rows}
        for (row, column), texts in self.listed.items():
            if row not in known or column not in forms:
                raise UsageError(f"printed table {self.declared.id}: no such cell: row {row!r}, column {column!r}")
            if other := [name for name in texts if name not in forms[column].statistics]:
                raise UsageError(f"{self._place(row, column)}: {other[0]!r} is not part of the cell")

    def _form(self, column: _Line) -> CellForm:
        return column.span.form or self.declared

    def _cell(self, row: str, column: _Line) -> str:
        texts, sign = self.listed.get((row, column.id)), self.study.printed.missing
        if texts is None:
            self.has_unlisted = True
            return self.declared.unlisted
        shown = {name: self.study.style.missing if text == sign else text for name, text in texts.items()}
        for name, text in shown.items():
            value = None if rounded(text) is None else float(text)
            self.cells.append((self.declared.id, row, column.id, Printed(name, value, text)))
        if all(text == sign for text in texts.values()):
            return self.study.style.missing
        form = self._form(column)
        if absent := [name for name in form.statistics if name not in shown]:
            raise UsageError(f"{self._place(row, column.id)}: {absent[0]!r} is not in the list of published numbers")
        return form.filled(shown)

    def _place(self, row: str, column: str) -> str:
        return f"printed table {self.declared.id}, row {row!r}, column {column!r}"

    def _signs(self) -> Iterator[str]:
        """Yield notes that explain the signs for numbers that are missing."""
        if self.has_unlisted:
            yield f"{self.declared.unlisted}: published, but not among the published numbers that are at hand."
        if self.study.printed.missing in (text for texts in self.listed.values() for text in texts.values()):
            sign = self.study.printed.missing
            yield f"{self.study.style.missing} is in place of “{sign}” instead of a number."

    def _contradictions(self, rows: list[_Line], columns: list[_Line]) -> Iterator[str]:
        """Yield a note for each cell that a consistency check found contradictory."""
        row_labels, column_labels = ({line.id: line.label for line in lines} for lines in (rows, columns))
        sentences: dict[str, list[str]] = {}
        for row, column, sentence in self.faults:
            labels = (row_labels.get(row, row), column_labels.get(column, column))
            sentences.setdefault(", ".join(label for label in labels if label), []).append(sentence)
        for where, own in sentences.items():
            yield f"Printed so, though it contradicts itself: {where}. {' '.join(dict.fromkeys(own))}"


def lay_out_printed(study: Study, published: pl.DataFrame, checked: pl.DataFrame | None = None) -> PrintedTables:
    """Lay out every table that is printed as published, with notes on contradictions found by `check_printed`."""
    tables: list[Table] = []
    cells: list[pl.DataFrame] = []
    for declared in study.printed.tables:
        listed: dict[tuple[str, str], dict[str, str]] = {}
        for entry in published.filter(table=declared.id).iter_rows(named=True):
            listed.setdefault((entry["row"], entry["column"]), {})[entry["statistic"]] = entry["printed"]
        if not listed:
            raise UsageError(f"printed table {declared.id}: no published number")
        if own := sorted(set(declared.repeats) & set(published.get_column("table"))):
            raise UsageError(
                f"printed table {own[0]} has published numbers of its own: it is no repeat of {declared.id}"
            )
        sheet = _Sheet(study, declared, listed, [] if checked is None else _faults(checked, declared.id))
        table = sheet.lay_out()
        rows = [(*place, *statistic) for *place, statistic in sheet.cells]
        frame = pl.DataFrame(rows, schema=CELL_SCHEMA, orient="row")
        for name in (declared.id, *declared.repeats):
            tables.append(replace(table, id=name))
            cells.append(frame.with_columns(pl.lit(name).alias("table")))
    return PrintedTables(tables, pl.concat([pl.DataFrame(schema=CELL_SCHEMA), *cells]))


def _faults(checked: pl.DataFrame, table: str) -> list[tuple[str, str, str]]:
    """List row, column and finding for each number of a table that fails a consistency check."""
    wrong = checked.filter(
        pl.col("verdict").is_in(["violated", "erratum"]), pl.col("table").str.split(", ").list.contains(table)
    )
    return [(row, column, sentence) for row, column, sentence in wrong.select("row", "column", "note").iter_rows()]


def with_printed(tables: Tables, printed: PrintedTables) -> Tables:
    """Insert tables that are printed as published among the regenerated ones, in the order of their numbers."""
    refuse_taken((table.id for table in printed.tables), tables.analyses)
    every = sorted([*tables.tables, *printed.tables], key=lambda table: natural_order(table.id))
    order = {table.id: place for place, table in enumerate(every)}
    cells = pl.concat([tables.cells, printed.cells])
    place = pl.col("table").replace_strict(order, return_dtype=pl.Int64)
    return tables._replace(
        tables=every,
        cells=cells.sort(place, maintain_order=True),
        analyses=tables.analyses | {table.id: list[str]() for table in printed.tables},
    )
