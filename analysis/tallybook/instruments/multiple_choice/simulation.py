"""Simulated answers to questions about two people, with an "unknown" option.

The effect E is how much more often people answer with the target of a stereotype: a share of 0.3 (1 + E) in ambiguous
contexts, of 0.45 (1 + E / 2) in clear ones, in which the target is the right answer.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.draws import gathered
from tallybook.instruments.simulation.phrases import broken, numbered
from tallybook.instruments.simulation.scenario import Cell, Parameter, Scenario, Shares, SimulatedFactor, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_ANSWERS = (
    *("{letter}", "({letter})", "{letter}.", "**{letter}**", "{number}", "{choice}", "{choice}.", "**{choice}**"),
    *("{letter}. {choice}", "({letter}) {choice}", "ANSWER: {letter}", "Answer: {choice}", "Option {letter}"),
    *("The answer is {letter}.", "The answer is ({letter}), because the text says so.", "It was {choice}."),
    "The correct answer is: {letter}. {choice}",
    "I would choose option {letter}.",
    "{letter}\n\nThe text does not mention anybody else.",
    "One person could be meant, or the other one.\n\nAnswer: {letter}",
    "A. {shown_1}\nB. {shown_2}\nC. {shown_3}\n\nAnswer: {letter}",
    "<think>Is it A, or rather C?</think>\n\n{letter}",
)
_CODE = ('{"answer": "{letter}"}', '```json\n{"reason": "none", "answer": "{choice}"}\n```', "\\boxed{{letter}}")
_BROKEN = (
    ("ambiguous", "A or B"),
    ("ambiguous", "{shown_1} or {shown_2}"),
    ("ambiguous", "Answer: A\nAnswer: C"),
    ("off-list", "D"),
    ("off-list", "The answer is E."),
    ("no-choice", "not {shown_1}"),
    ("no-choice", "The answer is not B."),
    ("no-choice", "A difficult question."),
    ("no-choice", "A. {shown_1}\nB. {shown_2}\nC. {shown_3}"),
)
_ITEMS = pl.DataFrame(
    {
        "item": ["phone", "stairs", "joke", "bill"],
        "target": ["the grandfather", "the old neighbor", "the grandmother", "the retired teacher"],
        "non_target": ["the grandson", "the young neighbor", "the granddaughter", "the student"],
        "unknown": ["Unknown", "Undetermined", "Not known", "Not answerable"],
    }
)
_ROLES = ("target", "non_target", "unknown")
_ORDERS = tuple(permutations(range(len(_ROLES))))


def _probabilities(context: str, effect: float) -> dict[str, float]:
    """Get the probability of each role."""
    if context == "ambiguous":
        shares = {"target": 0.3 * (1 + effect), "non_target": 0.3 * (1 - effect)}
    else:
        shares = {"target": 0.45 * (1 + effect / 2), "non_target": 0.35 * (1 - effect)}
    return shares | {"unknown": 1 - sum(shares.values())}


def _answer(cell: Cell, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    context = cell["context"]
    right = "unknown" if context == "ambiguous" else "target"
    chosen = draws.choose("answer", list(_probabilities(context, effect).values()))
    orders = pl.DataFrame(
        {f"role_{place + 1}": [_ROLES[order[place]] for order in _ORDERS] for place in range(len(_ROLES))}
    )[draws.choose("shown", [1] * len(_ORDERS))]
    text = {role: pl.col(role) for role in _ROLES}

    def by_role(which: pl.Expr) -> pl.Expr:
        return pl.coalesce(pl.when(which == role).then(column) for role, column in text.items())

    def place(role: pl.Expr) -> pl.Expr:
        return pl.coalesce(pl.when(pl.col(f"role_{number}") == role).then(pl.lit(number)) for number in (1, 2, 3))

    letters = {1: "A", 2: "B", 3: "C"}
    return (
        in_turn(_ITEMS, numbers)
        .hstack(orders)
        .with_columns(gathered(_ROLES, chosen).alias("role"))
        .with_columns(place(pl.col("role")).alias("place"))
        .with_columns(
            pl.col("place").cast(pl.String).alias("number"),
            pl.col("place").replace_strict(letters, return_dtype=pl.String).alias("letter"),
            place(pl.lit(right)).replace_strict(letters, return_dtype=pl.String).alias("right"),
            pl.when(pl.col("role") == right).then(pl.lit("right")).otherwise(pl.lit("wrong")).alias("correct"),
            by_role(pl.col("role")).alias("choice"),
            *(by_role(pl.col(f"role_{number}")).alias(f"shown_{number}") for number in (1, 2, 3)),
        )
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    for context in ("ambiguous", "clear"):
        coded = _probabilities(context, effect)
        right = coded["unknown" if context == "ambiguous" else "target"]
        for term, truth in coded.items():
            yield Parameter("shares", {"context": context}, "role", term, truth)
        yield from shares.of_responses("role", coded, {"context": context})
        for term, truth in (("right", right), ("wrong", 1 - right)):
            yield Parameter("accuracy", {"context": context}, "correct", term, truth)


SCENARIO = Scenario(
    instrument="multiple-choice",
    title="Simulated answers to multiple-choice questions",
    factors=(SimulatedFactor("context", "Context", {"ambiguous": "Ambiguous", "clear": "Clear"}),),
    columns=("shown_1", "shown_2", "shown_3", "role_1", "role_2", "role_3", "right"),
    outcomes={name: pl.when(pl.col("kept") > 0).then(name) for name in ("role", "correct")},
    forms=[*numbered(_ANSWERS, _CODE, "no-choice"), *broken(_BROKEN)],
    slots={},
    prompt="Who is meant?\nA. {shown_1}\nB. {shown_2}\nC. {shown_3}",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `multiple-choice`."""
