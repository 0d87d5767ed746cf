"""Statistics of estimates, and of the levels of a factor: against libraries and plain definitions."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
import pingouin
import polars as pl
import pytest
from scipy import stats

from tallybook.statistics.categories.reliability import level_agreement
from tallybook.statistics.of_estimates import estimate_correlations, estimate_differences, exponentials

STATS: Any = stats
PINGOUIN: Any = pingouin
PANDAS: Any = pd
RNG = np.random.default_rng(5)
LEVELS = ("a", "b", "c", "d")
WAYS = list(combinations(range(9), 4))


@pytest.fixture
def scores() -> pl.DataFrame:
    """Three scores of each of 12 units at each of four levels, in two groups."""
    rows = [
        {"group": group, "level": level, "unit": f"u{unit}", "value": float(value), "count": count}
        for group in ("x", "y")
        for level in LEVELS
        for unit in range(12)
        for value, count in zip(RNG.normal(unit / 6, 1, 3), (1, 2, 1), strict=True)
    ]
    return pl.DataFrame(rows).with_columns(pl.lit("score").alias("outcome")).sample(fraction=1, shuffle=True, seed=2)


def _wide(scores: pl.DataFrame, group: str, *, ratios: bool = False) -> Any:
    frame = PANDAS.DataFrame(scores.filter(group=group).to_dict(as_series=False))
    frame = frame.loc[frame.index.repeat(frame["count"])]
    wide = frame.pivot_table(index="unit", columns="level", values="value", aggfunc="mean")
    return np.exp(wide) if ratios else wide


@pytest.mark.parametrize("ratios", [False, True])
@pytest.mark.parametrize(("measure", "correlate"), [("pearson", STATS.pearsonr), ("spearman", STATS.spearmanr)])
def test_mean_correlation_of_all_pairs(scores: pl.DataFrame, measure: Any, correlate: Any, ratios: bool) -> None:
    found = level_agreement(scores, [], "level", "unit", within=["group"], measure=measure, ratios=ratios)
    expected = [
        correlate(wide[one], wide[other]).statistic
        for wide in (_wide(scores, group, ratios=ratios) for group in ("x", "y"))
        for one, other in combinations(LEVELS, 2)
    ]
    assert found.select("outcome", "term", "n", "status").rows() == [("score", "correlation", 12, "ok")]
    assert found["estimate"].item() == pytest.approx(np.mean(expected), rel=1e-12)


def test_units_that_a_level_lacks_do_not_count(scores: pl.DataFrame) -> None:
    few = scores.filter((pl.col("level") != "a") | ~pl.col("unit").is_in(["u1", "u2"]))
    found = level_agreement(few, ["group"], "level", "unit").sort("group")
    wide = _wide(few, "x")
    assert found["estimate"][0] == pytest.approx(wide.corr().to_numpy()[np.triu_indices(4, 1)].mean(), rel=1e-12)


def test_constant_scores_have_no_correlation(scores: pl.DataFrame) -> None:
    constant = scores.with_columns(pl.when(pl.col("level") == "a").then(1.0).otherwise("value").alias("value"))
    found = level_agreement(constant, ["group"], "level", "unit")
    assert found["n"].to_list() == [3, 3]
    assert found["method"].to_list() == ["mean of 3 of 6 pearson correlations"] * 2
    alone = level_agreement(scores.filter(level="a"), [], "level", "unit")
    assert alone.select("n", "estimate", "status").rows() == [(0, None, "no-data")]


def test_cronbach_alpha(scores: pl.DataFrame) -> None:
    found = level_agreement(scores, ["group"], "level", "unit", measure="cronbach-alpha").filter(group="x")
    wide = _wide(scores, "x")
    alpha, limits = PINGOUIN.cronbach_alpha(wide)
    assert found["estimate"].item() == pytest.approx(alpha, rel=1e-12)
    assert [round(found[name].item(), 3) for name in ("ci_low", "ci_high")] == list(limits)
    covariance = wide.cov().to_numpy()
    assert found["estimate"].item() == pytest.approx(4 / 3 * (1 - np.trace(covariance) / covariance.sum()), rel=1e-12)
    together = level_agreement(scores, [], "level", "unit", within=["group"], measure="cronbach-alpha")
    assert together["status"].to_list() == ["no-data"]  # two scales


@pytest.fixture
def estimates() -> pl.DataFrame:
    rows = [
        {"model": model, "kind": kind, "trait": f"{kind}{place}", "estimate": float(value)}
        for model in ("m", "n")
        for kind, size, shift in (("f", 4, 0.0), ("g", 5, 1.0))
        for place, value in enumerate(RNG.normal(shift, 1, size))
    ]
    same = {"outcome": "score", "term": "mean", "n": 10, "status": "ok", "method": "mean"}
    return pl.DataFrame(rows).with_columns(**{name: pl.lit(value) for name, value in same.items()})


@pytest.mark.parametrize(("test", "equal"), [("welch", False), ("student", True)])
def test_difference_by_t_tests(estimates: pl.DataFrame, test: Any, equal: bool) -> None:
    found = estimate_differences(estimates, ["model"], "kind", ("g", "f"), test=test).sort("model")
    for model, row in zip(("m", "n"), found.iter_rows(named=True), strict=True):
        own = estimates.filter(model=model)
        expected = STATS.ttest_ind(*(own.filter(kind=kind)["estimate"] for kind in "gf"), equal_var=equal)
        assert (row["term"], row["outcome"], row["n"]) == ("difference", "score", 9)
        limits = expected.confidence_interval()
        assert (row["statistic"], row["p_value"], row["df"], row["ci_low"], row["ci_high"]) == pytest.approx(
            (expected.statistic, expected.pvalue, expected.df, limits.low, limits.high), rel=1e-9
        )


def test_difference_by_all_ways_to_divide(estimates: pl.DataFrame) -> None:
    found = estimate_differences(estimates, ["model"], "kind", ("g", "f"), test="permutation").sort("model")
    values = estimates.filter(model="m")["estimate"].to_list()
    means = [
        np.mean([values[place] for place in places]) for chosen in WAYS for places in (chosen, {*range(9)} - {*chosen})
    ]
    ways = [abs(one - other) for one, other in zip(means[::2], means[1::2], strict=True)]
    observed = abs(np.mean(values[:4]) - np.mean(values[4:]))
    expected = sum(way >= observed - 1e-12 for way in ways) / math.comb(9, 4)
    assert found["p_value"][0] == pytest.approx(expected, rel=1e-12)
    assert found.select("statistic", "df").row(0) == (None, None)


def test_too_many_ways_are_not_gone_through() -> None:
    rows = pl.DataFrame({"kind": ["f", "g"] * 15, "estimate": RNG.normal(size=30), "outcome": "o", "term": "mean"})
    assert estimate_differences(rows, [], "kind", ("f", "g"), test="permutation")["p_value"].to_list() == [None]


def test_correlation_of_two_kinds_of_estimates(estimates: pl.DataFrame) -> None:
    other = pl.DataFrame({"trait": estimates.filter(model="m")["trait"], "estimate": RNG.normal(size=9)})
    found = estimate_correlations(estimates, other.with_columns(outcome=pl.lit("other")), ["model"], ["trait"]).sort(
        "model"
    )
    own = estimates.filter(model="n").join(other, on="trait")
    expected = STATS.pearsonr(own["estimate"], own["estimate_right"])
    row = found.row(1, named=True)
    assert (row["n"], row["term"], row["outcome"]) == (9, "correlation", "score")
    assert (row["estimate"], row["p_value"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_exponentials_of_log_ratios(estimates: pl.DataFrame) -> None:
    error, limits = pl.lit(0.1).alias("std_error"), (pl.col("estimate") + 0.2).alias("ci_high")
    logs = estimates.with_columns(error, limits, (pl.col("estimate") - 0.2).alias("ci_low"))
    found = exponentials(logs)
    assert found["estimate"].to_numpy() == pytest.approx(np.exp(estimates["estimate"].to_numpy()))
    assert (found["ci_high"] / found["estimate"]).to_list() == pytest.approx([math.exp(0.2)] * found.height)
    huge = exponentials(logs.with_columns(pl.lit(1e4).alias("estimate")))
    assert set(huge["status"]) == {"degenerate"}
    assert huge["estimate"].null_count() == huge.height
    values = np.array([1.2, 0.8, 2.5])
    mean = pl.DataFrame({"estimate": [float(np.log(values).mean())], "std_error": [0.1], "ci_low": [0.0]})
    mean = mean.with_columns(ci_high=pl.lit(1.0), method=pl.lit("mean"), status=pl.lit("ok"))
    assert exponentials(mean)["estimate"].item() == pytest.approx(STATS.gmean(values), rel=1e-12)
