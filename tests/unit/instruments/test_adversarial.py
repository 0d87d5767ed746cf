"""Texts of combined pieces: no other answer that they name is read as theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.study.instrument_base import INSTRUMENTS
from tests.sizes import trials
from tests.unit.instruments.adversarial import Made, texts

if TYPE_CHECKING:
    from collections.abc import Callable

    Row = dict[str, Any]

_NAMES = ("Ann", "Bob", "Carl")
_SIDES = {"default": "Ben", "stigma": "Julia", "positive": "management", "negative": "home"}
_OPTIONS = {"a": "The nurse", "b": "The clerk", "c": "Unknown"}
_WORDS = (("kind", "strict"), ("hardworking", "lazy"), ("honest", "greedy"))


def _order(row: Row) -> str | None:
    ranks = {name: row[f"rank_{name.lower()}"] for name in _NAMES}
    return None if None in ranks.values() else ", ".join(sorted(ranks, key=lambda name: ranks[name]))


_READ: dict[str, tuple[Row, Row, Callable[[Row], str | None]]] = {
    "absolute": ({"kind": "absolute-decision"}, {}, lambda row: row["answer"]),
    "choice": (
        {"kind": "attribute-choice", "options": {"x": "x", "y": "y"}, "unmatched": "ignore"},
        {},
        lambda row: row["chosen_option"] and row[row["chosen_option"]],
    ),
    "multiple": (
        {"kind": "multiple-choice", "options": [*_OPTIONS]},
        _OPTIONS,
        lambda row: row["chosen_option"] and row["chosen_option"].upper(),
    ),
    "relative": (
        {"kind": "relative-decision", "columns": {name: name for name in _SIDES}},
        _SIDES,
        lambda row: {1: "Ben", 0: "Julia"}.get(row["discriminatory"]),
    ),
    "rating": ({"kind": "rating", "highest": 7}, {}, lambda row: row["rating"] and f"{row['rating']:g}"),
    "ranking": ({"kind": "ranking", "options": {name.lower(): [name] for name in _NAMES}}, {}, _order),
    "number": (
        {"kind": "number", "currency": "$", "units": {"year": 1}},
        {},
        lambda row: row["number"] and f"${row['number']:,.0f}",
    ),
}
_FLOOR = 0.95
"""The share of texts that is read at least; most of the others name two answers in a way that nobody is sure of."""


def _read(kind: str, made: list[Made]) -> list[str | None]:
    declared, beside, answer = _READ[kind]
    rows = [{"text": one.text, "status": "ok", "file": "f", "key": "1", **beside} for one in made]
    if kind == "choice":
        pairs = [
            next(pair for pair in _WORDS if any(word in one.text for word in pair) or pair == _WORDS[-1])
            for one in made
        ]
        rows = [row | dict(zip("xy", pair, strict=True)) for row, pair in zip(rows, pairs, strict=True)]
    read = INSTRUMENTS.classes[declared["kind"]].model_validate(declared).code(pl.DataFrame(rows), {}).responses
    return [answer(row) for row in read.iter_rows(named=True)]


@pytest.mark.parametrize("kind", _READ)
@pytest.mark.parametrize("count", [150, pytest.param(trials(5000), marks=pytest.mark.slow)])
def test_nothing_is_read_wrongly(kind: str, count: int) -> None:
    made = [*texts(kind, count)]
    found = _read(kind, made)
    assert [(one, answer) for one, answer in zip(made, found, strict=True) if answer not in {None, one.answer}] == []
    right = sum(answer == one.answer for one, answer in zip(made, found, strict=True))
    assert right >= _FLOOR * count
