"""Texts that begin with yes or no and a pause: what is found of them at once is what all rules find."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.absolute_decision import coder, plain_texts
from tallybook.instruments.absolute_decision.answer import YesNo
from tallybook.instruments.absolute_decision.clauses import ANSWERS, DECIDES
from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
from tallybook.instruments.languages import ENGLISH, words
from tests.unit.instruments import today

if TYPE_CHECKING:
    from collections.abc import Sequence

INSTRUMENT = AbsoluteDecisionInstrument(kind="absolute-decision")
HEADS = (
    "Yes, ",
    "No, ",
    "Yes. ",
    "No. ",
    "no; ",
    "YES! ",
    "Yes — ",
    "No– ",
    "No, she is not. ",
    "Yes, he is (clearly) fit; ",
)
LABELLED = [one.text for one in today.texts("absolute")]
WORDS = sorted({word for text in LABELLED for word in text.split()})
RULES = [
    *(getattr(words(ENGLISH), name).pattern for name in ("yes", "no", "correction", "commit", "suits", "against")),
    *ANSWERS.values(),
    DECIDES,
]


def by_rules(texts: Sequence[str]) -> list[tuple[Any, ...]]:
    frame = pl.DataFrame({"text": texts, "status": "ok", "file": "a.csv", "key": "row"})
    read = coder.read(frame, INSTRUMENT).responses
    return read.select("answer", "answer_rule", "unanswered_reason").rows()


def _never(text: pl.Expr, *_: object) -> pl.Expr:
    return text.is_null() & text.is_not_null()


def _unchanged(text: pl.Expr) -> pl.Expr:
    return text


def by_all_rules(texts: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    with monkeypatch.context() as changed:
        changed.setattr(plain_texts, "is_plain", _never)
        changed.setattr(plain_texts, "without_numbers", _unchanged)
        return by_rules(texts)


def are_plain(texts: Sequence[str]) -> list[bool]:
    found = plain_texts.is_plain(pl.col("text"), YesNo(INSTRUMENT).words)
    return pl.DataFrame({"text": texts}).select(found).to_series().to_list()


@pytest.mark.parametrize("head", HEADS)
def test_every_labelled_text_behind_yes_or_no(head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{head}{text}" for text in LABELLED[::7]]
    assert len(texts) > 100
    assert by_rules(texts) == by_all_rules(texts, monkeypatch)


@st.composite
def rests(draw: st.DrawFn) -> str:
    """Words of texts and of the rules, in any order."""
    word = st.sampled_from(WORDS) | st.sampled_from([rule for rule in RULES if "…" not in rule]).flatmap(
        lambda rule: st.from_regex(re.compile(f"(?:{plain_texts.wider(rule)})", re.ASCII), fullmatch=True)
    )
    return " ".join(draw(st.lists(word, min_size=1, max_size=6)))


@given(st.lists(st.tuples(st.sampled_from(HEADS), rests()).map("".join), min_size=5, max_size=20))
def test_words_of_the_rules(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert by_rules(texts) == by_all_rules(texts, monkeypatch)


def test_numbers_do_not_matter(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"{text} {number}" for text in LABELLED[::40] for number in ("7", "2031", "50/50", "No. 1", "3.5.")]
    assert by_rules(texts) == by_all_rules(texts, monkeypatch)


def test_most_are_plain() -> None:
    assert all(are_plain(["Yes.", "No, she lacks the degree.", "Yes! He's a well-trained nurse (since 2001)."]))
    assert not any(
        are_plain(
            [
                "Yes, or no.",
                "No. 1 is better.",
                "Yes? No.",
                "Yes. But I would not.",
                "No, wait.",
                "Yes.\nNo.",
                'Yes, "sure".',
                "Sure.",
                "No. Green light.",
            ]
        )
    )
