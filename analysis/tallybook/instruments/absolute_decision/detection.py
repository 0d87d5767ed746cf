"""Whether `init` proposes the instrument `absolute-decision`, and what it drafts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.absolute_decision import coder
from tallybook.instruments.absolute_decision.instrument import ABSOLUTE_DECISIONS, ABSOLUTE_REASONS
from tallybook.instruments.reading import share_read
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample

if TYPE_CHECKING:
    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.study.draft import Draft

_RANK = 40


def proposals(kind: type[AbsoluteDecisionInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of texts that say yes or no."""
    instrument = kind(kind="absolute-decision", undecided="ignore", **sample.spoken)
    read = coder.read(sample.responses, instrument).responses
    varies = read.get_column("answer").drop_nulls().n_unique() > 1
    return [Proposal("absolute-decision", share_read(read, "answer"), _RANK, _draft, varies=varies)]


def _draft(made: Draft) -> None:
    made.instrument = {"kind": "absolute-decision"}
    made.outcomes["decision"] = category("Decision", "answer", named(ABSOLUTE_DECISIONS))
    made.outcomes["reason"] = category(
        "Reason for no decision", "unanswered_reason", named(ABSOLUTE_REASONS), kind="reason"
    )
