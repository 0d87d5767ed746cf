"""Differences of means: against scipy and pingouin row by row, and clustered against a slow twin."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl
import pytest
from pingouin import compute_effsize
from scipy import stats

from tallybook.analyses.estimating import clusters, estimate
from tallybook.report.methods_section import methods
from tallybook.study.model import Study
from tallybook.tables.notes import convention
from tallybook.tally import by_cluster, tally
from tests.unit.statistics.frames import DECLARATION

DIFFERENCE: dict[str, Any] = {
    "statistic": "mean-difference", "outcomes": ["score"], "by": [], "factor": "group", "levels": ["young", "aged"],
}  # fmt: skip


def study(**changes: Any) -> Study:
    return Study.model_validate(DECLARATION | {"analyses": {"gap": DIFFERENCE | changes}})


def estimates(study: Study, scores: np.ndarray, groups: np.ndarray, items: np.ndarray) -> dict[str, Any]:
    return every(study, scores, groups, items).row(0, named=True)


def every(study: Study, scores: np.ndarray, groups: np.ndarray, items: np.ndarray) -> pl.DataFrame:
    frame = {"group": groups, "item": items, "score": scores, "status": "ok", "count": 1, "position": items}
    factors = dict.fromkeys(set(DECLARATION["factors"]) - {"group"}, "zeta")
    coded = pl.DataFrame(frame | factors).with_columns(pl.col("item").cast(pl.String), pl.col("score").cast(pl.Float64))
    names = {"score": study.outcomes["score"]}
    clustered = by_cluster(coded.lazy(), list(study.factors), names, clusters(study))
    return estimate(study, tally(coded, list(study.factors), names), {}, {}, clustered)


@pytest.fixture
def data() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(5)
    items = np.repeat(np.arange(8), 6)
    groups = np.tile(["young", "young", "aged", "aged", "aged", "middle"], 8)
    return generator.integers(1, 8, 48) + (items % 3), groups, items


@pytest.mark.parametrize("variances", ["unequal", "equal"])
@pytest.mark.parametrize("effect", ["cohen_d", "hedges_g"])
def test_against_scipy(data: tuple[np.ndarray, ...], variances: str, effect: str) -> None:
    scores, groups, items = data
    young, aged = (scores[groups == level] for level in ("young", "aged"))
    found = estimates(study(variances=variances, effect=effect), scores, groups, items)
    expected = stats.ttest_ind(young, aged, equal_var=variances == "equal")
    interval = expected.confidence_interval()
    assert found["term"] == "mean_difference"
    assert found["n"] == young.size + aged.size
    assert found["estimate"] == pytest.approx(young.mean() - aged.mean(), rel=1e-12)
    assert (found["statistic"], found["p_value"], found["df"]) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.df), rel=1e-9
    )
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((interval.low, interval.high), rel=1e-9)
    if variances == "equal" and effect == "cohen_d":
        assert found["effect"] == pytest.approx(compute_effsize(young, aged, eftype="cohen"), rel=1e-9)


def test_the_interval_of_the_effect_is_that_of_the_noncentral_t(data: tuple[np.ndarray, ...]) -> None:
    scores, groups, items = data
    found = estimates(study(variances="equal", effect="cohen_d"), scores, groups, items)
    sizes = [int((groups == level).sum()) for level in ("young", "aged")]
    root = np.sqrt(sizes[0] * sizes[1] / sum(sizes))
    for name, tail in (("effect_ci_low", 0.975), ("effect_ci_high", 0.025)):
        reached = stats.nct.cdf(found["effect"] * root, sum(sizes) - 2, found[name] * root)
        assert reached == pytest.approx(tail, rel=1e-7)
    clustered = estimates(study(cluster="item"), scores, groups, items)
    assert clustered["effect"] is not None
    assert clustered["effect_ci_low"] is None


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_against_scipy(data: tuple[np.ndarray, ...], alternative: str) -> None:
    scores, groups, items = data
    young, aged = (scores[groups == level] for level in ("young", "aged"))
    own = study(alternative=alternative)
    found = estimates(own, scores, groups, items)
    expected = stats.ttest_ind(young, aged, equal_var=False, alternative=alternative)
    assert (found["statistic"], found["p_value"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert found["log_p_value"] == pytest.approx(np.log(expected.pvalue), rel=1e-9)
    assert found["method"].endswith(f"one-sided ({alternative})")
    assert "t tests, one-sided" in convention(own, "gap")
    clustered = estimates(study(cluster="item", alternative=alternative), scores, groups, items)
    tail = {"greater": stats.t.sf, "less": stats.t.cdf}[alternative](clustered["statistic"], 7)
    assert clustered["p_value"] == pytest.approx(tail, rel=1e-9)


def test_clustered_against_a_slow_twin(data: tuple[np.ndarray, ...]) -> None:
    scores, groups, items = data

    def difference(kept: np.ndarray) -> float:
        return scores[kept & (groups == "young")].mean() - scores[kept & (groups == "aged")].mean()

    whole = difference(items >= 0)
    error = np.sqrt(7 / 8 * sum((difference(items != one) - whole) ** 2 for one in range(8)))
    found = estimates(study(cluster="item"), scores, groups, items)
    assert (found["estimate"], found["std_error"]) == pytest.approx((whole, error), rel=1e-9)
    assert found["df"] == 7
    assert found["p_value"] == pytest.approx(2 * stats.t.sf(abs(whole / error), 7), rel=1e-9)


def test_words() -> None:
    assert convention(study(), "gap") == (
        "Differences of means (Young − Aged); Welch’s t tests, two-sided; responses without a score do not count. "
        "Not corrected for multiple tests."
    )
    assert "t tests, two-sided" in convention(study(cluster="item"), "gap")
    assert "[@welch1947]" in methods(study(), {})
    assert "jackknife over clusters" in methods(study(cluster="item"), {})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"levels": ["young", "old"]}, "no level 'old'"),
        ({"outcomes": ["belief"]}, "'belief' is a category; a mean-difference needs a score"),
        ({"factor": "ages"}, "no factor 'ages'"),
        ({"levels": ["young"]}, "levels: one level; expected two or more"),
    ],
)
def test_faults(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        study(**changes)


def test_the_two_levels_of_a_factor_are_compared_by_default() -> None:
    group = DECLARATION["factors"]["group"] | {"levels": {"young": "Young", "aged": "Aged"}}
    content = DECLARATION | {"factors": DECLARATION["factors"] | {"group": group}}
    declared = Study.model_validate(content | {"analyses": {"gap": DIFFERENCE | {"levels": ()}}})
    assert convention(declared, "gap") == convention(study(), "gap")


@pytest.mark.parametrize("cluster", [[], "item"])
def test_each_two_of_several_levels_are_compared(data: tuple[np.ndarray, ...], cluster: str | list[str]) -> None:
    levels = ("young", "middle", "aged")
    own = study(levels=levels, cluster=cluster, family={"method": "holm"})
    found = every(own, *data)
    assert found["term"].to_list() == own.analyses["gap"].terms(own)
    assert found["term"].to_list() == ["young - middle", "young - aged", "middle - aged"]
    alone = [every(study(levels=pair, cluster=cluster), *data) for pair in combinations(levels, 2)]
    kept = ["n", "clusters", "estimate", "std_error", "ci_low", "df", "p_value", "effect"]
    assert found.select(kept).equals(pl.concat(alone).select(kept))
    assert found["family_size"].to_list() == [3] * 3
    assert "(“Young”, “Middle” and “Aged”; the first minus the second)" in methods(own, {})


@pytest.mark.parametrize("kind", ["difference", "mean"])
def test_outliers_are_those_of_all_responses_without_each_cluster_too(data: tuple[np.ndarray, ...], kind: str) -> None:
    scores, groups, items = data
    scores = np.where(np.arange(scores.size) % 7 == 5, 40, scores)
    settings = {"outliers": "mad", "cluster": "item"}
    declared = study(**settings)
    if kind == "mean":
        mean = {"statistic": "score-mean", "outcomes": ["score"], "by": ["group"]}
        declared = Study.model_validate(DECLARATION | {"analyses": {"gap": mean | settings}})
    found = every(declared, scores, groups, items).row(0, named=True)

    def kept(level: str) -> np.ndarray:
        own = scores[groups == level]
        off = np.abs(own - np.median(own))
        return (groups == level) & (np.abs(scores - np.median(own)) <= 3 * np.median(off) / stats.norm.ppf(0.75))

    levels = ["young", "aged"] if kind == "difference" else [found["group"]]
    signs = [1, -1] if kind == "difference" else [1]
    assert any(kept(level).sum() < (groups == level).sum() for level in levels)

    def value(among: np.ndarray) -> float:
        return sum(sign * scores[kept(level) & among].mean() for sign, level in zip(signs, levels, strict=True))

    whole = value(items >= 0)
    off = np.array([value(items != one) - whole for one in range(8)])
    assert found["estimate"] == pytest.approx(whole, rel=1e-12)
    assert found["std_error"] == pytest.approx(np.sqrt(7 / 8 * np.sum(off**2)), rel=1e-9)


def test_each_level_against_a_reference(data: tuple[np.ndarray, ...]) -> None:
    """The reference stands second in each pair, and the family has a hypothesis fewer than all pairs."""
    scores, groups, items = data
    settings: dict[str, Any] = {
        "levels": ["young", "middle", "aged"],
        "cluster": "item",
        "family": {"method": "bonferroni"},
    }
    pairs = {row["term"]: row for row in every(study(**settings), scores, groups, items).rows(named=True)}
    declared = study(**settings, reference="middle")
    found = {row["term"]: row for row in every(declared, scores, groups, items).rows(named=True)}
    assert (len(pairs), [*found]) == (3, ["young - middle", "aged - middle"])
    assert found["young - middle"]["estimate"] == pytest.approx(pairs["young - middle"]["estimate"])
    assert found["aged - middle"]["estimate"] == pytest.approx(-pairs["middle - aged"]["estimate"])
    for term, other in (("young - middle", "young - middle"), ("aged - middle", "middle - aged")):
        assert found[term]["p_value"] == pytest.approx(pairs[other]["p_value"], rel=1e-9)
        assert found[term]["p_adjusted"] == pytest.approx(min(1, 2 * found[term]["p_value"]), rel=1e-9)
    said = "between “Young” and “Aged” and the reference “Middle” of group (the first minus the second)"
    assert said in methods(declared, {})
    with pytest.raises(ValueError, match="reference"):
        study(reference="old")
