"""Checks of frames against their models: every frame that passes from one stage to the next goes through `check`.

A single query tests the rules of all columns. Pandera, whose import takes as long as running a small study, checks only
frames that come from others, by the same models.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import polars as pl

from tallybook.core.errors import DataError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pandera.polars as pa

    from tallybook_schemas.columns import Column, Frame

_TYPES: dict[type, Any] = {str: pl.String, int: pl.Int64, float: pl.Float64}

NOT_BLANK = r"\S"
"""The pattern of texts with at least one character that is not white space."""


class _Rule(NamedTuple):
    """A condition on every value of a column; null passes."""

    column: str
    holds: pl.Expr
    expected: str
    check: str = ""


def check(
    frame: pl.DataFrame | pl.LazyFrame,
    model: Frame,
    *,
    where: str,
    unique: Sequence[str] = (),
    levels: Mapping[str, Sequence[str]] | None = None,
) -> pl.DataFrame:
    """Check a frame against its model, the unique keys and the levels; return it collected, or raise a `DataError`."""
    data = frame.collect(engine="streaming") if isinstance(frame, pl.LazyFrame) else frame
    levels = levels or {}
    problems = _problems(data, model, levels, where)
    for key in [list(key) for key in (model.unique, unique) if key]:
        absent = [name for name in key if name not in data.columns]
        if absent:
            known = {*model.columns, *levels}
            problems += [Problem(where, "", name, "", "this column") for name in absent if name not in known]
        else:
            problems += _repeated(data, key, where)
    if problems:
        raise DataError(problems)
    return data


def _problems(data: pl.DataFrame, model: Frame, levels: Mapping[str, Sequence[str]], where: str) -> list[Problem]:
    kinds = dict(data.schema)  # polars builds it anew at each access
    problems: list[Problem] = []
    rules: list[_Rule] = []
    for name in {**model.columns, **levels}:
        column = model.columns.get(name)
        kind = pl.String if column is None or name in levels else _TYPES[column.kind]
        if name not in kinds:
            is_due = column is None or not column.optional
            problems += [Problem(where, "", name, "", "this column")] if is_due else []
        elif kinds[name] != kind:
            problems.append(Problem(where, "", name, str(kinds[name]), f"type {kind}"))
        elif name in levels:
            rules.append(_Rule(name, pl.col(name).is_not_null(), "a value, not null", "levels"))
            rules.append(_Rule(name, pl.col(name).is_in(list(levels[name])), _one_of(levels[name]), "levels"))
        elif column is not None:
            rules += _rules(name, column)
    if model.is_finite:
        numbers = (name for name, kind in kinds.items() if kind.is_float())
        rules += [_Rule(name, pl.col(name).is_finite(), "a finite number or null") for name in numbers]
    hold = data.select(rule.holds.all().alias(str(number)) for number, rule in enumerate(rules)).row(0) if rules else ()
    for rule, holds in zip(rules, hold, strict=True):
        if not holds:
            wrong = data.select(pl.arg_where(~rule.holds)).to_series()
            problems += [
                Problem(*_place(data, row, where), rule.column, "" if value is None else str(value), *rule[2:])
                for row, value in zip(wrong, data.get_column(rule.column).gather(wrong), strict=True)
            ]
    return problems


def _rules(name: str, column: Column) -> Iterator[_Rule]:
    """Yield the rules that a column's declaration implies: not null, allowed values, limits."""
    value = pl.col(name)
    if not column.nullable:
        yield _Rule(name, value.is_not_null(), "a value, not null")
    if column.isin:
        yield _Rule(name, value.is_in(column.isin), _one_of(column.isin))
    limits = (
        ("at least", column.ge, value.ge),
        ("at most", column.le, value.le),
        ("more than", column.gt, value.gt),
        ("less than", column.lt, value.lt),
    )
    for words, limit, within in limits:
        if limit is not None:
            yield _Rule(name, within(limit), f"{words} {limit}")


def _one_of(values: Sequence[str]) -> str:
    return f"one of {', '.join(values)}"


def _repeated(data: pl.DataFrame, key: list[str], where: str) -> list[Problem]:
    """Return a problem for each row whose key another row has, too."""
    rows = data.select(row=pl.int_range(pl.len()), again=pl.struct(key).is_duplicated()).filter("again")
    problems: list[Problem] = []
    for row in rows.get_column("row"):
        found = ", ".join(str(value) for value in data.select(key).row(row))
        expected = f"no two rows with the same {', '.join(key)}"
        problems.append(Problem(*_place(data, row, where), "", found, expected, "unique"))
    return problems


def _place(data: pl.DataFrame, row: int, where: str) -> tuple[str, str]:
    """Return the file and the key of a row, or else `where` and the row's number."""
    file = data.item(row, "file") if "file" in data.columns else None
    key = data.item(row, "key") if "key" in data.columns else None
    return str(file or where), str(key or f"row {row + 1}")


def expectation(check: str, schema: pa.DataFrameSchema, column: str) -> str:
    """Describe in words the value that one of pandera's checks expects."""
    name, _, argument = check.partition("(")
    argument = argument.removesuffix(")")
    if name == "isin":
        settings = next(known.statistics for known in schema.columns[column].checks if known.name == name)
        return f"one of {', '.join(map(str, cast('dict[str, list[object]]', settings)['allowed_values']))}"
    if name == "str_length":
        limits = zip(("at least", "at most"), argument.split(", "), strict=True)
        parts = [f"{word} {number}" for word, number in limits if number != "None"]
        return f"text of {' and '.join(parts)} character{'s' if parts[-1:] != ['at least 1'] else ''}"
    if argument == f"'{NOT_BLANK}'":
        return "text that is not blank"
    words = {
        "not_nullable": "a value, not null",
        "greater_than_or_equal_to": f"at least {argument}",
        "less_than_or_equal_to": f"at most {argument}",
        "greater_than": f"more than {argument}",
        "less_than": f"less than {argument}",
        "finite": "finite numbers or null",
        "str_contains": f"text that matches {argument}",
        "str_matches": f"text that matches {argument}",
        "dtype": f"type {argument.strip(chr(39))}",
    }
    return words.get(name, check)
