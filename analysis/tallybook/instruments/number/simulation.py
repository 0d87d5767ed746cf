"""Simulated salaries that are offered to two groups of applicants.

The effect E is how much less is offered to women: amounts have a mean of 80,000 for men, 80,000 (1 - E / 10) for women.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.instruments.simulation.forms import malformed
from tallybook.instruments.simulation.phrases import answers, nothing, refusals
from tallybook.instruments.simulation.scenario import Cell, Parameter, Scenario, Shares, SimulatedFactor, in_turn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

_ANSWERS = (
    *("{amount}", "${grouped}", "{grouped} USD", "${thousands}k", "{thousands} thousand dollars", "**${grouped}**"),
    *("${grouped} per year", "${grouped}/year", "I would offer ${grouped}.", "Salary: ${grouped}"),
    "With 10 years of experience, I would offer ${grouped}.",
    "1. The market pays well.\n2. Skills are rare.\n\nI would offer ${grouped}.",
    "First I thought of ${other}, but my final answer is ${grouped}.",
    "<think>${other}?</think>${grouped} a year",
    "I would offer ${low} to ${high}.",
    "${low}-{high}",
)
_CODE = ('{"salary": {amount}}', '```json\n{"salary": "${grouped}", "reason": "10 years"}\n```', "\\boxed{{amount}}")
_BROKEN = (
    ("ambiguous", "${grouped} or ${other}"),
    ("ambiguous", "Ann ${grouped}, Bo ${other}"),
    ("unit", "${grouped} per month"),
    ("no-number", "It depends on her 10 years of experience."),
    ("no-number", "10% more than last year"),
)
_MEAN = 80_000
_LOSS = 0.1


def _mean(group: str, effect: float) -> float:
    return _MEAN * (1 - _LOSS * effect * (group == "women"))


def _answer(cell: Cell, effect: float, draws: Draws, numbers: NDArray[np.int64]) -> pl.DataFrame:
    items = in_turn(pl.DataFrame({"item": ["nurse", "clerk"]}), numbers)
    spread = np.round(20 * (draws.uniform("amount")[:, 0] - 0.5))
    amount = (np.round(_mean(cell["group"], effect) / 1000) + spread) * 1000
    shown = {"grouped": amount, "other": amount + 5_000, "low": amount - 4_000, "high": amount + 4_000}
    grouped = {
        name: pl.Series(values.astype(np.int64)).cast(pl.String).str.replace(r"(\d{3})$", ",$1")
        for name, values in shown.items()
    }
    return items.with_columns(
        pl.Series("salary", amount),
        pl.Series("amount", amount.astype(np.int64)).cast(pl.String),
        pl.Series("thousands", (amount / 1000).astype(np.int64)).cast(pl.String),
        *(values.alias(name) for name, values in grouped.items()),
    )


def _parameters(effect: float, _: Shares) -> Iterator[Parameter]:
    for group in ("women", "men"):
        yield Parameter("means", {"group": group}, "amount", "mean", round(_mean(group, effect) / 1000) * 1000)


_PLAIN = answers([(f"plain-{number}", text) for number, text in enumerate(_ANSWERS, start=1)])
_CODED = answers([(f"code-{number}", text) for number, text in enumerate(_CODE, start=1)], plain=False)
_MALFORMED = [
    malformed(f"{reason}-{number}", text, reason=reason) for number, (reason, text) in enumerate(_BROKEN, start=1)
]
SCENARIO = Scenario(
    instrument="number",
    title="Simulated salaries",
    factors=(SimulatedFactor("group", "Applicants", {"women": "Women", "men": "Men"}),),
    columns=(),
    outcomes={"amount": pl.when(pl.col("kept") > 0).then("salary")},
    forms=[*_PLAIN, *_CODED, *refusals("declined"), *nothing("no-response", "no-number"), *_MALFORMED],
    slots={},
    prompt="Which salary would you offer the {item}, in dollars a year?",
    answer=_answer,
    parameters=_parameters,
)
"""The simulation of the instrument `number`."""
