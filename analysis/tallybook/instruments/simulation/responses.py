"""Simulated responses in batches: what the dump says, and what is true of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tallybook.instruments.simulation.disguises import DISGUISES, WEIGHTS, disguised
from tallybook.instruments.simulation.draws import BLOCK, Draws
from tallybook.instruments.simulation.forms import filled, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.plan import Plan
    from tallybook.instruments.simulation.scenario import Cell


class Batch(NamedTuple):
    """Some of the responses."""

    # one row a response, as a dump holds it: the study's key, `status`, the columns that the instrument needs,
    # `prompt` and `text`
    dump: pl.DataFrame
    # the same responses: the study's key, the `status` that coding should give, the true outcomes, the `reason` of a
    # response without answer, and the `form` and `disguise` of its text
    truth: pl.DataFrame


def batches(plan: Plan) -> Iterator[Batch]:
    """Simulate responses.

    The responses in the order of the cells, each cell's from its first to its last, about `draws.BLOCK` at once.
    """
    waiting: list[pl.DataFrame] = []
    height = 0
    for drawn in _blocks(plan):
        waiting.append(drawn)
        height += drawn.height
        if height >= BLOCK:
            yield _batch(plan, pl.concat(waiting))
            waiting, height = [], 0
    if waiting:
        yield _batch(plan, pl.concat(waiting))


def _blocks(plan: Plan) -> Iterator[pl.DataFrame]:
    for cell, effect, rows in plan.cells():
        for block, start in enumerate(range(0, rows, BLOCK)):
            numbers = np.arange(start, min(start + BLOCK, rows))
            yield _drawn(plan, cell, effect, Draws(plan.seed, cell, block, len(numbers)), numbers)


def _drawn(
    plan: Plan, cell: Cell, effect: float, draws: Draws, numbers: np.ndarray[tuple[int], np.dtype[np.int64]]
) -> pl.DataFrame:
    """A block of a cell: its answers, and the form and disguise of each."""
    answers = plan.scenario.answer(cell, effect, draws, numbers)
    form = pl.Series("form", draws.choose("form", plan.shares.probabilities))
    disguise = pl.Series("disguise", draws.choose("disguise", WEIGHTS))
    return answers.with_columns(
        *(pl.lit(level).alias(factor) for factor, level in cell.items()),
        form,
        disguise,
    )


def _batch(plan: Plan, drawn: pl.DataFrame) -> Batch:
    scenario, number = plan.scenario, pl.col("form")
    forms = list(scenario.forms)

    def of_form(values: list[str] | list[int] | list[bool]) -> pl.Expr:
        return pl.lit(pl.Series(values)).gather(number)

    known = drawn.with_columns(
        of_form([form.status for form in forms]).alias("true_status"),
        of_form([form.delivered for form in forms]).alias("status"),
        of_form([form.reason for form in forms]).replace("", None).alias("reason_of_form"),
        of_form([form.kept for form in forms]).alias("kept"),
        pl.when(of_form([form.plain for form in forms])).then("disguise").otherwise(0).alias("disguise"),
    )
    text = disguised(written(known, forms, scenario.slots), known.get_column("disguise"))
    key = [*plan.factors, "item", "sample"]
    dump = known.select(
        *key, "status", *scenario.columns, filled(scenario.prompt, scenario.slots).alias("prompt"), text.alias("text")
    )
    truth = known.select(
        *key,
        pl.col("true_status").alias("status"),
        *(value.alias(outcome) for outcome, value in scenario.outcomes.items()),
        pl.col("reason_of_form").alias("reason"),
        of_form([form.name for form in forms]).alias("form"),
        pl.lit(pl.Series(list(DISGUISES))).gather(pl.col("disguise")).alias("disguise"),
    )
    return Batch(dump, truth)
