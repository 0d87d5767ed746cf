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
    """Return the columns of questions that name one of the options in each row, with their notation.

    Letters and numbers of a role never stand for an option that says that nobody knows, as those of a condition would.
    """
    ways = {name: _named(rows, name, options) for name in (right, *others)}
    of_right = [texts.to_list() for _, texts in ways.pop(right)]
    texts = pl.concat(rows.get_column(one) for one in options).unique().drop_nulls()
    unknown = [text for text in texts if UNKNOWN.search(text)]
    return [
        (name, how)
        for name, found in ways.items()
        for how, named in found[:1]
        if named.to_list() not in of_right
        and (how == "text" or (unknown and not named.is_in(unknown).any()))
        and _is_asked(rows, name, [*options, right])
    ]


def _named(rows: pl.DataFrame, column: str, options: Sequence[str]) -> list[tuple[str, pl.Series]]:
    """Return the notations in which a column may name one of the options in each row, with the texts of these."""
    places, said = range(len(options)), pl.col(column).str.to_lowercase()
    signs = {"letter": ascii_lowercase, "number-from-0": "0123456789", "number": "123456789"}
    tests = {"text": [pl.col(one) == pl.col(column) for one in options]}
    tests |= {how: [said == own[place] for place in places] for how, own in signs.items() if len(own) >= len(options)}
    named = {
        how: rows.select(
            pl.coalesce(pl.when(test).then(one) for test, one in zip(own, options, strict=True))
        ).to_series()
        for how, own in tests.items()
    }
    varies = rows.get_column(column).n_unique() > 1
    return [(how, texts) for how, texts in named.items() if varies and not texts.null_count()]


def _is_asked(rows: pl.DataFrame, column: str, question: list[str]) -> bool:
    """Return whether another column identifies repeated questions, of each of which the column has one value."""
    others = (name for name in rows.columns if name not in {column, *question})
    repeated = (name for name in others if 2 * rows.get_column(name).n_unique() <= rows.height)
    within = (rows.group_by(name).agg(pl.col(*question, column).n_unique()) for name in repeated)
    return any(one.select(pl.max_horizontal(pl.col(*question, column).max())).item() == 1 for one in within)
