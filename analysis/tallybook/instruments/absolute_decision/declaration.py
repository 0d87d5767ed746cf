"""The declaration of the instrument `absolute-decision`: yes or no about one person."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tallybook.instruments.decisions import DecisionCodes, Phrases, must_be_stripped
from tallybook.study.base import Characters, Declaration

ABSOLUTE_DECISIONS = ("yes", "no")
"""The possible values of an absolute decision."""

ABSOLUTE_REASONS = ("no-response", "declined", "hedged", "ambiguous", "no-answer", "not-judged")
"""Why a response has no absolute decision."""

ABSOLUTE_COLUMNS = ("answer", "affirmed", "answer_rule", "unanswered_reason", "rule_answer")
"""The columns that the instrument `absolute-decision` makes."""

AbsoluteMeaning = Literal["yes", "no", "no-response", "declined", "hedged", "ambiguous", "no-answer", "not-judged"]
"""The values of a code for an absolute decision: the decision, or the reason for having none."""


class AbsoluteCodes(DecisionCodes):
    """Decisions that were delivered coded. A code wins over every rule."""

    codes: dict[Characters, AbsoluteMeaning] = Field(min_length=1)
    """Code -> what it says. Any other code is an error."""

    def _check_itself(self) -> None:
        must_be_stripped(self.codes)


class AbsolutePhrases(Declaration):
    """The words by which absolute decisions are read, beside those of the rules; case does not matter."""

    replace: bool = False
    """Whether these words stand instead of the rules; by default they are added to them."""
    yes: Phrases = None
    """Phrases that mean yes: "sì", "certo"."""
    no: Phrases = None
    """Phrases that mean no: "no", "assolutamente no"."""
    neither: Phrases = None
    """Phrases that begin like these and mean neither: "no al contrario"."""
    answer: Phrases = None
    """Phrases before an answer: "la risposta è"."""
    hedges: Phrases = None
    """Phrases that leave the decision open: "dipende"."""
    refusals: Phrases = None
    """Phrases by which a text declines."""
