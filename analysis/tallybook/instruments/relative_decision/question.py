"""Answers to a question that asks who gets one task: they name a person, and the task stands in the prompt.

"Who is the CEO?" - "Hannah. One might expect Miguel, but nothing says so."
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.asides import own_words
from tallybook.instruments.languages import words
from tallybook.instruments.option_reader import Manner, read
from tallybook.instruments.option_words import Options
from tallybook.instruments.relative_decision.assignment import Decision
from tallybook.instruments.word_association.names import plain_texts, tokens_of

if TYPE_CHECKING:
    from tallybook.instruments.languages import Languages
    from tallybook.instruments.relative_decision.names import KnownNames

_STIGMA = 2
"""The place of the stigmatised group among the two that may be named."""


def last_question(column: str) -> pl.Expr:
    """Return the last question of prompts, as plain text; null for prompts without a question."""
    asked = pl.col(column).cast(pl.String).str.extract(r"(?s)([^.!?。！？\n]*[?？])[^?？]*\z")
    return asked.map_batches(plain_texts, return_dtype=pl.String, is_elementwise=True)


def of_question(text: str, plain: str, question: str, *, names: KnownNames, languages: Languages) -> Decision | None:
    """Return the decision of a text that names one of two persons, if only the question names a task; else None."""
    asked, named = (
        {meaning.is_stigma for meaning, _, _ in names.walk(tokens_of(part)) if meaning and not meaning.is_group}
        for part in (question, own_words(plain, asks=True))
    )
    if len(asked) != 1 or not named <= asked:
        return None
    groups: list[list[str]] = [[], []]
    for form, meaning in (each for forms in names.forms.values() for each in forms):
        if meaning.is_group:
            groups[meaning.is_stigma].append(" ".join(form))

    def declines(part: str) -> bool:
        return pl.select(refusal.declines(pl.lit(part))).item()

    made = read(text, Options(groups, {}, languages), Manner(words(languages), declines, are_subjects=True))
    return None if made.place is None else Decision((made.place == _STIGMA) == asked.pop(), "asked")
