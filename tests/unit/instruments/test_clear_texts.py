"""Clear answers in many wordings: nearly all are read, and none wrongly."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from tallybook.study.instrument_base import INSTRUMENTS

_TEXTS: dict[str, dict[str, list[str]]] = tomllib.loads(
    Path(__file__).with_name("clear_texts.toml").read_text(encoding="utf-8")
)
_PEOPLE = {"a": "the grandmother", "b": "the nephew", "c": "Can't be determined"}
_CANDIDATES = ["Emily", "Lakisha", "Jamal", "Greg"]
_DECLARED: dict[str, dict[str, Any]] = {
    "multiple-choice": {"options": [*_PEOPLE]},
    "rating": {},
    "number": {"units": {"year": 1}, "currency": "$"},
    "ranking": {"options": {name.lower(): [name] for name in _CANDIDATES}},
    "absolute-decision": {},
    "attribute-choice": {"options": {"focused": "good", "forgetful": "bad"}, "shown": ["focused", "forgetful"]},
}
_OUTCOME = {
    "multiple-choice": pl.col("chosen_option").str.to_uppercase(),
    "rating": pl.col("rating").cast(pl.Int64).cast(pl.String),
    "number": pl.col("number").cast(pl.Int64).cast(pl.String),
    "absolute-decision": pl.col("answer"),
    "attribute-choice": pl.col("chosen_option"),
}
_READ = {
    "multiple-choice": 0.94,
    "rating": 0.98,
    "number": 0.96,
    "ranking": 0.95,
    "absolute-decision": 0.97,
    "attribute-choice": 0.95,
}
"""The share of clear texts that is read at least."""


def _ranked(coded: pl.DataFrame) -> list[str | None]:
    places = {name: f"rank_{name.lower()}" for name in _CANDIDATES}
    return [
        ">".join(sorted(_CANDIDATES, key=lambda name: row[places[name]])) if None not in row.values() else None
        for row in coded.select(places.values()).iter_rows(named=True)
    ]


def coded(kind: str, texts: list[str]) -> pl.DataFrame:
    beside = {"status": "ok", "file": "f", "key": "1"} | _PEOPLE
    beside |= {"good": "focused", "bad": "forgetful"}
    frame = pl.DataFrame({"text": texts}).with_columns(pl.lit(value).alias(name) for name, value in beside.items())
    return INSTRUMENTS.classes[kind].model_validate({"kind": kind, **_DECLARED[kind]}).code(frame, {}).responses


@pytest.mark.parametrize("kind", _TEXTS)
def test_clear_texts(kind: str) -> None:
    labelled = [(text, label) for label, texts in _TEXTS[kind].items() for text in texts]
    read = coded(kind, [text for text, _ in labelled])
    found = _ranked(read) if kind == "ranking" else read.select(_OUTCOME[kind]).to_series().to_list()
    judged = [(text, label, one) for (text, label), one in zip(labelled, found, strict=True)]
    assert [one for one in judged if one[2] not in {None, one[1]}] == []
    clear = [one is not None for _, label, one in judged if label != "none"]
    assert sum(clear) >= _READ[kind] * len(clear)
