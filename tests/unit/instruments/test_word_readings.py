"""The strict reading beside a slow twin written from its description."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.word_association.strict import read
from tests.unit.instruments import word_twins
from tests.unit.instruments.word_association_labelled import labelled
from tests.unit.instruments.word_studies import TEXT, answers, strict, vocabulary
from tests.unit.statistics.frames import quick

GREEN = [("sunny", "green")]
BOTH = [("sunny", "green"), ("rude", "purple")]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("sunny - Green", "strict"),
        ("sunny-Green", "strict"),
        ("SUNNY  -\tgreen  ", "strict"),
        ("\n\n sunny - Green \n", "strict"),
        ("- sunny - Green", "cleaned"),
        ("--sunny - Green--", "cleaned"),
        ("* sunny - Green", "cleaned"),
        ("**sunny - Green**", "cleaned"),
        ("1. sunny - Green", "cleaned"),
        ("12.sunny - Green.", "cleaned"),
        ("1. 'sunny' - 'Green'", "cleaned"),
        ('1. "sunny" - "Green"', "cleaned"),
        ("'sunny' - Green,", "cleaned"),
        ("sunny: Green", "cleaned"),
        ("[sunny - Green]", "cleaned"),
        ("[[sunny: Green]],", "cleaned"),
        ("sunny - Green, rude - Purple", "several"),
        ("sunny-Green, rude-Purple", "several"),
        ("['sunny - Green', 'rude - Purple']", "several"),
        ("sunny: Green, rude: Purple", "several"),
        ("[sunny - Green], [rude - Purple]", "several"),
        ("[[sunny - Green], [rude - Purple]]", "several"),
    ],
)
def test_what_the_strict_reading_accepts(text: str, form: str) -> None:
    found = strict(text)
    assert answers(found) == (BOTH if form == "several" else GREEN)
    assert {pair.form for pair in found.pairs} == {form}
    assert found.unknown == ()


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "sunny", "sunny Green", "sunny – Green", "sunny — Green", "sunny → Green", "sunny = Green",
        "sunny -> Green", "**sunny** - Green", "sunny - Green (bright)", "sunny - Green\\nrude", "| sunny | Green |",
        "Green: sunny, kind", "sunny - Green, kind", "well-off - Lee", "sunny - Al-Amin", "mp3 - Green",
        "1) sunny - Green", "sunny - Green - kind", "sunny - Green, kind - Green - rude", "- - -", "-", "sunny -",
        "- Green", "sunny - Gr33n", "\u00e9\u0301 - 1", "(sunny - Green)",
    ],
)  # fmt: skip
def test_what_the_strict_reading_passes_over(text: str) -> None:
    assert strict(text) == ((), ())


@pytest.mark.parametrize(
    ("text", "unknown"),
    [
        ("table - Green", "table - Green"),
        ("sunny - Blue", "sunny - Blue"),
        ("Green - sunny", "Green - sunny"),
        ("kind regards - yours", "kind regards - yours"),
        ("1. table: chair", "table- chair"),
        # An apostrophe is part of a word: the line is accepted as it stands, and never cleaned.
        ("'sunny' - Green", "'sunny' - Green"),
        # Freed of apostrophes, even a single part is accepted.
        ("sunny - Green's", "sunny - Greens"),
    ],
)
def test_accepted_lines_with_other_names_are_unknown(text: str, unknown: str) -> None:
    assert strict(text) == ((), (unknown,))


def test_the_one_spelling_that_the_strict_reading_knows() -> None:
    words = vocabulary("name")
    words.listed_words["didnt do it"] = "cant lose"
    assert answers(read("didn't do it - Lee\ndidnt do it - Lee", words)) == [("cant lose", "lee")] * 2
    assert read("Didn't do it - Lee", words).unknown == ("Didn't do it - Lee",)  # it is written before case is dropped


MARKS = [
    "sunny",
    "Green",
    "rude",
    "Purple",
    "kind's",
    "gloomy",
    "table",
    "didn't do it",
    " - ",
    "-",
    " ",
    "  ",
    "\n",
    ": ",
    ", ",
    "], [",
    "[",
    "]",
    '"',
    "'",
    "*",
    "1",
    ".",
    "–",
    "=",
    ">",
    "\t",
    "_",
    "²",
    "é",
    "(",
    ")",
]
MARKED = st.lists(st.sampled_from(MARKS), max_size=30).map("".join)
LINES = st.lists(
    st.sampled_from(["sunny - Green", "'rude' - 'Purple'", '1. "kind": "Green"', "[gloomy-Purple]", "a - b", "a-b-c"])
)


@quick
@given(st.one_of(MARKED, TEXT, LINES.map("\n".join), LINES.map(", ".join), LINES.map("], [".join)))
def test_the_strict_reading_and_its_twin(text: str) -> None:
    words = vocabulary()
    expected = word_twins.strict(text)
    known = [(w, g) for w, g in expected if w in words.listed_words and g in words.listed_groups]
    found = strict(text)
    assert answers(found) == known
    assert len(found.unknown) == len(expected) - len(known)


def test_the_twins_on_labelled_texts() -> None:
    for label in labelled():
        words = vocabulary(label.words)
        expected = [
            (words.listed_words[w], words.listed_groups[g])
            for w, g in word_twins.strict(label.text)
            if w in words.listed_words and g in words.listed_groups
        ]
        assert answers(strict(label.text, label.words)) == expected
