"""Dumps of CSV files with one response a row."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import Problem
from analysis.normalise import normalise
from analysis.sources import csv_file
from analysis.sources.delivery import Delivery
from analysis.sources.derive import derive
from analysis.sources.items import ItemList
from analysis.sources.look_up import look_up, lookup_files
from analysis.sources.unfold import unfold
from analysis.sources.values import TYPES, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from analysis.sources.csv_file import Cells
    from analysis.sources.delivery import Inputs, Parts
    from schemas.study.sources import ColumnType, CsvSource, Lookup


def read(source: CsvSource, inputs: Inputs) -> Delivery:
    """Read every row of a CSV source.

    Args:
        source: The declaration: form of paths, columns and their headers, constants, derivations, the list of items.
        inputs: The data folder and the study.

    Returns:
        The responses, one a row in order of path and of the file, with columns `file`, `key`, `status`, what the path
        captures, the declared columns, constants, derived columns and `item`; everything that is wrong; and what is
        wrong and declared as known.
    """
    delivery = Delivery([], [], [], [], [])
    delivery.frames.extend(frames(source, inputs, delivery))
    return delivery


def frames(source: CsvSource, inputs: Inputs, delivery: Delivery, at_once: int | None = None) -> Iterator[pl.DataFrame]:
    """Read a CSV source part by part.

    Args:
        source: The declaration.
        inputs: The data folder and the study.
        delivery: What is told of the source; all is told when the last frame is read.
        at_once: About how many bytes of a file are read at once; None for all.

    Yields:
        The rows of `read` in frames: those of a file, or of a part of a large one.
    """
    files, problems = inputs.files(source)
    delivery.problems.extend(problems)
    delivery.files.extend(name for name, _ in files)
    headers = {column: declared.path for column, declared in source.columns.items()}
    listed = None if source.items is None else ItemList(source.items, inputs.folder.path, headers)
    for file in files:
        # Part by part: what is compared with the list is a copy of the texts.
        for frame in _file(source, inputs, file, at_once, delivery):
            yield frame if listed is None else listed.match(frame)
    if listed is not None and source.items is not None:
        listed.close(is_complete=not delivery.problems)
        delivery.problems.extend(listed.problems)
        delivery.findings.extend(listed.findings)
        delivery.lookups.append(source.items.file)


def _file(
    source: CsvSource, inputs: Inputs, file: tuple[str, Parts], at_once: int | None, delivery: Delivery
) -> Iterator[pl.DataFrame]:
    """The rows of one file as responses, part by part."""
    name, captured = file
    parts, faults = csv_file.read_parts(inputs.folder.path / name, name, source.delimiter, at_once)
    first = next(parts, None)
    faults = faults if first is None else _wrong_header(source, name, first.header)
    delivery.problems.extend(faults)
    if first is None or faults:
        return
    extra = _undeclared(source, name, first.header)
    delivery.problems.extend(extra if source.extra == "error" else [])
    delivery.findings.extend(extra if source.extra == "report" else [])
    told = _Told(source)
    for cells in chain([first], parts):
        frame = _rows(source, name, captured, cells, told)
        if source.unfold is not None:
            frame, faults = unfold(frame, source.unfold, cells)
            told.not_unfolded(faults)
        for lookup in source.lookups:
            frame, faults = look_up(frame, lookup, inputs.own if lookup.own else inputs.folder.path)
            told.not_found(lookup, faults)
            delivery.lookups.extend([] if lookup.own else lookup_files(frame, lookup))
        for column, rule in source.derive.items():
            frame, faults = derive(frame, column, rule)
            told.underived(column, faults)
        yield frame if "status" in frame.columns else frame.with_columns(pl.lit("ok").alias("status"))
    delivery.problems.extend(told.problems)
    delivery.findings.extend(told.findings)


class _Told:
    """What is wrong with the cells of a file, column by column, in however many parts it was read."""

    def __init__(self, source: CsvSource) -> None:
        self._source = source
        self._wrong: dict[str, list[Problem]] = {column: [] for column in source.columns}
        self._blank: dict[str, list[Problem]] = {column: [] for column in source.columns}
        self._not_unfolded: list[Problem] = []
        self._not_found: list[list[Problem]] = [[] for _ in source.lookups]
        self._underived: dict[str, list[Problem]] = {column: [] for column in source.derive}

    def cells(self, column: str, name: str, keys: pl.Series, text: pl.Series, values: pl.Series) -> None:
        """Add the cells of a column that are of a wrong type or blank."""
        declared = self._source.columns[column]
        wrong = values.is_null() & text.is_not_null()
        found = zip(keys.filter(wrong), text.filter(wrong), strict=True)
        self._wrong[column] += [Problem(name, key, declared.path, value, WORDS[declared.type]) for key, value in found]
        if self._severity(column) != "ignore":
            blank = keys.filter(text.is_null())
            self._blank[column] += [Problem(name, key, declared.path, "", "a value") for key in blank]

    def not_unfolded(self, faults: list[Problem]) -> None:
        """Add the cells of unfolded columns that are of a wrong type: a form without a column is told once."""
        known = set(self._not_unfolded)
        self._not_unfolded += [fault for fault in faults if fault not in known]

    def not_found(self, lookup: Lookup, faults: list[Problem]) -> None:
        """Add what a lookup does not hold: what is wrong with its file is told once."""
        told = self._not_found[self._source.lookups.index(lookup)]
        known = set(told)
        told += [fault for fault in faults if fault not in known]

    def underived(self, column: str, faults: list[Problem]) -> None:
        """Add the values from which a column cannot be derived: each is told once."""
        known = {fault.value for fault in self._underived[column]}
        self._underived[column] += [fault for fault in faults if fault.value not in known]

    @property
    def problems(self) -> list[Problem]:
        """What stops."""
        cells = [
            [*self._wrong[column], *(self._blank[column] if self._severity(column) == "error" else [])]
            for column in self._source.columns
        ]
        return [*chain(*cells, self._not_unfolded, *self._not_found, *self._underived.values())]

    @property
    def findings(self) -> list[Problem]:
        """What is known."""
        return [*chain(*(blank for column, blank in self._blank.items() if self._severity(column) == "report"))]

    def _severity(self, column: str) -> str:
        """What a blank cell of a column is."""
        return "error" if column in self._source.require else self._source.columns[column].blank


def _wrong_header(source: CsvSource, name: str, header: list[str]) -> list[Problem]:
    """Declared columns that a file lacks, or has more than once."""
    declared = {column.path: column.optional for column in source.columns.values()}
    if header[0] not in declared and (misread := csv_file.wrong_delimiter(name, source.delimiter, header)):
        return [misread]
    missing = [path for path, optional in declared.items() if path not in header and not optional]
    repeated = [path for path in declared if header.count(path) > 1]
    return [
        *(Problem(name, "", path, "", "this column") for path in missing),
        *(Problem(name, "", path, "", "this column once") for path in repeated),
    ]


def _undeclared(source: CsvSource, name: str, header: list[str]) -> list[Problem]:
    declared = list(dict.fromkeys(column.path for column in source.columns.values()))
    expected = f"one of the declared columns ({', '.join(declared)})"
    extra = [path for path in dict.fromkeys(header) if path not in declared]
    # A column without a header is named by its place.
    return [Problem(name, "", path or f"column {header.index(path) + 1}", "", expected) for path in extra]


def _rows(source: CsvSource, name: str, captured: Parts, cells: Cells, told: _Told) -> pl.DataFrame:
    """Rows of one file as responses."""
    columns: dict[str, pl.Series] = {}
    for column, declared in source.columns.items():
        if declared.path not in cells.header:
            columns[column] = pl.Series([None], dtype=TYPES[declared.type]).new_from_index(0, cells.cells.height)
            continue
        text = cells.column(declared.path).replace("", None)
        if declared.normalise:
            text = text.to_frame("text").select(normalise(pl.col("text"), declared.normalise)).to_series()
        values = _typed(text, declared.type)
        told.cells(column, name, cells.keys, text, values)
        columns[column] = values.fill_null("") if column == "text" else values
    fixed = {**captured, **source.constants}
    return pl.DataFrame({"file": name, "key": cells.keys, **columns}).with_columns(
        **{column: pl.lit(value, dtype=_type_of(value)) for column, value in fixed.items()}
    )


def _typed(text: pl.Series, kind: ColumnType) -> pl.Series:
    """Strings as a declared type; null for what is not of this type."""
    values = text.cast(TYPES[kind], strict=False)
    return values.set(~values.is_finite().fill_null(value=True), None) if kind == "number" else values


def _type_of(value: str | float) -> type[pl.DataType]:
    return pl.String if isinstance(value, str) else pl.Int64 if isinstance(value, int) else pl.Float64
