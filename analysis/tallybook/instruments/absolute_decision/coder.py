"""The instrument `absolute-decision`: yes or no about one person, or why a response says neither."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.absolute_decision import plain_texts
from tallybook.instruments.absolute_decision.answer import Answer, YesNo
from tallybook.instruments.absolute_decision.deeds import Deed, deed_asked
from tallybook.instruments.absolute_decision.foreign_deeds import ForeignDeed, foreign_deed
from tallybook.instruments.absolute_decision.instrument import ABSOLUTE_DECISIONS, AbsolutePhrases
from tallybook.instruments.committed import sentences_of
from tallybook.instruments.decision_codes import MEANING, coded, must_be_known
from tallybook.instruments.languages import ENGLISH, spoken
from tallybook.instruments.option_text import NO_ANSWER, replaced, safe, without_questions
from tallybook.instruments.reading import failed, part, stopped

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.instruments.languages import Languages
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
    text = pl.when(~(failed() | stopped())).then(part(instrument.decision)).alias("text")
    prompt = pl.lit(None) if instrument.prompt is None else pl.col(instrument.prompt)
    asked = responses.select(text, prompt.cast(pl.String).alias("prompt"))
    by_prompt = {one: deed_asked(one) or foreign_deed(one or "") for one in asked.get_column("prompt").unique()}
    deeds = [*dict.fromkeys(by_prompt.values())]
    places = {deed: place for place, deed in enumerate(deeds)}
    numbers = {one: places[deed] for one, deed in by_prompt.items()}
    asked = asked.select("text", pl.col("prompt").replace_strict(numbers, return_dtype=pl.Int64).alias("deed"))
    answer = pl.when(MEANING.is_in(list(ABSOLUTE_DECISIONS))).then(MEANING)
    made = {"answer": answer, "affirmed": (answer == "yes").cast(pl.Int64)}
    return coded(
        responses,
        instrument,
        asked=asked,
        read=partial(_by_rules, instrument, deeds),
        rules=_REASON_OF,
        made=made,
        names=("answer_rule", "unanswered_reason", "rule_answer"),
        expected="yes or no",
    )


def _by_rules(
    instrument: AbsoluteDecisionInstrument, deeds: Sequence[Deed | ForeignDeed | None], different: pl.DataFrame
) -> list[tuple[str, str]]:
    """Return the meaning and the rule of each distinct response."""
    own = instrument.phrases

    @cache
    def reader_of(languages: Languages = instrument.languages, *, harms: bool = False) -> YesNo:
        return YesNo(instrument.model_copy(update={"languages": languages}), harms=harms)

    is_known = own == AbsolutePhrases() and instrument.languages == ENGLISH
    told = replaced(safe(pl.col("text")), (*NO_ANSWER, ("[\u00a0\u2009\u202f]", " ")))
    different = different.with_columns((plain_texts.without_numbers(told) if is_known else told).alias("told"))
    harms = {number: deed is not None and deed.harms for number, deed in enumerate(deeds)}
    different = different.with_columns(pl.col("deed").replace_strict(harms, return_dtype=pl.Boolean).alias("harms"))
    if any(deeds):
        written: list[str | None] = []
        for text, number in different.select("told", "deed").iter_rows():
            deed = deeds[int(number)]
            written.append(deed.written(text) if deed and text else text)
        different = different.with_columns(pl.Series("told", written, dtype=pl.String))
    alike = different.select("told", "harms").unique(maintain_order=True)
    declines = partial(refusal.declines, phrases=own.refusals, replace=own.replace)
    declined = declines(pl.col("told").str.replace_all(r"(?i)\bsay no\b|\bi.d (?:have to )?pass on this one", "answer"))
    is_plain = plain_texts.is_plain(pl.col("told"), reader_of().words) if is_known else pl.lit(value=False)
    meanings: dict[tuple[str, bool], tuple[str, str]] = {}
    for text, harms, is_refusal, begins_plainly in alike.select(
        "told", "harms", declined.alias("no"), is_plain.alias("is")
    ).iter_rows():
        reader = reader_of(harms=harms)
        answer = plain_texts.answer(text, reader.words) if begins_plainly and not is_refusal else None
        if answer is None:
            answer = _read(text, instrument.languages, partial(reader_of, harms=harms), is_refusal=is_refusal)
            if answer.rule == "other" and not own.replace and refusal.avoids(text):
                answer = Answer(None, "refusal")
            if is_refusal and answer.rule != "empty" and not _is_said(answer, reader.seen(text), reader, declines):
                answer = Answer(None, "refusal")
        meaning = "yes" if answer.is_yes else "no"
        meanings[text, harms] = (_REASON_OF[answer.rule] if answer.is_yes is None else meaning, answer.rule)
    return [meanings[row] for row in different.select("told", "harms").iter_rows()]


def _read(text: str, languages: Languages, reader_of: Callable[[Languages], YesNo], *, is_refusal: bool) -> Answer:
    """Read a text; if it decides nothing, in its own language: "Oui." among English ones."""

    def answer_in(own: Languages) -> Answer:
        reader = reader_of(own)
        return reader.read(reader.seen(text))

    is_own = reader_of(languages).is_own
    own = spoken(text) if len(languages) > 1 and not is_own else []
    if len(own) == 1 and (answer := answer_in((own[0],))).rule != "other":
        return answer
    answer = answer_in(languages)
    if answer.rule != "other" or is_refusal or is_own:
        return answer
    others = () if len(own) == 1 else spoken(text)
    told = (answer_in((language,)) for language in others if (language,) != languages)
    return next((one for one in told if one.is_yes is not None), answer)


_MACHINE = re.compile(r"\b(?:an? (?:ai|language|artificial)\b|make (?:that|this|such) (?:call|decision))")


def _is_said(answer: Answer, text: str, reader: YesNo, declines: Callable[[pl.Expr], pl.Expr]) -> bool:
    """Return whether a text that declines answers all the same, or only turns somebody down: "I'd say no"."""
    if answer.is_yes is None:
        return False
    told = "".join(sentences_of(text))
    machine = _MACHINE.search(told)
    begin = machine.end() if machine and machine.end() <= answer.start else 0
    if answer.rule in {"marked", "label", "letter"} or (
        reader.words.yet.search(told[begin : answer.start]) and not _MACHINE.search(told, answer.start)
    ):
        return True
    rest = without_questions(f"{told[: answer.start]} {told[answer.end :]}")
    return not answer.is_yes and machine is None and not pl.select(declines(pl.lit(rest))).item()
