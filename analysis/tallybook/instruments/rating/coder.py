"""Ratings of responses: many are alike, and each different one is read once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.rating.instrument import REFUSED
from tallybook.instruments.rating.scale import Scale
from tallybook.instruments.reading import (
    failed,
    read_texts,
    reported,
    require_columns,
    stopped,
    unread,
    verdict,
)

if TYPE_CHECKING:
    from tallybook.instruments.rating.instrument import RatingInstrument
    from tallybook.study.instrument_base import Reading


_TYPES = {"rating_given": pl.Float64, "rating_rule": pl.String, "unrated_reason": pl.String}


def read(responses: pl.DataFrame, instrument: RatingInstrument) -> Reading:
    """Read ratings.

    `rating` is that of reversed items turned round, `rating_given` as it stands in the text, and `rating_label` the
    label, or the number where the scale has none.
    """
    require_columns(responses, instrument.reads)
    found = read_texts(responses, instrument.column, Scale(instrument).read, _TYPES, instrument.refusal_phrases)
    made = responses.with_columns(found.get_columns())
    is_reversed = [pl.col(column).cast(pl.String).is_in(values) for column, values in instrument.reversed.items()]
    turned = pl.any_horizontal(pl.lit(value=False), *is_reversed).fill_null(value=False)
    given, rule = pl.col("rating_given"), pl.col("rating_rule")
    made = made.with_columns(
        pl.when(turned).then(instrument.lowest + instrument.top - given).otherwise(given).alias("rating"),
        pl.when(failed())
        .then(None)
        .when(stopped())
        .then(pl.lit("delivered"))
        .otherwise(rule.fill_null("empty"))
        .alias("rating_rule"),
        verdict(pl.col("unrated_reason"), REFUSED),
    )
    made = made.with_columns(_label(instrument).alias("rating_label"))
    expected = f"a rating from {instrument.lowest:g} to {instrument.top:g}"
    findings = partial(unread, made, "unrated_reason", instrument.column, expected)
    return reported(made, findings, instrument.undecided)


def _label(instrument: RatingInstrument) -> pl.Expr:
    """The label of a rating, or the number as text: what shares, top boxes and stacked bars are of."""
    rating = pl.col("rating")
    if instrument.labels is None:
        whole = pl.when(rating == rating.floor()).then(rating.cast(pl.Int64, strict=False).cast(pl.String))
        return pl.coalesce(whole, rating.cast(pl.String))
    labels = {instrument.lowest + place: label for place, label in enumerate(instrument.labels)}
    return rating.replace_strict(labels, default=None, return_dtype=pl.String)
