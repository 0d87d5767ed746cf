"""Columns looked up in other files, and problems for the rows without a match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.safe_paths import below, read_bytes
from tallybook.sources.content import Content
from tallybook.sources.formats.delimited import Delimited
from tallybook.sources.formats.registry import detect_format
from tallybook.sources.json_records import parse
from tallybook.sources.patterns import Pattern
from tallybook.sources.records import joined
from tallybook.study.format_base import Layout
from tallybook.study.source_base import PART

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.study.source_base import Lookup

_KEY = "\0key"
"""The column of a table's row keys."""


def look_up(frame: pl.DataFrame, lookup: Lookup, folder: Path) -> tuple[pl.DataFrame, list[Problem]]:
    """Add columns from other files as text; null where a file has no such row or path."""
    keyed = frame.with_columns(_file(lookup).alias("_lookup"))
    if lookup.is_json:
        return _by_path(keyed, lookup, folder)
    names = {f"_on_{column}": column for column in lookup.on} or {lookup.row or "": lookup.row or ""}
    tables: list[pl.DataFrame] = []
    problems: list[Problem] = []
    for name in keyed.get_column("_lookup").unique(maintain_order=True):
        table, faults = _table(folder, name, lookup)
        problems += faults
        if table is not None:
            tables.append(table)
    if not tables:
        empty = [pl.lit(None, dtype=pl.String).alias(new) for new in lookup.take]
        return frame.with_columns(empty), problems
    if lookup.on:
        keyed = keyed.with_columns(pl.col(column).cast(pl.String).alias(name) for name, column in names.items())
    found = keyed.join(pl.concat(tables), on=["_lookup", *names], how="left", maintain_order="left")
    broken = [problem.file for problem in problems]
    is_lost = pl.col("_is_row").is_null() & ~pl.col("_lookup").is_in(broken)
    lost = found.filter(is_lost if lookup.absent == "error" else pl.lit(value=False))
    wanted = "the position of a row" if lookup.row is not None else "what a row has"
    column = ", ".join(names.values())
    problems += [
        Problem(row["file"], row["key"], column, _shown(row, names), f"{wanted} in {row['_lookup']}")
        for row in lost.iter_rows(named=True)
    ]
    return found.drop("_lookup", "_is_row", *(names if lookup.on else ())), problems


def lookup_files(frame: pl.DataFrame, lookup: Lookup) -> list[str]:
    """List the files that a lookup reads for some records."""
    return frame.select(_file(lookup)).to_series().unique(maintain_order=True).to_list()


def _file(lookup: Lookup) -> pl.Expr:
    return pl.format(PART.sub("{}", lookup.file), *Pattern.parse(lookup.file).names)


def _table(folder: Path, name: str, lookup: Lookup) -> tuple[pl.DataFrame | None, list[Problem]]:
    """Read the rows of one lookup file, with the taken columns and their keys; None if it cannot be used."""
    content, headers = Content(folder, name), list(lookup.on.values())
    wanted = list(dict.fromkeys([*headers, *lookup.take.values()]))
    try:
        read_as = detect_format(content, Layout(table=lookup.table)).format
        found = joined(list(read_as.read(content, wanted)))
    except DataError as error:
        return None, [*content.problems, *error.problems]
    absent = [] if content.problems else [column for column in wanted if column not in found.header]
    if content.problems or absent:
        return None, [*content.problems, *(content.fault("", column, "", "this column") for column in absent)]
    table = pl.DataFrame({column: found.column(column) for column in wanted} | {_KEY: found.keys})
    if lookup.row is not None:  # blank lines have a position, too
        is_csv = isinstance(read_as, Delimited)
        row = pl.col(_KEY).str.extract(r"(\d+)").cast(pl.Int64) - 2 if is_csv else pl.int_range(pl.len())
        keys = [(row + lookup.first).alias(lookup.row)]
    else:
        table = table.filter(pl.any_horizontal(pl.col(wanted).is_not_null()))
        keys = [pl.col(column).alias(f"_on_{own}") for own, column in lookup.on.items()]
    taken = [pl.col(column).alias(new) for new, column in lookup.take.items()]
    rows = table.select(pl.lit(name).alias("_lookup"), *keys, pl.lit(value=True).alias("_is_row"), *taken)
    each = pl.struct(headers or [_KEY])
    twice = table.filter(each.is_duplicated() & ~each.is_first_distinct()).get_column(_KEY)
    return rows, [content.fault(key, ", ".join(headers), "", "a row that is found by it alone") for key in twice]


def _by_path(keyed: pl.DataFrame, lookup: Lookup, folder: Path) -> tuple[pl.DataFrame, list[Problem]]:
    """Add values from JSON files, at a path that may depend on the record."""
    problems: list[Problem] = []
    trees: dict[str, Any] = {}
    for name in keyed.get_column("_lookup").unique(maintain_order=True):
        try:
            trees[name] = parse(read_bytes(below(folder, name)))
        except (OSError, ValueError) as error:
            reason = "a readable JSON file" if isinstance(error, OSError) else str(error)
            problems.append(Problem(name, "", "", "", reason))
    for new, path in lookup.take.items():
        keys = [
            pl.format(PART.sub("{}", key), *(pl.col(part).cast(pl.String) for part, _ in PART.findall(key)))
            for key in path.split(".")
        ]
        steps = keyed.select("_lookup", *(key.alias(f"_{place}") for place, key in enumerate(keys)))
        values: list[str | None] = []
        for (name, *step), file, row in zip(steps.iter_rows(), keyed["file"], keyed["key"], strict=True):
            value = _value(trees.get(name), step)
            if value is None and name in trees and lookup.absent == "error":
                problems.append(Problem(file, row, new, ".".join(map(str, step)), f"the path of a value in {name}"))
            values.append(value)
        keyed = keyed.with_columns(pl.Series(new, values, dtype=pl.String))
    return keyed.drop("_lookup"), problems


def _value(tree: object, path: list[str | None]) -> str | None:
    """Return the value at a path as text; None if it is missing, or neither text nor a number."""
    for key in path:
        tree = cast("dict[str, object]", tree).get(key or "") if isinstance(tree, dict) else None
    if isinstance(tree, bool):
        return None
    return str(tree) if isinstance(tree, str | int | float) else None


def _shown(row: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return ", ".join(str(row[column]) for column in names.values())
