"""The examples of `docs/answers.md`, read as the page says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import Vocabulary
from tallybook.study.instrument_base import INSTRUMENTS
from tests.paths import DOCS
from tests.unit.instruments import today

if TYPE_CHECKING:
    from tallybook.instruments.word_association.names import Role, Valence
    from tallybook.study.instrument_base import Instrument

_PAGE = DOCS / "answers.md"
_CHOICE = {"o1": "kind", "o2": "strict", "A": "kind"}
_RELATIVE = {"default": "Ann", "stigma": "Bob", "positive": "physics", "negative": "arts"}
_IN_FULL = ("ticked", "option", "turned", "former", "listed", "other")
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
    scales = [{"highest": 10}] * (len(texts) - 1) + [{"labels": agreement}]
    models = [INSTRUMENTS.classes["rating"].model_validate({"kind": "rating", **scale}) for scale in scales]
    made = [_coded(model, [text])["rating"].item() for model, text in zip(models, texts, strict=True)]
    assert made == [4, 3, None, None, 4]


def _coded(instrument: Instrument, texts: list[str]) -> pl.DataFrame:
    rows = pl.DataFrame({"text": texts}).with_columns(file=pl.lit("f"), key=pl.lit("1"), status=pl.lit("ok"))
    return instrument.lenient.code(rows, {}).responses


def test_words_in_groups() -> None:
    table = _TEXT[_ORDERS.stop : _TEXT.index("## Where a text names an option")]
    rows = re.findall(r"^\| [a-z ]+ \| .*? \| (`.*`) \| (`.*`) \|$", table, re.MULTILINE)
    assert len(rows) == 6
    groups: dict[str, Role] = {"ben": "default", "julia": "stigma"}
    words: dict[str, Valence] = dict.fromkeys(("salary", "career"), "positive")
    reader = LineReader(Vocabulary(groups, words | dict.fromkeys(("home", "family"), "negative")), is_whole=True)
    for is_left, cells in enumerate(zip(*rows, strict=True)):
        texts = [text for cell in cells for text in _examples(cell)]
        assert [text for text in texts if bool(reader.read(text.lower()).pairs) == is_left] == []


def test_every_rule_is_on_the_page() -> None:
    assert len(_ROWS) == 20
    assert pl.Series([rule for rule, *_ in _ROWS]).is_unique().all()
