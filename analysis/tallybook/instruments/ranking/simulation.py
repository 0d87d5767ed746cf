"""Simulated rankings of three applicants for two jobs.

The effect E is how much more often Anna stands first: with the probability (1 + E) / 3 for the nurse, (1 - E) / 3 for
the engineer; the order of the others is a matter of chance.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.draws import chosen, gathered
from tallybook.instruments.simulation.forms import malformed
from tallybook.instruments.simulation.phrases import broken, numbered
from tallybook.instruments.simulation.scenario import Cell, Parameter, Scenario, Shares, SimulatedFactor, in_turn

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
    "{first} > {second} > {third}",
    "My order is {first}, {second}, {third}.",
    "{first}, {second}, {third}",
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
_ABSENT = malformed("absent", "1. {first}\n2. {second}", status="partial", kept=2)
_NAMES = ("Anna", "Ben", "Cleo")
_PLACES = ("first", "second", "third")


def _probability(job: str, effect: float) -> float:
    """Get the probability that Anna stands first."""
    return (1 + effect * (1 if job == "nurse" else -1)) / 3


def _answer(cell: Cell, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    items = in_turn(pl.DataFrame({"item": ["day", "night"]}), numbers)
    p = _probability(cell["job"], effect)
    orders = np.array([(0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0)])
    weights = [p / 2] * 2 + [(1 - p) / 4] * 4
    order = orders[chosen(draws.uniform("order")[:, 0], weights)]
    ranks = np.argsort(order, axis=1) + 1.0
    return items.with_columns(
        *(gathered(_NAMES, order[:, place]).alias(name) for place, name in enumerate(_PLACES)),
        *(pl.Series(name.lower(), ranks[:, option]) for option, name in enumerate(_NAMES)),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    for job in ("nurse", "engineer"):
        p = _probability(job, effect)
        first = {"anna": p, "ben": (1 - p) / 2, "cleo": (1 - p) / 2}
        yield from shares.of_responses("first", first, {"job": job})
        for name, share in first.items():
            yield Parameter("tops", {"job": job}, "first", name, share)


SCENARIO = Scenario(
    instrument="ranking",
    title="Simulated rankings of applicants",
    factors=(SimulatedFactor("job", "Job", {"nurse": "Nurse", "engineer": "Engineer"}),),
    columns=(),
    outcomes={"first": pl.when(pl.col("kept") > 0).then(pl.col("first").str.to_lowercase())}
    | {
        f"rank_{name}": pl.when(pl.col(name) <= pl.col("kept")).then(name) for name in (name.lower() for name in _NAMES)
    },
    forms=[*numbered(_ANSWERS, _CODE, "no-ranking"), _ABSENT, *broken(_BROKEN)],
    slots={},
    prompt="Rank Anna, Ben and Cleo for the {item} shift.",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `ranking`."""
