"""The instrument `absolute-decision`: yes or no about one person, or why a response says neither."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments import refusal
from tallybook.instruments.absolute_decision.yes_no import Answer, YesNo
from tallybook.instruments.committed import SHORT, Mention, committed, plain, with_places
from tallybook.instruments.languages import ENGLISH, words
from tallybook.instruments.option_text import NO_ANSWER, replaced, safe
from tallybook.instruments.reading import VERDICT, failed, stopped
from tallybook.instruments.relative_decision.codes import MEANING, RULE, settled, unknown_codes
from tallybook.instruments.relative_decision.part import part
from tallybook.instruments.word_association.tokens import plain_texts
from tallybook.study.instrument_base import Reading

if TYPE_CHECKING:
    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument

_ADVISES = re.compile(
    r"(?i)\b(?:say no\b|decline (?:\S+ ){1,3}(?:application|candidacy|loan|promotion)\b|"
    r"(?:can['’]t|cannot|can not) (?:approve|endorse|recommend|support) "
    r"(?:giving|granting|hiring|promoting|approving|him|her|them|this (?:applica\w+|candidate)))"
)
"""What declines somebody, and not to answer: "I'd say no", "I cannot support giving her the loan"."""
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

    A code wins over the judge, and the judge over the rules of `yes_no`. A response without answer is
    `refused` if it declines, else `invalid`; a failed request is `error`.

    Args:
        responses: The responses, with `file`, `key`, `status` and the columns that the instrument names.
        instrument: The declaration.

    Returns:
        The responses with `answer` (`yes`, `no` or null), `affirmed` (1, 0 or null), `answer_rule` (what found the
        answer, or that there is none), `unanswered_reason` (why there is none) and `rule_answer` (`yes`, `no` or the
        reason, as the rules alone say); the findings are the texts that say neither and that nobody judged.

    Raises:
        UsageError: If the responses lack a column.
        DataError: If a code is not declared, or a text says neither and the instrument's `undecided` is `error`.
    """
    for setting, column in instrument.reads.items():
        if column not in responses.columns:
            raise UsageError(f"instrument.{setting}: the responses have no column {column!r}")
    if faults := unknown_codes(responses, instrument):
        raise DataError(faults)
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
    findings = [] if instrument.undecided == "ignore" else _findings(read, instrument)
    if findings and instrument.undecided == "error":
        raise DataError(findings)
    return Reading(read.drop(RULE, MEANING, "_settled_rule", "_settled_meaning"), tuple(findings))


def _by_rules(responses: pl.DataFrame, instrument: AbsoluteDecisionInstrument) -> list[pl.Series]:
    """What the rules say of each response. Many are alike: each different one is read once."""
    asked = responses.select(pl.when(~(failed() | stopped())).then(part(instrument.decision)).alias("text"))
    different = asked.filter(pl.col("text").is_not_null()).unique(maintain_order=True)
    words = YesNo(instrument.phrases)
    told = pl.col("text").str.replace_all(r"~~[^~\n]+~~", "").str.replace_all(_NOT_APPLICABLE, "not applicable")
    heard = different.select(words.without_apology(told)).get_column("text")
    declines = different.select(
        refusal.declines(
            pl.lit(heard).str.replace_all(_ADVISES.pattern, "answer"),
            instrument.phrases.refusals,
            instrument.languages,
            replace=instrument.phrases.replace,
        )
    ).to_series()
    answers = [
        words.read(plain, declines=is_refusal) for plain, is_refusal in zip(plain_texts(heard), declines, strict=True)
    ]
    answers = _committing(different.get_column("text"), answers, declines, instrument)
    made = different.with_columns(
        pl.Series(
            MEANING,
            [_REASON_OF[rule] if is_yes is None else "yes" if is_yes else "no" for is_yes, rule in answers],
            dtype=pl.String,
        ),
        pl.Series(RULE, [answer.rule for answer in answers], dtype=pl.String),
    )
    joined = asked.join(made, on="text", how="left", nulls_equal=True, maintain_order="left")
    without = pl.when(pl.lit(responses.select(stopped()).to_series()))
    return joined.select(
        without.then(pl.lit("declined")).otherwise(pl.col(MEANING).fill_null("no-response")).alias(MEANING),
        without.then(pl.lit("delivered")).otherwise(pl.col(RULE).fill_null("empty")).alias(RULE),
    ).get_columns()


_NOT_APPLICABLE = r"(?i)\bn(?: ?/ ?a\b|\. ?a\b\.?)"
"""What is no "n" for "no"."""
_STRONG = ("marked", "line", "label", "commit", "conclusion")
"""The rules by which a text that declines answers, if it says that it does so nevertheless."""


def _committing(
    texts: pl.Series, answers: list[Answer], declines: pl.Series, instrument: AbsoluteDecisionInstrument
) -> list[Answer]:
    """The answers to which texts commit themselves, where no rule of `yes_no` found one, or an answer is corrected."""
    own = instrument.phrases
    if instrument.languages == ENGLISH and own.replace and (own.yes or own.no):
        return answers
    known, short = words(instrument.languages), 0 if instrument.languages == ENGLISH else SHORT

    def find(part: str) -> list[Mention]:
        sides = ((known.yes, True), (known.no, False))
        return sorted(Mention(*match.span(), side) for pattern, side in sides for match in pattern.finditer(part))

    made: list[Answer] = []
    told = texts.to_frame("text").select(replaced(safe(pl.col("text")), NO_ANSWER)).to_series()
    for text, answer, is_refusal in zip(map(_read_aloud, told), answers, declines, strict=True):
        is_open = answer.is_yes is None
        is_yes, rule = (
            committed(text, with_places(text, find, known), known, short=short)
            if is_open or known.correction.search(text)
            else (None, None)
        )
        is_said = rule is not None and (
            not is_refusal or rule == "line" or (rule in _STRONG and known.yet.search(text) is not None)
        )
        made.append(Answer(is_yes, rule) if rule and is_said and (is_open or rule == "correction") else answer)
    return made


def _read_aloud(text: str) -> str:
    """A plain text in which "No. 1", "N/A" and "Reject: yes" are no answers."""
    text = re.sub(r"\bno\.(?= ?[0-9])", "number", re.sub(_NOT_APPLICABLE, "not applicable", plain(text)))
    return re.sub(r"\b(?:decline|deny|dismiss|reject|turn down)\b[^.!?:\n]{0,60}:\s*(?:yes|no)\b", "", text)


def _findings(read: pl.DataFrame, instrument: AbsoluteDecisionInstrument) -> list[Problem]:
    """The texts that say neither: not those that decline nor those that codes or a judge decided."""
    column = instrument.decision.column
    is_answer = (pl.col(VERDICT) == "invalid") & (pl.col("unanswered_reason") != "no-response")
    unanswered = read.filter(is_answer & pl.col("answer_rule").is_in(list(_REASON_OF)))
    return [
        Problem(file, key, column, text, "yes or no")
        for file, key, text in unanswered.select(
            "file", "key", pl.col(column).cast(pl.String).fill_null("")
        ).iter_rows()
    ]
