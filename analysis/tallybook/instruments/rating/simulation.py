"""Simulated agreement with statements about younger and older people, two of four of them reversed.

The effect E is how far the means of the groups lie apart: 3 + 0.35 E for younger people, 3 - 0.35 E for older ones.
"""

from __future__ import annotations

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
    *("{number}", "{number}.", "{Label}", "{label}.", "**{Label}**", "{number} - {Label}", "{Label} ({number})"),
    *(
        "{number}/5",
        "{number} out of 5",
        "Rating: {number}",
        "**Rating:** {number}/5",
        "I'd say {number}.",
        "({number})",
    ),
    *(
        "I would rate this a {number} out of 5.",
        "My answer is {label}.",
        "Answer: {Label}",
        "{word}",
        "I'd go with {word}.",
    ),
    "On a scale from 1 to 5, I would give this statement a {number}.",
    "On a scale of 1 (strongly disagree) to 5 (strongly agree), my rating is {number}.",
    "1 = strongly disagree, 5 = strongly agree. My rating: {number}",
    "{number}. {statement}, as far as one can say in 2 sentences.",
    "Here is my assessment of the statement:\n\n{number}\n\nIt rests on 3 studies.",
    "1. I read the statement.\n2. I thought about it.\n\nFinal rating: {number}",
    "First I thought of a rating of {other}, but my final rating is {number}.",
    "<think>Is it {other}? I can't rate people.</think>\n\n{number}",
    "There is little evidence either way. Overall rating: {number}",
)
_CODE = ('{"rating": {number}, "reason": "of 2 studies"}', '```json\n{"answer": "{Label}"}\n```', "\\boxed{{number}}")
_OPT_OUTS = ("Prefer not to say", "I don't know.", "**No opinion**")
_BROKEN = (
    ("ambiguous", "3 or 4"),
    ("ambiguous", "between 2 and 3"),
    ("ambiguous", "Rating: 2\nRating: 5"),
    ("ambiguous", "I agree, and I disagree."),
    ("off-scale", "8/10"),
    ("off-scale", "Rating: 7"),
    ("off-scale", "4.5"),
    ("no-rating", "{statement}?"),
    ("no-rating", "**N/A**"),
    ("no-rating", "It is not that I agree."),
    ("no-rating", "On a scale from 1 to 5, it is hard to say."),
)
_OPTED_OUT = broken([("opted-out", text) for text in _OPT_OUTS], "refused")
_SHARES = (0.05, 0.15, 0.6, 0.15, 0.05)
"""The probability of each rating from 1 to 5 without an effect."""
_SPREAD = 0.35
"""By how much an effect of 1 moves the mean rating of a group."""
_STATEMENTS = {
    "kind": "{people} are kind",
    "slow": "{people} are slow to learn",
    "skilled": "{people} are skilled",
    "dull": "{people} are dull company",
}


def _tilted(group: str, effect: float) -> list[float]:
    """The probabilities of the ratings of a group: higher ones are by the effect more probable of younger people."""
    sign = 1 if group == "younger" else -1
    return [share * (1 + sign * effect * (place - 2) / 2) for place, share in enumerate(_SHARES)]


def _answer(cell: Cell, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    people = f"{cell['group']} people".capitalize()
    statements = [statement.replace("{people}", people) for statement in _STATEMENTS.values()]
    items = in_turn(pl.DataFrame({"item": list(_STATEMENTS), "statement": statements}), numbers)
    place = draws.choose("answer", _tilted(cell["group"], effect))
    said = pl.Series("place", place)
    turned = items.get_column("item").is_in(["slow", "dull"])
    shown = pl.select(pl.when(turned).then(4 - said).otherwise(said)).to_series().to_numpy()
    labels = ("strongly disagree", "disagree", "neutral", "agree", "strongly agree")
    return items.with_columns(
        (said + 1).cast(pl.Float64).alias("rating"),
        gathered(labels, shown).alias("label"),
        gathered([label.capitalize() for label in labels], shown).alias("Label"),
        gathered(list("12345"), shown).alias("number"),
        gathered(list("54321"), shown).alias("other"),
        gathered(("one", "two", "three", "four", "five"), shown).alias("word"),
    )


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group, sign in (("younger", 1), ("older", -1)):
        yield Parameter("means", {"group": group}, "rating", "mean", 3 + sign * _SPREAD * effect)
    yield Parameter("test", {}, "rating", "mean", 3.0)


SCENARIO = Scenario(
    instrument="rating",
    title="Simulated ratings of statements",
    factors=(SimulatedFactor("group", "People", {"younger": "Younger", "older": "Older"}),),
    columns=("statement",),
    outcomes={"rating": pl.when(pl.col("kept") > 0).then("rating")},
    forms=[*numbered(_ANSWERS, _CODE, "no-rating"), *_OPTED_OUT, *broken(_BROKEN)],
    slots={},
    prompt="{statement}. Do you agree, on a scale from 1 (strongly disagree) to 5 (strongly agree)?",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `rating`."""
