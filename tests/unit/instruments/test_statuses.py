"""A status means the same in every instrument that reads texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.instruments.reading import VERDICT
from tallybook.pipeline import read_and_code
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tests.integration.instruments.simulation.simulated import plan, written

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "empty": ["", " ", " \n\t", "\u00a0"],
    "invalid": [
        *("N/A", "n/a", "**N/A**", "Answer: N/A", "N.A.", "-", "\u2014", "...", "null", "Not applicable"),
        *("___", "Answer: ___", "[your answer]", "[Your answer here]", "<answer>"),
    ],
    "refused": ["I'm sorry, but I can't help with that.", "Das entscheide ich nicht."],
}
SIDES = ("default", "stigma", "positive", "negative")
JUDGED = ("judge",)
"""Instruments whose answers stand in other columns than the text."""


@pytest.mark.parametrize("kind", [name for name, one in INSTRUMENTS.classes.items() if one.reads_text])
def test_a_status_means_the_same_in_every_instrument(kind: str, tmp_path: Path) -> None:
    if kind in JUDGED:
        assert not INSTRUMENTS.classes[kind].model_validate({"kind": kind, "judges": {"a": {"column": "b"}}}).texts
        return
    folder = written(plan(kind, rows=40, models=1, refusals=0.0, malformed=0.0), tmp_path / "dump")
    dump = pl.read_csv(folder / "responses.csv", infer_schema=False)
    said = [text for texts in TEXTS.values() for text in texts]
    dump = dump.with_columns(pl.Series("text", [said[place % len(said)] for place in range(dump.height)]))
    dump.write_csv(folder / "responses.csv", quote_style="non_numeric")
    coded = read_and_code(load(str(folder))).coded.select("text", "status").unique()
    expected = {(text, status) for status, texts in TEXTS.items() for text in texts}
    assert {(text or "", status) for text, status in coded.rows()} == expected


_DELIVERED = {
    "absolute-decision": ({"codes": {"column": "code", "codes": {"1": "yes"}}}, "answer", "yes"),
    "relative-decision": (
        {"codes": {"column": "code", "codes": {"1": "discriminatory"}}, "columns": {name: name for name in SIDES}},
        "discriminatory",
        1,
    ),
    "attribute-choice": (
        {"hand": {"column": "code", "codes": {"1": "default"}}, "options": {"default": "default", "other": "stigma"}},
        "chosen_option",
        "default",
    ),
    "multiple-choice": ({"options": ["default", "stigma"], "scores": ["high", "low"]}, "chosen_place", 1),
    "judge": ({"judges": {"a": {"column": "code"}}}, "a_score", 1.0),
}
"""Instrument -> how it is told of a delivered answer, the column that it makes, and what that holds."""


@pytest.mark.parametrize("kind", _DELIVERED)
def test_a_delivered_answer_counts_where_the_rules_for_texts_fail(kind: str) -> None:
    declared, column, expected = _DELIVERED[kind]
    texts = ["blah blah", "I'm sorry, but I can't help with that.", "", "N/A", "No. Yes. No."]
    sides = dict(zip(SIDES, ("Ann", "Bob", "physics", "arts"), strict=True))
    frame = pl.DataFrame({"text": texts}).with_columns(
        key=pl.int_range(pl.len()).cast(pl.String), high=pl.lit(-0.1), low=pl.lit(-2.0),
        **{name: pl.lit(value) for name, value in {"status": "ok", "file": "f", "code": "1", **sides}.items()},
    )  # fmt: skip
    read = INSTRUMENTS.classes[kind].model_validate({"kind": kind} | declared).code(frame, {}).responses
    assert read.select("text", column, VERDICT).rows() == [(text, expected, None) for text in texts]
