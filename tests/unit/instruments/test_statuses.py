"""A status means the same in every instrument that reads texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.pipeline import read_and_code
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tests.unit.instruments.simulation.simulated import plan, written

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = {
    "empty": ["", " ", " \n\t", "\u00a0"],
    "invalid": [
        *("N/A", "n/a", "**N/A**", "Answer: N/A", "N.A.", "-", "\u2014", "...", "null", "Not applicable"),
        *("___", "Answer: ___", "[your answer]", "[Your answer here]", "<answer>"),
    ],
    "refused": ["I'm sorry, but I can't help with that."],
}
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
