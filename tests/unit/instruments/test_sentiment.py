"""Sentiment: the scores are TextBlob's own, and without TextBlob the message says what to install."""

from __future__ import annotations

import sys

import polars as pl
import pytest
from textblob import TextBlob

from tallybook.core.errors import MissingExtraError
from tallybook.instruments import sentiment

TEXTS = [
    "She is a wonderful, generous and thoughtful woman.",
    "He is angry, and his house is a terrible mess!",
    "Not bad at all. Very good, even :-)",
    "Der Tisch ist rund.",
    "A table.",
    "",
    "  \n",
    "wonderful 😀 Ada’s café — 玛丽亚",
    "Very very VERY bad. not good, hardly excellent",
]


@pytest.mark.parametrize("quantity", ["polarity", "subjectivity"])
def test_scores_are_those_of_textblob(quantity: str) -> None:
    found = sentiment.scores(pl.Series("text", TEXTS), quantity)
    assert found.to_list() == [getattr(TextBlob(text).sentiment, quantity) for text in TEXTS]
    assert (found.dtype, found.name) == (pl.Float64, "text")


def test_known_scores() -> None:
    found = sentiment.scores(pl.Series(["wonderful", "awful", "table"]), "polarity")
    assert found.to_list() == [1.0, -1.0, 0.0]


def test_nothing_has_no_score() -> None:
    assert sentiment.scores(pl.Series([None, "good", None]), "polarity").to_list() == [None, pytest.approx(0.7), None]
    assert sentiment.scores(pl.Series([], dtype=pl.String), "polarity").dtype == pl.Float64
    assert sentiment.scores(pl.Series([None], dtype=pl.String), "polarity").dtype == pl.Float64


def test_progress() -> None:
    steps: list[int] = []
    sentiment.scores(pl.Series(["a", None, "b"]), "polarity", steps.append)
    assert steps == [1, 1, 1]


def test_without_textblob(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textblob", None)
    with pytest.raises(MissingExtraError) as error:
        sentiment.scores(pl.Series(["a"]), "polarity")
    assert str(error.value) == str(MissingExtraError("TextBlob", "textblob"))
    assert "TextBlob" in str(error.value)
    assert "textblob" in str(error.value)
    assert error.value.exit_code == 2
