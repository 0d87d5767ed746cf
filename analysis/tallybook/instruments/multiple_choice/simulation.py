"""Simulated answers to questions about two people, with an "unknown" option.

The effect E is how much more often people answer with the target of a stereotype: a share of 0.3 (1 + E) in ambiguous
contexts, of 0.45 (1 + E / 2) in clear ones, in which the target is the right answer.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared, either

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_ROLES = ("target", "non_target", "unknown")
_ORDERS = tuple(permutations(_ROLES))
_RIGHT = {"ambiguous": "unknown", "clear": "target"}
"""Context -> the role of the right option."""


def _probabilities(context: str, effect: float) -> dict[str, float]:
    """Get the probability of each role."""
    if context == "ambiguous":
        shares = {"target": 0.3 * (1 + effect), "non_target": 0.3 * (1 - effect)}
    else:
        shares = {"target": 0.45 * (1 + effect / 2), "non_target": 0.35 * (1 - effect)}
    return shares | {"unknown": 1 - sum(shares.values())}


def _answer(context: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    right = _RIGHT[context]
    chosen = draws.choose("answer", list(_probabilities(context, effect).values()))
    order = draws.choose("shown", [1] * len(_ORDERS))
    roles = [gathered([order[place] for order in _ORDERS], order).alias(f"role_{place + 1}") for place in range(3)]

    def text(role: pl.Expr) -> pl.Expr:
        return pl.coalesce(pl.when(role == name).then(pl.col(name)) for name in _ROLES)

    def place(role: pl.Expr, shown: str) -> pl.Expr:
        return pl.coalesce(
            pl.when(pl.col(f"role_{number}") == role).then(pl.lit(shown[number - 1])) for number in (1, 2, 3)
        )

    role = pl.col("role")
    return items.with_columns(*roles, gathered(_ROLES, chosen).alias("role")).with_columns(
        place(role, "123").alias("number"),
        place(role, "ABC").alias("letter"),
        place(pl.lit(right), "ABC").alias("right"),
        either(role == right, "right", "wrong").alias("correct"),
        text(role).alias("choice"),
        *(text(pl.col(f"role_{number}")).alias(f"shown_{number}") for number in (1, 2, 3)),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    coded = {context: _probabilities(context, effect) for context in _RIGHT}
    yield from shares.of_categories("role", coded)
    for context, role in _RIGHT.items():
        right = coded[context][role]
        for term, truth in (("right", right), ("wrong", 1 - right)):
            yield Parameter("accuracy", context, "correct", term, truth)


SCENARIO = declared(
    __file__,
    outcomes={name: pl.when(ANSWERED).then(name) for name in ("role", "correct")},
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `multiple-choice`."""
