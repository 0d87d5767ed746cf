"""`init` on dumps of embeddings: vectors, sets, attributes, words in contexts; what it drafts runs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tallybook.drafting.starting import start
from tests.trusted import computed, estimated

if TYPE_CHECKING:
    from pathlib import Path


def _dump(sets: tuple[str, ...], *, contexts: int = 1, column: str = "set") -> str:
    generator = np.random.default_rng(7)
    centres = dict(zip(sets, generator.normal(size=(len(sets), 12)), strict=True))
    return "".join(
        json.dumps(
            {
                "model": model,
                "word": f"{name}-{number}",
                column: name,
                "embedding": [round(float(one), 4) for one in centres[name] + generator.normal(size=12)],
            }
        )
        + "\n"
        for model in ("orion", "vega")
        for name in sets
        for number in range(6)
        for _ in range(contexts)
    )


@pytest.mark.parametrize(
    ("sets", "sides"),
    [
        (("flowers", "insects", "pleasant", "unpleasant"), ("pleasant", "unpleasant")),
        (("A", "B", "X", "Y"), ("A", "B")),
        (("math", "art", "one", "other"), ("one", "other")),
        (("male", "female", "career", "family"), ("career", "family")),
    ],
)
def test_attributes_by_name_or_place(tmp_path: Path, sets: tuple[str, ...], sides: tuple[str, str]) -> None:
    (tmp_path / "weat.jsonl").write_text(_dump(sets))
    draft = start([tmp_path / "weat.jsonl"], tmp_path / "out", ()).draft
    assert draft.instrument["kind"] == "embedding-association"
    assert (draft.instrument["first"], draft.instrument["second"]) == ([sides[0]], [sides[1]])
    assert draft.columns["item"] == {"path": "word"}
    assert draft.cluster == "item"
    results = computed(tmp_path / "out" / "study.toml")
    assert results.source.by_status == {"ok": 48}
    assert results.source.coded["association"].count() == 24
    assert results.estimates.filter(analysis="mean_difference_by_set")["clusters"].to_list() == [12, 12]


@pytest.mark.parametrize(("column", "name"), [("set", "set"), ("category", "category_column")])
def test_words_in_contexts_stay_the_units(tmp_path: Path, column: str, name: str) -> None:
    """Whatever the sets are called: tallies have a column `category` of their own."""
    (tmp_path / "ceat.jsonl").write_text(_dump(("science", "arts", "male", "female"), contexts=3, column=column))
    draft = start([tmp_path / "ceat.jsonl"], tmp_path / "out", ()).draft
    assert draft.source["samples_by"] == ["model", name, "item"]
    assert not any("Nothing numbers" in doubt for doubt in draft.doubts)
    found = estimated(tmp_path / "out" / "study.toml").filter(analysis=f"mean_difference_by_{name}")
    assert found.select("n", "clusters").rows() == [(36, 12), (36, 12)]
