"""Ratings of responses: many are alike, and each different one is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments import refusal
from tallybook.instruments.option_text import plain, safe
from tallybook.instruments.rating.reasons import REFUSED
from tallybook.instruments.rating.scale import Scale
from tallybook.instruments.reading import VERDICT, failed, stopped
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.rating.instrument import RatingInstrument


def read(responses: pl.DataFrame, instrument: RatingInstrument) -> Reading:
    """Read ratings.

    `responses`: The responses, with `file`, `key`, `status` and the columns that the instrument names.

    The responses with `rating` (of reversed items turned round), `rating_label` (its label, or the number where the
    scale has none), `rating_given` (as it stands in the text), `rating_rule` and `unrated_reason`; the findings are the
    texts without a rating that do not decline.
    """
    for setting, column in instrument.reads.items():
        if column not in responses.columns:
            raise UsageError(f"instrument.{setting}: the responses have no column {column!r}")
    text = pl.col(instrument.column).cast(pl.String)
    asked = responses.select(pl.when(~(failed() | stopped())).then(text).alias("said"))
    different = asked.filter(pl.col("said").is_not_null()).unique(maintain_order=True)
    declines = refusal.declines(pl.col("said"), instrument.refusal_phrases)
    forms = different.select(plain(safe(pl.col("said"))).alias("plain"), declines.alias("declines"))
    scale = Scale(instrument)
    found = [scale.read(form, declines=is_refusal) for form, is_refusal in forms.iter_rows()]
    read = different.with_columns(
        pl.Series("rating_given", [one.value for one in found], dtype=pl.Float64),
        pl.Series("rating_rule", [one.rule for one in found], dtype=pl.String),
        pl.Series("unrated_reason", [one.reason for one in found], dtype=pl.String),
    )
    joined = asked.join(read, on="said", how="left", nulls_equal=True, maintain_order="left")
    is_silent = asked.get_column("said").is_null()
    without = pl.when(stopped()).then(pl.lit("declined")).otherwise(pl.lit("no-response"))
    made = responses.with_columns(joined.select(pl.exclude("said")).get_columns()).with_columns(
        pl.when(failed())
        .then(None)
        .when(stopped())
        .then(pl.lit("delivered"))
        .otherwise(pl.col("rating_rule").fill_null("empty"))
        .alias("rating_rule"),
        pl.when(failed()).then(None).when(is_silent).then(without).otherwise("unrated_reason").alias("unrated_reason"),
    )
    is_reversed = [pl.col(column).cast(pl.String).is_in(values) for column, values in instrument.reversed.items()]
    turned = pl.any_horizontal(pl.lit(value=False), *is_reversed).fill_null(value=False)
    reason = pl.col("unrated_reason")
    made = made.with_columns(
        pl.when(turned)
        .then(instrument.lowest + instrument.top - pl.col("rating_given"))
        .otherwise("rating_given")
        .alias("rating"),
        pl.when(failed())
        .then(pl.lit("error"))
        .when(reason.is_in(REFUSED))
        .then(pl.lit("refused"))
        .when(reason.is_not_null())
        .then(pl.lit("invalid"))
        .alias(VERDICT),
    )
    made = made.with_columns(_label(instrument).alias("rating_label"))
    unread = made.filter((pl.col(VERDICT) == "invalid") & (reason != "no-response"))
    rows = unread.select("file", "key", text.fill_null("")).iter_rows() if instrument.undecided != "ignore" else ()
    expected = f"a rating from {instrument.lowest:g} to {instrument.top:g}"
    findings = [Problem(file, key, instrument.column, said, expected) for file, key, said in rows]
    if findings and instrument.undecided == "error":
        raise DataError(findings)
    return Reading(made, tuple(findings))


def _label(instrument: RatingInstrument) -> pl.Expr:
    """The label of a rating, or the number as text: what shares, top boxes and stacked bars are of."""
    rating = pl.col("rating")
    if instrument.labels is None:
        whole = pl.when(rating == rating.floor()).then(rating.cast(pl.Int64, strict=False).cast(pl.String))
        return pl.coalesce(whole, rating.cast(pl.String))
    labels = {instrument.lowest + place: label for place, label in enumerate(instrument.labels)}
    return rating.replace_strict(labels, default=None, return_dtype=pl.String)
