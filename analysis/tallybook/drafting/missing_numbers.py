"""Missing numbers in columns that otherwise hold numbers: words such as NaN, and codes such as -1 and 999."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.drafting.columns import AMOUNT
from tallybook.sources.values import NO_NUMBERS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tallybook.drafting.columns import Column

_NUMBER = rf"^\s*[+-]?(\d+([.,]\d*)?|\.\d+|\d{{1,3}}(,\d{{3}})+(\.\d+)?)([eE][+-]?\d+)?\s*$|{AMOUNT}"
_PERHAPS = {"na", "none"}
"""Words that may also be a level of a factor or a label: "none" of the personas, "NA" for Namibia."""


_CODES = {-1, -9, -77, -88, -98, -99, -998, -999, -9999}
_LARGE_CODES = {98, 99, 998, 999, 9999}
"""Numbers that stand for missing ones, among others that are not negative, and among those of a rating."""
_LOWEST, _HIGHEST, _TIMES = 2, 100, 9
"""The number that the highest one of a scale exceeds on which -1 is no point, the highest one of ratings, and how many
times as large a code is."""


def missing_numbers(columns: Sequence[Column], records: pl.LazyFrame, sample: pl.DataFrame) -> dict[str, list[str]]:
    """Map columns that otherwise hold numbers, or amounts of money, to what stands for missing ones in them."""
    texts = {one.name: one for one in columns if one.kind == "text"}
    are_numbers = sample.select(_is_number(name).any() & (_is_number(name) | _is_none(name)).all() for name in texts)
    found: dict[str, list[str]] = {}
    for name in (name for name in texts if are_numbers.item(0, name)):
        others = records.filter(~_is_number(name)).select(pl.col(name).str.strip_chars()).unique().collect().to_series()
        spelt: list[str] = sorted(text for text in others.to_list() if text)
        if spelt and all(text.lower() in NO_NUMBERS for text in spelt):
            found[name] = spelt
    found |= _codes(columns, records)
    labels = {value for one in texts.values() if one.name not in found for value in one.values}
    return {
        name: spelt
        for name, spelt in found.items()
        if name not in texts or not _may_be_levels(texts[name], spelt, labels)
    }


def _codes(columns: Sequence[Column], records: pl.LazyFrame) -> dict[str, list[str]]:
    """Map columns of answers to the numbers off their scales that stand for missing ones."""
    found: dict[str, list[str]] = {}
    for column in columns:
        if column.is_number and column.is_called_answer and not column.is_bookkeeping and not column.has_commas:
            values = column.values or records.select(column.name).unique().drop_nulls().collect().to_series()
            numbers = {value: float(value) for value in values if value}
            codes = {value for value, number in numbers.items() if number in _CODES}
            scale = {number for value, number in numbers.items() if value not in codes}
            large = {value: number for value, number in numbers.items() if number in _LARGE_CODES}
            highest = max(scale - {*large.values()}, default=_HIGHEST + 1)
            if large and highest <= min(_HIGHEST, min(large.values()) / _TIMES):
                codes, scale = codes | {*large}, scale - {*large.values()}
            if codes and len(scale) > _LOWEST and min(scale) >= 0 and max(scale) > _LOWEST:
                found[column.name] = sorted(codes)
    return found


def declared(found: Mapping[str, Sequence[str]], columns: Iterable[str], records: pl.LazyFrame) -> list[str]:
    """List what stands for missing numbers in all columns; a code that another column has is none of them."""
    spelt = sorted({text for own in found.values() for text in own})
    codes = [text for text in spelt if text.lower() not in NO_NUMBERS]
    others = [name for name in columns if name not in found]
    if not codes or not others:
        return spelt
    has = records.select(pl.any_horizontal(pl.col(others) == code).any().alias(code) for code in codes).collect()
    return [text for text in spelt if text not in codes or not has.item(0, text)]


def without(records: pl.LazyFrame, columns: Sequence[Column], found: Mapping[str, Sequence[str]]) -> pl.LazyFrame:
    """Replace what stands for missing numbers by null: words in every column, as studies that declare them do."""
    words = {text for own in found.values() for text in own if text.lower() in NO_NUMBERS}
    named = [one.name for one in columns if one.name in found or words & {value.strip() for value in one.values}]
    spelt = {name: [*words, *found.get(name, ())] for name in named}
    return records.with_columns(
        pl.when(~pl.col(name).str.strip_chars().is_in(own)).then(pl.col(name)).alias(name)
        for name, own in spelt.items()
    )


def said(found: Mapping[str, Sequence[str]], before: Sequence[Column], after: Sequence[Column]) -> str:
    """Say what is read as missing numbers, and how many are in each column."""
    spelt = dict.fromkeys(text for own in found.values() for text in own)
    missing = {one.name: one.missing for one in before}
    times = {one.name: one.missing - missing[one.name] for one in after if one.name in found}
    columns = ", ".join(f"{printable(name)} ({counted(number, 'record')})" for name, number in times.items())
    verb = "stands for a missing number" if len(spelt) == 1 else "stand for missing numbers"
    return f"{', '.join(map(printable, spelt))} {verb} in {columns}. See `missing`."


def _is_number(name: str) -> pl.Expr:
    return pl.col(name).str.contains(_NUMBER).fill_null(value=False)


def _is_none(name: str) -> pl.Expr:
    return pl.col(name).fill_null("").str.strip_chars().str.to_lowercase().is_in(("", *NO_NUMBERS))


def _may_be_levels(column: Column, spelt: Sequence[str], labels: set[str]) -> bool:
    """Return whether words beside numbers may be levels of a factor beside other levels, or are labels elsewhere."""
    perhaps = {text for text in spelt if text.lower() in _PERHAPS}
    are_whole = all(value.strip().isdecimal() for value in column.values if value.strip() not in spelt)
    return bool(perhaps) and (
        bool(perhaps & labels) or (column.is_factor and are_whole and not column.is_called_answer)
    )
