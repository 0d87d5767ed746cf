"""Labels made comparable and mapped: canonicalisation is data, and these are the data's odd cases."""

from __future__ import annotations

import string
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from analysis.coding import labels
from analysis.study_file import load
from schemas.study.coding import CategoryOutcome, NormaliseStep

TEXT = st.text(st.characters(exclude_categories=["Cs"]))


def _normalised(texts: list[str | None], *steps: dict[str, Any]) -> list[str | None]:
    parsed = TypeAdapter(tuple[NormaliseStep, ...]).validate_python(steps)
    frame = pl.DataFrame({"label": texts}, schema={"label": pl.String})
    return frame.select(labels.normalise(pl.col("label"), parsed))["label"].to_list()


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


@pytest.mark.parametrize(
    ("outcome", "label", "category"),
    [
        (outcome, label.strip(), category)
        for (outcome, category), odd in ODD_LABELS.items()
        for line in odd.strip().splitlines()
        for label in line.split(" | ")
    ],
)
def test_the_labels_of_the_first_study(outcome: str, label: str, category: str | None) -> None:
    declared = load("wang2025").study.category_outcome(outcome)
    found = pl.DataFrame({"label": [label]}).select(labels.categorise(pl.col("label"), declared))
    assert found.item() == category


def test_no_declared_label_is_out_of_reach() -> None:
    study = load("wang2025").study
    for outcome in study.outcomes.values():
        if isinstance(outcome, CategoryOutcome):
            for category, texts in outcome.labels.items():
                frame = pl.DataFrame({"label": list(texts)})
                assert set(frame.select(labels.categorise(pl.col("label"), outcome))["label"]) == {category}


def _outcome(**settings: Any) -> CategoryOutcome:
    return CategoryOutcome.model_validate({"kind": "category", "label": "L", "attribute": "a"} | settings)


def test_whole_labels_come_first_and_untouched() -> None:
    outcome = _outcome(labels={"x": ["a"], "y": ["b"]}, whole={"A": "y"}, normalise=[{"lower_case": True}])
    frame = pl.DataFrame({"label": ["a", "A", "b", "B", "c", None]})
    assert frame.select(labels.categorise(pl.col("label"), outcome))["label"].to_list() == [
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
    assert frame.select(labels.categorise(pl.col("label"), _outcome(labels=declared)))["label"].to_list() == [
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
    mapped = frame.select(labels.categorise(pl.col("label"), outcome))["label"].to_list()
    assert mapped == [one(text) for text in texts]
