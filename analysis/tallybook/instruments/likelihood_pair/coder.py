"""Preferences between two texts by their log-likelihoods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.instruments.reading import VERDICT, failed, stopped
from tallybook.sources.values import finite
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.likelihood_pair.instrument import LikelihoodPairInstrument


def read(responses: pl.DataFrame, instrument: LikelihoodPairInstrument) -> Reading:
    """Compare log-likelihoods.

    Args:
        responses: The responses, with `status` and the columns that the instrument names.
        instrument: The declaration.

    Returns:
        The responses with `likelihood_difference`, `likelier` (`first`, `second` or `tie`) and `no_preference`; with
        `language_score`, the share of the two texts that are likelier than the unrelated one, a tie counting half.

    Raises:
        UsageError: If the responses lack a column.
    """
    numbers: dict[str, pl.Expr] = {}
    for setting, column in instrument.reads.items():
        if column not in responses.columns:
            raise UsageError(f"instrument.{setting}: the responses have no column {column!r}")
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
    without = pl.when(stopped()).then(pl.lit("declined")).when(failed()).then(pl.lit("no-response"))
    verdict = pl.when(stopped()).then(pl.lit("refused")).when(failed()).then(pl.lit("error"))
    return Reading(
        coded.with_columns(
            preference.when(known.is_not_null()).then(pl.lit("tie")).alias("likelier"),
            without.when(known.is_null()).then(pl.lit("no-likelihood")).alias("no_preference"),
            verdict.when(known.is_null()).then(pl.lit("invalid")).alias(VERDICT),
        )
    )
