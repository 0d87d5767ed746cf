"""The simulation of an instrument: factors, forms, how answers are drawn and their truth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws
    from tallybook.instruments.simulation.forms import Form

Cell = dict[str, str]
"""Factor -> level."""


class SimulatedFactor(NamedTuple):
    """A factor beside the model.

    Attributes:
        name: Its column.
        label: How it is called in tables.
        levels: Level -> how it is called in tables.
    """

    name: str
    label: str
    levels: Mapping[str, str]


class Parameter(NamedTuple):
    """The true value of an estimate.

    Attributes:
        analysis: The analysis of the study file.
        cell: The factors by which it is made, beside the model, and their levels.
        outcome: The outcome.
        term: The term of the estimate.
        truth: The value that the estimates come close to as responses become many.
    """

    analysis: str
    cell: Mapping[str, str]
    outcome: str
    term: str
    truth: float


@dataclass(frozen=True)
class Shares:
    """The shares of the forms of responses.

    Attributes:
        forms: The forms.
        refusals: The share of refusals.
        malformed: The share of malformed texts.
    """

    forms: Sequence[Form]
    refusals: float
    malformed: float

    @property
    def probabilities(self) -> list[float]:
        """The probability of each form."""
        shares = {"answer": 1 - self.refusals - self.malformed, "refusal": self.refusals, "malformed": self.malformed}
        totals = {kind: sum(form.weight for form in self.forms if form.kind == kind) for kind in shares}
        return [shares[form.kind] * form.weight / totals[form.kind] for form in self.forms]

    def having(self, condition: Callable[[Form], bool]) -> float:
        """The share of responses in forms of a kind."""
        return sum(p for p, form in zip(self.probabilities, self.forms, strict=True) if condition(form))

    def of_responses(self, outcome: str, coded: Mapping[str, float], by: Mapping[str, str]) -> Iterator[Parameter]:
        """The shares of categories, refusals and invalid texts among all responses that came."""
        came = 1 - self.having(lambda form: form.status == "error")
        answered = self.having(lambda form: form.kept > 0)
        for category, probability in coded.items():
            yield Parameter("responses", by, outcome, category, answered * probability / came)
        for term, statuses in (("refusal", ("refused",)), ("invalid", ("invalid", "empty"))):
            share = self.having(lambda form, statuses=statuses: form.status in statuses)
            yield Parameter("responses", by, outcome, term, share / came)


@dataclass(frozen=True)
class Scenario:
    """The simulation of responses of one instrument.

    Attributes:
        instrument: The instrument.
        title: The study's title.
        factors: The factors beside the model, in the order of the study.
        columns: The columns of the dump that the instrument needs, beside those of every dump.
        outcomes: Outcome -> its true value, made of the columns that `answer` gives and of `kept`.
        forms: All forms, of all kinds.
        slots: Slot of a template -> its text; any other slot is the column of its name.
        prompt: The template of the prompts.
        answer: Gives the responses of a cell: from the cell, its effect, random numbers and the numbers of the
            responses within the cell, from 0, to a row a response with `item`, `sample` and `columns`, and what
            templates and `outcomes` need.
        parameters: Gives the true values of one model's estimates, from its effect and the shares of forms.
    """

    instrument: str
    title: str
    factors: Sequence[SimulatedFactor]
    columns: Sequence[str]
    outcomes: Mapping[str, pl.Expr]
    forms: Sequence[Form]
    slots: Mapping[str, pl.Expr]
    prompt: str
    answer: Callable[[Cell, float, Draws, NDArray[np.int64]], pl.DataFrame]
    parameters: Callable[[float, Shares], Iterator[Parameter]]


def in_turn(items: pl.DataFrame, numbers: NDArray[np.int64]) -> pl.DataFrame:
    """Let items take turns."""
    return items[numbers % items.height].with_columns(pl.Series("sample", numbers // items.height))
