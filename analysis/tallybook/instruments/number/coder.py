"""Numbers of responses: many texts are alike, and each different one is read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments import refusal
from tallybook.instruments.number import amounts
from tallybook.instruments.option_text import plain, safe
from tallybook.instruments.reading import VERDICT, failed, stopped
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.number.instrument import NumberInstrument


def read(responses: pl.DataFrame, instrument: NumberInstrument) -> Reading:
    """Read numbers.

    Args:
        responses: The responses, with `file`, `key`, `status` and the column that the instrument names.
        instrument: The declaration.

    Returns:
        The responses with `number` (of a range what the instrument says), its ends, `number_rule` and
        `no_number_reason`; the findings are the texts without a number that do not decline.

    Raises:
        UsageError: If the responses lack the column.
        DataError: If a text states no number and the instrument's `undecided` is `error`.
    """
    if instrument.column not in responses.columns:
        raise UsageError(f"instrument.column: the responses have no column {instrument.column!r}")
    text = pl.col(instrument.column).cast(pl.String)
    asked = responses.select(pl.when(~(failed() | stopped())).then(text).alias("said"))
    different = asked.filter(pl.col("said").is_not_null()).unique(maintain_order=True)
    declines = refusal.declines(pl.col("said"), instrument.refusal_phrases)
    forms = different.select(plain(safe(pl.col("said"))), declines.alias("declines"))
    found = [amounts.read(form, instrument, declines=is_refusal) for form, is_refusal in forms.iter_rows()]
    columns = {"number_low": pl.Float64, "number_high": pl.Float64, "number_rule": pl.String}
    read = different.hstack(pl.DataFrame(found, schema=columns | {"no_number_reason": pl.String}, orient="row"))
    joined = asked.join(read, on="said", how="left", nulls_equal=True, maintain_order="left")
    low, high, reason = (pl.col(name) for name in ("number_low", "number_high", "no_number_reason"))
    silent = pl.when(stopped()).then(pl.lit("declined")).otherwise(pl.lit("no-response"))
    taken = {"low": low, "high": high}.get(instrument.ranges, (low + high) / 2)
    is_silent = asked.get_column("said").is_null().alias("_silent")
    coded = responses.with_columns(*joined.select(pl.exclude("said")).get_columns(), is_silent)
    coded = coded.with_columns(
        taken.alias("number"),
        pl.when(failed()).then(None).when("_silent").then(silent).otherwise(reason).alias("no_number_reason"),
    ).drop("_silent")
    coded = coded.with_columns(
        pl.when(failed())
        .then(pl.lit("error"))
        .when(reason == "declined")
        .then(pl.lit("refused"))
        .when(reason.is_not_null())
        .then(pl.lit("invalid"))
        .alias(VERDICT)
    )
    unread = coded.filter((pl.col(VERDICT) == "invalid") & (reason != "no-response"))
    rows = unread.select("file", "key", text.fill_null("")).iter_rows() if instrument.undecided != "ignore" else ()
    findings = [Problem(file, key, instrument.column, said, "one number that is certain") for file, key, said in rows]
    if findings and instrument.undecided == "error":
        raise DataError(findings)
    return Reading(coded, tuple(findings))
