"""Columns that differ in one thing, as rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.sources.patterns import Pattern
from tallybook.sources.values import TYPES, WORDS, typed

if TYPE_CHECKING:
    from tallybook.sources.records import Records
    from tallybook.study.record_sources import Unfold


def unfold(frame: pl.DataFrame, declared: Unfold, records: Records) -> tuple[pl.DataFrame, list[Problem]]:
    """Make a row of each column of a form.

    Args:
        frame: The rows of a file, with `file` and `key`.
        declared: The declaration.
        records: The same rows as they stand in the file.

    Returns:
        For each row one for each value that a header of the forms has, in the order of the headers, with the value in
        `declared.into` and the numbers or texts in their columns (null where the file has no such column); and the
        problems: a form that no header has, and cells of a wrong type.
    """
    headers: dict[str, dict[str, str]] = {}
    for name, form in declared.columns.items():
        pattern = Pattern.parse(form)
        found = ((pattern.match(header), header) for header in records.header)
        headers[name] = {str(parts[declared.into]): header for parts, header in found if parts is not None}
    values = dict.fromkeys(value for own in headers.values() for value in own)
    file = "" if frame.is_empty() else str(frame["file"][0])
    lacking = [form for name, form in declared.columns.items() if not headers[name]]
    problems = [Problem(file, "", form, "", "columns of this form") for form in lacking]
    kind = TYPES[declared.type]
    parts: list[pl.DataFrame] = []
    for value in values:
        columns: dict[str, pl.Series] = {}
        for name, own in headers.items():
            if value not in own:
                columns[name] = pl.Series([None], dtype=kind).new_from_index(0, frame.height)
                continue
            text = records.column(own[value]).replace("", None)
            cells = typed(text, declared.type)
            wrong = cells.is_null() & text.is_not_null()
            keys = records.keys.filter(wrong)
            problems += [
                Problem(file, key, own[value], cell, WORDS[declared.type])
                for key, cell in zip(keys, text.filter(wrong), strict=True)
            ]
            columns[name] = cells
        place = pl.int_range(frame.height, dtype=pl.Int64).alias("_row")
        own = [series.alias(name) for name, series in columns.items()]
        parts.append(frame.with_columns(place, pl.lit(value).alias(declared.into), *own))
    if not parts:
        return frame.with_columns(pl.lit(None, dtype=pl.String).alias(declared.into)), problems
    return pl.concat(parts).sort("_row", maintain_order=True).drop("_row"), problems
