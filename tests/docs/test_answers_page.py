"""The examples of `docs/answers.md`, read as the page says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.instruments.outcomes import code_outcomes
from tallybook.instruments.profile.instrument import ProfileInstrument
from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import Vocabulary
from tallybook.study.coding import CategoryOutcome, LabelOutcome, ScoreOutcome
from tallybook.study.derivation import NormaliseStep
from tallybook.study.instrument_base import INSTRUMENTS
from tests.paths import DOCS
from tests.unit.instruments import today

if TYPE_CHECKING:
    from tallybook.instruments.word_association.names import Role, Valence
    from tallybook.study.instrument_base import Instrument

_PAGE = DOCS / "answers.md"
_CHOICE = {"o1": "kind", "o2": "strict", "A": "kind"}
_RELATIVE = {"default": "Ann", "stigma": "Bob", "positive": "physics", "negative": "arts"}
_IN_FULL = ("ticked", "option", "turned", "former", "listed", "divided", "other")
_ROW = re.compile(r"^\| (\w+) \| .*? \| (`.*`) \| (`.*`) \|$", re.MULTILINE)


def _examples(cell: str) -> list[str]:
    """The texts of a cell: between semicolons, each of lines between plus signs."""
    unescaped = cell.replace(r"\|", "|")
    return ["\n".join(re.findall(r"`([^`]+)`", one)) for one in re.split(r"(?<=`); (?=`)", unescaped)]


_TEXT = _PAGE.read_text("utf-8")
_ORDERS = slice(_TEXT.index("## Orders"), _TEXT.index("## Words in groups"))
_ROWS = _ROW.findall(_TEXT[: _ORDERS.start] + _TEXT[_ORDERS.stop :])


@pytest.mark.parametrize(
    ("kind", "values", "expected"), [("relative", _RELATIVE, "1"), ("choice", _CHOICE, "kind")], ids=["two", "options"]
)
def test_examples(kind: today.Kind, values: dict[str, str], expected: str) -> None:
    rows = [(reads, leaves) for rule, reads, leaves in _ROWS if (rule in _IN_FULL) == (kind == "relative")]
    answers = {
        text: answer
        for row in rows
        for cell, answer in zip(row, (expected, None), strict=True)
        for text in _examples(cell)
    }
    labelled = [today.Labelled(text, values, "", "", is_kept=False) for text in answers]
    found = [said and values.get(said, said) for said, _ in today.read(kind, labelled, "en")]
    assert dict(zip(answers, found, strict=True)) == answers


def test_orders_and_ratings() -> None:
    rows = re.findall(r"^\| [a-z ]+ \| .*? \| (`.*`) \| (`.*`) \|$", _TEXT[_ORDERS], re.MULTILINE)
    assert len(rows) == 5
    for cells, expected in zip(zip(*rows, strict=True), (["Ann", "Bob", "Cem"], None), strict=True):
        texts = [text for cell in cells for text in _examples(cell)]
        options = {name: [name] for name in ("Ann", "Bob", "Cem")}
        instrument = INSTRUMENTS.classes["ranking"].model_validate({"kind": "ranking", "options": options})
        made = _coded(instrument, texts)
        ranks = [{name: row[f"rank_{name}"] for name in options} for row in made.iter_rows(named=True)]
        found = [None if None in own.values() else sorted(own, key=lambda name: own[name]) for own in ranks]
        assert [text for text, order in zip(texts, found, strict=True) if order != expected] == []
    ratings = _TEXT[_TEXT.index("## Ratings") : _ORDERS.stop]
    texts = re.findall(r"`([^`]+)`", ratings.replace("\n", " "))
    agreement = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
    suitable = [f"{degree} adequada" for degree in ("nada", "pouco", "muito")]
    accord = ["Pas d'accord", "Plutôt d'accord", "Tout à fait d'accord"]
    labels = {4: agreement, 5: suitable, 6: suitable, 7: accord}
    scales = [{"labels": labels[place]} if place in labels else {"highest": 10} for place in range(len(texts))]
    models = [INSTRUMENTS.classes["rating"].model_validate({"kind": "rating", **scale}) for scale in scales]
    made = [_coded(model, [text])["rating"].item() for model, text in zip(models, texts, strict=True)]
    assert made == [4, 3, None, None, 4, 3, 3, 3, 3, None, 3]


def _coded(instrument: Instrument, texts: list[str]) -> pl.DataFrame:
    rows = pl.DataFrame({"text": texts}).with_columns(file=pl.lit("f"), key=pl.lit("1"), status=pl.lit("ok"))
    return instrument.lenient.code(rows, {}).responses


def test_words_in_groups() -> None:
    table = _TEXT[_ORDERS.stop : _TEXT.index("## Attributes of a profile")]
    rows = re.findall(r"^\| [a-z ]+ \| .*? \| (`.*`) \| (`.*`) \|$", table, re.MULTILINE)
    assert len(rows) == 6
    groups: dict[str, Role] = {"ben": "default", "julia": "stigma"}
    words: dict[str, Valence] = dict.fromkeys(("salary", "career"), "positive")
    words["home"] = words["family"] = "negative"
    reader = LineReader(Vocabulary(groups, words), is_whole=True)
    for is_left, cells in enumerate(zip(*rows, strict=True)):
        texts = [text for cell in cells for text in _examples(cell)]
        assert [text for text in texts if bool(reader.read(text.lower()).pairs) == is_left] == []


def test_attributes_of_a_profile() -> None:
    block = {"gender": ("Gender",), "age": ("Age",), "job": ("Occupation",)}
    female: dict[str, Any] = {"attribute": "gender", "labels": {"female": ["female"], "other": []}, "other": "other"}
    outcomes = {
        "woman": CategoryOutcome(kind="category", normalise=(NormaliseStep(lower_case=True),), **female),
        "years": ScoreOutcome(kind="score", attribute="age"),
        "work": LabelOutcome(kind="label", attribute="job"),
    }
    cases: dict[str, tuple[str | None, float | None, str | None]] = {
        "Her age: 41": (None, 41, None),
        "Gender: female\nOcupation: nurse": ("female", None, "nurse"),
        "Gender: female\nJob: nurse": ("female", None, "nurse"),
        "Age: 41\nHobby: chess": (None, 41, None),
        "[Age: 41] [Occupation: nurse]": (None, 41, "nurse"),
        "Gender: female. Age: 41. Occupation: nurse. Hope this helps!": ("female", 41, "nurse"),
        "Occupation: nurse. She likes it.": (None, None, "nurse. She likes it"),
        '{"person": {"gender": "female", "age": 41}, "note": "made up"}': ("female", 41, None),
        "Age: forty-one (41)": (None, 41, None),
        "Age: 41 years old": (None, 41, None),
        "Age: 41 or 42": (None, None, None),
        "Gender: Female – she/her": ("female", None, None),
        "Gender: female/male": (None, None, None),
        "Gender: nonbinary": ("other", None, None),
        "Gender: [female/male]": (None, None, None),
        "Occupation: cook – correction: nurse": (None, None, "nurse"),
        "Occupation: cook, and later nurse": (None, None, "cook, and later nurse"),
        "Occupation: [nurse]": (None, None, "nurse"),
        "Occupation: [job]": (None, None, None),
        "Age: <your age>": (None, None, None),
    }
    table = _TEXT[_TEXT.index("## Attributes of a profile") : _TEXT.index("## Where a text names an option")]
    assert all(text.split("\n")[-1] in table for text in cases)
    instrument = ProfileInstrument(kind="profile", attributes="text", block=block)
    frame = pl.DataFrame({"text": [*cases], "status": "ok", "file": "f", "key": "1"}).with_columns(
        count=pl.lit(1, pl.Int64)
    )
    coded = code_outcomes(instrument.code(frame, outcomes).responses, outcomes).coded
    assert dict(zip(cases, coded.select(*outcomes).rows(), strict=True)) == cases


def test_every_rule_is_on_the_page() -> None:
    assert len(_ROWS) == 21
    assert pl.Series([rule for rule, *_ in _ROWS]).is_unique().all()
