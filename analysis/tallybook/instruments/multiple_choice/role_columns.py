"""Columns that say which option of each question has a role, whatever they are called."""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.option_words import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


def role_columns(
    rows: pl.DataFrame, options: Sequence[str], right: str, others: Iterable[str]
) -> list[tuple[str, str]]:
    """Return the columns of questions that name one of the options in each row, and their notation.

    One that names options by letters or numbers never names an option that says that nobody knows, as a condition "A"
    would.
    """
    of_right = _named(rows, right, options)
    found: list[tuple[str, str]] = []
    for name in others:
        named = _named(rows, name, options)
        if named is None or (of_right is not None and named[1].equals(of_right[1])):
            continue
        unknown = [text for text in pl.concat(rows.get_column(one) for one in options).unique() if UNKNOWN.search(text)]
        is_chance = named[0] != "text" and (not unknown or named[1].is_in(unknown).any())
        if not is_chance and _is_asked(rows, name, [*options, right]):
            found.append((name, named[0]))
    return found


def _named(rows: pl.DataFrame, column: str, options: Sequence[str]) -> tuple[str, pl.Series] | None:
    """Return the notation of a column that names one of the options in each row, and their texts; else None."""
    values = rows.get_column(column)
    if values.null_count() or values.n_unique() == 1 or rows.select(options).null_count().sum_horizontal().item():
        return None
    if rows.select(pl.any_horizontal(pl.col(one) == pl.col(column) for one in options).all()).item():
        return "text", values
    signs = {
        "letter": [*ascii_lowercase[: len(options)]],
        "number-from-0": [str(place) for place in range(len(options))],
        "number": [str(place) for place in range(1, len(options) + 1)],
    }
    said = values.str.to_lowercase()
    how = next((how for how, own in signs.items() if {*said} == {*own}), None)
    if how is None:
        return None
    texts = pl.coalesce(pl.when(said == sign).then(one) for sign, one in zip(signs[how], options, strict=True))
    return how, rows.select(texts).to_series()


def _is_asked(rows: pl.DataFrame, column: str, question: list[str]) -> bool:
    """Return whether another column identifies repeated questions, of each of which the column has one value."""
    for other in rows.columns:
        if other not in {column, *question} and 2 * rows.get_column(other).n_unique() <= rows.height:
            within = rows.group_by(other).agg(pl.col(*question, column).n_unique())
            if within.select(pl.max_horizontal(pl.col(*question, column).max())).item() == 1:
                return True
    return False
