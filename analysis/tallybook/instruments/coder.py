"""The coding of responses: the study's instrument reads the texts, then the study's outcomes are coded."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.annotations import Settled
from tallybook.instruments.first_answers import with_first_answers
from tallybook.instruments.outcomes import code_outcomes
from tallybook.study.coding import Categories

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.instruments.annotations import HandCoding
    from tallybook.study.instrument_base import Instrument
    from tallybook.study.model import Study


class Coding(NamedTuple):
    """Coded responses, and the findings about them."""

    coded: pl.DataFrame  # the responses with a column for each outcome, and their coded status
    unmapped: pl.DataFrame  # labels that no category is declared for: `outcome`, `label` and `count`
    findings: tuple[Problem, ...]  # faults of the data that the study declares as known, in the order of the responses


NOTHING_UNMAPPED = pl.DataFrame(schema={"outcome": pl.String, "label": pl.String, "count": pl.Int64})
"""An empty frame of unmapped labels."""


def code(
    responses: pl.DataFrame,
    study: Study,
    instrument: Instrument,
    progress: Callable[[int], None] = lambda _: None,
    *,
    lists: Sequence[pl.DataFrame] = (),
    by_hand: HandCoding | None = None,
) -> Coding:
    """Code responses with an instrument."""
    made = settled(responses, study, instrument, progress, lists=lists, by_hand=by_hand)
    return Coding(made.coded, counted(made.unmapped), made.findings)


def settled(
    responses: pl.DataFrame,
    study: Study,
    instrument: Instrument,
    progress: Callable[[int], None] = lambda _: None,
    *,
    lists: Sequence[pl.DataFrame] = (),
    by_hand: HandCoding | None = None,
) -> Settled:
    """Code responses and apply hand codes; unmapped labels are listed for each response."""
    used = instrument if by_hand is None else instrument.lenient
    firsts = with_first_answers(responses, used, study.outcomes, lists)
    reading = used.code(firsts, study.outcomes, lists)
    read = reading.responses
    if firsts is not responses:
        read = read.with_columns(responses.select(name for name in used.texts if name in responses.columns))
    coded, unmapped = code_outcomes(read, study.outcomes, progress, texts=used.texts)
    rules = Settled(coded, unmapped, reading.findings, None, ())
    made = rules if by_hand is None else by_hand.settle(coded, unmapped, reading.findings)
    if made.findings and used != instrument:
        raise DataError(list(made.findings))
    if instrument.unmapped_is_error and made.unmapped.height:
        raise DataError(_problems(made.unmapped, study))
    if by_hand is not None:  # only now, as a rejected part may be coded again without its bad rows
        by_hand.add(made)
    return made


def _problems(unmapped: pl.DataFrame, study: Study) -> list[Problem]:
    expected = {
        name: f"a label of {', '.join(outcome.labels)}" if isinstance(outcome, Categories) else "a finite number"
        for name, outcome in study.outcomes.items()
    }
    return [
        Problem(row["file"], row["key"], row["outcome"], row["label"], expected[row["outcome"]])
        for row in unmapped.iter_rows(named=True)
    ]


def counted(unmapped: pl.DataFrame) -> pl.DataFrame:
    """Count the unmapped labels of each outcome, the most frequent first."""
    labels = unmapped.group_by("outcome", "label").agg(pl.col("count").sum())
    return labels.sort("outcome", "count", "label", descending=[False, True, False])
