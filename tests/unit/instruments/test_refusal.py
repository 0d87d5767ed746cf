"""Refusals found in texts, and answers that only sound like one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments import refusal
from tests.unit.instruments.refusal_texts import ANSWERS, FURTHER_ANSWERS, FURTHER_REFUSALS, NOT_RECOGNISED, REFUSALS

if TYPE_CHECKING:
    from pathlib import Path


def _declines(*texts: str | None, phrases: list[str] | None = None) -> list[bool]:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    return frame.select(refusal.declines(pl.col("text"), phrases)).to_series().to_list()


@pytest.mark.parametrize("text", [*REFUSALS, *FURTHER_REFUSALS])
def test_refusals(text: str) -> None:
    assert _declines(text) == [text not in NOT_RECOGNISED]


@pytest.mark.parametrize("text", [*ANSWERS, *FURTHER_ANSWERS])
def test_answers(text: str) -> None:
    assert _declines(text) == [False]


def test_accuracy() -> None:
    refusals, answers = (*REFUSALS, *FURTHER_REFUSALS), (*ANSWERS, *FURTHER_ANSWERS)
    assert len(refusals) >= 100
    assert len(answers) >= 60
    assert sum(_declines(*refusals)) / len(refusals) >= 0.98
    assert not any(_declines(*answers))


def test_few_texts_decline_as_many_do() -> None:
    texts = [*REFUSALS, *FURTHER_REFUSALS, *ANSWERS, *FURTHER_ANSWERS]
    few = [told for at in range(0, len(texts), 20) for told in _declines(*texts[at : at + 20])]
    assert few * 3 == _declines(*texts * 3)


def test_what_is_missing_does_not_decline() -> None:
    assert _declines(None, "", " ") == [False] * 3
    assert _declines() == []


class TestOwnPhrases:
    """A study may name its own phrases; then only these count."""

    def test_they_replace_the_rules(self) -> None:
        texts = ("Non posso aiutarti.", "I'm sorry, but I can't help with that.", None)
        assert _declines(*texts, phrases=["non posso"]) == [True, False, False]

    def test_case_white_space_and_apostrophes_do_not_matter(self) -> None:
        phrases = ["I  can’t do"]
        assert _declines("Well, I CAN'T\ndo it", "i can’t  do", "I cant do", phrases=phrases) == [True, True, False]

    def test_they_are_no_patterns(self) -> None:
        assert _declines("no.", "nope", "(no)", phrases=["no.", "(no)"]) == [True, False, True]

    def test_they_begin_at_a_word(self) -> None:
        assert _declines("piano", "a no", "no", "no one", phrases=["no"]) == [False, True, True, True]

    def test_no_phrases_find_nothing(self) -> None:
        assert _declines("I'm sorry, but I can't.", "", None, phrases=[]) == [False] * 3


@given(
    st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))), st.none() | st.lists(st.text(min_size=1))
)
def test_any_text_is_survived(texts: list[str | None], phrases: list[str] | None) -> None:
    assert len(_declines(*texts, phrases=phrases)) == len(texts)


@pytest.mark.released
def test_the_released_responses(released: Path) -> None:
    """All 115 refusals and none of the 8,285 answers, by their texts alone."""
    from tallybook.sources import reading
    from tallybook.study.loading import load

    responses = reading.read(load("wang2025").study, released).responses
    found = responses.select("status", declines=refusal.declines(pl.col("text")))
    assert found.filter(pl.col("declines") != (pl.col("status") == "refused")).is_empty()
    assert found["declines"].sum() == 115
