"""Numbers of responses: many texts are alike, and each different one is read once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.number import answer
from tallybook.instruments.reading import failed, read_texts, reported, require_columns, stopped, unread, verdict

if TYPE_CHECKING:
    from tallybook.instruments.number.instrument import NumberInstrument
    from tallybook.study.instrument_base import Reading

_TYPES = {"number_low": pl.Float64, "number_high": pl.Float64, "number_rule": pl.String, "no_number_reason": pl.String}


def read(responses: pl.DataFrame, instrument: NumberInstrument) -> Reading:
    """Read numbers."""
    require_columns(responses, {"column": instrument.column})
    amount = partial(answer.read, declared=instrument)
    found = read_texts(responses, instrument.column, amount, _TYPES, instrument.refusal_phrases)
    low, high, reason = (pl.col(name) for name in ("number_low", "number_high", "no_number_reason"))
    taken = {"low": low, "high": high}.get(instrument.ranges, (low + high) / 2)
    rule = pl.when(stopped()).then(pl.lit("delivered")).when(~failed()).then(pl.col("number_rule").fill_null("empty"))
    coded = responses.with_columns(found.get_columns()).with_columns(
        taken.alias("number"), rule.alias("number_rule"), verdict(reason)
    )
    findings = partial(unread, coded, "no_number_reason", instrument.column, "one number that is certain")
    return reported(coded, findings, instrument.undecided)
