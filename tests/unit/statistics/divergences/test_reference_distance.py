"""How far ordered shares are from a survey's, against scipy and plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl
import pytest
from scipy import stats

from tallybook.pipeline import compute
from tallybook.statistics.divergences.divergence import distances_from_reference
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path

wasserstein_distance = cast("Any", stats.wasserstein_distance)  # scipy has no types

CATEGORIES = ["low", "middle", "high", "highest"]
SURVEY = {"x": [0.1, 0.2, 0.3, 0.4], "y": [0.25, 0.25, 0.25, 0.25]}
COUNTS = {"x": {"low": 3, "high": 7, "highest": 1}, "y": {"middle": 9}}


def counts() -> pl.DataFrame:
    rows = [(cell, category, count) for cell, of in COUNTS.items() for category, count in of.items()]
    return pl.DataFrame(rows, ["cell", "category", "count"], orient="row")


def survey(of: dict[str, list[float]]) -> pl.DataFrame:
    rows = [(cell, name, share) for cell, each in of.items() for name, share in zip(CATEGORIES, each, strict=False)]
    return pl.DataFrame(rows, ["cell", "category", "proportion"], orient="row")


@pytest.mark.parametrize("cell", ["x", "y"])
def test_as_scipy(cell: str) -> None:
    found = distances_from_reference(counts(), ["cell"], CATEGORIES, survey(SURVEY), ["cell"]).filter(cell=cell)
    n = sum(COUNTS[cell].values())
    shares = [COUNTS[cell].get(name, 0) / n for name in CATEGORIES]
    distance: float = wasserstein_distance(range(4), range(4), shares, SURVEY[cell])
    variation = sum(abs(p - q) for p, q in zip(shares, SURVEY[cell], strict=True)) / 2
    assert found.select("term", "n").rows() == [("alignment", n), ("total_variation", n)]
    assert found.get_column("estimate").to_list() == pytest.approx([1 - distance / 3, variation], rel=1e-9)


def test_numbers_that_do_not_exist() -> None:
    given = {"x": [0.1, 0.2, 0.3], "y": [0.5, 0.5, 0.5, 0.5]}
    rows = pl.concat([counts(), pl.DataFrame({"cell": ["z"], "category": ["low"], "count": [0]})])
    found = distances_from_reference(rows, ["cell"], CATEGORIES, survey(given), ["cell"])
    status = dict(found.select("cell", "status").iter_rows())
    assert status == {"x": "no-reference", "y": "invalid-reference", "z": "no-data"}
    assert found.get_column("estimate").null_count() == found.height


STUDY = """
name = "s"
title = "S"
cluster = "item"

[[sources]]
format = "csv"
files = "ratings.csv"
constants = { sample = 0 }

[sources.columns]
model = { path = "model" }
item = { path = "item" }
text = { path = "text" }

[factors.model]
label = "Model"
levels = { m = "M" }

[instrument]
kind = "rating"
highest = 3

[outcomes.answer]
kind = "category"
label = "Answer"
attribute = "rating_label"
labels = { low = ["1"], middle = ["2"], high = ["3"] }

[references.survey]
file = "survey.csv"
label = "the survey"
by = []

[analyses.alignment]
statistic = "alignment"
outcomes = ["answer"]
by = ["model"]
reference = "survey"
"""


def test_in_a_study(tmp_path: Path) -> None:
    said = [1, 3, 2, 2, 3, 3, 1, 2]
    table = pl.DataFrame({"model": "m", "item": [f"i{place}" for place in range(8)], "text": said})
    table.write_csv(tmp_path / "ratings.csv")
    (tmp_path / "survey.csv").write_text(
        "outcome,category,proportion,year,source\nanswer,low,0.5,2020,S\n"
        "answer,middle,0.25,2020,S\nanswer,high,0.25,2020,S\n"
    )
    (tmp_path / "study.toml").write_text(STUDY)
    found = compute(load(str(tmp_path / "study.toml"))).estimates.filter(term="alignment").row(0, named=True)

    def alignment(values: list[int]) -> float:
        shares = [values.count(value) / len(values) for value in (1, 2, 3)]
        distance: float = wasserstein_distance(range(3), range(3), shares, [0.5, 0.25, 0.25])
        return 1 - distance / 2

    assert found["estimate"] == pytest.approx(alignment(said), rel=1e-9)
    left_out = [alignment(said[:place] + said[place + 1 :]) for place in range(8)]
    error = (7 / 8 * sum((one - found["estimate"]) ** 2 for one in left_out)) ** 0.5
    assert found["std_error"] == pytest.approx(error, rel=1e-9)
