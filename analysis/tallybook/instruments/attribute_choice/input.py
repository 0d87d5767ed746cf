"""Check the columns that the instrument `attribute-choice` needs beside the texts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument

_BETWEEN_NAMES = re.compile(r"[\s,;|]+")


def problems(responses: pl.DataFrame, instrument: AttributeChoiceInstrument) -> list[Problem]:
    """List the faults that make choices ambiguous or unreadable.

    A problem for each option that is empty or equals another of its row, and each polarity, order of options and hand
    code that is none of those declared.
    """
    columns = list(instrument.options.values())
    faults = [
        (column, _text(column).str.strip_chars().fill_null("") == "", "the text of an option") for column in columns
    ]
    faults += [
        (column, _text(column) == _text(other), f"another option than in column {other}")
        for number, column in enumerate(columns)
        for other in columns[:number]
    ]
    if instrument.given is not None:
        known = list(instrument.polarity)
        faults.append((instrument.given, _is_none_of(_text(instrument.given), known), f"one of {', '.join(known)}"))
    if isinstance(instrument.shown, str):
        names = ", ".join(instrument.options)
        orders = list(_orders(responses, instrument))
        faults.append((instrument.shown, _is_none_of(_text(instrument.shown), orders), f"every one of {names}, once"))
    if instrument.hand is not None:
        codes = list(instrument.hand.codes)
        unknown = _code(instrument).is_not_null() & ~_code(instrument).is_in(codes)
        faults.append((instrument.hand.column, unknown, f"one of the codes {', '.join(codes)}, or nothing"))
    return [
        Problem(file, key, column, value or "", expected)
        for column, fault, expected in faults
        for file, key, value in responses.filter(fault).select("file", "key", _text(column)).iter_rows()
    ]


def places(responses: pl.DataFrame, instrument: AttributeChoiceInstrument) -> list[pl.Expr]:
    """Get the place at which each option was shown."""
    if instrument.shown is None:
        return [pl.lit(None, dtype=pl.Int64) for _ in instrument.options]
    if isinstance(instrument.shown, tuple):
        return [pl.lit(instrument.shown.index(option) + 1, dtype=pl.Int64) for option in instrument.options]
    orders = _orders(responses, instrument)
    return [
        _text(instrument.shown).replace_strict(
            list(orders), [names.index(option) + 1 for names in orders.values()], default=None, return_dtype=pl.Int64
        )
        for option in instrument.options
    ]


def hand_codes(instrument: AttributeChoiceInstrument) -> pl.Expr:
    """Get the options and reasons of hand codes."""
    if instrument.hand is None:
        return pl.lit(None, dtype=pl.String)
    return _code(instrument).replace_strict(instrument.hand.codes, default=None, return_dtype=pl.String)


def _orders(responses: pl.DataFrame, instrument: AttributeChoiceInstrument) -> dict[str, list[str]]:
    """The orders of options that occur: text -> names. Their number is small, whatever that of the responses."""
    if not isinstance(instrument.shown, str):
        return {}
    written = responses.select(_text(instrument.shown)).to_series().drop_nulls().unique(maintain_order=True)
    orders = {text: _BETWEEN_NAMES.split(text.strip()) for text in written}
    return {text: names for text, names in orders.items() if sorted(names) == sorted(instrument.options)}


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String)


def _code(instrument: AttributeChoiceInstrument) -> pl.Expr:
    if instrument.hand is None:
        return pl.lit(None, dtype=pl.String)
    code = _text(instrument.hand.column).str.strip_chars()
    return pl.when(code != "").then(code)


def _is_none_of(text: pl.Expr, known: Sequence[str]) -> pl.Expr:
    return ~text.is_in(known).fill_null(value=False)
