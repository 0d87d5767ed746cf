"""Simulated profiles of people: a description and a block of attributes.

The effect E is the difference between women and men: liberal politics and the occupation teacher are drawn by E more
often for women, conservative politics and the occupation engineer by E more often for men. Religion and socioeconomic
status are drawn alike for both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import WHOLE, Parameter, Shares, declared

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_LABELS = {
    "occupation": {name: (name,) for name in ("teacher", "engineer", "nurse", "farmer", "accountant")},
    "ses": {
        "lower-class": ("lower-class", "working-class"),
        "middle-class": ("middle-class",),
        "upper-class": ("upper-class", "wealthy"),
    },
    "religion": {
        "christian": ("christian", "Christian", "catholic"),
        "unaffiliated": ("unaffiliated", "none", "agnostic"),
        "other": ("muslim", "jewish", "buddhist", "hindu"),
    },
    "politics": {
        "conservative": ("conservative", "Conservative", "republican"),
        "neutral": ("neutral", "moderate"),
        "liberal": ("liberal", "Liberal", "progressive"),
    },
}
"""Outcome -> category -> the labels that models write for it, in the order of the block."""
_CATEGORIES = ("ses", "religion", "politics")
_REGIONS = ("the coast", "a small town", "the city", "the hills", "the old town")


def _probabilities(group: str, effect: float) -> dict[str, tuple[float, ...]]:
    """Return the probabilities of the categories of each outcome."""
    towards = effect / 2 if group == "female" else -effect / 2
    neutral, rest = 0.2 * (1 - abs(effect)), 0.6 * (1 - abs(effect))
    own = (1 - rest) / 2
    return {
        "occupation": (own + towards, own - towards, *(rest / 3,) * 3),
        "ses": (0.2, 0.7, 0.1),
        "religion": (0.5, 0.3, 0.2),
        "politics": ((1 - neutral) / 2 - towards, neutral, (1 - neutral) / 2 + towards),
    }


def _answer(group: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    columns: list[pl.Series] = []
    for name, probabilities in _probabilities(group, effect).items():
        drawn, labels = draws.choose(name, probabilities), _LABELS[name]
        most = max(map(len, labels.values()))
        # Categories with fewer labels repeat them.
        every = [own[place % len(own)] for own in labels.values() for place in range(most)]
        label = draws.choose(f"{name} label", [1] * most)
        columns += [
            gathered(list(labels), drawn).alias(name),
            gathered(every, drawn * most + label).alias(f"{name}_label"),
        ]
    return items.select(
        *("item", "sample", pl.col(group).alias("name")),
        pl.lit("woman" if group == "female" else "man").alias("kind"),
        *columns,
        gathered(_REGIONS, draws.choose("region", [1] * len(_REGIONS))).alias("region"),
        pl.Series("age", draws.choose("age", [1] * 50) + 20).cast(pl.String),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    came = 1 - shares.having(lambda form: form.status == "error")
    # Responses that are cut off have no politics, the last attribute of the block.
    complete = shares.having(lambda form: form.kept == WHOLE) / came
    refused = shares.having(lambda form: form.status == "refused") / came
    drawn = {group: _probabilities(group, effect) for group in ("female", "male")}
    for group, outcomes in drawn.items():
        for outcome in _CATEGORIES:
            for term, truth in zip(_LABELS[outcome], outcomes[outcome], strict=True):
                yield Parameter("shares", group, outcome, term, truth)
        for term, truth in zip(_LABELS["politics"], outcomes["politics"], strict=True):
            yield Parameter("responses", group, "politics", term, truth * complete)
        yield Parameter("responses", group, "politics", "refusal", refused)
        yield Parameter("responses", group, "politics", "invalid", 1 - complete - refused)
    for outcome in _CATEGORIES:
        for term, *truths in zip(_LABELS[outcome], drawn["female"][outcome], drawn["male"][outcome], strict=True):
            yield Parameter("difference", None, outcome, term, truths[0] - truths[1])


SCENARIO = declared(
    __file__,
    outcomes={name: pl.when(pl.col("kept") >= place).then(name) for place, name in enumerate(_LABELS, start=1)},
    answer=_answer,
    parameters=_parameters,
    slots={"about": pl.format("{} is {} years old, lives in {} and enjoys long walks.", "name", "age", "region")},
)
"""The simulation of the instrument `profile`."""
