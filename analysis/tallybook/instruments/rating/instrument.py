"""The instrument `rating`: a number on a scale, or a label of it, or why a response gives none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from tallybook.core.markdown import literal
from tallybook.instruments.rating.languages import OPT_OUTS
from tallybook.study.base import Characters, Identifier, must_differ, require_declared
from tallybook.study.instrument_base import Instrument, Outputs

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

REASONS = ("no-response", "declined", "opted-out", "off-scale", "ambiguous", "no-rating")
"""Every reason."""

REFUSED = ("declined", "opted-out")
"""The reasons of responses that count as refused."""


class RatingInstrument(Instrument):
    """A scale: the response gives a number on it, or one of its labels."""

    outputs: ClassVar[Outputs] = {
        "rating": "number",
        "rating_given": "number",
        "rating_label": "string",
        "rating_rule": "string",
        "unrated_reason": REASONS,
    }
    kind: Literal["rating"]
    column: Identifier = "text"
    """The column that holds the text."""
    lowest: float = 1
    """The lowest number of the scale."""
    highest: float | None = None
    """The highest number; by default that of the last label, or 5."""
    labels: Annotated[tuple[Characters, ...], Field(min_length=2)] | None = None
    """The labels from the lowest number up, each 1 more than the one before; case does not matter."""
    spellings: dict[Characters, Characters] = {}
    """Another wording of a label -> the label."""
    decimals: bool = False
    """Whether numbers between the whole ones are on the scale."""
    reversed: dict[Identifier, tuple[str, ...]] = {}
    """Column -> its values that mark reversed items, `item = ["q2", "q5"]`: there the lowest number counts as the
    highest, and the highest as the lowest."""
    opt_outs: tuple[Characters, ...] = OPT_OUTS
    """Answers that give no rating and are allowed: such a response counts as refused, for the reason `opted-out`."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text declines, instead of the rules in `tallybook.instruments.refusal`."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that gives no rating, or several, unless it declines or opts out."""

    def _check_itself(self) -> None:
        if self.lowest >= self.top:
            raise ValueError("highest: a number above 'lowest'")
        if self.labels and self.top != self.lowest + len(self.labels) - 1:
            raise ValueError(f"highest: {len(self.labels)} labels from {self.lowest:g} end at another number")
        must_differ([label.lower() for label in (*(self.labels or ()), *self.spellings)], "labels")
        require_declared(self.spellings.values(), self.labels or (), "spellings", "label")

    @property
    def top(self) -> float:
        """The highest number of the scale."""
        last = self.lowest + len(self.labels) - 1 if self.labels else 5.0
        return last if self.highest is None else self.highest

    @property
    def reads(self) -> dict[str, str]:
        return {"column": self.column} | {f"reversed.{column}": column for column in self.reversed}

    @property
    def method(self) -> str:
        """The description of the scale and of reversed items, for the methods section."""
        ends = (f"{self.lowest:g}", f"{self.top:g}")
        if self.labels:
            named = zip(ends, (self.labels[0], self.labels[-1]), strict=True)
            ends = tuple(f"{number} (“{literal(label)}”)" for number, label in named)
        said = f"Ratings are on a scale from {ends[0]} to {ends[1]}."
        which = "; ".join(f"{literal(name)}: {literal(', '.join(own))}" for name, own in self.reversed.items())
        return f"{said} Ratings of reversed items ({which}) are turned round." if which else said

    @property
    def must_occur(self) -> Mapping[str, Collection[str]]:
        """The values that mark reversed items, by setting."""
        return {f"reversed.{column}": values for column, values in self.reversed.items()}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        return dict.fromkeys(("rating", "rating_given"), (self.lowest, self.top))
