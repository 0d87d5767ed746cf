"""Columns derived from other columns, and problems for the rows whose values cannot be derived."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources.conditions import fits, non_numeric_problems
from tallybook.sources.normalise import normalise
from tallybook.sources.values import finite, uncovered
from tallybook.study.arithmetic import Arithmetic
from tallybook.study.base import BRACED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.core.errors import Problem
    from tallybook.study.derivation import Derivation


def derive_all(frame: pl.DataFrame, rules: Mapping[str, Derivation]) -> tuple[pl.DataFrame, list[Problem]]:
    """Derive columns one after the other, and collect the problems."""
    problems: list[Problem] = []
    for name, rule in rules.items():
        frame, faults = derive(frame, name, rule)
        problems += faults
    return frame, problems


def derive(frame: pl.DataFrame, name: str, rule: Derivation) -> tuple[pl.DataFrame, list[Problem]]:
    """Derive a column; report each value that the rule does not cover once for each file."""
    source = pl.lit(None, dtype=pl.String) if rule.source is None else pl.col(rule.source).cast(pl.String)
    source = normalise(source, rule.normalise)
    new, expected, faults = _new(frame, name, rule, source)
    if rule.compute is not None:
        return _computed(frame, name, rule)
    if rule.otherwise is not None:
        new = pl.coalesce(new, pl.lit(rule.otherwise))
    if rule.missing is not None:
        new = pl.when(source.is_null() | (source == "")).then(pl.lit(rule.missing)).otherwise(new)
    derived = frame.with_columns(new.alias(name))
    if rule.otherwise == "":
        return derived.with_columns(pl.col(name).replace("", None)), faults
    if rule.otherwise is not None or rule.rule in {"combine", "pick"} or faults:
        return derived, [] if rule.pick is not None and rule.otherwise is not None else faults
    if rule.cases is None and rule.source is not None:
        # A column may be derived from itself, so the values not covered are those in the original frame.
        lost = frame.filter(derived.get_column(name).is_null() & frame.get_column(rule.source).is_not_null())
        return derived, uncovered(lost, rule.source, expected)
    return derived, _without_case(frame.filter(derived.get_column(name).is_null()), rule, name, expected)


def _new(frame: pl.DataFrame, name: str, rule: Derivation, source: pl.Expr) -> tuple[pl.Expr, str, list[Problem]]:
    """Return a rule's expression, the expected values in words, and the problems found."""
    if rule.map is not None:
        return (
            source.replace_strict(rule.map, default=None, return_dtype=pl.String),
            f"one of {', '.join(rule.map)}",
            [],
        )
    if rule.extract is not None:
        return source.str.extract(rule.extract, 1), f"text that matches {rule.extract}", []
    if rule.bands is not None:
        return _band(source, rule.bands), f"a number, at least {next(iter(rule.bands.values())):g}", []
    if rule.combine is not None:
        return _text(rule.combine), "", []
    if rule.pick is not None:
        return _picked(frame, rule, rule.pick)
    cases = rule.cases or ()
    faults = list(dict.fromkeys(fault for case in cases for fault in non_numeric_problems(frame, case)))
    made = [pl.when(fits(case)).then(pl.lit(case.value)) for case in cases]
    return pl.coalesce(made), f"a row that a case of {name} fits", faults


def _text(form: str) -> pl.Expr:
    """Build the expression of a text with columns in braces."""
    texts = [pl.lit(text) for text in BRACED.split(form)[::2]]
    columns = [pl.col(column).cast(pl.String) for column in BRACED.findall(form)]
    return pl.concat_str([part for both in zip_longest(texts, columns) for part in both if part is not None])


def _picked(frame: pl.DataFrame, rule: Derivation, form: str) -> tuple[pl.Expr, str, list[Problem]]:
    """Return the values of the columns that rows name, and problems of names that are not columns."""
    named = [column for column in frame.columns if rule.picks(column)]
    new = pl.coalesce(
        [pl.when(_text(form) == column).then(pl.col(column).cast(pl.String)) for column in named]
        or [pl.lit(None, dtype=pl.String)]
    )
    lost = frame.filter(_text(form).is_not_null() & ~_text(form).is_in(named))
    return new, "", uncovered(lost, BRACED.findall(form)[0], f"{form}: one of {', '.join(named)}")


def _computed(frame: pl.DataFrame, name: str, rule: Derivation) -> tuple[pl.DataFrame, list[Problem]]:
    """Compute a column by arithmetic; report values without a result."""
    expression = Arithmetic(rule.compute or "")
    texts = {column: pl.col(column).cast(pl.String).replace("", None) for column in expression.columns}
    is_text = {column: frame.schema[column] == pl.String for column in expression.columns}
    numbers = {
        column: finite(text) if is_text[column] else pl.col(column).cast(pl.Float64) for column, text in texts.items()
    }
    is_missing = pl.any_horizontal(text.is_null() for text in texts.values())
    result = expression.of(lambda column: numbers[column])
    new = pl.when(~is_missing & result.is_finite()).then(result)
    if rule.otherwise:
        new = pl.when(is_missing).then(new).otherwise(pl.coalesce(new, pl.lit(float(rule.otherwise))))
    if rule.missing is not None and rule.source is not None:
        is_empty = pl.col(rule.source).cast(pl.String).fill_null("") == ""
        new = pl.when(is_empty).then(pl.lit(float(rule.missing or "nan"))).otherwise(new).fill_nan(None)
    derived = frame.with_columns(new.cast(pl.Float64).alias(name))
    if rule.otherwise is not None:
        return derived, []
    lost = frame.filter(~frame.select(is_missing).to_series() & derived.get_column(name).is_null())
    faults = [
        fault
        for column, text in texts.items()
        for fault in uncovered(lost.filter(text.is_not_null() & numbers[column].is_null()), column, "a finite number")
    ]
    if faults or lost.is_empty():
        return derived, faults
    values = [pl.format(f"{column}={{}}", text) for column, text in texts.items()]
    shown = lost.with_columns(pl.concat_str(values, separator=", ").alias(name))
    return derived, uncovered(shown, name, f"numbers of which there is {expression.text}")


def _band(source: pl.Expr, bands: Mapping[str, float]) -> pl.Expr:
    """Build an expression for the last band that starts at or below a number."""
    number = finite(source)
    return pl.coalesce([pl.when(number >= start).then(pl.lit(band)) for band, start in reversed(list(bands.items()))])


def _without_case(rows: pl.DataFrame, rule: Derivation, name: str, expected: str) -> list[Problem]:
    """Return a problem for each combination of values, per file, that no case covers."""
    named = list(dict.fromkeys(column for case in rule.cases or () for column in (*case.equal, *case.differ)))
    named = named or list(rule.columns)
    values = pl.concat_str(
        [pl.format(f"{column}={{}}", pl.col(column).cast(pl.String).fill_null("")) for column in named], separator=", "
    )
    return uncovered(rows.with_columns(values.alias(name)), name, expected)
