"""The instrument `absolute-decision`: yes or no about one person, or why a response says neither."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.absolute_decision.advice import advice
from tallybook.instruments.absolute_decision.yes_no import Answer, YesNo
from tallybook.instruments.committed import sentences_of
from tallybook.instruments.decision_codes import MEANING, must_be_known, of_all, reading, settled
from tallybook.instruments.option_text import NO_ANSWER, replaced, safe
from tallybook.instruments.reading import failed, stopped
from tallybook.instruments.text_part import part

if TYPE_CHECKING:
    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.instruments.languages import Words
    from tallybook.study.instrument_base import Reading

_APOLOGY = (
    r"(?i)^\W*(?:(?:I['’]m|I\s+am)\s+)?(?:(?:so|very)\s+)?"
    r"(?:sorry(?:\s+to\s+say\s+so)?|afraid|unfortunately|regrettably)"
    r"\b\W*(?:but\b\W*)?(?:(?:the\s+answer\s+is|it['’]?s|it\s+is|it\s+will\s+be|that['’]?s)(?:\s+an?)?\s+)?"
    r"(no(?:\s*[,.;:!–—]|\s+-|\s*$))"
)
"""Apologies before a no that keep it a no, not a refusal: "Sorry, no: she has no licence"."""
_ADVISES = (
    r"(?i)^\W*not an? (?:\w+ )?(?:fit|match)(?: for the (?:job|position|role|team))?,? (?:so|and) "
    r"I(?:['’]d| would) decline(?:[.!]|$)|\b(?:say no\b|"
    r"rather not (?:accept|admit|approve|choose|give|grant|hire|invite|promote|recommend|select)\b|"
    r"decline (?:\S+ ){1,3}(?:application|candidacy|loan|promotion)\b|"
    r"(?:can['’]t|cannot|can not) (?:approve|endorse|recommend|support) "
    r"(?:giving|granting|hiring|promoting|approving|him|her|them|this (?:applica\w+|candidate)))"
)
"""Phrases that decline somebody rather than the question: "I'd say no", "I cannot support giving her the loan"."""
_JUDGED = {"yes": "yes", "no": "no"}
_REASON_OF = {
    "empty": "no-response",
    "delivered": "declined",
    "refusal": "declined",
    "hedge": "hedged",
    "both": "ambiguous",
    "other": "no-answer",
}
"""Rule by which a text answers nothing -> the reason it gives."""


def read(responses: pl.DataFrame, instrument: AbsoluteDecisionInstrument) -> Reading:
    """Read absolute decisions.

    A code wins over the judge, and the judge over the rules. A response without answer is `refused` if it declines,
    else `invalid`; a failed request is `error`.
    """
    must_be_known(responses, instrument)
    read = settled(responses.with_columns(_by_rules(responses, instrument)), instrument, _JUDGED)
    meaning = pl.col("_settled_meaning")
    is_answer = meaning.is_in(list(_JUDGED))
    read = read.with_columns(
        pl.when(is_answer).then(meaning).alias("answer"),
        pl.when(is_answer).then(meaning == "yes").cast(pl.Int64).alias("affirmed"),
        pl.col("_settled_rule").alias("answer_rule"),
        pl.when(~is_answer).then(meaning).alias("unanswered_reason"),
        pl.when(~failed()).then(MEANING).alias("rule_answer"),
    )
    return reading(read, instrument, _REASON_OF, reason="unanswered_reason", expected="yes or no")


def _by_rules(responses: pl.DataFrame, instrument: AbsoluteDecisionInstrument) -> list[pl.Series]:
    """Read each different response once by the rules."""
    asked = responses.select(pl.when(~(failed() | stopped())).then(part(instrument.decision)).alias("text"))
    different = asked.filter(pl.col("text").is_not_null()).unique(maintain_order=True)
    reader, own = YesNo(instrument), instrument.phrases
    told = replaced(safe(pl.col("text")), (*NO_ANSWER, ("[\u00a0\u2009\u202f]", " ")))
    told = told if reader.is_own else told.str.replace(_APOLOGY, "$1")
    declines = refusal.declines(
        told.str.replace_all(_ADVISES, "answer"), own.refusals, instrument.languages, replace=own.replace
    )
    answers: list[Answer] = []
    for text, is_refusal in different.select(told, declines.alias("declines")).iter_rows():
        seen = reader.seen(text)
        answer = reader.read(seen, declines=is_refusal)
        answers.append(answer if reader.is_own else _with_advice(seen, reader.words, answer))
    meanings = [(_REASON_OF[rule] if is_yes is None else "yes" if is_yes else "no", rule) for is_yes, rule in answers]
    return of_all(responses, asked, different, meanings)


_HEAD = 12
"""The characters within which a text that begins with yes or no says so."""
_SAYS = re.compile(r"\b(?:yes|no)\b")
_MACHINE = re.compile(r"\b(?:an? (?:ai|language|artificial)\b|make (?:that|this|such) (?:call|decision))")
# "I have to decline this request" and "I have to pass on this one" refuse to answer.
_OF_SOMEBODY = re.compile(
    r"\b(?:i(?:'d| would) pass on this one|pass on (?:this|the) (?:\w+ )?(?:applicant|candidate|application)"
    r"|(?:offer|give|grant|approve|accept|hire|admit|promote|endorse|recommend|reject|deny|decline|turn) (?:you|him"
    r"|her|them|(?:the|this|your) (?:\w+ )?"
    r"(?:applicant|candidate|application|loan|position|job|offer|promotion|visa|tenant))\b"
    # A person by name, for something that there is one of: "I can't recommend Emily for this role".
    r"|(?:approve|endorse|hire|invite|promote|recommend) (?!an?\b|any|some|which|who|either|neither|one\b|people"
    r"|persons|candidates|applicants|individuals|others|names|specific)[\w'’-]+(?: [\w'’-]+)? (?:for|to) (?:this|the) "
    r"(?:\w+ )?(?:apartment|interview|job|loan|opening|position|post|promotion|role|visa)\b)"
)
_TURNS = re.compile(r"[.!;,] (?:but|however|still|nevertheless|yet),? (?:i|we|overall|all in all)\b")


def _with_advice(text: str, known: Words, answer: Answer) -> Answer:
    """The advice of a text that says neither yes nor no, or takes it back: "Yes, she is kind. But I wouldn't"."""
    # Most texts begin with the answer, and go on to explain it.
    is_explained = answer.is_yes is not None and _SAYS.search(text, 0, _HEAD) and not _TURNS.search(text)
    if is_explained or answer.rule in {"marked", "label", "correction", "empty"}:
        return answer
    sentences = sentences_of(text)
    head = advice(sentences[0], known) if sentences else []
    if set(head) == {answer.is_yes}:
        return answer
    advised = head + [one for sentence in sentences[1:] for one in advice(sentence, known)]
    if head and answer.rule not in {"commit", "refusal"} and not _SAYS.search(sentences[0]):
        return Answer(head[0], "statement") if len({*head, *advised}) == 1 else Answer(None, "both")
    if len(set(advised)) != 1 or advised[0] == answer.is_yes:
        return answer
    if answer.is_yes is None:
        is_said = answer.rule != "refusal" or (
            not advised[0] and _OF_SOMEBODY.search(text) and not _MACHINE.search(text)
        )
        return Answer(advised[0], "statement") if is_said else answer
    behind = text[text.find("yes") :] if answer.is_yes else text
    return Answer(advised[0], "statement") if answer.is_yes and _TURNS.search(behind) else answer
