"""Columns derived from other columns, and the rows for which that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.study.derivation import Case, Derivation


def derive_all(frame: pl.DataFrame, rules: Mapping[str, Derivation]) -> tuple[pl.DataFrame, list[Problem]]:
    """Derive columns one after the other.

    Args:
        frame: Records.
        rules: Column -> declaration; a rule may read what those before it made.

    Returns:
        The records with the new columns, and the problems.
    """
    problems: list[Problem] = []
    for name, rule in rules.items():
        frame, faults = derive(frame, name, rule)
        problems += faults
    return frame, problems


def derive(frame: pl.DataFrame, name: str, rule: Derivation) -> tuple[pl.DataFrame, list[Problem]]:
    """Derive one column from others.

    Args:
        frame: Records with the columns that the rule reads.
        name: The new column.
        rule: The declaration.

    Returns:
        The records with the new column (null where the rule does not cover the row), and one problem for each value
        of each file that it does not cover. A missing value is not covered by `map` and `extract`, and no problem:
        whether a column may have it is for others to say.
    """
    read = {column: pl.col(column).cast(pl.String) for column in rule.columns}
    source = pl.lit(None, dtype=pl.String) if rule.source is None else read[rule.source]
    if rule.map is not None:
        new = source.replace_strict(rule.map, default=None, return_dtype=pl.String)
        expected = f"one of {', '.join(rule.map)}"
    elif rule.extract is not None:
        new = source.str.extract(rule.extract, 1)
        expected = f"text that matches {rule.extract}"
    else:
        cases = [pl.when(_fits(case, read)).then(pl.lit(case.value)) for case in rule.cases or ()]
        new = pl.coalesce(cases)
        expected = f"a row that a case of {name} fits"
    if rule.otherwise is not None:
        new = pl.coalesce(new, pl.lit(rule.otherwise))
    if rule.missing is not None:
        new = pl.when(source.is_null() | (source == "")).then(pl.lit(rule.missing)).otherwise(new)
    derived = frame.with_columns(new.alias(name))
    if rule.otherwise is not None:
        return derived, []
    if rule.cases is None and rule.source is not None:
        # The column may have been derived from itself: what stood there before is what the rule does not cover.
        lost = frame.filter(derived.get_column(name).is_null() & frame.get_column(rule.source).is_not_null())
        return derived, uncovered(lost, rule.source, expected)
    return derived, _without_case(frame.filter(derived.get_column(name).is_null()), rule, name, expected)


def _fits(case: Case, read: Mapping[str, pl.Expr]) -> pl.Expr:
    """Whether a case fits a row; a missing value fits nothing."""
    equal = [read[column] == value for column, value in case.equal.items()]
    contains = [read[column].str.contains(expression) for column, expression in case.contains.items()]
    return pl.all_horizontal(*equal, *contains).fill_null(value=False)


def _without_case(rows: pl.DataFrame, rule: Derivation, name: str, expected: str) -> list[Problem]:
    """One problem for each combination, in each file, of values that no case names; long texts are left out."""
    named = list(dict.fromkeys(column for case in rule.cases or () for column in case.equal)) or list(rule.columns)
    values = pl.concat_str(
        [pl.format(f"{column}={{}}", pl.col(column).cast(pl.String).fill_null("")) for column in named], separator=", "
    )
    return uncovered(rows.with_columns(values.alias(name)), name, expected)


def uncovered(rows: pl.DataFrame, column: str, expected: str) -> list[Problem]:
    """One problem for each value of each file among rows that have an unexpected value.

    Args:
        rows: The rows at fault, with or without columns `file` and `key`.
        column: The column at fault.
        expected: What should stand there.

    Returns:
        The problems; each names the first key of its value.
    """
    places = [name for name in ("file", "key") if name in rows.columns]
    first = rows.unique(subset=[column, *places[:1]], keep="first", maintain_order=True)
    return [
        Problem(
            str(row.get("file", "")),
            str(row.get("key", "")),
            column,
            "" if row[column] is None else str(row[column]),
            expected,
        )
        for row in first.iter_rows(named=True)
    ]
