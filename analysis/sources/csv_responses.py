"""Dumps of CSV files with one response a row."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import Problem
from analysis.normalise import normalise
from analysis.sources import csv_file
from analysis.sources.delivery import Delivery
from analysis.sources.derive import derive_all, look_up, lookup_files
from analysis.sources.items import ItemList
from analysis.sources.values import TYPES, WORDS

if TYPE_CHECKING:
    from analysis.sources.csv_file import Cells
    from analysis.sources.delivery import Inputs, Parts
    from schemas.study.sources import ColumnType, CsvSource


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
    files, problems = inputs.files(source)
    names = [name for name, _ in files]
    frames: list[pl.DataFrame] = []
    findings: list[Problem] = []
    lookups: list[str] = []
    headers = {column: declared.path for column, declared in source.columns.items()}
    listed = None if source.items is None else ItemList(source.items, inputs.folder.path, headers)
    for name, parts in files:
        cells, faults = csv_file.read(inputs.folder.path / name, name, source.delimiter)
        faults = faults if cells is None else _wrong_header(source, name, cells.header)
        problems += faults
        if cells is None or faults:
            continue
        extra = _undeclared(source, name, cells.header)
        problems += extra if source.extra == "error" else []
        findings += extra if source.extra == "report" else []
        frame, faults, blanks = _rows(source, name, parts, cells)
        problems += faults
        findings += blanks
        for lookup in source.lookups:
            frame, faults = look_up(frame, lookup, inputs.own if lookup.own else inputs.folder.path)
            problems += faults
            lookups += [] if lookup.own else lookup_files(frame, lookup)
        frame, faults = derive_all(frame, source.derive)
        problems += faults
        if "status" not in frame.columns:
            frame = frame.with_columns(pl.lit("ok").alias("status"))
        # File by file: what is compared with the list is a copy of the texts.
        frames.append(frame if listed is None else listed.match(frame))
    if listed is not None and source.items is not None:
        listed.close(is_complete=not problems)
        problems += listed.problems
        findings += listed.findings
        lookups.append(source.items.file)
    return Delivery(frames, problems, findings, names, lookups)


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


def _rows(
    source: CsvSource, name: str, parts: Parts, cells: Cells
) -> tuple[pl.DataFrame, list[Problem], list[Problem]]:
    """The rows of one file as responses; the cells that are of a wrong type or blank, and those known to be blank."""
    problems: list[Problem] = []
    findings: list[Problem] = []
    columns: dict[str, pl.Series] = {}
    for column, declared in source.columns.items():
        if declared.path not in cells.header:
            columns[column] = pl.Series([None], dtype=TYPES[declared.type]).new_from_index(0, cells.cells.height)
            continue
        text = cells.column(declared.path).replace("", None)
        if declared.normalise:
            text = text.to_frame("text").select(normalise(pl.col("text"), declared.normalise)).to_series()
        values = _typed(text, declared.type)
        wrong = values.is_null() & text.is_not_null()
        found = zip(cells.keys.filter(wrong), text.filter(wrong), strict=True)
        problems += [Problem(name, key, declared.path, value, WORDS[declared.type]) for key, value in found]
        blank = [Problem(name, key, declared.path, "", "a value") for key in cells.keys.filter(text.is_null())]
        problems += blank if column in source.require or declared.blank == "error" else []
        findings += blank if column not in source.require and declared.blank == "report" else []
        columns[column] = values.fill_null("") if column == "text" else values
    fixed = {**parts, **source.constants}
    return (
        pl.DataFrame({"file": name, "key": cells.keys, **columns}).with_columns(
            **{column: pl.lit(value, dtype=_type_of(value)) for column, value in fixed.items()}
        ),
        problems,
        findings,
    )


def _typed(text: pl.Series, kind: ColumnType) -> pl.Series:
    """Strings as a declared type; null for what is not of this type."""
    values = text.cast(TYPES[kind], strict=False)
    return values.set(~values.is_finite().fill_null(value=True), None) if kind == "number" else values


def _type_of(value: str | float) -> type[pl.DataType]:
    return pl.String if isinstance(value, str) else pl.Int64 if isinstance(value, int) else pl.Float64
