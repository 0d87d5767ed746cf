"""Reliability against statsmodels, pingouin and published values; its intervals against leaving out by hand."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false
from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pingouin
import polars as pl
import pytest
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from tallybook.statistics.categories.reliability import category_reliability, score_reliability
from tests.levels import coded, declared, estimates

RELIABILITY: dict[str, Any] = {
    "statistic": "reliability", "outcomes": ["score"], "by": [], "factor": "group", "cluster": "item",
}  # fmt: skip
RATERS = ["young", "middle", "aged"]
# Krippendorff's data as in "Krippendorff's alpha", Wikipedia: three coders, fifteen units, * none.
PRINTED = ["*****34121133*3", "1*213343*******", "**2134*211 33*4".replace(" ", "")]
PRINTED[2] = "**21344*211" + "33*4"


def scores(seed: int = 6, units: int = 14) -> tuple[Any, Any, Any]:
    generator: Any = np.random.default_rng(seed)
    item, group = np.repeat(np.arange(units), 3), np.tile(RATERS, units)
    value = np.round(2 * generator.normal(size=units)[item] + generator.normal(size=item.size) + (group == "aged"))
    return group, item, value


def by_term(found: pl.DataFrame) -> dict[str, dict[str, Any]]:
    return {row["term"]: row for row in found.iter_rows(named=True)}


def test_scores_against_pingouin() -> None:
    group, item, value = scores()
    found = by_term(estimates(declared(RELIABILITY), coded(group, item, score=value)))
    data = pd.DataFrame({"u": item, "r": group, "v": value})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        icc = pingouin.intraclass_corr(data=data, targets="u", raters="r", ratings="v")
    assert [found[f"icc_{n}"]["estimate"] for n in (1, 2, 3)] == pytest.approx(list(icc["ICC"][:3]), rel=1e-9)
    assert {row["n"] for row in found.values()} == {14}


def test_categories_against_statsmodels() -> None:
    group, item, value = scores()
    category = np.array(["left", "right", "centre"])[(value.astype(int)) % 3]
    found = by_term(
        estimates(declared(RELIABILITY | {"outcomes": ["politics"]}), coded(group, item, politics=category))
    )
    table = pd.crosstab(item, category).to_numpy()
    assert found["fleiss_kappa"]["estimate"] == pytest.approx(fleiss_kappa(table), rel=1e-9)


def test_two_raters_have_cohens_kappa() -> None:
    """As statsmodels computes it, of the units that both rated; the interval leaves out one unit at a time."""
    group, item, value = scores(units=30)
    category = np.array(["left", "right", "centre"])[(value.astype(int)) % 3]
    two = {"outcomes": ["politics"], "levels": ["aged", "young"]}
    kept = ~((item == 3) & (group == "aged"))
    found = by_term(estimates(declared(RELIABILITY | two), coded(group[kept], item[kept], politics=category[kept])))
    wide = pd.DataFrame({"u": item[kept], "r": group[kept], "c": category[kept]}).pivot(
        index="u", columns="r", values="c"
    )

    def kappa(rows: Any) -> float:
        names = ["left", "right", "centre"]
        table = pd.crosstab(pd.Categorical(rows["aged"], names), pd.Categorical(rows["young"], names), dropna=False)
        return float(cohens_kappa(table.to_numpy()).kappa)

    both = wide[["aged", "young"]].dropna()
    row = found["cohen_kappa"]
    assert (row["n"], row["clusters"]) == (29, 29)
    assert row["estimate"] == pytest.approx(kappa(both), rel=1e-12)
    parts = [kappa(both.drop(unit)) for unit in both.index]
    assert row["std_error"] == pytest.approx(np.sqrt(28 / 29 * sum((one - row["estimate"]) ** 2 for one in parts)))
    assert found["agreement"]["estimate"] == pytest.approx((both["aged"] == both["young"]).mean(), rel=1e-12)
    assert "cohen_kappa" not in by_term(
        estimates(declared(RELIABILITY | {"outcomes": ["politics"]}), coded(group, item, politics=category))
    )


def test_krippendorffs_alpha_as_published() -> None:
    rows = [
        (rater, unit, float(mark))
        for rater, marks in zip(RATERS, PRINTED, strict=True)
        for unit, mark in enumerate(marks)
        if mark != "*"
    ]
    frame = pl.DataFrame(rows, schema=["rater", "unit", "value"], orient="row").with_columns(pl.lit(1).alias("count"))
    nominal = category_reliability(frame.with_columns(pl.col("value").cast(pl.String)), [], "unit", "value")
    interval = score_reliability(frame, [], "unit", "rater")
    assert by_term(nominal)["krippendorff_alpha"]["estimate"] == pytest.approx(0.691, abs=5e-4)
    assert by_term(interval)["krippendorff_alpha"]["estimate"] == pytest.approx(0.811, abs=5e-4)


def test_intervals_leave_out_one_unit() -> None:
    group, item, value = scores()

    def alpha(kept: Any) -> float:
        frame = pl.DataFrame({"u": item[kept], "r": group[kept], "value": value[kept], "count": 1})
        return by_term(score_reliability(frame, [], "u", "r"))["icc_2"]["estimate"]

    row = by_term(estimates(declared(RELIABILITY), coded(group, item, score=value)))["icc_2"]
    parts = [alpha(item != one) for one in range(14)]
    error = np.sqrt(13 / 14 * sum((part - row["estimate"]) ** 2 for part in parts))
    assert (row["std_error"], row["df"]) == (pytest.approx(error, rel=1e-9), 13)


def test_nothing_to_agree_about() -> None:
    group, item, _ = scores()
    found = estimates(declared(RELIABILITY), coded(group, item, score=np.ones(item.size)))
    assert set(found["status"]) == {"degenerate"}
    with pytest.raises(ValueError, match="expected the column of the units"):
        declared(RELIABILITY | {"cluster": []})
