"""Declared conditions as expressions, and the values that they cannot be held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.sources.derive_faults import uncovered

if TYPE_CHECKING:
    from analysis.errors import Problem
    from schemas.study.conditions import Conditions


def fits(conditions: Conditions) -> pl.Expr:
    """Whether rows meet all conditions.

    Args:
        conditions: The declaration.

    Returns:
        A boolean expression, never null; a missing value meets no condition but `is_not` and `lacks`.

    >>> from schemas.study.conditions import Conditions
    >>> adults = Conditions.model_validate({"at_least": {"age": 18}, "is_not": {"language": ["de", "fr"]}})
    >>> rows = pl.DataFrame({"age": [18, 17, 40, None], "language": ["en", "en", "de", "en"]})
    >>> rows.select(fits(adults)).to_series().to_list()
    [True, False, False, False]
    """
    met = [_text(column).is_in(_several(values)) for column, values in conditions.equal.items()]
    met += [_text(column).str.contains(expression) for column, expression in conditions.contains.items()]
    met += [_number(column) >= limit for column, limit in conditions.at_least.items()]
    met += [_number(column) <= limit for column, limit in conditions.at_most.items()]
    violated = [_text(column).is_in(_several(values)) for column, values in conditions.differ.items()]
    violated += [_text(column).str.contains(expression) for column, expression in conditions.lacks.items()]
    held = [condition.fill_null(value=False) for condition in met]
    held += [~condition.fill_null(value=False) for condition in violated]
    return pl.all_horizontal(held)


def no_numbers(frame: pl.DataFrame, conditions: Conditions) -> list[Problem]:
    """The values that conditions compare with a number and that are none.

    Args:
        frame: Records, with the columns that the conditions name.
        conditions: The declaration.

    Returns:
        One problem for each such value of each file.
    """
    compared = dict.fromkeys([*conditions.at_least, *conditions.at_most])
    wrong = {column: pl.col(column).is_not_null() & _number(column).is_null() for column in compared}
    return [
        problem
        for column, fault in wrong.items()
        for problem in uncovered(frame.filter(fault), column, "a number, which a condition compares")
    ]


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


def _number(column: str) -> pl.Expr:
    number = pl.col(column).cast(pl.Float64, strict=False)
    return pl.when(number.is_finite()).then(number)


def _several(values: str | tuple[str, ...]) -> list[str]:
    return [values] if isinstance(values, str) else list(values)
