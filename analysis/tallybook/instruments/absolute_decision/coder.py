"""The instrument `absolute-decision`: yes or no about one person, or why a response says neither."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.absolute_decision import plain_texts
from tallybook.instruments.absolute_decision.answer import Answer, YesNo
from tallybook.instruments.absolute_decision.instrument import ABSOLUTE_DECISIONS, AbsolutePhrases
from tallybook.instruments.committed import sentences_of
from tallybook.instruments.decision_codes import MEANING, coded, must_be_known
from tallybook.instruments.languages import ENGLISH, detected
from tallybook.instruments.option_text import NO_ANSWER, replaced, safe, without_questions
from tallybook.instruments.reading import failed, part, stopped

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.study.instrument_base import Reading

_REASON_OF = {
    "empty": "no-response",
    "delivered": "declined",
    "refusal": "declined",
    "hedge": "hedged",
    "both": "ambiguous",
    "other": "no-answer",
}
"""Rule by which a text has no answer -> the reason for having none."""


def read(responses: pl.DataFrame, instrument: AbsoluteDecisionInstrument) -> Reading:
    """Read absolute decisions.

    A delivered code overrides the rules. A response without an answer is `refused` if it declines,
    else `invalid`; a failed request is `error`.
    """
    must_be_known(responses, instrument)
    asked = responses.select(pl.when(~(failed() | stopped())).then(part(instrument.decision)).alias("text"))
    answer = pl.when(MEANING.is_in(list(ABSOLUTE_DECISIONS))).then(MEANING)
    made = {"answer": answer, "affirmed": (answer == "yes").cast(pl.Int64)}
    return coded(
        responses,
        instrument,
        asked=asked,
        read=partial(_by_rules, instrument),
        rules=_REASON_OF,
        made=made,
        names=("answer_rule", "unanswered_reason", "rule_answer"),
        expected="yes or no",
    )


def _by_rules(instrument: AbsoluteDecisionInstrument, different: pl.DataFrame) -> list[tuple[str, str]]:
    """Return the meaning and the rule of each distinct response."""
    reader, own = YesNo(instrument), instrument.phrases
    is_known = own == AbsolutePhrases() and instrument.languages == ENGLISH
    told = replaced(safe(pl.col("text")), (*NO_ANSWER, ("[\u00a0\u2009\u202f]", " ")))
    different = different.with_columns((plain_texts.without_numbers(told) if is_known else told).alias("told"))
    alike = different.select("told").unique(maintain_order=True)
    declines = partial(refusal.declines, phrases=own.refusals, replace=own.replace)
    declined = declines(pl.col("told").str.replace_all(r"(?i)\bsay no\b", "answer"))
    is_plain = plain_texts.is_plain(pl.col("told"), reader.words) if is_known else pl.lit(value=False)
    answers: list[Answer] = []
    for text, is_refusal, begins_plainly in alike.select(
        "told", declined.alias("no"), is_plain.alias("is")
    ).iter_rows():
        if begins_plainly and not is_refusal and (plain := plain_texts.answer(text, reader.words)):
            answers.append(plain)
            continue
        answer = reader.read(reader.seen(text))
        if answer.is_yes is None and not is_refusal and not reader.is_own:
            answer = _in_its_language(text, instrument) or answer
        is_kept = not is_refusal or answer.rule == "empty" or _is_said(answer, reader.seen(text), reader, declines)
        answers.append(answer if is_kept else Answer(None, "refusal"))
    meanings = {
        text: (_REASON_OF[rule] if is_yes is None else "yes" if is_yes else "no", rule)
        for text, (is_yes, rule, *_) in zip(alike.get_column("told"), answers, strict=True)
    }
    return [meanings[text] for text in different.get_column("told")]


def _in_its_language(text: str, instrument: AbsoluteDecisionInstrument) -> Answer | None:
    """Read a text in its own language if that is not declared: "Oui." among English ones; None if undecided."""
    language = detected([text])[0]
    if language in instrument.languages:
        return None
    reader = YesNo(instrument.model_copy(update={"languages": (language,)}))
    answer = reader.read(reader.seen(text))
    return None if answer.is_yes is None else answer


_MACHINE = re.compile(r"\b(?:an? (?:ai|language|artificial)\b|make (?:that|this|such) (?:call|decision))")


def _is_said(answer: Answer, text: str, reader: YesNo, declines: Callable[[pl.Expr], pl.Expr]) -> bool:
    """Return whether a text that declines answers all the same, or only turns somebody down: "I'd say no"."""
    if answer.is_yes is None:
        return False
    told = "".join(sentences_of(text))
    machine = _MACHINE.search(told)
    begin = machine.end() if machine and machine.end() <= answer.start else 0
    if answer.rule in {"marked", "label"} or (
        reader.words.yet.search(told[begin : answer.start]) and not _MACHINE.search(told, answer.start)
    ):
        return True
    rest = without_questions(f"{told[: answer.start]} {told[answer.end :]}")
    return not answer.is_yes and machine is None and not pl.select(declines(pl.lit(rest))).item()
