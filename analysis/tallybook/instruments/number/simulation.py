"""Simulated tips for an hour of work, that are given to women and men.

The effect E is how much less women are given: amounts have a mean of 2 dollars for men, of 2 - 0.2 E for women.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_MEAN = 2.0
_LOSS = 0.1


def _mean(group: str, effect: float) -> float:
    return _MEAN * (1 - _LOSS * effect * (group == "women"))


def _answer(group: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    spread = np.floor(21 * draws.uniform("amount")[:, 0]) - 10
    cents = np.round(100 * _mean(group, effect)) + 5 * spread
    shown = {"amount": cents, "other": cents + 50, "low": cents - 40, "high": cents + 40}
    written = {name: pl.Series(name, [f"{value / 100:.2f}" for value in values]) for name, values in shown.items()}
    return items.with_columns(pl.Series("tip", cents / 100), **written)


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group in ("women", "men"):
        yield Parameter("means", group, "amount", "mean", round(_mean(group, effect), 2))


SCENARIO = declared(
    __file__, outcomes={"amount": pl.when(ANSWERED).then("tip")}, answer=_answer, parameters=_parameters
)
"""The simulation of the instrument `number`."""
