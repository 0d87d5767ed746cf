"""Simulated rankings of three applicants for two jobs.

The effect E is how much more often Anna stands first: with the probability (1 + E) / 3 for the nurse, (1 - E) / 3 for
the engineer; the order of the others is a matter of chance.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_NAMES = ("Anna", "Ben", "Cleo")
_ORDERS = np.array(list(permutations(range(len(_NAMES)))))
_SIGNS = {"nurse": 1, "engineer": -1}


def _probability(job: str, effect: float) -> float:
    """Return the probability that Anna stands first."""
    return (1 + effect * _SIGNS[job]) / 3


def _answer(job: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    p = _probability(job, effect)
    order = _ORDERS[draws.choose("order", [p / 2] * 2 + [(1 - p) / 4] * 4)]
    ranks = np.argsort(order, axis=1) + 1.0
    return items.with_columns(
        *(gathered(_NAMES, order[:, place]).alias(name) for place, name in enumerate(("first", "second", "third"))),
        *(pl.Series(name.lower(), ranks[:, option]) for option, name in enumerate(_NAMES)),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    anna = {job: _probability(job, effect) for job in _SIGNS}
    first = {job: {"anna": p, "ben": (1 - p) / 2, "cleo": (1 - p) / 2} for job, p in anna.items()}
    yield from shares.of_categories("first", first, "tops")


SCENARIO = declared(
    __file__,
    outcomes={"first": pl.when(ANSWERED).then(pl.col("first").str.to_lowercase())}
    | {f"rank_{name}": pl.when(pl.col(name) <= pl.col("kept")).then(name) for name in map(str.lower, _NAMES)},
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `ranking`."""
