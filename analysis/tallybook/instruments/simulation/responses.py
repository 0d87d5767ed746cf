"""Simulated responses in batches: what the dump says, and what is true of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tallybook.instruments.simulation.draws import BLOCK, Draws
from tallybook.instruments.simulation.texts import DISGUISES, WEIGHTS, disguised, filled, written

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.plan import Plan


class Batch(NamedTuple):
    """Some of the responses."""

    # one row a response, as a dump holds it: the study's key, `status`, the columns that the instrument needs,
    # `prompt` and `text`
    dump: pl.DataFrame
    # the same responses: the study's key, the `status` that coding should give, the true outcomes, the `reason` of a
    # response without answer, and the `form` and `disguise` of its text
    truth: pl.DataFrame


def batches(plan: Plan) -> Iterator[Batch]:
    """Simulate the responses of the cells in their order, about `BLOCK` at once."""
    waiting: list[pl.DataFrame] = []
    for drawn in _blocks(plan):
        waiting.append(drawn)
        if sum(frame.height for frame in waiting) >= BLOCK:
            yield _batch(plan, pl.concat(waiting))
            waiting = []
    if waiting:
        yield _batch(plan, pl.concat(waiting))


def _blocks(plan: Plan) -> Iterator[pl.DataFrame]:
    """The answers of each block of a cell, with the form and disguise of each."""
    for cell, effect, rows in plan.cells():
        for block, start in enumerate(range(0, rows, BLOCK)):
            numbers = np.arange(start, min(start + BLOCK, rows))
            draws = Draws(plan.seed, cell, block, len(numbers))
            yield plan.scenario.answer(cell[plan.scenario.factor], effect, draws, numbers).with_columns(
                *(pl.lit(level).alias(factor) for factor, level in cell.items()),
                pl.Series("form", draws.choose("form", plan.shares.probabilities)),
                pl.Series("disguise", draws.choose("disguise", WEIGHTS)),
            )


def _batch(plan: Plan, drawn: pl.DataFrame) -> Batch:
    scenario, forms = plan.scenario, list(plan.scenario.forms)
    of_form = pl.DataFrame(
        {
            "name_of_form": [form.name for form in forms],
            "true_status": [form.status for form in forms],
            "status": [form.delivered for form in forms],
            "reason_of_form": [form.reason or None for form in forms],
            "kept": [form.kept for form in forms],
            "is_plain": [form.plain for form in forms],
        },
        schema_overrides={"reason_of_form": pl.String},
    )
    known = drawn.hstack(of_form[drawn.get_column("form")]).with_columns(
        pl.when("is_plain").then("disguise").otherwise(0).alias("disguise")
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
        pl.col("name_of_form").alias("form"),
        pl.lit(pl.Series(list(DISGUISES))).gather(pl.col("disguise")).alias("disguise"),
    )
    return Batch(dump, truth)
