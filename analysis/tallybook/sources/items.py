"""Matching of responses with the list of the items that were asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources import csv_file
from tallybook.sources.content import Content
from tallybook.sources.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tallybook.sources.records import Records
    from tallybook.study.derivation import NormaliseStep
    from tallybook.study.record_sources import Items

_NUMBER, _ROW = "_number", "_row"
"""Columns of the list in addition to those that are compared: an item's number and its row key."""


class ItemList:
    """The list of a study's items, with which the responses of one file after the other are matched."""

    def __init__(self, declared: Items, folder: Path, headers: Mapping[str, str]) -> None:
        self._declared = declared
        self._columns = list(declared.on)
        self._names = {column: headers.get(column, column) for column in declared.on}
        self._items: pl.DataFrame | None = None
        self._answered: list[pl.DataFrame] = []
        self.problems: list[Problem] = []  # problems that stop the run
        self.findings: list[Problem] = []  # problems that are only reported
        try:
            cells = csv_file.read(Content(folder, declared.file), declared.delimiter, declared.on.values())
        except DataError as error:
            self.problems = error.problems
        else:
            listed = _listed(cells, declared)
            self._items = listed.unique(self._columns, keep="first", maintain_order=True)
            self._report(declared.repeated, _repeated(listed, self._items, declared))

    def match(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Add the column `item` to responses: the item's number in the list, from 1, or `unlisted:FILE#KEY`."""
        if self._items is None:
            return rows.with_columns(pl.lit(None, dtype=pl.String).alias("item"))
        compared = rows.select(_comparable(self._columns, self._declared.normalise))
        number = compared.join(self._items, on=self._columns, how="left", maintain_order="left").get_column(_NUMBER)
        is_lost = number.is_null()
        if is_lost.any():
            lost = _unlisted(rows.filter(is_lost), compared.filter(is_lost), self._items, self._declared, self._names)
            self._report(self._declared.unlisted, lost)
        joined = rows.with_columns(number.alias("item")).with_columns(
            pl.coalesce("item", pl.format("unlisted:{}#{}", "file", "key"))
        )
        by = list(self._declared.by)
        self._answered.append(joined.select(*by, number.alias(_NUMBER)).unique(maintain_order=True))
        return joined

    def close(self, *, is_complete: bool) -> None:
        """Report items without a response, once all responses are matched."""
        if self._items is not None and self._answered and is_complete and self._declared.absent != "ignore":
            absent = _absent(pl.concat(self._answered), self._items, self._declared)
            self._report(self._declared.absent, absent)

    def _report(self, severity: str, problems: list[Problem]) -> None:
        if severity == "error":
            self.problems += problems
        elif severity == "report":
            self.findings += problems


def _listed(cells: Records, declared: Items) -> pl.DataFrame:
    """Return the list with normalised values under the names of the responses' columns."""
    columns = {column: cells.column(header) for column, header in declared.on.items()}
    numbers = pl.int_range(1, pl.len() + 1).cast(pl.String)
    return pl.DataFrame({**columns, _ROW: cells.keys}).with_columns(
        *_comparable(list(columns), declared.normalise), numbers.alias(_NUMBER)
    )


def _comparable(columns: Sequence[str], steps: Sequence[NormaliseStep]) -> list[pl.Expr]:
    """Return expressions for the normalised values of columns; missing values become empty."""
    return [normalise(pl.col(column).cast(pl.String).fill_null(""), steps).alias(column) for column in columns]


def _repeated(listed: pl.DataFrame, items: pl.DataFrame, declared: Items) -> list[Problem]:
    first = items.rename({_ROW: "_first"}).drop(_NUMBER)
    again = listed.join(items, on=_NUMBER, how="anti").join(first, on=list(declared.on), maintain_order="left")
    headers = ", ".join(declared.on.values())
    return [
        Problem(declared.file, row, headers, f"the same as in {earlier}", "each item once", "items")
        for row, earlier in again.select(_ROW, "_first").iter_rows()
    ]


def _unlisted(
    rows: pl.DataFrame, compared: pl.DataFrame, items: pl.DataFrame, declared: Items, names: Mapping[str, str]
) -> list[Problem]:
    """Return a problem for each response that is not in the list, naming the columns that do not match."""
    columns = list(declared.on)
    cells = rows.select("file", "key", *(pl.col(column).cast(pl.String).fill_null("") for column in columns))
    problems: list[Problem] = []
    for row, misfits in zip(cells.iter_rows(named=True), _misfits(compared, items, columns), strict=True):
        column, value = ", ".join(names[name] for name in misfits), " | ".join(row[name] for name in misfits)
        problems.append(Problem(row["file"], row["key"], column, value, f"an item of {declared.file}", "items"))
    return problems


def _misfits(compared: pl.DataFrame, items: pl.DataFrame, columns: Sequence[str]) -> list[list[str]]:
    """Return each response's mismatched columns: the first without which it would match, or all with unknown values."""

    def is_item(of: Sequence[str]) -> pl.Series:
        known = items.select(of).unique().with_columns(pl.lit(value=True).alias("_known"))
        found = compared.join(known, on=list(of), how="left", maintain_order="left")
        return found.get_column("_known").fill_null(value=False)

    if len(columns) == 1:
        return [list(columns)] * compared.height
    unknown = pl.DataFrame({column: ~is_item([column]) for column in columns})
    near = pl.DataFrame({column: is_item([other for other in columns if other != column]) for column in columns})
    return [
        [column for column, fits in zip(columns, without, strict=True) if fits][:1]
        or [column for column, is_lost in zip(columns, lost, strict=True) if is_lost]
        or list(columns)
        for without, lost in zip(near.iter_rows(), unknown.iter_rows(), strict=True)
    ]


def _absent(answered: pl.DataFrame, items: pl.DataFrame, declared: Items) -> list[Problem]:
    """Return a problem for each item without a response, within each combination of `by` that has responses."""
    by = list(declared.by)
    combinations = answered.select(by).unique(maintain_order=True) if by else pl.DataFrame({"_all": [True]})
    expected = combinations.join(items.select(_NUMBER, _ROW), how="cross")
    absent = expected.join(answered, on=[*by, _NUMBER], how="anti", nulls_equal=True, maintain_order="left")
    problems: list[Problem] = []
    for row in absent.iter_rows(named=True):
        place = ", ".join(f"{column} {row[column]}" for column in by)
        expected = f"a response with {place}" if by else "a response"
        problems.append(Problem(declared.file, row[_ROW], "item", row[_NUMBER], expected, "items"))
    return problems
