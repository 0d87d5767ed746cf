"""The examples of `docs/answers.md`, read as the page says."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.instruments.word_association.lines import LineReader
from tallybook.instruments.word_association.names import Vocabulary
from tests.paths import DOCS
from tests.unit.instruments import today

if TYPE_CHECKING:
    from tallybook.instruments.word_association.names import Role, Valence

_PAGE = DOCS / "answers.md"
_CHOICE = {"o1": "kind", "o2": "strict", "A": "kind"}
_RELATIVE = {"default": "Ann", "stigma": "Bob", "positive": "physics", "negative": "arts"}
_IN_FULL = ("ticked", "option", "turned", "former", "listed", "other")
_ROW = re.compile(r"^\| (\w+) \| .*? \| (`.*`) \| (`.*`) \|$", re.MULTILINE)


def _examples(cell: str) -> list[str]:
    """The texts of a cell: between semicolons, each of lines between plus signs."""
    unescaped = cell.replace(r"\|", "|")
    return ["\n".join(re.findall(r"`([^`]+)`", one)) for one in re.split(r"(?<=`); (?=`)", unescaped)]


_ROWS = _ROW.findall(_PAGE.read_text("utf-8"))


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


def test_words_in_groups() -> None:
    page = _PAGE.read_text("utf-8")
    table = page[page.index("## Words in groups") : page.index("## Where a text names an option")]
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
