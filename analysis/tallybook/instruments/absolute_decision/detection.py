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
_PROMPTS, _FEW, _HALF = 200, 20, 0.5
"""The most prompts that are looked at, those by which a column is known, and the share of these that must ask."""


def proposals(kind: type[AbsoluteDecisionInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of texts that say yes or no."""
    others = [name for name in sample.texts if name not in {"text", sample.text, *sample.prompts}]
    mostly = next((one for one in (*sample.prompts, *others) if _asks(sample, one, _FEW) > _HALF), None)
    prompt = mostly or next((one for one in sample.prompts if _asks(sample, one, _PROMPTS)), None)
    instrument = kind(kind="absolute-decision", prompt=prompt, undecided="ignore", **sample.spoken)
    read = coder.read(sample.responses, instrument).responses
    varies = read.get_column("answer").drop_nulls().n_unique() > 1
    share, draft = share_read(read, "answer"), partial(_draft, prompt)
    return [Proposal("absolute-decision", share, _RANK, draft, varies=varies, is_asked=mostly is not None)]


def _asks(sample: Sample, column: str, most: int) -> float:
    """Return the share of prompts that ask about actions: "Should his GP refer him?"."""
    prompts = sample.responses.get_column(column).cast(pl.String).drop_nulls().unique(maintain_order=True).head(most)
    return sum(bool(deed_asked(one) or foreign_deed(one)) for one in prompts) / max(len(prompts), 1)


def _draft(prompt: str | None, made: Draft) -> None:
    made.instrument = {"kind": "absolute-decision"} | ({"prompt": made.take(prompt)} if prompt else {})
    made.outcomes["decision"] = category("Decision", "answer", named(ABSOLUTE_DECISIONS))
    made.outcomes["reason"] = category(
        "Reason for no decision", "unanswered_reason", named(ABSOLUTE_REASONS), kind="reason"
    )
