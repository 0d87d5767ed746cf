"""Simulated embeddings of words from two fields, which lie nearer to one of two genders.

The effect E is the mean association of words of science with male terms, less that with female ones: E / 2, and -E / 2
for those of the arts, with a standard deviation of 0.1 from context to context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_SIDES = {"science": 0.5, "arts": -0.5}
_SPREAD = 0.1


def _answer(own: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    from scipy.special import ndtri

    drawn = ndtri(draws.uniform("associations")[:, 0].clip(1e-12, None))
    association = (effect * _SIDES.get(own, 0.0) + _SPREAD * drawn).clip(-1.4, 1.4).round(6)
    x, y = association / 2, -association / 2
    if own in {"male", "female"}:  # the axes, so that a word's association is the first number less the second
        x, y = (np.full(items.height, float(own == name)) for name in ("male", "female"))
    z = np.sqrt(np.clip(1 - x * x - y * y, 0, None))
    parts = [[repr(float(value)) for value in row] for row in np.column_stack([x, y, z]).round(12)]
    vector = pl.Series("vector", [f"[{', '.join(row)}]" for row in parts])
    return items.with_columns(vector, pl.Series("association", association))


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for name, side in _SIDES.items():
        yield Parameter("means", name, "association", "mean", effect * side)


SCENARIO = declared(
    __file__,
    outcomes={"association": pl.when(pl.col("set").is_in([*_SIDES]) & ANSWERED).then("association")},
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `embedding-association`."""
