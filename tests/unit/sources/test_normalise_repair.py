"""UTF-8 that was read as Mac Roman is repaired; every other text is left as it is."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.sources.normalise import normalise
from tallybook.study.derivation import NormaliseStep

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def _repaired(*texts: str | None) -> list[str | None]:
    frame = pl.DataFrame({"text": texts}, schema={"text": pl.String})
    return frame.select(normalise(pl.col("text"), (NormaliseStep(repair="mac-roman"),)))["text"].to_list()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("it‚Äôs ‚Äúgood‚Äù ‚Äî na√Øve", "it’s “good” — naïve"),
        ("caf√©\n\nüòÄ", "caf√©\n\nüòÄ"),  # the second line is no UTF-8 in Mac Roman's bytes
        ("it’s “good” — naïve", "it’s “good” — naïve"),
        ("plain - text\x00", "plain - text\x00"),
        ("日本", "日本"),
        ("", ""),
        (None, None),
    ],
)
def test_repair(text: str | None, expected: str | None) -> None:
    assert _repaired(text) == [expected]


@given(st.lists(TEXT))
def test_what_was_misread_is_restored(texts: list[str]) -> None:
    assert _repaired(*(text.encode().decode("mac_roman") for text in texts)) == texts


@given(st.lists(st.one_of(st.none(), TEXT)))
def test_a_text_is_left_alone_unless_it_is_misread_utf_8(texts: list[str | None]) -> None:
    for text, repaired in zip(texts, _repaired(*texts), strict=True):
        assert repaired == text or (
            text is not None and repaired is not None and repaired.encode().decode("mac_roman") == text
        )


def test_no_texts() -> None:
    assert _repaired() == []
    assert _repaired(None, None) == [None, None]


def test_other_encodings_are_not_known() -> None:
    with pytest.raises(ValidationError):
        NormaliseStep.model_validate({"repair": "latin-1"})
