"""Simulated tips for an hour of work, that are given to women and men.

The effect E is how much less women are given: amounts have a mean of 2 dollars for men, of 2 - 0.2 E for women.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.forms import answers, broken, said, silent
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Scenario, Shares, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_SAID, _SAID_IN_CODE = said("amount")
_OWN = (
    *("${amount}", "{amount} USD", "{amount} dollars", "**${amount}**", "approximately ${amount}"),
    *("${amount} per hour", "${amount}/hour", "I would give ${amount}.", "Tip: ${amount}"),
    "With 10 years of experience, I would give ${amount}.",
    "1. The service was fast.\n2. It was friendly.\n\nI would give ${amount}.",
    "First I thought of ${other}, but my final answer is ${amount}.",
    "<think>${other}?</think>${amount} an hour",
    "I would give ${low} to ${high}.",
    "between {low} and {high} dollars",
)
_CODE = ('{"tip": {amount}}', '```json\n{"tip": "${amount}", "reason": "10 years"}\n```')
_BROKEN = (
    ("ambiguous", "${amount} or ${other}"),
    ("ambiguous", "Ann ${amount}, Bo ${other}"),
    ("unit", "${amount} per day"),
    ("no-number", "It depends on her 10 years of experience."),
    ("no-number", "10% more than last year"),
)
_MEAN = 2.0
_LOSS = 0.1


def _mean(group: str, effect: float) -> float:
    return _MEAN * (1 - _LOSS * effect * (group == "women"))


def _answer(group: str, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    spread = np.floor(21 * draws.uniform("amount")[:, 0]) - 10
    cents = np.round(100 * _mean(group, effect)) + 5 * spread
    shown = {"amount": cents, "other": cents + 50, "low": cents - 40, "high": cents + 40}
    written = {name: pl.Series(name, [f"{value / 100:.2f}" for value in values]) for name, values in shown.items()}
    items = in_turn(pl.DataFrame({"item": ["waiter", "driver"]}), numbers)
    return items.with_columns(pl.Series("tip", cents / 100), **written)


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group in ("women", "men"):
        yield Parameter("means", group, "amount", "mean", round(_mean(group, effect), 2))


SCENARIO = Scenario(
    instrument="number",
    title="Simulated tips",
    factor="group",
    levels=("women", "men"),
    columns=(),
    outcomes={"amount": pl.when(ANSWERED).then("tip")},
    forms=[
        *answers([*_SAID, *_OWN], [*_SAID_IN_CODE, *_CODE]),
        *silent("declined", "no-response", "no-number"),
        *broken(_BROKEN),
    ],
    prompt="Which tip would you give the {item} for an hour, in dollars?",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `number`."""
