"""The examples of `docs/answers.md`, read as the page says."""

from __future__ import annotations

import re

import polars as pl
import pytest

from tests.paths import DOCS
from tests.unit.instruments import today

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


@pytest.mark.parametrize(("rule", "reads", "leaves"), _ROWS, ids=[row[0] for row in _ROWS])
def test_examples(rule: str, reads: str, leaves: str) -> None:
    kind: today.Kind = "relative" if rule in _IN_FULL else "choice"
    values = _RELATIVE if kind == "relative" else _CHOICE
    expected = "1" if kind == "relative" else "kind"
    for cell, answer in ((reads, expected), (leaves, None)):
        labelled = [today.Labelled(text, values, "", "", is_kept=False) for text in _examples(cell)]
        assert [found and values.get(found, found) for found, _ in today.read(kind, labelled, "en")] == [answer] * len(
            labelled
        )


def test_every_rule_is_on_the_page() -> None:
    assert len(_ROWS) == 20
    assert pl.Series([rule for rule, *_ in _ROWS]).is_unique().all()
