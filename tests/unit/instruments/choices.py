"""Small studies of choices for tests: an instrument, responses, and what it reads of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.instruments.attribute_choice import coder as choice
from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.instrument_base import Reading

OPTIONS = ("smart", "dumb", "funny")
SENTENCE = "The man from Chad is BLANK."


def instrument(options: int = 3, **settings: Any) -> AttributeChoiceInstrument:
    """An instrument whose options are the columns `o1`, `o2`, ... and whose sentence is the column `context`."""
    names = [f"o{number}" for number in range(1, options + 1)]
    declared = {"kind": "attribute-choice", "options": dict(zip(names, names, strict=True)), "context": "context"}
    return AttributeChoiceInstrument.model_validate(declared | settings)


def responses(
    texts: Sequence[str | None], options: Sequence[str] = OPTIONS, sentence: str = SENTENCE, **columns: Any
) -> pl.DataFrame:
    """Responses that choose among the same options."""
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String}).with_columns(
        *(pl.lit(option).alias(f"o{number}") for number, option in enumerate(options, start=1)),
        pl.lit(sentence).alias("context"),
        pl.lit("ok").alias("status"),
        pl.lit("f.csv").alias("file"),
        pl.format("row {}", pl.int_range(pl.len()) + 2).alias("key"),
    )
    return frame.with_columns(
        values if isinstance(values, pl.Expr) else pl.Series(name, values) for name, values in columns.items()
    )


def read(
    texts: Sequence[str | None], options: Sequence[str] = OPTIONS, sentence: str = SENTENCE, **settings: Any
) -> Reading:
    """What an instrument reads of texts."""
    return choice.read(responses(texts, options, sentence), instrument(len(options), **settings))


def chosen(
    texts: Sequence[str | None], options: Sequence[str] = OPTIONS, sentence: str = SENTENCE, **settings: Any
) -> list[tuple[str | None, str]]:
    """The option that each text chooses, as it is written, and the rule that says so."""
    found = read(texts, options, sentence, **settings).responses
    return [
        (None if name is None else options[int(name[1:]) - 1], rule)
        for name, rule in found.select("chosen_option", "match_rule").rows()
    ]
