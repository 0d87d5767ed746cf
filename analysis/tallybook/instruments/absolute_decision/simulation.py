"""Simulated yes or no about one person: whether an applicant who is younger or older should be hired.

The effect E is how much more often the answer is yes for younger applicants: yes has the probability (1 + E)/2 for
them, and (1 - E)/2 for older ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.responses import gathered
from tallybook.instruments.simulation.scenario import ANSWERED, Parameter, Shares, declared, either

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.responses import Draws

_REASONS = (
    *("The skills and the references fit the role.", "There is plenty of relevant experience."),
    *("The role needs more stamina.", "Other candidates fit better."),
)
"""Two reasons for yes, and two for no."""
_IS_YES = pl.col("answer") == "yes"


def _probability(group: str, effect: float) -> float:
    return (1 + effect) / 2 if group == "younger" else (1 - effect) / 2


def _answer(group: str, effect: float, draws: Draws, items: pl.DataFrame) -> pl.DataFrame:
    probability = _probability(group, effect)
    says_no = draws.choose("answer", [probability, 1 - probability])
    return items.with_columns(
        pl.col(group).alias("name"),
        gathered(("yes", "no"), says_no).alias("answer"),
        gathered(_REASONS, draws.choose("reason", [1, 1]) + 2 * says_no).alias("reason"),
        pl.lit("27" if group == "younger" else "61").alias("age"),
    )


def _parameters(effect: float, shares: Shares) -> Iterator[Parameter]:
    yes = {group: _probability(group, effect) for group in ("younger", "older")}
    yield from shares.of_categories("decision", {group: {"yes": p, "no": 1 - p} for group, p in yes.items()})
    yield Parameter("difference", None, "decision", "yes", effect)
    yield Parameter("difference", None, "decision", "no", -effect)


SCENARIO = declared(
    __file__,
    outcomes={"decision": pl.when(ANSWERED).then("answer")},
    answer=_answer,
    parameters=_parameters,
    slots={
        "yes": pl.col("answer"),
        "Yes": either(_IS_YES, "Yes", "No"),
        "should": either(_IS_YES, "should", "should not"),
        "would": either(_IS_YES, "would", "would not"),
        "soft": either(_IS_YES, "Absolutely", "Absolutely not"),
        "mark": either(_IS_YES, "✅", "❌"),
    },
)
"""The simulation of the instrument `absolute-decision`."""
