"""Detection and draft of the instrument `absolute-decision`."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.absolute_decision import coder
from tallybook.instruments.absolute_decision.deeds import deed_asked
from tallybook.instruments.absolute_decision.foreign_deeds import foreign_deed
from tallybook.instruments.absolute_decision.instrument import ABSOLUTE_DECISIONS, ABSOLUTE_REASONS
from tallybook.instruments.reading import share_read
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample

if TYPE_CHECKING:
    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.study.draft import Draft

_RANK = 40
_PROMPTS = 200
"""The most prompts that are looked at."""


def proposals(kind: type[AbsoluteDecisionInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of texts that say yes or no."""
    prompt = next((one for one in sample.texts if one not in {"text", sample.text} and _asks(sample, one)), None)
    instrument = kind(kind="absolute-decision", prompt=prompt, undecided="ignore", **sample.spoken)
    read = coder.read(sample.responses, instrument).responses
    varies = read.get_column("answer").drop_nulls().n_unique() > 1
    share, draft = share_read(read, "answer"), partial(_draft, prompt)
    return [Proposal("absolute-decision", share, _RANK, draft, varies=varies, is_asked=prompt is not None)]


def _asks(sample: Sample, column: str) -> bool:
    """Return whether prompts ask about actions whose verbs the rules do not know: "Should his GP refer him?"."""
    prompts = sample.responses.get_column(column).cast(pl.String).unique().head(_PROMPTS)
    return any(deed_asked(one) or foreign_deed(one or "") for one in prompts)


def _draft(prompt: str | None, made: Draft) -> None:
    made.instrument = {"kind": "absolute-decision"} | ({"prompt": made.take(prompt)} if prompt else {})
    made.outcomes["decision"] = category("Decision", "answer", named(ABSOLUTE_DECISIONS))
    made.outcomes["reason"] = category(
        "Reason for no decision", "unanswered_reason", named(ABSOLUTE_REASONS), kind="reason"
    )
