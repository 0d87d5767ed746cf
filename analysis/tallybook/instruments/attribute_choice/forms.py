r"""The forms of a text and of its options in which the rules compare them.

A frame of choices has the columns `text`, `option_0`, `option_1`, ... (the texts of the options), `place_0`, ... (where
they were shown, from 1; null where unknown) and `sentence` (with the mark `GAP` for the missing words, or null).

Their forms, each null where that is missing of which it is a form:

- of texts: `plain`; `folded`; `flat`, words on one line, each between blanks of its own; `wide`, the same of folded
  words; `segments`, what stands on a line or is a sentence, between "\n"; `said`, segments with the mark `ANSWER` where
  the text says that its answer follows; `numbered`, the same where the number of an option stands before it, too;
  `quotes`, folded with the marks `OPEN` and `CLOSE`; `number`; `index`, the place of the option that the text names by
  a number or letter; `label`, the place by the number before the first option that it names in words; `declines` and
  `objects`, which are never null.
- of options: `folded_0`, `flat_0`, `wide_0`, `segments_0`, `number_0`, ...; null where no word is left of an option.
- of sentences: `folded_sentence`, `wide_sentence`.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.attribute_choice import answer_phrases
from tallybook.instruments.number_words import as_number
from tallybook.instruments.option_text import ANSWER, hyphens_folded, on_one_line, plain, safe, words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.instruments.attribute_choice.language import Language

_NOUN = "(?:answer|choice|letter|number|option)"


def with_forms(choices: pl.DataFrame, options: int, language: Language) -> pl.DataFrame:
    """Add the forms of texts, options and sentences."""
    each = [str(number) for number in range(options)]
    choices = choices.with_columns(
        plain(safe(pl.col("text"))).str.strip_chars().alias("plain"),
        *(_or_null(words(plain(safe(pl.col(f"option_{i}"))))).alias(f"words_{i}") for i in each),
        words(plain(pl.col("sentence"))).alias("_sentence"),
    )
    verbal = answer_phrases.verbal(pl.col("plain"), language.answer, language.denials, replace=language.replace)
    choices = choices.with_columns(words(pl.col("plain")).alias("words"), verbal.alias("verbal"))
    choices = choices.with_columns(
        _folded("words").alias("folded"),
        words(pl.col("verbal")).alias("_verbal_words"),
        words(answer_phrases.numbered(pl.col("verbal"), _places(options))).alias("_numbered_words"),
        on_one_line(hyphens_folded(words(answer_phrases.quoted(pl.col("plain"))))).alias("quotes"),
        _folded("_sentence").alias("folded_sentence"),
        *(_folded(f"words_{i}").alias(f"folded_{i}") for i in each),
        _apart(on_one_line(pl.col("words"))).alias("flat"),
        *(_apart(on_one_line(pl.col(f"words_{i}"))).alias(f"flat_{i}") for i in each),
        _apart(_folded("words")).alias("wide"),
        _apart(_folded("_sentence")).alias("wide_sentence"),
        *(_apart(_folded(f"words_{i}")).alias(f"wide_{i}") for i in each),
        _segments("words", language).alias("segments"),
        *(_segments(f"words_{i}", language).str.strip_chars("\n ").alias(f"segments_{i}") for i in each),
    )
    return choices.with_columns(
        _said("_verbal_words", language).alias("said"),
        _said("_numbered_words", language).alias("numbered"),
        as_number(pl.col("folded"), language.numbers).alias("number"),
        *(as_number(pl.col(f"folded_{i}"), language.numbers).alias(f"number_{i}") for i in each),
        _index(options, language).alias("index"),
        _place(answer_phrases.number(pl.col("verbal"), _places(options)), _places(options)).alias("label"),
        _declines(language).alias("declines"),
        _objects(language).alias("objects"),
    ).drop("words", "verbal", "_verbal_words", "_numbered_words", "_sentence", *(f"words_{i}" for i in each))


def _or_null(text: pl.Expr) -> pl.Expr:
    return pl.when(text != "").then(text)


def _folded(column: str) -> pl.Expr:
    return on_one_line(hyphens_folded(pl.col(column)))


def _apart(words: pl.Expr) -> pl.Expr:
    """Each word between blanks of its own, so that the same words can be found again right behind themselves."""
    return pl.format(" {} ", words.str.replace_all(" ", "  ", literal=True))


def _segments(column: str, language: Language) -> pl.Expr:
    segments = pl.format("\n {} \n", hyphens_folded(pl.col(column)))
    if language.reasons:
        # Not at the start of a line, where such a word is part of what is said.
        segments = segments.str.replace_all(f"([^\n]) {language.reasons} ", "$1 \n ")
    return segments


def _said(column: str, language: Language) -> pl.Expr:
    return _segments(column, language).str.replace_all(rf"{ANSWER}(?: \n)+ ", f"{ANSWER} ")


def _places(options: int) -> dict[str, int]:
    """The numbers and letters of options -> their place."""
    numbers = {str(place): place for place in range(1, options + 1)}
    return numbers | {letter: place for place, letter in enumerate(ascii_lowercase[:options], start=1)}


def _index(options: int, language: Language) -> pl.Expr:
    """The place of an option that a text, its first line or what is said to be the answer is by number or letter."""
    places = _places(options)
    names = {name: int(place) for name, place in language.numbers.items() if 1 <= int(place) <= options}
    ordinals = {name: int(place) for name, place in language.ordinals.items() if int(place) <= options}
    either = "|".join(map(re.escape, sorted((*places, *names), key=len, reverse=True)))
    ordinal = "|".join(map(re.escape, ordinals)) or "[^\\s\\S]"
    named = rf"(?:(?:(?:the )?{_NOUN} )?#?({either})|(?:the )?({ordinal})(?: (?:{_NOUN}|one|word))?)"
    first_line = rf"^[\s(\[\"'>]*{named}[ )\].:!\"'}}]*(?:\n|$)"
    found = [
        form.str.extract(pattern, group)
        for form, pattern in (
            (pl.col("plain"), first_line),
            (_segments("_verbal_words", language), f"{ANSWER} {named} \n"),
        )
        for group in (1, 2)
    ]
    known = places | names | ordinals
    return _place(pl.coalesce(found), known)


def _place(name: pl.Expr, places: Mapping[str, int]) -> pl.Expr:
    return name.replace_strict(list(places), list(places.values()), default=None, return_dtype=pl.Int64)


def _declines(language: Language) -> pl.Expr:
    declines = refusal.declines(pl.col("plain"), language.refusal, language.languages, replace=language.replace)
    if language.sorry:
        declines = declines | pl.col("plain").str.contains(language.sorry).fill_null(value=False)
    return declines


def _objects(language: Language) -> pl.Expr:
    enough = pl.col("folded").str.count_matches("[^ ]+") >= language.fewest_words
    return (enough & pl.col("plain").str.contains(language.awareness)).fill_null(value=False)
