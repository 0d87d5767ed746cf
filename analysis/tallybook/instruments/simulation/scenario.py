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
    """A factor beside the model."""

    name: str  # its column
    label: str  # how it is called in tables
    levels: Mapping[str, str]  # level -> how it is called in tables


class Parameter(NamedTuple):
    """The true value of an estimate."""

    analysis: str  # the analysis of the study file
    cell: Mapping[str, str]  # the factors by which it is made, beside the model, and their levels
    outcome: str
    term: str  # the term of the estimate
    truth: float  # the value that the estimates come close to as responses become many


@dataclass(frozen=True)
class Shares:
    """The shares of the forms of responses."""

    forms: Sequence[Form]
    refusals: float  # the share of refusals
    malformed: float  # the share of malformed texts

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
    """The simulation of responses of one instrument."""

    instrument: str
    title: str  # the study's title
    factors: Sequence[SimulatedFactor]  # the factors beside the model, in the order of the study
    columns: Sequence[str]  # the columns of the dump that the instrument needs, beside those of every dump
    outcomes: Mapping[str, pl.Expr]  # outcome -> its true value, made of the columns that `answer` gives and of `kept`
    forms: Sequence[Form]  # all forms, of all kinds
    slots: Mapping[str, pl.Expr]  # slot of a template -> its text; any other slot is the column of its name
    prompt: str  # the template of the prompts
    # gives the responses of a cell: from the cell, its effect, random numbers and the numbers of the responses within
    # the cell, from 0, to a row a response with `item`, `sample` and `columns`, and what templates and `outcomes`
    # need
    answer: Callable[[Cell, float, Draws, NDArray[np.int64]], pl.DataFrame]
    # gives the true values of one model's estimates, from its effect and the shares of forms
    parameters: Callable[[float, Shares], Iterator[Parameter]]


def in_turn(items: pl.DataFrame, numbers: NDArray[np.int64]) -> pl.DataFrame:
    """Let items take turns."""
    return items[numbers % items.height].with_columns(pl.Series("sample", numbers // items.height))
