"""Choices of responses: options as they were shown, texts or log-probabilities read, and what options have beside."""

from __future__ import annotations

from functools import lru_cache
from string import ascii_lowercase
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.instruments import refusal
from tallybook.instruments.asked import last_question
from tallybook.instruments.languages import words
from tallybook.instruments.multiple_choice import options as listed
from tallybook.instruments.option_labels import find
from tallybook.instruments.option_reader import Choice, Manner, in_languages
from tallybook.instruments.option_reader import read as read_text
from tallybook.instruments.option_text import NO_ANSWER, replaced, safe
from tallybook.instruments.option_words import Options
from tallybook.instruments.reading import VERDICT, failed, once, reported, require_columns, stopped, verdict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.languages import Languages
    from tallybook.instruments.multiple_choice.instrument import Labels, MultipleChoiceInstrument
    from tallybook.study.instrument_base import Reading

_FOUND = {"place": pl.Int64, "rule": pl.String, "reason": pl.String}


def read(responses: pl.DataFrame, instrument: MultipleChoiceInstrument) -> Reading:
    """Read the choice of each response."""
    require_columns(responses, instrument.reads)
    asked = listed.questions(responses, instrument)
    found = _by_scores(asked, instrument) if instrument.scores else _by_texts(responses, asked, instrument)
    place = pl.when(~(failed() | stopped())).then("place")
    known = pl.concat([responses.select("status"), asked, found], how="horizontal").with_columns(place)
    # From the place among the options shown to the index among the options declared.
    known = known.with_columns(_at(pl.col("order"), pl.col("place") - 1).alias("index"))
    name = pl.lit(listed.names(instrument, known)) if known.height else pl.lit(None, dtype=pl.List(pl.String))
    without = (
        pl.when(failed())
        .then(None)
        .when(stopped())
        .then(pl.lit("declined"))
        .when(pl.col("place").is_null())
        .then("reason")
    )
    made = known.select(
        _at(name, pl.col("index")).alias("chosen_option"),
        pl.col("place").alias("chosen_place"),
        _at(pl.col("options"), pl.col("index")).alias("chosen_text"),
        *(_at(pl.col(f"trait {trait}"), pl.col("index")).alias(f"chosen_{trait}") for trait in instrument.traits),
        *(
            pl.when(pl.col("index").is_not_null() & pl.col("right").is_not_null())
            .then(pl.when(pl.col("index") == pl.col("right")).then(pl.lit("right")).otherwise(pl.lit("wrong")))
            .alias("choice_is")
            for _ in ([0] if instrument.correct else [])
        ),
        *(
            _at(pl.col(f"trait {trait}"), pl.col("right")).alias(f"right_{trait}")
            for trait in (instrument.traits if instrument.correct else ())
        ),
        pl.when(failed()).then(None).when(stopped()).then(pl.lit("delivered")).otherwise("rule").alias("choice_rule"),
        without.alias("unchosen_reason"),
    )
    read = responses.with_columns(made.get_columns())
    read = read.with_columns(verdict(pl.col("unchosen_reason")))
    return reported(read, lambda: _findings(read, asked, instrument), instrument.undecided)


def _at(values: pl.Expr, index: pl.Expr) -> pl.Expr:
    return values.list.get(index, null_on_oob=True)


def _by_texts(responses: pl.DataFrame, asked: pl.DataFrame, instrument: MultipleChoiceInstrument) -> pl.DataFrame:
    """Read each distinct combination of text and options once."""

    def read(different: pl.DataFrame) -> pl.DataFrame:
        declines = refusal.declines(pl.col("said"), instrument.refusal_phrases)
        said = replaced(safe(pl.col("said")), NO_ANSWER)
        forms = different.select(said, "wordings", "question", declines.alias("declines"))
        found = [
            _by_text(text, wordings, question, instrument, is_refusal=no)
            for text, wordings, question, no in forms.iter_rows()
        ]
        return pl.DataFrame(found, schema=_FOUND, orient="row")

    text = pl.when(~(failed() | stopped())).then(pl.col(instrument.column).cast(pl.String).fill_null(""))
    wordings = asked.get_column("wordings").cast(pl.List(pl.List(pl.String)))
    prompt = instrument.prompt or (instrument.options if isinstance(instrument.options, str) else "")
    is_text = responses.schema.get(prompt) == pl.String
    question = last_question(prompt) if is_text else pl.lit(None, dtype=pl.String)
    rows = responses.select(text.alias("said"), wordings, question.alias("question"))
    return once(rows, ["said", "wordings", "question"], read)


def _by_text(
    text: str,
    wordings: list[list[str]],
    question: str | None,
    instrument: MultipleChoiceInstrument,
    *,
    is_refusal: bool,
) -> Choice:
    """Read the choice of one text among options with these wordings."""
    if len(wordings) < 2:  # noqa: PLR2004  a choice is between two at least
        return Choice(None, "no-options", "no-options")
    is_exact = instrument.match == "exact"

    def declines(part: str) -> bool:
        return is_refusal if part == text else refusal.is_declined(part, instrument.refusal_phrases)

    def choice(languages: Languages) -> Choice:
        options = _options(tuple(map(tuple, wordings)), instrument.labels, languages)
        manner = Manner(words(languages), declines, are_subjects=True, is_exact=is_exact)
        return read_text(text, options, manner, prompt=question)

    made = in_languages(choice, instrument.languages, text)
    if made.rule != "other" or instrument.refusal_phrases is not None or not refusal.avoids(text):
        return made
    marked = _options(tuple(map(tuple, wordings)), instrument.labels, instrument.languages).marked(text)
    return made if find(marked) else Choice(None, "refusal", "declined")


@lru_cache(maxsize=4096)
def _options(wordings: tuple[tuple[str, ...], ...], labels: Labels, languages: Sequence[str]) -> Options:
    return Options(wordings, _places(labels, len(wordings)), languages)


def _places(labels: Labels, options: int) -> dict[str, int]:
    """Return the labels of options -> their places, from 1."""
    if not isinstance(labels, str):
        return {label.lower(): place for place, label in enumerate(labels[:options], start=1)}
    letters = {letter: place for place, letter in enumerate(ascii_lowercase[:options], start=1)}
    start = 0 if labels == "numbers-from-0" else 1
    numbers = {str(place - 1 + start): place for place in range(1, options + 1)}
    return {"any": letters | numbers, "letters": letters, "none": {}}.get(labels, numbers)


def _by_scores(asked: pl.DataFrame, instrument: MultipleChoiceInstrument) -> pl.DataFrame:
    """Return the place at which the option with the highest log-probability was shown, or the reason for none."""
    scores = pl.col("scores")
    if instrument.per_character:
        lengths = pl.col("options").list.eval(pl.element().str.len_chars().cast(pl.Float64))
        scores = scores / lengths
    frame = asked.select(scores.list.gather(pl.col("order")).alias("scores"))
    best = pl.col("scores").list.max()
    times = pl.col("scores").list.eval((pl.element() == pl.element().max()).sum()).list.first()
    is_known = pl.col("scores").list.eval(pl.element().is_finite().fill_null(value=False).all()).list.first()
    is_known = is_known.fill_null(value=False) & (pl.col("scores").list.len() > 1)
    return frame.select(
        pl.when(is_known & (times == 1)).then(pl.col("scores").list.arg_max().cast(pl.Int64) + 1).alias("place"),
        pl.lit("score").alias("rule"),
        pl.when(~is_known | best.is_null())
        .then(pl.lit("no-response"))
        .when(times > 1)
        .then(pl.lit("tied"))
        .alias("reason"),
    )


def _findings(read: pl.DataFrame, asked: pl.DataFrame, instrument: MultipleChoiceInstrument) -> list[Problem]:
    """List a problem for each answer that chooses no option."""
    column = instrument.column if instrument.column in read.columns else "chosen_text"
    rows = read.select("file", "key", pl.col(column).cast(pl.String).fill_null("").alias("said"), VERDICT)
    unread = rows.with_columns(asked.get_column("options")).filter(pl.col(VERDICT) == "invalid")
    return [
        Problem(file, key, instrument.column, said, "one of the options " + ", ".join(f"'{one}'" for one in options))
        for file, key, said, _, options in unread.iter_rows()
    ]
