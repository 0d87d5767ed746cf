"""The simulation of an instrument: a factor, forms of texts, how answers are drawn and their truth."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.instruments.simulation.draws import Draws

Kind = Literal["answer", "refusal", "malformed"]
"""The kind of a form: a complete answer, a refusal, or a text that is cut off, empty, ambiguous or beside the point."""

WHOLE = 1_000
"""The number of parts of a complete answer."""

ANSWERED = pl.col("kept") > 0


@dataclass(frozen=True)
class Form:
    """A form of responses."""

    name: str  # how it is called in the file of the truth
    template: str  # the text; `{slot}` stands for a column or an expression
    kind: Kind = "answer"
    status: str = "ok"  # the status that coding should give it
    kept: int = WHOLE  # how many parts of its answer (attributes, words) it keeps, in the order in which they are given
    reason: str = ""  # why it has no answer, by the instrument's own names; empty where it has one, or no such name
    delivered: str = "ok"  # the status with which it is delivered
    plain: bool = True  # whether its text may be disguised (`tallybook.instruments.simulation.texts`): code may not


class Parameter(NamedTuple):
    """The true value of an estimate."""

    analysis: str  # the analysis of the study file
    level: str | None  # the level of the factor by which it is made, beside the model, if it is
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
        kinds = [form.kind for form in self.forms]
        return [shares[kind] / kinds.count(kind) for kind in kinds]

    def having(self, condition: Callable[[Form], bool]) -> float:
        """The share of responses in forms of a kind."""
        return sum(p for p, form in zip(self.probabilities, self.forms, strict=True) if condition(form))

    def of_responses(self, outcome: str, coded: Mapping[str, float], level: str) -> Iterator[Parameter]:
        """The shares of categories, refusals and invalid texts among all responses that came."""
        came = 1 - self.having(lambda form: form.status == "error")
        answered = self.having(lambda form: form.kept > 0)
        for category, probability in coded.items():
            yield Parameter("responses", level, outcome, category, answered * probability / came)
        for term, statuses in (("refusal", ("refused",)), ("invalid", ("invalid", "empty"))):
            share = self.having(lambda form, statuses=statuses: form.status in statuses)
            yield Parameter("responses", level, outcome, term, share / came)

    def of_categories(
        self, outcome: str, coded: Mapping[str, Mapping[str, float]], analysis: str = "shares"
    ) -> Iterator[Parameter]:
        """The shares of categories at each level, among answers and among all responses that came."""
        for level, probabilities in coded.items():
            for category, probability in probabilities.items():
                yield Parameter(analysis, level, outcome, category, probability)
            yield from self.of_responses(outcome, probabilities, level)


@dataclass(frozen=True)
class Scenario:
    """The simulation of responses of one instrument."""

    instrument: str
    title: str  # the study's title
    factor: str  # the factor beside the model
    levels: Sequence[str]
    columns: Sequence[str]  # the columns of the dump that the instrument needs, beside those of every dump
    outcomes: Mapping[str, pl.Expr]  # outcome -> its true value, made of the columns that `answer` gives and of `kept`
    forms: Sequence[Form]  # all forms, of all kinds
    prompt: str  # the template of the prompts
    # gives the responses at a level: from the effect, random numbers and the numbers of the responses, from 0, to a row
    # a response with `item`, `sample` and `columns`, and what templates and `outcomes` need
    answer: Callable[[str, float, Draws, NDArray[np.int64]], pl.DataFrame]
    # gives the true values of one model's estimates, from its effect and the shares of forms
    parameters: Callable[[float, Shares], Iterator[Parameter]]
    # slot of a template -> its text; any other slot is the column of its name
    slots: Mapping[str, pl.Expr] = field(default_factory=dict[str, pl.Expr])


def in_turn(items: pl.DataFrame, numbers: NDArray[np.int64]) -> pl.DataFrame:
    """Let items take turns."""
    return items[numbers % items.height].with_columns(pl.Series("sample", numbers // items.height))


def either(condition: pl.Expr, one: str, other: str) -> pl.Expr:
    """One text or another."""
    return pl.when(condition).then(pl.lit(one)).otherwise(pl.lit(other))
