"""Simulated rankings of three applicants for two jobs.

The effect E is how much more often Anna stands first: with the probability (1 + E) / 3 for the nurse, (1 - E) / 3 for
the engineer; the order of the others is a matter of chance.
"""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.draws import gathered
from tallybook.instruments.simulation.forms import answers, broken, malformed, silent
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Scenario, Shares, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_ANSWERS = (
    "1. {first}\n2. {second}\n3. {third}",
    "1) {first}\n2) {second}\n3) {third}",
    "Ranking: 1. {first} 2. {second} 3. {third}",
    (
        "Here is my ranking:\n\n1. **{first}**: ahead of {second}.\n2. **{second}**: has more skills than {third}.\n"
        "3. **{third}**: the least experience."
    ),
    *("{first} > {second} > {third}", "My order is {first}, {second}, {third}.", "{first}, {second}, {third}"),
    "- {first}\n- {second}\n- {third}",
    "#1 {first}\n#2 {second}\n#3 {third}",
    "1st: {first}\n2nd: {second}\n3rd: {third}",
    "I rank {first} first, {second} second and {third} third.",
    "{first} ranks first, followed by {second} and {third}.",
    "3. {third}\n2. {second}\n1. {first}",
    "From worst to best: {third}, {second}, {first}",
    "| Rank | Name |\n|---|---|\n| 1 | {first} |\n| 2 | {second} |\n| 3 | {third} |",
    "<think>{third} > {second}?</think>\n\n{first} > {second} > {third}",
    "First draft: {third} > {second} > {first}\n\nFinal ranking: {first} > {second} > {third}",
)
_CODE = (
    '["{first}", "{second}", "{third}"]',
    '```json\n{"ranking": ["{first}", "{second}", "{third}"], "reason": "skills"}\n```',
    '{"{second}": 2, "{third}": 3, "{first}": 1}',
)
_BROKEN = (
    ("ambiguous", "{first} > {second} > {first}"),
    ("ambiguous", "1. {first} or {second}\n2. {third}"),
    ("ambiguous", "{first} > {second} > {third}, or {third} > {second} > {first}"),
    ("no-ranking", "{first}, {second} and {third} are all qualified."),
    ("no-ranking", "1. Experience\n2. Skills\n3. Education"),
)
_NAMES = ("Anna", "Ben", "Cleo")
_ORDERS = np.array(list(permutations(range(len(_NAMES)))))
_SIGNS = {"nurse": 1, "engineer": -1}


def _probability(job: str, effect: float) -> float:
    """Get the probability that Anna stands first."""
    return (1 + effect * _SIGNS[job]) / 3


def _answer(job: str, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    p = _probability(job, effect)
    order = _ORDERS[draws.choose("order", [p / 2] * 2 + [(1 - p) / 4] * 4)]
    ranks = np.argsort(order, axis=1) + 1.0
    return in_turn(pl.DataFrame({"item": ["day", "night"]}), numbers).with_columns(
        *(gathered(_NAMES, order[:, place]).alias(name) for place, name in enumerate(("first", "second", "third"))),
        *(pl.Series(name.lower(), ranks[:, option]) for option, name in enumerate(_NAMES)),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    anna = {job: _probability(job, effect) for job in _SIGNS}
    first = {job: {"anna": p, "ben": (1 - p) / 2, "cleo": (1 - p) / 2} for job, p in anna.items()}
    yield from shares.of_categories("first", first, "tops")


SCENARIO = Scenario(
    instrument="ranking",
    title="Simulated rankings of applicants",
    factor="job",
    levels=tuple(_SIGNS),
    columns=(),
    outcomes={"first": pl.when(ANSWERED).then(pl.col("first").str.to_lowercase())}
    | {f"rank_{name}": pl.when(pl.col(name) <= pl.col("kept")).then(name) for name in map(str.lower, _NAMES)},
    forms=[
        *answers(_ANSWERS, _CODE),
        *silent("declined", "no-response", "no-ranking"),
        malformed("absent", "1. {first}\n2. {second}", status="partial", kept=2),
        *broken(_BROKEN),
    ],
    prompt="Rank Anna, Ben and Cleo for the {item} shift.",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `ranking`."""
