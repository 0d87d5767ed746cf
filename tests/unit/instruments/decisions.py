"""Small studies of decisions for tests: instruments, responses, and what they read of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.instruments.absolute_decision import coder as absolute_decision
from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
from tallybook.instruments.relative_decision import coder as relative_decision
from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.instrument_base import Reading

COUPLE = {"default": ["Ben"], "stigma": ["Julia"], "positive": ["management"], "negative": ["wedding"]}
COLUMNS = {"default": "d", "stigma": "s", "positive": "p", "negative": "n"}


def relative(**settings: Any) -> RelativeDecisionInstrument:
    """An instrument for Ben and Julia, unless the settings name others."""
    names = {} if settings.keys() & {"columns", "sides", "names"} else {"names": {"couple": COUPLE}}
    return RelativeDecisionInstrument.model_validate({"kind": "relative-decision"} | names | settings)


def absolute(**settings: Any) -> AbsoluteDecisionInstrument:
    """An instrument for answers in the column `text`."""
    return AbsoluteDecisionInstrument.model_validate({"kind": "absolute-decision"} | settings)


def responses(texts: Sequence[str | None], **columns: Any) -> pl.DataFrame:
    """Responses with these texts."""
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String}).with_columns(
        pl.lit("ok").alias("status"),
        pl.lit("f.csv").alias("file"),
        pl.format("row {}", pl.int_range(pl.len()) + 2).alias("key"),
    )
    return frame.with_columns(
        values.alias(name) if isinstance(values, pl.Expr) else pl.Series(name, values)
        for name, values in columns.items()
    )


def read_relative(texts: Sequence[str | None], **settings: Any) -> Reading:
    """What the instrument for Ben and Julia reads of texts."""
    return relative_decision.read(responses(texts), relative(**settings))


def decided(texts: Sequence[str | None], **settings: Any) -> list[tuple[int | None, str | None]]:
    """Whether each decision about Ben and Julia is discriminatory, and the rule."""
    return read_relative(texts, **settings).responses.select("discriminatory", "decision_rule").rows()


def answered(texts: Sequence[str | None], **settings: Any) -> list[tuple[str | None, str | None]]:
    """Each answer and the rule."""
    found = absolute_decision.read(responses(texts), absolute(**settings)).responses
    return found.select("answer", "answer_rule").rows()
