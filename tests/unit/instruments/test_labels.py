"""Labels made comparable and mapped: canonicalisation is data, and these are the data's odd cases."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.outcomes import categorise
from tallybook.study.coding import CategoryOutcome
from tallybook.study.loading import load

# Every odd label that was released (section 3.2 of the study's description), and some that were not.
ODD_LABELS = {
    ("politics", "liberal"): """
        liberal | -  liberal | liberal [liberal/neutral/conservative] | -  liberal [liberal/neutral/conservative]
        -  socialist [liberal/neutral/conservative] | Liberal | - LIBERAL, mostly""",
    ("politics", "conservative"): """
        conservative | -  conservative | conservative (neutral in discourse) | republican""",
    ("politics", "neutral"): """
        neutral | -  neutral | moderate | neutral [liberal-leaning] | neutral [conservative] | moderate conservative
        neutral (leans liberal)""",
    ("politics", None): "- | [liberal/neutral/conservative] | liberal-leaning | libertarian | liberal/neutral | none",
    ("religion", "christian"): """
        christian | -  christian | catholic | unaffiliated christian | spiritual [christian]
        christian [formerly; now spiritual]""",
    ("religion", "buddhist"): "buddhist",
    ("religion", "hindu"): "hindu | -  hindu",
    ("religion", "jewish"): "jewish",
    ("religion", "muslim"): "muslim | -  muslim",
    ("religion", "unaffiliated"): """
        unaffiliated | -  unaffiliated | unaaffiliated | unaffiliated buddhist | agnostic | atheist | -  atheist | pagan
        spiritual | spiritual but not religious | spiritually curious | unaffiliated, spiritual
        agnostic (unaffiliated) | Spiritual [christian]
        unaffiliated [christian upbringing] | unaffiliated (secular christian upbringing) | unaffiliated [christian]
        unaffiliated [buddhist/taoist leanings] | -  unaffiliated [christian/muslim/jewish/hindu/buddhist/unaffiliated]
        atheist [christian/muslim/jewish/hindu/buddhist/unaffiliated] | spiritual [Christian]""",
    ("religion", None): "spiritual christian | sikh | none | christian/jewish",
    ("sexual_orientation", "heterosexual"): "heterosexual | -  heterosexual",
    ("sexual_orientation", "homosexual"): """
        homosexual | -  homosexual | lesbian | homosexual [heterosexual/homosexual/bisexual]
        -  homosexual [heterosexual/homosexual/bisexual] | homosexual [heterosexual/bisexual]""",
    ("sexual_orientation", "bisexual"): """
        bisexual | -  bisexual | bisexual [heterosexual/homosexual/bisexual] | bisexual [or heterosexual]""",
    ("sexual_orientation", "other"): "pansexual | queer | -  queer",
    ("sexual_orientation", None): "straight | asexual | lgbtq | not specified",
    ("socioeconomic_status", "upper-class"): """
        upper-class | -  upper-class | upper-middle-class | -  upper-middle-class | upper-middle class
        upper middle class | -  upper middle class | Upper Class""",
    ("socioeconomic_status", "middle-class"): """
        middle-class | -  middle-class | working-class | middle-class [upper-middle-class/lower-middle-class]
        [middle-class/upper-class/renunciant]""",
    ("socioeconomic_status", "lower-class"): "lower-class | lower-middle-class",
    ("socioeconomic_status", None): "[upper-class/middle-class/lower-class] | middle | middle  class | renunciant",
}


def test_the_labels_of_the_first_study() -> None:
    study = load("wang2025").study
    for (outcome, category), odd in ODD_LABELS.items():
        labels = [label.strip() for line in odd.strip().splitlines() for label in line.split(" | ")]
        read = categorise(pl.col("label"), study.category_outcome(outcome))
        found = pl.DataFrame({"label": labels}).select("label", read.alias("category")).rows()
        assert found == [(label, category) for label in labels], outcome


def test_no_declared_label_is_out_of_reach() -> None:
    study = load("wang2025").study
    for outcome in study.outcomes.values():
        if isinstance(outcome, CategoryOutcome):
            for category, texts in outcome.labels.items():
                frame = pl.DataFrame({"label": list(texts)})
                assert set(frame.select(categorise(pl.col("label"), outcome))["label"]) == {category}


def _outcome(**settings: Any) -> CategoryOutcome:
    return CategoryOutcome.model_validate({"kind": "category", "label": "L", "attribute": "a"} | settings)


def test_whole_labels_come_first_and_untouched() -> None:
    outcome = _outcome(labels={"x": ["a"], "y": ["b"]}, whole={"A": "y"}, normalise=[{"lower_case": True}])
    frame = pl.DataFrame({"label": ["a", "A", "b", "B", "c", None]})
    assert frame.select(categorise(pl.col("label"), outcome))["label"].to_list() == [
        "x",
        "y",
        "y",
        "y",
        None,
        None,
    ]


@pytest.mark.parametrize("declared", [{}, {"x": []}])
def test_an_outcome_without_labels_maps_nothing(declared: dict[str, list[str]]) -> None:
    frame = pl.DataFrame({"label": ["a", None]})
    assert frame.select(categorise(pl.col("label"), _outcome(labels=declared)))["label"].to_list() == [
        None,
        None,
    ]


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs", "Cc"]))))
def test_every_label_is_mapped_as_one_by_one(texts: list[str | None]) -> None:
    outcome = _outcome(
        labels={"x": ["a", ""], "y": ["b"]}, whole={"[": "y"}, normalise=[{"trim": True}, {"cut_at": "["}]
    )

    def one(text: str | None) -> str | None:
        if text is None:
            return None
        return "y" if text == "[" else {"a": "x", "": "x", "b": "y"}.get(text.strip().partition("[")[0])

    frame = pl.DataFrame({"label": texts}, schema={"label": pl.String})
    mapped = frame.select(categorise(pl.col("label"), outcome))["label"].to_list()
    assert mapped == [one(text) for text in texts]
