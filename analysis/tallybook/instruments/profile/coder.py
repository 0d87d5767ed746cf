"""The profile instrument: the attributes of a described person, and whether the text declines to describe one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.outcomes import answers
from tallybook.instruments.profile import block as attribute_block
from tallybook.instruments.reading import VERDICT, failed, stopped
from tallybook.study.check_outcomes import is_asked
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.instruments.outcomes import Outcome
    from tallybook.instruments.profile.instrument import ProfileInstrument


def read(responses: pl.DataFrame, outcomes: Mapping[str, Outcome], instrument: ProfileInstrument) -> Reading:
    """Read profiles.

    A delivered refusal, or a text without attributes that declines, is `refused`; a failed request is `error`.
    """
    if instrument.attributes == "text":
        responses = responses.with_columns(
            attribute_block.parse(responses.get_column("text"), instrument.block).get_columns()
        )
    told = [outcome for outcome in answers(outcomes).values() if outcome.attribute in responses.columns]
    nothing = pl.all_horizontal(
        pl.lit(value=True), *(pl.col(outcome.attribute).is_null() | ~is_asked(outcome) for outcome in told)
    )
    # Only texts without attributes are read: searching all of them takes most of the time otherwise.
    declines = refusal.declines(pl.when(nothing).then(pl.col("text")), instrument.refusal_phrases, instrument.languages)
    refused = stopped() | (nothing & declines)
    verdict = pl.when(failed()).then(pl.lit("error")).when(refused).then(pl.lit("refused"))
    return Reading(responses.with_columns(verdict.alias(VERDICT)))
