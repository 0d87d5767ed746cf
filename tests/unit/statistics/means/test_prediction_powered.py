"""Prediction-powered means: against ppi-python over rows, plain Python, and simulated truth."""

from __future__ import annotations

from statistics import NormalDist, fmean, pvariance, variance
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from tallybook import Study, UsageError
from tallybook.statistics.means.prediction_powered import Weight, prediction_powered_means

if TYPE_CHECKING:
    from pathlib import Path

Counts = list[tuple[float, float | None, int]]
CASES: dict[str, tuple[Counts, dict[Weight, tuple[float, float]]]] = {
    "good judge": (
        [(0, 0, 38), (0, 1, 1), (1, 0, 3), (1, 1, 18), (0, None, 273), (1, None, 127)],
        {"full": (0.20493157503703047, 0.3634017582963029), "tuned": (0.22114011884427734, 0.36330385638094786)},
    ),
    "weak judge": (
        [(0, 0, 11), (0, 1, 8), (1, 0, 8), (1, 1, 13), (0, None, 142), (1, None, 158)],
        {"full": (0.32268946644398133, 0.7306438668893519), "tuned": (0.3732355830595829, 0.6773452186684439)},
    ),
    "reversed judge": (
        [(0, 0, 7), (0, 1, 21), (1, 0, 18), (1, 1, 4), (0, None, 113), (1, None, 87)],
        {"full": (0.24128589854716614, 0.7487141014528338), "tuned": (0.3614096175650322, 0.6385903824349678)},
    ),
    "scores": (
        [
            (1, 1, 1),
            (2, 1, 1),
            (2, 2, 4),
            (2, 3, 1),
            (3, 2, 3),
            (3, 3, 12),
            (4, 3, 13),
            (4, 4, 9),
            (4, 5, 1),
            (5, 4, 1),
            (5, 5, 4),
            (1, None, 6),
            (2, None, 29),
            (3, None, 30),
            (4, None, 31),
            (5, None, 24),
        ],
        {"full": (2.7365272997693295, 3.2568060335640046), "tuned": (2.9042312343680665, 3.3118098419204776)},
    ),
}
"""Judge, truth and count, and the 95% intervals of ppi-python 0.2.3, `ppi_mean_ci` with lam=1 and with lam=None."""


def frame(rows: Counts) -> pl.DataFrame:
    schema = {"judge": pl.Float64, "truth": pl.Float64, "count": pl.Int64}
    return pl.DataFrame(rows, schema, orient="row")


@pytest.mark.parametrize("weight", ["full", "tuned"])
@pytest.mark.parametrize("case", CASES)
def test_as_ppi_python(case: str, weight: Weight) -> None:
    rows, expected = CASES[case]
    found = prediction_powered_means(frame(rows), [], "judge", "truth", weight=weight).row(0, named=True)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx(expected[weight], rel=1e-9)
    assert found["estimate"] == pytest.approx(sum(expected[weight]) / 2, rel=1e-9)
    assert (found["n"], found["status"]) == (sum(count for _, truth, count in rows if truth is not None), "ok")


@pytest.mark.parametrize("case", CASES)
def test_as_plain_python(case: str) -> None:
    rows, _ = CASES[case]
    both = [(f, y) for f, y, count in rows if y is not None for _ in range(count)]
    alone = [f for f, y, count in rows if y is None for _ in range(count)]
    f, y = ([pair[place] for pair in both] for place in (0, 1))
    n, big = len(both), len(alone)
    covariance = fmean(a * b for a, b in both) - fmean(f) * fmean(y)
    w = min(1.0, max(0.0, covariance / ((1 + n / big) * variance(f + alone))))
    estimate = fmean(y) + w * (fmean(alone) - fmean(f))
    error = (w * w * pvariance(alone) / big + pvariance([b - w * a for a, b in both]) / n) ** 0.5
    found = prediction_powered_means(frame(rows), [], "judge", "truth", confidence=0.9).row(0, named=True)
    assert (found["estimate"], found["std_error"]) == pytest.approx((estimate, error), rel=1e-9)
    assert found["ci_high"] == pytest.approx(estimate + NormalDist().inv_cdf(0.95) * error, rel=1e-9)
    assert found["effect"] == pytest.approx(fmean(f + alone), rel=1e-9)


def test_intervals_cover_the_truth() -> None:
    """4,000 studies of 600 responses, 80 coded by people, with a judge that finds too many."""
    draw = np.random.default_rng(2023)
    studies, size, coded, share = 4000, 600, 80, 0.3
    truth = draw.random((studies, size)) < share
    wrong = draw.random((studies, size)) < np.where(truth, 0.35, 0.25)
    study, place = np.indices((studies, size))
    rows = pl.DataFrame(
        {"study": study.ravel(), "judge": (truth ^ wrong).ravel(), "truth": truth.ravel(), "place": place.ravel()}
    ).with_columns(pl.when(pl.col("place") < coded).then(pl.col("truth")).alias("truth"))
    counts = rows.group_by("study", "judge", "truth").agg(pl.len().cast(pl.Int64).alias("count"))
    for weight in ("full", "tuned"):
        found = prediction_powered_means(counts, ["study"], "judge", "truth", weight=weight)
        covered = found.select(pl.lit(share).is_between("ci_low", "ci_high").mean()).item()
        assert 0.935 < covered < 0.96
        assert found.get_column("estimate").mean() == pytest.approx(share, abs=0.003)
    judged = found.get_column("effect").mean()
    assert isinstance(judged, float)
    assert judged - share > 0.06  # the judge alone is wrong


def test_numbers_that_do_not_exist() -> None:
    rows = [
        ("none", 1.0, None, 5), ("all", 1.0, 1.0, 5), ("single", 1.0, 0.0, 1), ("single", 1.0, None, 3),
        ("unjudged", None, 1.0, 2),
    ]  # fmt: skip
    schema = {"cell": pl.String, "judge": pl.Float64, "truth": pl.Float64, "count": pl.Int64}
    found = prediction_powered_means(pl.DataFrame(rows, schema, orient="row"), ["cell"], "judge", "truth")
    status = dict(found.select("cell", "status").iter_rows())
    assert status == {"none": "no-data", "all": "no-data", "single": "degenerate", "unjudged": "no-data"}
    assert found.get_column("std_error").null_count() == 4
    assert found.filter(cell="single").get_column("estimate").item() == 0


STUDY = """
name = "s"
title = "S"

[[sources]]
format = "csv"
files = "judged.csv"
constants = { sample = 0 }

[sources.columns]
model = { path = "model" }
item = { path = "item" }
text = { path = "text" }
harm = { path = "harm" }
score = { path = "score" }
human = { path = "human" }
human_score = { path = "human_score", type = "number" }

[factors.model]
label = "Model"
levels = { m = "M" }

[factors.people]
label = "Codes of people"
levels = { harmful = "harmful", safe = "safe", none = "none" }
derive = { from = "human", missing = "none", map = { harmful = "harmful", safe = "safe" } }

[instrument]
kind = "judge"
lowest = 1
highest = 10
judges = { label = { column = "harm" }, grade = { column = "score", path = "score" } }

[outcomes.harm]
kind = "category"
label = "Harm"
attribute = "label_label"
labels = { harmful = ["harmful"], safe = ["safe"] }

[outcomes.points]
kind = "score"
label = "Points"
attribute = "grade_score"
beside = ["peoples_points"]

[outcomes.peoples_points]
kind = "score"
label = "Points of people"
attribute = "human_score"

[analyses.corrected]
statistic = "prediction-powered"
outcomes = ["harm"]
by = ["model"]
factor = "people"

[analyses.corrected_points]
statistic = "prediction-powered"
outcomes = ["points"]
by = ["model"]
truth = "peoples_points"
weight = "full"

[analyses.clustered]
statistic = "prediction-powered"
outcomes = ["harm"]
by = []
factor = "people"
cluster = "item"
"""


def test_in_a_study(tmp_path: Path) -> None:
    draw = np.random.default_rng(7)
    rows = [
        {
            "model": "m", "item": f"i{place % 12}", "text": "t", "harm": "Harmful." if bad else "safe",
            "score": f'{{"score": {points}}}', "human": ("harmful" if bad or place % 9 == 0 else "safe") * (place < 40),
            "human_score": points + place % 2 if place < 40 else None,
        }
        for place, (bad, points) in enumerate(zip(draw.random(120) < 0.4, draw.integers(1, 9, 120), strict=True))
    ]  # fmt: skip
    table = pl.DataFrame(rows, infer_schema_length=None)
    table.write_csv(tmp_path / "judged.csv")
    (tmp_path / "study.toml").write_text(STUDY.replace('"model", "item"', "", 1), encoding="utf-8")
    study = Study.load(tmp_path / "study.toml", ['key=["model", "item", "file", "key"]'])
    found = study.estimates()
    judge = pl.col("harm").str.starts_with("H").cast(pl.Float64).alias("judge")
    truth = pl.when(pl.col("human") != "").then((pl.col("human") == "harmful").cast(pl.Float64)).alias("truth")
    plain = prediction_powered_means(table.select(judge, truth, count=pl.lit(1)), [], "judge", "truth")
    own = found.filter(analysis="corrected", term="harmful")
    assert own.get_column("estimate").item() == pytest.approx(plain["estimate"].item(), rel=1e-9)
    assert own.get_column("std_error").item() == pytest.approx(plain["std_error"].item(), rel=1e-9)
    points = table.select(
        pl.col("score").str.extract(r"(\d+)").cast(pl.Float64).alias("judge"), truth="human_score", count=pl.lit(1)
    )
    plain = prediction_powered_means(points, [], "judge", "truth", weight="full")
    own = found.filter(analysis="corrected_points")
    assert own.get_column("estimate").item() == pytest.approx(plain["estimate"].item(), rel=1e-9)
    clustered = found.filter(analysis="clustered", term="harmful").row(0, named=True)
    left_out = [
        prediction_powered_means(
            table.filter(pl.col("item") != f"i{item}").select(judge, truth, count=pl.lit(1)), [], "judge", "truth"
        )["estimate"].item()
        for item in range(12)
    ]
    error = (11 / 12 * sum((one - clustered["estimate"]) ** 2 for one in left_out)) ** 0.5
    assert clustered["std_error"] == pytest.approx(error, rel=1e-9)
    assert clustered["df"] == 11


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('factor = "people"\n', "", "exactly one of 'factor' and 'truth'"),
        ('beside = ["peoples_points"]\n', "", "analyses.corrected_points.truth"),
        ('outcomes = ["points"]', 'outcomes = ["harm"]', "'truth' of scores"),
    ],
)
def test_settings_that_do_not_fit(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert old in STUDY
    (tmp_path / "study.toml").write_text(STUDY.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UsageError, match=message):
        Study.load(tmp_path / "study.toml")
