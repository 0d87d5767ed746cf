"""Declarations of factors, outcomes and hand codes, by which responses are coded."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

import polars as pl
from pydantic import Field

from tallybook.study.base import (
    Declaration,
    Delimiter,
    FilePath,
    Identifier,
    Meanings,
    Names,
    Several,
    must_differ,
    names_must_differ,
    require_declared,
)
from tallybook.study.derivation import Derivation, NormaliseStep
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.model import Study

CONTEXT = ("response_id", "model", "item", "sample", "text", "coder", "note")
"""Additional columns of a file of hand codes, which show the coders the responses that they code."""

CODED_BY = "coded_by"
"""The column of coded responses that records how they were coded: `hand` or `rules`."""


class Overrides(Declaration):
    """Hand codes of responses, as a CSV file: they win over what the instrument and the labels say.

    A column of an outcome's name holds its code: a category, a label or a number. The column `status` says `refused` or
    `invalid` of responses without answer, of others `ok` or nothing. A blank cell leaves what the rules say, a row
    without codes is not coded yet. Several rows of one response (of several coders) must say the same. Other columns
    may be `coder`, `note`, the text, and columns by which responses are told apart; any other is an error.
    `tallybook uncoded` writes a file to begin with.

    Data that were delivered coded hold what people coded already: the file is not read with them.
    """

    file: FilePath
    """The file, relative to the folder of the study file (of a published study: to its bundled data)."""
    on: tuple[Identifier, ...] = Field(default=("response_id",), min_length=1)
    """The columns that together identify a response, in the file and among the responses: `response_id`, or columns of
    the study's key, or factors. With `text` among them a code is that of all responses that are equal in them."""
    delimiter: Delimiter = ","
    """The delimiter of the columns."""

    def check(self, study: Study, place: str) -> None:
        """Raise an error if the columns do not identify responses, or a factor or outcome is named `coded_by`."""
        known = dict.fromkeys(["response_id", "model", "item", "sample", "text", *study.key, *study.factors])
        require_declared(self.on, known, f"{place}.on", "column that identifies responses")
        must_differ(self.on, f"{place}.on")
        for setting, names in (("factors", study.factors), ("outcomes", study.outcomes)):
            if CODED_BY in names:
                raise ValueError(f"{setting}.{CODED_BY}: this column has another meaning; choose another name")


class Factor(Declaration):
    """A column by which results are split. Its levels are listed in the order in which they are shown.

    A list in place of the table is that of its levels.
    """

    label: str = ""
    """How the factor is called in tables; by default its name as people write it: `target_gender` is Target gender."""
    levels: Names
    """Level -> how it is called in tables, or a list of levels that are called as they are. Any other value in the data
    is an error."""
    derive: Derivation | None = None
    """How the factor follows from another column, where the data do not hold it."""

    def _check_itself(self) -> None:
        names_must_differ(self.levels, "levels")


def check_where(study: Study, where: Mapping[str, tuple[str, ...]], place: str) -> None:
    """Raise an error for a `where` with undeclared factors or levels, or with no level at all."""
    for name, levels in where.items():
        require_declared([name], study.factors, place, "factor")
        if not levels:
            raise ValueError(f"{place}.{name}: no level is chosen; expected at least one")
        if name in study.factors:
            require_declared(levels, study.factors[name].levels, f"{place}.{name}", "level")


class _Outcome(Declaration):
    label: str = ""
    """How the outcome is called in tables; by default its name, written as people do."""
    where: dict[Identifier, Several] = {}
    """Factor -> the level (or levels) of the responses that have the outcome at all; all responses otherwise. Of others
    it is neither coded nor counted, nor missed."""
    beside: tuple[Identifier, ...] = ()
    """Score outcomes whose values are kept beside this one's, response by response, when it is counted: what
    regressions and correlations need."""
    attribute: Identifier
    """The column it is coded from: read by the source, or parsed from the text by the instrument."""

    def check(self, study: Study, place: str) -> None:
        """Raise an error for references to something that is not declared."""
        check_where(study, self.where, f"{place}.where")
        if self.beside:
            scores = [name for name, other in study.outcomes.items() if isinstance(other, ScoreOutcome)]
            require_declared(self.beside, scores, f"{place}.beside", "score")

    @property
    def is_asked(self) -> pl.Expr:
        """Expression for whether a response has the outcome; where it does not, no value is missing."""
        chosen = (pl.col(name).is_in(levels) for name, levels in self.where.items())
        return pl.all_horizontal(pl.lit(value=True), *chosen)


class Categories(_Outcome):
    """A label mapped onto declared categories: what outcomes of kinds `category` and `reason` have in common."""

    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, before a label is looked up in `labels`."""
    whole: dict[str, Identifier] = {}
    """Untouched label -> category; looked up first."""
    labels: Meanings
    """Category -> the normalised labels that mean it, or a list of categories whose labels are they themselves. The
    order is the order in tables."""
    other: Identifier | None = None
    """The category of any other label of up to five words, of letters alone; without it, such a label is uncoded."""
    names: dict[Identifier, str] = {}
    """Category or union -> how it is called in tables; otherwise its identifier, capitalised, with spaces for `_`."""
    unions: dict[Identifier, tuple[Identifier, ...]] = {}
    """Union -> the categories it counts together."""
    order: tuple[Identifier, ...] = ()
    """Categories and unions in the order in which tables show them; otherwise categories, then unions."""

    def _check_itself(self) -> None:
        means = [(label, category) for category, labels in self.labels.items() for label in labels]
        repeated = [label for label, times in Counter(label for label, _ in means).items() if times > 1]
        if repeated:
            raise ValueError(f"labels: {repeated[0]!r} means more than one category")
        for union, members in self.unions.items():
            require_declared(members, self.labels, f"unions.{union}", "category")
        require_declared(self.whole.values(), self.labels, "whole", "category")
        require_declared([self.other] if self.other else [], self.labels, "other", "category")
        if taken := {REFUSAL, INVALID} & {*self.labels, *self.unions}:
            raise ValueError(f"{min(taken)!r} is how uncoded responses are counted; choose another name")
        if set(self.unions) & set(self.labels):
            raise ValueError(f"both a union and a category: {', '.join(set(self.unions) & set(self.labels))}")
        if self.order and sorted(self.order) != sorted((*self.labels, *self.unions)):
            raise ValueError("order: expected every category and union once")
        require_declared(self.names, (*self.terms, REFUSAL, INVALID), "names", "category")
        names_must_differ({term: self.shown(term) for term in (*self.terms, REFUSAL, INVALID)}, "names")

    @property
    def terms(self) -> tuple[str, ...]:
        """Categories and unions in the order in which tables show them."""
        return self.order or (*self.labels, *self.unions)

    def shown(self, term: str) -> str:
        """Return the name of a category, union, `refusal` or `invalid` in tables and figures."""
        return self.names.get(term, (term[:1].upper() + term[1:]).replace("_", " "))


class CategoryOutcome(Categories):
    """A label of the response mapped onto declared categories."""

    kind: Literal["category"]


class ReasonOutcome(Categories):
    """The reason for a missing answer: a category of responses that are `refused` or `invalid`, and of no others."""

    kind: Literal["reason"]


class LabelOutcome(_Outcome):
    """A free label, counted as it stands after normalisation."""

    kind: Literal["label"]
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, before a label is counted."""


class ScoreOutcome(_Outcome):
    """A number."""

    kind: Literal["score"]
    scorer: Literal["attribute", "textblob-polarity", "textblob-subjectivity"] = "attribute"
    """The source of the number: the attribute as delivered, or TextBlob's analysis of the text."""
    of_effect: float | None = Field(default=None, gt=0)
    """The attribute is the effect of an embedding association test of one word a side, d / (|d| / 2 + ε), and this is
    its ε: the score is the difference of associations, d."""
    of_prompt: bool = False
    """Whether it is a number of the prompt, or one delivered beside the text, and not read from the answer: responses
    without answer have it, too, and their status does not depend on it."""

    def _check_itself(self) -> None:
        if self.of_prompt and self.scorer != "attribute":
            raise ValueError("of_prompt: a score of the text is one of the answer")


Outcome = Annotated[CategoryOutcome | ReasonOutcome | LabelOutcome | ScoreOutcome, Field(discriminator="kind")]
