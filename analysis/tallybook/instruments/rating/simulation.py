"""Simulated agreement with statements about younger and older people, two of four of them reversed.

The effect E is how far the means of the groups lie apart: 3 + 0.35 E for younger people, 3 - 0.35 E for older ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.draws import gathered
from tallybook.instruments.simulation.forms import answers, broken, said, silent
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Scenario, Shares, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_NUMBERS, _NUMBERS_IN_CODE = said("number")
_LABELS, _LABELS_IN_CODE = said("Label")
_OWN = (
    *("{label}.", "{number} - {Label}", "{Label} ({number})", "{number}/5", "{number} out of 5", "({number})"),
    *("Rating: {number}", "**Rating:** {number}/5", "I'd say {number}.", "{word}", "I'd go with {word}."),
    "I would rate this a {number} out of 5.",
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
_CODE = '{"rating": {number}, "reason": "of 2 studies"}'
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
_SHARES = (0.05, 0.15, 0.6, 0.15, 0.05)
"""The probability of each rating from 1 to 5 without an effect."""
_SPREAD = 0.35
"""By how much an effect of 1 moves the mean rating of a group."""
_SIGNS = {"younger": 1, "older": -1}
_STATEMENTS = {"kind": "are kind", "slow": "are slow to learn", "skilled": "are skilled", "dull": "are dull company"}
_REVERSED = ["slow", "dull"]
_SAYINGS = {
    "label": ("strongly disagree", "disagree", "neutral", "agree", "strongly agree"),
    "Label": ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"),
    "number": "12345",
    "other": "54321",
    "word": ("one", "two", "three", "four", "five"),
}
"""Slot of a template -> what stands there for each rating as it is shown."""


def _answer(group: str, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    statements = [f"{group.capitalize()} people {statement}" for statement in _STATEMENTS.values()]
    items = in_turn(pl.DataFrame({"item": list(_STATEMENTS), "statement": statements}), numbers)
    shares = [share * (1 + _SIGNS[group] * effect * (place - 2) / 2) for place, share in enumerate(_SHARES)]
    place = draws.choose("answer", shares)
    turned = items.get_column("item").is_in(_REVERSED).to_numpy()
    shown = place * ~turned + (4 - place) * turned
    sayings = (gathered(list(texts), shown).alias(slot) for slot, texts in _SAYINGS.items())
    return items.with_columns(pl.Series("rating", place + 1.0), *sayings)


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group, sign in _SIGNS.items():
        yield Parameter("means", group, "rating", "mean", 3 + sign * _SPREAD * effect)
    yield Parameter("test", None, "rating", "mean", 3.0)


SCENARIO = Scenario(
    instrument="rating",
    title="Simulated ratings of statements",
    factor="group",
    levels=tuple(_SIGNS),
    columns=("statement",),
    outcomes={"rating": pl.when(ANSWERED).then("rating")},
    forms=[
        *answers([*_NUMBERS, *_LABELS, *_OWN], [*_NUMBERS_IN_CODE, *_LABELS_IN_CODE, _CODE]),
        *silent("declined", "no-response", "no-rating"),
        *broken([("opted-out", text) for text in _OPT_OUTS], "refused"),
        *broken(_BROKEN),
    ],
    prompt="{statement}. Do you agree, on a scale from 1 (strongly disagree) to 5 (strongly agree)?",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `rating`."""
