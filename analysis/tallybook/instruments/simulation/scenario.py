"""The simulation of an instrument: a factor, forms of texts, how answers are drawn and their truth.

What is data stands in `scenario.toml` beside the module that draws answers: title, factor and levels, the prompt, items
in turn, and forms of texts. A form's `«line»` stands for a line for each of its `pairs`, of which it may keep only the
first; `«line¦between»` says what stands between them; `<left>`, `<right>` and `<n>` are the parts of a pair.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.instruments.simulation.responses import Draws

Kind = Literal["answer", "refusal", "malformed"]
"""The kind of a form: a complete answer, a refusal, or a text that is cut off, empty, ambiguous or beside the point."""

WHOLE = 1_000
"""The number of parts of a complete answer."""

ANSWERED = pl.col("kept") > 0

_EACH = re.compile("«([^»¦]*)¦?([^»]*)»")


@dataclass(frozen=True)
class Form:
    """A form of responses: the template of their texts, and how they should be coded."""

    name: str  # its name in the file of the truth
    template: str  # the text; `{slot}` stands for a column or an expression
    kind: Kind = "answer"
    status: str = "ok"  # the status that coding should give it
    kept: int = WHOLE  # how many parts of its answer (attributes, words) it keeps, in the order in which they are given
    reason: str = ""  # the instrument's reason for no answer; empty if there is an answer, or no such reason
    delivered: str = "ok"  # the status with which it is delivered
    plain: bool = True  # whether its text may be disguised (`DISGUISES`): code may not


class Parameter(NamedTuple):
    """The true value of an estimate."""

    analysis: str  # the analysis of the study file
    level: str | None  # the level of the factor beside the model, if the analysis is made by it
    outcome: str
    term: str  # the term of the estimate
    truth: float  # the value that the estimates come close to as responses become many


@dataclass(frozen=True)
class Shares:
    """The shares of responses in each form."""

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
        """Return the share of responses whose form meets a condition."""
        return sum(p for p, form in zip(self.probabilities, self.forms, strict=True) if condition(form))

    def of_responses(self, outcome: str, coded: Mapping[str, float], level: str) -> Iterator[Parameter]:
        """Yield the shares of categories, refusals and invalid texts among all responses that arrived."""
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
        """Yield the shares of categories at each level, among answers and among all responses that arrived."""
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
    prompt: str  # the template of the prompts
    items: pl.DataFrame  # the items of prompts, in turn; only those of a level if a column names it
    forms: Sequence[Form]  # all forms, of all kinds
    outcomes: Mapping[str, pl.Expr]  # outcome -> its true value, made of the columns that `answer` gives and of `kept`
    # adds what `columns`, templates and `outcomes` need to the items at a level, one row per response; takes the
    # level, the effect, random numbers and the items
    answer: Callable[[str, float, Draws, pl.DataFrame], pl.DataFrame]
    # gives the true values of one model's estimates, from its effect and the shares of forms
    parameters: Callable[[float, Shares], Iterator[Parameter]]
    # slot of a template -> its text; any other slot is the column of its name
    slots: Mapping[str, pl.Expr] = field(default_factory=dict[str, pl.Expr])

    def in_turn(self, level: str, numbers: NDArray[np.int64]) -> pl.DataFrame:
        """Return the items of the responses with these numbers, which take the items of the level in turn."""
        own = self.items
        if self.factor in own.columns:
            own = own.filter(pl.col(self.factor) == level).drop(self.factor)
        return own[numbers % own.height].with_columns(pl.Series("sample", numbers // own.height))


def declared(module: str, **functions: Any) -> Scenario:  # noqa: ANN401  the fields of a scenario
    """Build a scenario from `scenario.toml` beside a module and the module's functions and expressions."""
    told: dict[str, Any] = tomllib.loads(Path(module).with_name("scenario.toml").read_text(encoding="utf-8"))
    told["forms"] = [*_answers(told["forms"]), *_without_answer(told["forms"])]
    told["items"] = pl.DataFrame(told["items"])
    return Scenario(**told, **functions)


@cache
def _common() -> Mapping[str, Any]:
    """Load the texts that all instruments share."""
    return tomllib.loads(Path(__file__).with_name("forms.toml").read_text(encoding="utf-8"))


def _answers(told: Mapping[str, Any]) -> Iterator[Form]:
    """Yield the forms of complete answers: lists of pairs, single answers, and the instrument's own texts."""
    texts: dict[str, list[str]] = {"plain": [], "code": []}
    for kind in texts:
        if "listed" in told:
            before = told["listed"] if kind == "plain" else ""
            texts[kind] += [before + text for text in _common()["listed"][kind]]
        for slot in told.get("said", {}).get(kind, ()):
            texts[kind] += [text.replace("{}", f"{{{slot}}}") for text in _common()["said"][kind]]
        texts[kind] += told.get(kind, ())
    for kind, own in texts.items():
        for number, text in enumerate(own, start=1):
            yield Form(f"{kind}-{number}", _text(text, told), plain=kind == "plain")


def _without_answer(told: Mapping[str, Any]) -> Iterator[Form]:
    """Yield the forms of refusals, failed requests and texts that are not a complete answer."""
    declined, no_response, nothing_said = told.get("reasons", ("declined", "", ""))
    nothing: dict[str, Any] = {"refusals": (), "blank": {}, "off_topic": ()}
    common = _common() if "reasons" in told else nothing
    for number, text in enumerate(common["refusals"], start=1):
        yield Form(f"refusal-{number}", text, "refusal", "refused", 0, declined)
    for status in ("filtered", "refused"):
        yield Form(f"delivered-{status}", "", "refusal", "refused", 0, declined, status, plain=False)
    for name, text in common["blank"].items():
        status = "invalid" if text.strip() else "empty"
        yield Form(name, text, "malformed", status, 0, no_response, plain=False)
    yield Form("failed", "", "malformed", "error", 0, delivered="error", plain=False)
    for number, text in enumerate(common["off_topic"], start=1):
        yield Form(f"off-topic-{number}", text, "malformed", "invalid", 0, nothing_said, plain=False)
    times: Counter[str] = Counter()
    for one in told.get("rest", ()):
        form = {"kind": "malformed", "status": "invalid", "kept": 0, "reason": "", "plain": False} | one
        times[form["reason"]] += 1
        name = form.pop("name", f"{form['reason']}-{times[form['reason']]}")
        yield Form(name, _text(form.pop("template"), told, form["kept"]), **form)


def _text(template: str, told: Mapping[str, Any], kept: int = 0) -> str:
    """Fill a template with a line for each of the first `kept` pairs, or for all if `kept` is 0."""
    pairs = told.get("pairs", [])[: kept or WHOLE]

    def lines(match: re.Match[str]) -> str:
        made = [match[1].replace("<left>", left).replace("<right>", right) for left, right in pairs]
        between = match[2] or "\n"
        return between.join(text.replace("<n>", str(number)) for number, text in enumerate(made, start=1))

    return _EACH.sub(lines, template)


def either(condition: pl.Expr, one: str, other: str) -> pl.Expr:
    """Return an expression of `one` where the condition holds, and of `other` elsewhere."""
    return pl.when(condition).then(pl.lit(one)).otherwise(pl.lit(other))
