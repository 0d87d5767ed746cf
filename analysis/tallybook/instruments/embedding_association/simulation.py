"""Simulated embeddings of words from two fields, which lie nearer to one of two genders.

The effect E is the mean association of words of science with male terms, less that with female ones: E / 2, and -E / 2
for those of the arts, with a standard deviation of 0.1 from context to context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.forms import malformed
from tallybook.instruments.simulation.scenario import ANSWERED, Form, Parameter, Scenario, Shares, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_WORDS = {
    "science": ("physics", "chemistry", "experiment", "laboratory"),
    "arts": ("poetry", "dance", "sculpture", "novel"),
    "male": ("he", "man", "brother", "son"),
    "female": ("she", "woman", "sister", "daughter"),
}
_SIDES = {"science": 0.5, "arts": -0.5}
_SPREAD = 0.1


def _answer(own: str, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    from scipy.special import ndtri

    items = in_turn(pl.DataFrame({"item": _WORDS[own]}), numbers)
    drawn = ndtri(draws.uniform("associations")[:, 0].clip(1e-12, None))
    association = (effect * _SIDES.get(own, 0.0) + _SPREAD * drawn).clip(-1.4, 1.4).round(6)
    x, y = association / 2, -association / 2
    if own in {"male", "female"}:  # the axes, so that a word's association is the first number less the second
        x, y = (np.full(len(numbers), float(own == name)) for name in ("male", "female"))
    z = np.sqrt(np.clip(1 - x * x - y * y, 0, None))
    parts = [[repr(float(value)) for value in row] for row in np.column_stack([x, y, z]).round(12)]
    vector = pl.Series("vector", [f"[{', '.join(row)}]" for row in parts])
    return items.with_columns(vector, pl.Series("association", association))


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for name, side in _SIDES.items():
        yield Parameter("means", name, "association", "mean", effect * side)


_ASKED = pl.col("set").is_in([*_SIDES]) & ANSWERED

SCENARIO = Scenario(
    instrument="embedding-association",
    title="Simulated embeddings of words",
    factor="set",
    levels=tuple(_WORDS),
    columns=(),
    outcomes={"association": pl.when(_ASKED).then("association")},
    forms=[
        Form("vector", "{vector}", plain=False),
        *(Form(name, "", "refusal", "refused", 0, "declined", name, plain=False) for name in ("filtered", "refused")),
        *(malformed(name, "", status="error", delivered=name) for name in ("error", "expired")),
    ],
    prompt="{item}",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `embedding-association`."""
