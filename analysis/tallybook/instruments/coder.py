"""The coding of responses: the study's instrument reads the texts, then the study's outcomes are coded."""

from __future__ import annotations

from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core import processes
from tallybook.core.errors import DataError, Problem
from tallybook.instruments.annotations import Settled
from tallybook.instruments.first_answers import with_first_answers
from tallybook.instruments.outcomes import code_outcomes
from tallybook.study.coding import Categories
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.instruments.annotations import HandCoding
    from tallybook.study.coding import Outcome
    from tallybook.study.instrument_base import Instrument
    from tallybook.study.model import Study

TRIED, AT_ONCE = 2**10, 2**12
"""The number of responses that are read to see how long all take, and the number that a process reads at once."""
SOON = 5
"""The seconds that reading may take in one process."""


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
    reading = _read_at_once(responses, partial(_read, used, study.outcomes, lists), is_row_by_row=used.is_row_by_row)
    coded, unmapped = code_outcomes(reading.responses, study.outcomes, progress, texts=used.texts)
    rules = Settled(coded, unmapped, reading.findings, None, ())
    made = rules if by_hand is None else by_hand.settle(coded, unmapped, reading.findings)
    if made.findings and used != instrument:
        raise DataError(list(made.findings))
    if instrument.unmapped_is_error and made.unmapped.height:
        raise DataError(_problems(made.unmapped, study))
    if by_hand is not None:  # only now, as a rejected part may be coded again without its bad rows
        by_hand.add(made)
    return made


def _read_at_once(
    responses: pl.DataFrame, read: Callable[[pl.DataFrame], Reading | list[Problem]], *, is_row_by_row: bool
) -> Reading:
    """Read responses, in several processes if that takes long; the faults of all of them are raised together."""
    if is_row_by_row and processes.number() > 1 and responses.height > TRIED + AT_ONCE:
        started, rest = monotonic(), responses[TRIED:]
        made = [read(responses[:TRIED])]
        is_long = (monotonic() - started) * rest.height / TRIED > SOON
        made += processes.mapped(read, rest.iter_slices(AT_ONCE)) if is_long else [read(rest)]
    else:
        made = [read(responses)]
    if problems := dict.fromkeys(problem for one in made if isinstance(one, list) for problem in one):
        raise DataError([*problems])
    readings = [one for one in made if isinstance(one, Reading)]
    rows = pl.concat([one.responses for one in readings], how="vertical_relaxed")
    return Reading(rows, tuple(finding for one in readings for finding in one.findings))


def _read(
    instrument: Instrument, outcomes: Mapping[str, Outcome], lists: Sequence[pl.DataFrame], responses: pl.DataFrame
) -> Reading | list[Problem]:
    """Read responses, or return their faults."""
    try:
        firsts = with_first_answers(responses, instrument, outcomes, lists)
        reading = instrument.code(firsts, outcomes, lists)
    except DataError as error:
        return error.problems
    if firsts is responses:
        return reading
    texts = responses.select(name for name in instrument.texts if name in responses.columns)
    return reading._replace(responses=reading.responses.with_columns(texts))


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
