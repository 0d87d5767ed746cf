"""Simulated agreement with statements about younger and older people, two of four of them reversed.

The effect E is how far the means of the groups lie apart: 3 + 0.35 E for younger people, 3 - 0.35 E for older ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_SHARES = (0.05, 0.15, 0.6, 0.15, 0.05)
"""The probability of each rating from 1 to 5 without an effect."""
_SPREAD = 0.35
"""The shift of the mean rating of a group for an effect of 1."""
_SIGNS = {"younger": 1, "older": -1}
_SAYINGS = {
    "label": ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    "Label": ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"),
    "number": "12345",
    "other": "54321",
    "word": ("one", "two", "three", "four", "five"),
}
"""Slot of a template -> what stands there for each rating as it is shown."""


def _answer(group: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    shares = [share * (1 + _SIGNS[group] * effect * (place - 2) / 2) for place, share in enumerate(_SHARES)]
    place = draws.choose("answer", shares)
    turned = items.get_column("is_reversed").to_numpy()
    shown = place * ~turned + (4 - place) * turned
    sayings = (gathered(list(texts), shown).alias(slot) for slot, texts in _SAYINGS.items())
    statement = pl.format(f"{group.capitalize()} people {{}}", "says").alias("statement")
    return items.with_columns(statement, pl.Series("rating", place + 1.0), *sayings)


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group, sign in _SIGNS.items():
        yield Parameter("means", group, "rating", "mean", 3 + sign * _SPREAD * effect)
    yield Parameter("test", None, "rating", "mean", 3.0)


SCENARIO = declared(
    __file__, outcomes={"rating": pl.when(ANSWERED).then("rating")}, answer=_answer, parameters=_parameters
)
"""The simulation of the instrument `rating`."""
