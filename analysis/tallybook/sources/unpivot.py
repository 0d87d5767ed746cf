"""Reshaping to rows: of columns whose names differ in one part, and of lists in cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.sources.json_records import is_array, opened_list
from tallybook.sources.patterns import Pattern
from tallybook.sources.values import TYPES, by_expected, typed, without_missing
from tallybook.study.source_base import PART

if TYPE_CHECKING:
    from tallybook.sources.records import Records
    from tallybook.study.record_sources import RecordSource


def unfold(frame: pl.DataFrame, source: RecordSource, records: Records) -> tuple[pl.DataFrame, list[Problem]]:
    """Reshape columns of the same form to rows, in the order of the headers, and report missing columns."""
    declared = source.unfold
    if declared is None:
        return frame, []
    paths = {column.path for column in source.columns.values()}
    wanted = None if declared.values is None else [str(value) for value in declared.values]
    headers: dict[str, dict[str | int, str]] = {}
    for name, form in declared.columns.items():
        pattern = Pattern.parse(form)
        found = ((pattern.match(header), header) for header in records.header if header not in paths)
        fitting = {parts[declared.into]: header for parts, header in found if parts is not None}
        headers[name] = {value: header for value, header in fitting.items() if wanted is None or str(value) in wanted}
        told = {value: PART.sub(str(value), form) for value in declared.values or () if "/" in str(value)}
        headers[name] |= {value: header for value, header in told.items() if header in records.header}  # openai/gpt-4o
    values = dict.fromkeys(value for own in headers.values() for value in own)
    file = "" if frame.is_empty() else str(frame["file"][0])
    lacking = [form for name, form in declared.columns.items() if not headers[name]]
    problems = [Problem(file, "", form, "", "columns of this form") for form in lacking]
    is_in_lists = all("." in form for form in declared.columns.values())
    absent = [path for path in declared.paths if path not in records.header and not is_in_lists]
    problems += [Problem(file, "", path, "", "this column") for path in absent if not lacking]
    kind = TYPES[declared.type]
    parts: list[pl.DataFrame] = []
    for value in values:
        columns: dict[str, pl.Series] = {}
        for name, own in headers.items():
            if value not in own:
                columns[name] = pl.Series([None], dtype=kind).new_from_index(0, frame.height)
                continue
            missing = () if name == "text" else source.missing
            text = without_missing(records.column(own[value]), missing)
            cells = typed(text, declared.type)
            wrong = cells.is_null() & text.is_not_null()
            problems += [
                Problem(file, key, own[value], cell, expected)
                for expected, some in by_expected(declared.type, text, wrong)
                for key, cell in zip(records.keys.filter(some), text.filter(some), strict=True)
            ]
            columns[name] = cells.fill_null("") if name == "text" else cells
        place = pl.int_range(frame.height, dtype=pl.Int64).alias("_row")
        into = pl.lit(value, dtype=TYPES[declared.into_type]).alias(declared.into)
        rows = frame.with_columns(place, into, *(series.alias(name) for name, series in columns.items()))
        if is_in_lists:  # a shorter list has no such element
            present = [records.column(own[value]).is_not_null() for own in headers.values() if value in own]
            rows = rows.filter(pl.any_horizontal(present))
        parts.append(rows)
    if not parts:
        nothing = pl.lit(None, dtype=TYPES[declared.into_type])
        return frame.with_columns(nothing.alias(declared.into)), problems
    made = pl.concat(parts).sort("_row", maintain_order=True).drop("_row")
    if declared.elements is None:
        return made, problems
    wrong = made.filter(pl.Series([texts_of(cell) is None for cell in made["text"]], dtype=pl.Boolean))
    form = declared.columns["text"]
    problems += [
        Problem(file, key, form, text, "a list of texts, as JSON or Python writes it")
        for file, key, text in wrong.select("file", "key", "text").iter_rows()
    ]
    return explode_lists(made.lazy(), "text", declared.elements).collect(), problems


def texts_of(cell: str | None) -> list[str] | None:
    """Parse a list of texts, as JSON or as Python writes it; None if the cell is not one."""
    found = opened_list(cell) if cell and cell.startswith("[") else None
    if not is_array(found) or not all(one is None or isinstance(one, str) for one in found):
        return None
    return [one if isinstance(one, str) else "" for one in found]


def bracketed(rows: pl.DataFrame) -> list[str]:
    """List the columns of texts whose cells, at least one, all begin as lists do."""
    found = rows.select(pl.col(pl.String).drop_nulls().str.starts_with("[").mean())
    return [name for name, share in (found.row(0, named=True) if found.width else {}).items() if share == 1]


def explode_lists(frame: pl.LazyFrame, column: str, place: str) -> pl.LazyFrame:
    """Reshape a column's lists to one row for each element, with its index; empty lists give no rows."""
    kind = pl.List(pl.String)
    lists = pl.col(column).map_batches(
        lambda cells: pl.Series([texts_of(cell) or [] for cell in cells], dtype=kind), return_dtype=kind
    )
    made = frame.with_columns(lists).filter(pl.col(column).list.len() > 0)
    return made.with_columns(pl.int_ranges(pl.col(column).list.len(), dtype=pl.Int64).alias(place)).explode(
        column, place
    )
