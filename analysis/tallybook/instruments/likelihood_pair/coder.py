"""Preferences between two texts by their log-likelihoods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.reading import failed, require_columns, silence, stopped, verdict
from tallybook.sources.values import finite
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.likelihood_pair.instrument import LikelihoodPairInstrument


def read(responses: pl.DataFrame, instrument: LikelihoodPairInstrument) -> Reading:
    """Compute the difference of the log-likelihoods of each pair, and the likelier text."""
    require_columns(responses, instrument.reads)
    numbers: dict[str, pl.Expr] = {}
    for setting, column in instrument.reads.items():
        kind = responses.schema[column]
        numbers[setting] = pl.col(column).cast(pl.Float64) if kind.is_numeric() else finite(pl.col(column))
    numbers = {setting: pl.when(number.is_finite()).then(number) for setting, number in numbers.items()}
    difference = numbers["difference"] if "difference" in numbers else numbers["first"] - numbers["second"]
    came = ~(failed() | stopped())
    made = {"likelihood_difference": pl.when(came).then(difference)}
    if "unrelated" in numbers:
        beaten = [((numbers[name] - numbers["unrelated"]).sign() + 1) / 2 for name in ("first", "second")]
        made["language_score"] = pl.when(came).then((beaten[0] + beaten[1]) / 2)
    coded = responses.with_columns(number.alias(name) for name, number in made.items())
    known = pl.col("likelihood_difference")
    tie = instrument.tie
    preference = pl.when(known > tie).then(pl.lit("first")).when(known < -tie).then(pl.lit("second"))
    without = pl.when(~came).then(silence()).when(known.is_null()).then(pl.lit("no-likelihood"))
    coded = coded.with_columns(
        preference.when(known.is_not_null()).then(pl.lit("tie")).alias("likelier"), without.alias("no_preference")
    )
    return Reading(coded.with_columns(verdict(pl.col("no_preference"))))
