"""Texts made comparable by declared steps."""

from __future__ import annotations

import string
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from tallybook.sources.normalise import normalise
from tallybook.study.derivation import NormaliseStep

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def _normalised(texts: list[str | None], *steps: dict[str, Any]) -> list[str | None]:
    parsed = TypeAdapter(tuple[NormaliseStep, ...]).validate_python(steps)
    frame = pl.DataFrame({"label": texts}, schema={"label": pl.String})
    return frame.select(normalise(pl.col("label"), parsed))["label"].to_list()


@pytest.mark.parametrize(
    ("step", "text", "expected"),
    [
        ({"lower_case": True}, "Middle-Class É", "middle-class é"),
        ({"trim": True}, " \t\u00a0liberal\n", "liberal"),
        ({"strip_start": "- "}, "-  - liberal - yes", "liberal - yes"),
        ({"strip_start": "^"}, "^-x", "-x"),
        ({"cut_at": "[(,"}, "liberal (center), [x]", "liberal "),
        ({"cut_at": "[(,"}, "[liberal]", ""),
        ({"cut_at": "[(,"}, "one\ntwo[three\nfour", "one\ntwo"),
        ({"cut_at": "]^-\\"}, "a-b", "a"),
        ({"cut_at": "&~"}, "a&&b~~c", "a"),
        ({"delete": "-"}, "- self-employed -", " selfemployed "),
        ({"delete": "^a]"}, "^[a]b", "[b"),
        ({"replace": [" ", "-"]}, "upper middle class", "upper-middle-class"),
        ({"replace": [".", "x"]}, "a.b", "axb"),
        ({"replace": ["a", "$0\\1"]}, "a", "$0\\1"),
    ],
)
def test_steps(step: dict[str, Any], text: str, expected: str) -> None:
    assert _normalised([text], step) == [expected]
    assert _normalised([None], step) == [None]


def test_steps_are_applied_in_order() -> None:
    text = "-  Upper Middle Class [upper/middle]"
    steps = ({"lower_case": True}, {"strip_start": "- "}, {"cut_at": "["}, {"trim": True}, {"replace": [" ", "-"]})
    assert _normalised([text], *steps) == ["upper-middle-class"]
    assert _normalised([text], *reversed(steps)) == ["upper-middle-class-"]
    assert _normalised([text]) == [text]


@given(text=TEXT, characters=st.text(string.punctuation + string.whitespace + "abcäß", min_size=1))
def test_any_characters_may_be_named(text: str, characters: str) -> None:
    cut = next((position for position, character in enumerate(text) if character in characters), len(text))
    assert _normalised([text], {"cut_at": characters}) == [text[:cut]]
    assert _normalised([text], {"delete": characters}) == ["".join(c for c in text if c not in characters)]
    assert _normalised([text], {"strip_start": characters}) == [text.lstrip(characters)]


@pytest.mark.parametrize(
    "step",
    [
        {},
        {"lower_case": False},
        {"lower_case": True, "trim": True},
        {"cut_at": ""},
        {"delete": ""},
        {"strip_start": ""},
        {"replace": ["", "x"]},
        {"replace": ["x"]},
        {"shorten": True},
    ],
)
def test_what_is_no_step(step: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        NormaliseStep.model_validate(step)
