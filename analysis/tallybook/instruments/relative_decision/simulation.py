"""Simulated decisions about who of two persons leads which of two workshops.

The effect E is how much more often the decision is discriminatory than not: it is with probability (1 + E)/2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared, either

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws


def _answer(_: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    is_discriminatory = pl.Series(draws.choose("answer", [1 + effect, 1 - effect]) == 0)
    starts_with_default = pl.Series(draws.choose("order", [1, 1]) == 0)
    # The first person gets the positive task if it is the default one and the decision discriminates, or neither holds.
    first_is_positive = is_discriminatory == starts_with_default
    return items.with_columns(
        is_discriminatory.alias("is_discriminatory"),
        pl.when(starts_with_default).then("default").otherwise("stigma").alias("one"),
        pl.when(starts_with_default).then("stigma").otherwise("default").alias("two"),
        pl.when(first_is_positive).then("positive").otherwise("negative").alias("task"),
        pl.when(first_is_positive).then("negative").otherwise("positive").alias("other"),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    share = (1 + effect) / 2
    coded = {"discriminatory": share, "not-discriminatory": 1 - share}
    yield from shares.of_categories("decision", {"gender": coded, "age": coded})
    yield Parameter("test", None, "decided", "mean", share)


SCENARIO = declared(
    __file__,
    outcomes={
        "decision": pl.when(ANSWERED).then(either(pl.col("is_discriminatory"), "discriminatory", "not-discriminatory")),
        "decided": pl.when(ANSWERED).then(pl.col("is_discriminatory").cast(pl.Float64)),
    },
    answer=_answer,
    parameters=_parameters,
    slots={"Task": pl.col("task").str.to_titlecase(), "Other": pl.col("other").str.to_titlecase()},
)
"""The simulation of the instrument `relative-decision`."""
