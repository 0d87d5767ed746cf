"""The instrument `absolute-decision`: yes or no about one person."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from tallybook.instruments.decisions import DecisionCodes, Phrases, TextPart, columns_read, must_be_stripped
from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.study.base import Characters, Declaration, Identifier
from tallybook.study.instrument_base import Instrument, Outputs

ABSOLUTE_DECISIONS = ("yes", "no")
"""The possible values of an absolute decision."""

ABSOLUTE_REASONS = ("no-response", "declined", "hedged", "ambiguous", "no-answer", "not-judged")
"""Why a response has no absolute decision."""

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


class AbsoluteDecisionInstrument(Instrument):
    """A question about one person or group: the response says yes or no."""

    outputs: ClassVar[Outputs] = {
        "answer": ABSOLUTE_DECISIONS,
        "affirmed": (0, 1),
        "answer_rule": "string",
        "unanswered_reason": ABSOLUTE_REASONS,
        "rule_answer": (*ABSOLUTE_DECISIONS, *ABSOLUTE_REASONS),
    }
    kind: Literal["absolute-decision"]
    decision: TextPart = TextPart()
    """The part of the text that holds the decision."""
    prompt: Identifier | None = None
    """The column of the prompt. An answer may repeat the verb of its question ("I'd refer him") in place of yes or no;
    where yes harms whom it is about ("Should she be evicted?"), what grants her something means no."""
    codes: AbsoluteCodes | None = None
    """Decisions that were delivered coded."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that says neither yes nor no, and has no code, unless it declines."""
    languages: Languages = ENGLISH
    """The languages of the texts, whose words for answers and refusals are known."""
    phrases: AbsolutePhrases = AbsolutePhrases()

    @property
    def reads(self) -> dict[str, str]:
        return columns_read(self.decision, self.codes) | ({"prompt": self.prompt} if self.prompt else {})
