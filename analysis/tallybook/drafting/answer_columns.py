"""Which columns hold answers, by their values: not what is asked, not last messages of users; ratings and amounts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.drafting.columns import AMOUNT, LONG, MOST_LEVELS, Design, amount_steps
from tallybook.drafting.header_words import ANSWERING, NAMES, NOTHING, RATINGS
from tallybook.instruments.refusal import is_coded
from tallybook.sources.json_records import at, opened

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey

_OF_SCALE = r"\d|(?i:agree|neutral|neither|likely)"
_MOST_RATINGS = 0.8
"""The least share of values that are amounts, or have a number or word of agreement, in a column of ratings."""


def without_asked(fitting: Sequence[Column], survey: Survey) -> list[Column]:
    """Leave out columns that are called like answers and hold what is asked, beside others that vary within it."""
    called = [one for one in fitting if not one.is_prompt and one.is_called_answer]
    named = [one for one in called if one.header in NAMES["text"]] if len(called) > 1 else []
    keys = [one.name for one in survey.columns if one.header in NAMES["item"] and 2 * one.distinct <= survey.rows]
    design = Design(survey, ())

    def is_asked(column: Column, other: Column) -> bool:
        both = survey.records.select((pl.col(column.name).is_not_null() & pl.col(other.name).is_not_null()).any())
        if column.missing and other.missing and not both.collect(engine="streaming").item():  # in a file of its own
            return column.missing > other.missing
        is_text = not {*other.header.split("_")}.isdisjoint(NAMES["text"])  # a code may be one of several of a text
        is_even = column.length >= LONG and design.is_balanced(column)
        is_told = is_even or (not column.missing and any(survey.determines([key], column.name) for key in keys))
        return is_text and is_told and not any(survey.determines([key], other.name) for key in [*keys, column.name])

    asked = {one.name for one in named for other in called if other is not one and is_asked(one, other)}
    asked |= {name for table in survey.joined for name in table.columns}  # of files without answers
    return [one for one in fitting if one.name not in asked]


def is_of_model(column: Column, survey: Survey) -> bool:
    """Return whether a column of last messages was written by the model; True for other columns."""
    whole, back, _ = column.name.partition(".-")
    if not back or whole not in survey.by_name:
        return True
    last = [at(opened(value), "-1") for value in survey.sample.get_column(whole).drop_nulls()]
    said = [str(at(one, "role") or at(one, "from") or at(one, "speaker")).lower() for one in last]
    return bool(said) and {*said} <= ANSWERING


def ratings(survey: Survey, taken: Iterable[str]) -> str | None:
    """Return the only column of ratings or amounts of money: the answer in a dump without texts."""
    found = [
        column.name
        for column in survey.columns
        if column.name not in taken
        and (
            _shares(column, survey, AMOUNT)
            or (RATINGS.search(column.header) and (column.is_number or _shares(column, survey, _OF_SCALE)))
        )
    ]
    return found[0] if len(found) == 1 else None


def amounts(survey: Survey, taken: Collection[str], *, has_text: bool) -> tuple[str, ...]:
    """List the columns of amounts of money that are answers; beside texts, a few amounts are of the question."""
    return tuple(
        column.name
        for column in survey.columns
        if column.name not in taken
        and column.kind == "text"
        and (column.distinct > MOST_LEVELS or (RATINGS.search(column.header) and not has_text))
        and _shares(column, survey, AMOUNT)
        and amount_steps(survey.distinct(column.name)) is not None
    )


def _shares(column: Column, survey: Survey, form: str) -> bool:
    text = pl.col(column.name)
    is_none = text.str.strip_chars().str.to_lowercase().is_in(NOTHING) | is_coded(text)
    values = survey.sample.get_column(column.name).to_frame().filter(~is_none).to_series()
    return values.str.contains(form).sum() >= _MOST_RATINGS * max(1, values.len())
