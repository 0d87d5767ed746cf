"""Declared conditions as expressions, and the values that they cannot be held against."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import polars as pl

from tallybook.sources.values import finite, uncovered

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from tallybook.core.errors import Problem
    from tallybook.study.derivation import Conditions

_Value = TypeVar("_Value")


def fits(conditions: Conditions, columns: Collection[str] | None = None) -> pl.Expr:
    """Whether rows meet all conditions.

    Args:
        conditions: The declaration.
        columns: Only what is said of these columns; by default all.

    Returns:
        A boolean expression, never null; a missing value meets no condition but `is_not` and `lacks`.

    >>> from tallybook.study.derivation import Conditions
    >>> adults = Conditions.model_validate({"at_least": {"age": 18}, "is_not": {"language": ["de", "fr"]}})
    >>> rows = pl.DataFrame({"age": [18, 17, 40, None], "language": ["en", "en", "de", "en"]})
    >>> rows.select(fits(adults)).to_series().to_list()
    [True, False, False, False]
    """
    met = [_text(column).is_in(_several(values)) for column, values in _of(columns, conditions.equal)]
    met += [_text(column).str.contains(expression) for column, expression in _of(columns, conditions.contains)]
    met += [_is_named(column, listing) for column, listing in _of(columns, conditions.among)]
    met += [finite(pl.col(column)) >= limit for column, limit in _of(columns, conditions.at_least)]
    met += [finite(pl.col(column)) <= limit for column, limit in _of(columns, conditions.at_most)]
    violated = [_text(column).is_in(_several(values)) for column, values in _of(columns, conditions.differ)]
    violated += [_text(column).str.contains(expression) for column, expression in _of(columns, conditions.lacks)]
    held = [condition.fill_null(value=False) for condition in met]
    held += [~condition.fill_null(value=False) for condition in violated]
    return pl.all_horizontal(pl.lit(value=True), *held)


def no_numbers(frame: pl.DataFrame, conditions: Conditions, columns: Collection[str] | None = None) -> list[Problem]:
    """List the values that are compared with a number and are not numbers."""
    compared = dict.fromkeys([*conditions.at_least, *conditions.at_most])
    chosen = [column for column in compared if columns is None or column in columns]
    wrong = {column: pl.col(column).is_not_null() & finite(pl.col(column)).is_null() for column in chosen}
    return [
        problem
        for column, fault in wrong.items()
        for problem in uncovered(frame.filter(fault), column, "a number, which a condition compares")
    ]


def _of(columns: Collection[str] | None, setting: Mapping[str, _Value]) -> list[tuple[str, _Value]]:
    return [(column, value) for column, value in setting.items() if columns is None or column in columns]


def _is_named(column: str, listing: str) -> pl.Expr:
    """Whether another column is the value of a column, or has it in a list."""
    value, names = _text(column).str.to_lowercase(), _text(listing).str.to_lowercase()
    return (names == value) | names.str.contains(pl.format('"{}"', value), literal=True)


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


def _several(values: str | tuple[str, ...]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)
