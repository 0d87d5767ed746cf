"""Dumps of many layouts are drafted as what they are: rows, models, factors, instrument, clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

import tallybook as tb
from tallybook.core.errors import UsageError
from tallybook.drafting.starting import outline, start
from tallybook.study.usual import Settings, expand_usual
from tests.integration.drafting.made_dumps import DUMPS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@pytest.mark.parametrize("name", DUMPS)
def test_what_init_drafts_is_what_the_dump_holds(tmp_path: Path, name: str) -> None:
    truth, dump, out = DUMPS[name], tmp_path / "dump", tmp_path / "study"
    dump.mkdir()
    truth.write(dump)
    held = sorted(dump.iterdir())
    made = start(held if len(held) == 1 else [dump], out, [])
    responses = tb.Study.load(out / "study.toml", data=(out / made.draft.data).resolve()).responses()
    assert made.draft.instrument["kind"] == truth.kind
    assert responses.height == truth.rows
    assert {*responses.get_column("model").cast(str)} == truth.models
    assert not {"invalid", "error", "empty"} & {*responses.get_column("status").cast(str)}
    levels = [{*factor["levels"]} for factor in made.draft.factors.values()]
    assert all({*wanted} in levels for wanted in truth.levels)
    assert made.draft.cluster is not None
    assert responses.get_column(made.draft.cluster).n_unique() == truth.clusters


def test_clusters_stay_where_the_user_names_other_factors(tmp_path: Path) -> None:
    DUMPS["stimulus"].write(tmp_path)
    path = "stimulus.applicant.race"
    made = start([tmp_path / "run.jsonl"], tmp_path / "study", [f"factors={path}"])
    whole = start([tmp_path / "run.jsonl"], tmp_path / "whole", [])
    assert [*made.draft.factors] == ["model", "race"]
    assert made.draft.cluster == whole.draft.cluster == "name"


def test_tests_have_a_usual_table() -> None:
    content: Settings = {
        "factors": {"race": {"levels": {"a": "A", "b": "B"}}},
        "outcomes": {"choice": {"kind": "category"}},
        "analyses": {
            "paired": {"statistic": "paired-comparison", "outcomes": ["choice"], "by": ["race"], "factor": "race"}
        },
        "tables": [{"usual": ["paired"]}],
    }
    assert expand_usual(content)[1] == []
    [table] = content["tables"]
    assert [measure["id"] for measure in table["measures"]] == ["n", "estimate", "statistic", "df", "df2", "p"]


def _results(folder: Path, columns: Mapping[str, Sequence[float]]) -> Path:
    table = pl.DataFrame({"model": ["a", "a", "b", "b"], "group": ["x", "y"] * 2, **columns})
    table.write_csv(folder / "shares.csv")
    return folder / "shares.csv"


def test_a_table_of_results_is_said_to_be_one(tmp_path: Path) -> None:
    """Whether drafted or refused: each row has an interval around a number, or an error and a test."""
    means = {"Mean": [3.1, 3.2, 2.9, 4.0], "SE": [0.1, 0.2, 0.1, 0.3], "p_value": [0.5, 0.01, 0.2, 0.9]}
    doubts = outline([_results(tmp_path, means)], tmp_path, []).draft.doubts
    assert doubts[0].startswith("The rows look like results, not responses (SE, p_value)")
    shares = {"n": [200] * 4, "pct_yes": [40, 41, 30, 20], "ci_low": [34, 35, 25, 15], "ci_high": [46, 50, 40, 22]}
    with pytest.raises(UsageError, match=r"The rows look like results, not responses \(ci_low, pct_yes, ci_high\)"):
        outline([_results(tmp_path, shares)], tmp_path, [])
