"""Study files written from settings say what the settings say."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.resources import STUDIES, published_studies
from tallybook.drafting.toml import document

NAMES = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES = st.recursive(
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(exclude_categories=("Cs",)), max_size=40),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=25,
)


@given(st.dictionaries(NAMES, VALUES, max_size=5))
def test_everything_is_read_back(settings: dict[str, object]) -> None:
    assert tomllib.loads(document(settings)) == settings


@pytest.mark.parametrize("study", published_studies())
def test_published_studies_are_read_back_in_their_order(study: str) -> None:
    settings = tomllib.loads((STUDIES / study / "study.toml").read_text(encoding="utf-8"))
    text = document(settings, {"factors": "factors"})
    again = tomllib.loads(text)
    assert again == settings
    assert "# ------------ factors" in text
    for part in ("factors", "outcomes", "analyses"):
        assert list(again[part]) == list(settings[part])
    for source, before in zip(again["sources"], settings["sources"], strict=True):
        assert list(source.get("derive", ())) == list(before.get("derive", ()))
        assert list(source.get("columns", ())) == list(before.get("columns", ()))
