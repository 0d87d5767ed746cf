"""The instrument `absolute-decision`: yes or no about one person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from tallybook.instruments.absolute_decision.declaration import (
    ABSOLUTE_COLUMNS,
    ABSOLUTE_DECISIONS,
    ABSOLUTE_REASONS,
    AbsoluteCodes,
    AbsolutePhrases,
)
from tallybook.instruments.decisions import TextPart, columns_read
from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.study.instrument_base import Instrument

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.base import Code, ColumnType


class AbsoluteDecisionInstrument(Instrument):
    """A question about one person or group: the response says yes or no."""

    kind: Literal["absolute-decision"]
    decision: TextPart = TextPart()
    """The part of the text that holds the decision."""
    codes: AbsoluteCodes | None = None
    """Decisions that were delivered coded."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that says neither yes nor no, and has no code, unless it declines."""
    languages: Languages = ENGLISH
    """The languages of the texts, whose words for answers and refusals are known."""
    phrases: AbsolutePhrases = AbsolutePhrases()

    @property
    def reads(self) -> dict[str, str]:
        """Setting -> the column of the responses that it needs."""
        return columns_read(self.decision, self.codes)

    @property
    def makes(self) -> dict[str, ColumnType]:
        """The columns that it makes, with their types."""
        return {name: "integer" if name == "affirmed" else "string" for name in ABSOLUTE_COLUMNS}

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        """The columns that it makes whose values are the same in every study, with these."""
        return {
            "answer": ABSOLUTE_DECISIONS,
            "affirmed": (0, 1),
            "unanswered_reason": ABSOLUTE_REASONS,
            "rule_answer": (*ABSOLUTE_DECISIONS, *ABSOLUTE_REASONS),
        }
