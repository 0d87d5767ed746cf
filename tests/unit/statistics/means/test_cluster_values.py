"""What clusters come to, against plain Python over rows."""

from __future__ import annotations

import random
from itertools import combinations
from statistics import mean, stdev
from typing import TYPE_CHECKING

import polars as pl
import pytest
from scipy.stats import ttest_rel

from tallybook import Study, UsageError

if TYPE_CHECKING:
    from pathlib import Path

STUDY = """
name = "s"
title = "S"
cluster = "item"

[[sources]]
format = "coded"
files = "coded.csv"

[factors.model]
label = "Model"
levels = { m = "M" }

[factors.group]
label = "Group"
levels = { a = "A", b = "B" }

[instrument]
kind = "judge"
judges = { one = { column = "one" } }

[outcomes.verdict]
kind = "category"
label = "Verdict"
attribute = "one_label"
labels = { good = ["good"], bad = ["bad"], odd = ["odd"] }

[outcomes.points]
kind = "score"
label = "Points"
attribute = "one_score"

[analyses.unlike]
statistic = "cluster-mean"
measure = "disagreement"
outcomes = ["verdict"]
by = ["group"]

[analyses.shares]
statistic = "cluster-mean"
measure = "share"
outcomes = ["verdict"]
by = []
factor = "group"
levels = ["a", "b"]

[analyses.sums]
statistic = "cluster-mean"
measure = "sum"
outcomes = ["points"]
by = ["group"]
divisor = 2
constant = 1

[analyses.means]
statistic = "cluster-mean"
measure = "mean"
outcomes = ["points"]
by = ["group"]

[analyses.total]
statistic = "score-sum"
outcomes = ["points"]
by = ["group"]
divisor = 4
constant = -1
"""
Row = tuple[str, str, str, float]


def rows() -> list[Row]:
    draw = random.Random(17)  # noqa: S311  no secret
    return [
        (group, f"i{item}", draw.choice(["good", "bad", "odd"]), draw.choice([1.0, 2.5, 4.0]))
        for item in range(12)
        for group in "ab"
        for _ in range(draw.randrange(5))
    ]


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    folder = tmp_path_factory.mktemp("clusters")
    table = pl.DataFrame(rows(), ["group", "item", "verdict", "points"], orient="row")
    fixed = {"model": "m", "status": "ok", "count": 1}
    table.with_columns(pl.lit(value).alias(name) for name, value in fixed.items()).write_csv(folder / "coded.csv")
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    return Study.load(folder / "study.toml").estimates()


def clusters(group: str) -> dict[str, list[Row]]:
    made: dict[str, list[Row]] = {}
    for row in rows():
        if row[0] == group:
            made.setdefault(row[1], []).append(row)
    return made


def holds(found: pl.DataFrame, values: list[float], analysis: str, **wanted: str) -> None:
    row = found.filter(pl.col("analysis") == analysis, *(pl.col(name) == value for name, value in wanted.items()))
    assert row.get_column("n").to_list() == [len(values)]
    assert row.get_column("estimate").to_list() == [pytest.approx(mean(values), rel=1e-9)]
    assert row.get_column("std_error").to_list() == [pytest.approx(stdev(values) / len(values) ** 0.5, rel=1e-9)]


@pytest.mark.parametrize("group", ["a", "b"])
def test_disagreement_is_the_share_of_unlike_pairs(found: pl.DataFrame, group: str) -> None:
    each = [[one[2] for one in own] for own in clusters(group).values() if len(own) > 1]
    assert any(len(own) > 2 for own in each)
    holds(found, [mean(a != b for a, b in combinations(own, 2)) for own in each], "unlike", group=group)


@pytest.mark.parametrize("term", ["good", "bad", "odd"])
def test_differences_of_shares_are_paired(found: pl.DataFrame, term: str) -> None:
    first, second = ({item: mean(one[2] == term for one in own) for item, own in clusters(g).items()} for g in "ab")
    both = [item for item in first if item in second]
    assert len(both) < len(first)
    x, y = ([of[item] for item in both] for of in (first, second))
    holds(found, [a - b for a, b in zip(x, y, strict=True)], "shares", term=term)
    p_value = found.filter(analysis="shares", term=term).get_column("p_value").item()
    assert p_value == pytest.approx(ttest_rel(x, y).pvalue, rel=1e-9)


@pytest.mark.parametrize("group", ["a", "b"])
def test_scores_of_clusters_and_their_spread(found: pl.DataFrame, group: str) -> None:
    points = [[one[3] for one in own] for own in clusters(group).values()]
    sums, means = [sum(own) / 2 + 1 for own in points], [mean(own) for own in points]
    holds(found, sums, "sums", group=group, term="mean")
    holds(found, means, "means", group=group, term="mean")
    spread = found.filter(analysis="sums", group=group, term="sd").get_column("estimate").item()
    assert spread == pytest.approx(stdev(sums), rel=1e-9)
    total = found.filter(analysis="total", group=group).row(0, named=True)
    assert total["estimate"] == pytest.approx(sum(map(sum, points)) / 4 - 1, rel=1e-9)
    assert total["std_error"] is None


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('cluster = "item"\n', "", "analyses.unlike.cluster"),
        ('measure = "mean"\noutcomes = ["points"]', 'measure = "mean"\noutcomes = ["verdict"]', "is not a score"),
        ('factor = "group"\n', "", "both 'factor' and 'levels'"),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in STUDY
    path = tmp_path / "study.toml"
    path.write_text(STUDY.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        Study.load(path)
