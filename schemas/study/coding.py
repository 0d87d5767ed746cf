"""How responses become outcomes: factors, the instrument and the categories."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from schemas.study.base import Declaration, Identifier
from schemas.study.sources import Derivation
from schemas.vocabulary import INVALID, REFUSAL

Characters = Annotated[str, StringConstraints(min_length=1)]


class Factor(Declaration):
    """A column by which results are split. Its levels are listed in the order in which they are shown."""

    label: str
    """How the factor is called in tables."""
    levels: dict[str, str]
    """Level -> how it is called in tables. Any other value in the data is an error."""
    derive: Derivation | None = None
    """How the factor follows from another column, where the data do not hold it."""


class NormaliseStep(Declaration):
    """One step that makes a label comparable; exactly one of the settings."""

    lower_case: Literal[True] | None = None
    """Write it in lower case."""
    trim: Literal[True] | None = None
    """Remove white space at both ends."""
    strip_start: Characters | None = None
    """Remove any of these characters at the start."""
    cut_at: Characters | None = None
    """Cut the label off at the first of these characters."""
    delete: Characters | None = None
    """Delete every one of these characters."""
    replace: tuple[Characters, str] | None = None
    """Replace a text by another."""

    @model_validator(mode="after")
    def _one_step(self) -> NormaliseStep:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one setting a step")
        return self


class _Outcome(Declaration):
    label: str
    """How the outcome is called in tables."""
    attribute: Identifier
    """The column it is coded from: read by the source, or parsed from the text by the instrument."""


class CategoryOutcome(_Outcome):
    """A label of the response mapped onto declared categories."""

    kind: Literal["category"]
    normalise: tuple[NormaliseStep, ...] = ()
    """Steps applied, in order, before a label is looked up in `labels`."""
    whole: dict[str, Identifier] = {}
    """Untouched label -> category; looked up first."""
    labels: dict[Identifier, tuple[str, ...]]
    """Category -> the normalised labels that mean it. The order is the order in tables."""
    names: dict[Identifier, str] = {}
    """Category or union -> how it is called in tables; otherwise its identifier, capitalised."""
    unions: dict[Identifier, tuple[Identifier, ...]] = {}
    """Union -> the categories it counts together."""
    order: tuple[Identifier, ...] = ()
    """Categories and unions in the order in which tables show them; otherwise categories, then unions."""

    @model_validator(mode="after")
    def _known_categories(self) -> CategoryOutcome:
        means = [(label, category) for category, labels in self.labels.items() for label in labels]
        repeated = [label for label, times in Counter(label for label, _ in means).items() if times > 1]
        if repeated:
            raise ValueError(f"label {repeated[0]!r} means more than one category")
        used = [(f"union {union!r}", member) for union, members in self.unions.items() for member in members]
        used += [(f"whole label {label!r}", category) for label, category in self.whole.items()]
        for user, category in used:
            if category not in self.labels:
                raise ValueError(f"{user} names {category!r}, which is no category")
        if taken := {REFUSAL, INVALID} & {*self.labels, *self.unions}:
            raise ValueError(f"{min(taken)!r} is how responses without a category are counted; choose another name")
        if set(self.unions) & set(self.labels):
            raise ValueError(f"both a union and a category: {', '.join(set(self.unions) & set(self.labels))}")
        if self.order and sorted(self.order) != sorted((*self.labels, *self.unions)):
            raise ValueError("'order' must name every category and union once")
        return self

    @property
    def terms(self) -> tuple[str, ...]:
        """Categories and unions in the order in which tables show them."""
        return self.order or (*self.labels, *self.unions)


class LabelOutcome(_Outcome):
    """A free label, counted as it stands after normalisation."""

    kind: Literal["label"]
    normalise: tuple[NormaliseStep, ...] = ()


class ScoreOutcome(_Outcome):
    """A number."""

    kind: Literal["score"]
    scorer: Literal["attribute", "textblob-polarity", "textblob-subjectivity"] = "attribute"
    """Where the number comes from: the attribute as delivered, or TextBlob's analysis of the text."""


Outcome = Annotated[CategoryOutcome | LabelOutcome | ScoreOutcome, Field(discriminator="kind")]


class ProfileInstrument(Declaration):
    """A profile of a person followed by a block of attributes, one a line."""

    kind: Literal["profile"]
    attributes: Literal["columns", "text"] = "columns"
    """Whether the source delivers the attributes as columns, or they are parsed from the text."""
    block: dict[Identifier, Annotated[tuple[Characters, ...], Field(min_length=1)]] = {}
    """Attribute -> the names under which it stands in the text's block."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text without attributes declines, instead of the rules in `analysis.coding.refusal`."""
    unmapped: Literal["report", "error"] = "report"
    """What a label outside the map is: counted as `invalid` and reported, or an error."""
