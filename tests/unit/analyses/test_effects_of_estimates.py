"""Equivalence, power, prompt sensitivity and divergences, from a study file to estimates."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false
from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.power import TTestIndPower
from statsmodels.stats.weightstats import ttost_ind

from tallybook.statistics.divergences.groups import group_divergences
from tallybook.study.model import Study
from tests.levels import coded, declared, estimates
from tests.unit.statistics.frames import DECLARATION

GAP: dict[str, Any] = {
    "statistic": "mean-difference", "outcomes": ["score"], "by": [], "factor": "group", "levels": ["young", "aged"],
    "variances": "equal",
}  # fmt: skip
CENSUS = {"references": {"census": {"file": "census.csv", "by": [], "label": "the census"}}}


def study(**analyses: Any) -> Study:
    return Study.model_validate(DECLARATION | CENSUS | {"analyses": analyses, "key": ["item"]})


def scores() -> tuple[Any, Any]:
    generator: Any = np.random.default_rng(8)
    group = np.repeat(["young", "aged"], [30, 25])
    return group, generator.normal(size=55) + 0.1 * (group == "aged")


def test_equivalence_against_statsmodels() -> None:
    group, score = scores()
    own = study(gap=GAP, same={"statistic": "equivalence", "of": "gap", "by": [], "bounds": [-0.5, 0.7]})
    row = estimates(own, coded(group, range(55), score=score)).filter(analysis="same").row(0, named=True)
    expected = ttost_ind(score[group == "young"], score[group == "aged"], -0.5, 0.7, usevar="pooled")[0]
    assert (row["p_value"], row["term"], row["confidence"]) == (
        pytest.approx(expected, rel=1e-9),
        "mean_difference",
        0.9,
    )


def test_equivalence_of_clustered_estimates_has_their_errors() -> None:
    group, score = scores()
    clustered = GAP | {"cluster": "item"}
    own = study(gap=clustered, same={"statistic": "equivalence", "of": "gap", "by": [], "bounds": [-0.5, 0.5]})
    found = estimates(own, coded(group, np.arange(55) % 11, score=score))
    gap, same = (found.filter(analysis=name).row(0, named=True) for name in ("gap", "same"))
    t = (abs(gap["estimate"]) - 0.5) / gap["std_error"]
    assert (same["df"], same["p_value"]) == (10, pytest.approx(stats.t.cdf(t, 10), rel=1e-9))


def test_equivalence_is_adjusted_within_its_own_family_alone() -> None:
    group, score = scores()
    same = {"statistic": "equivalence", "of": "gap", "by": ["model"], "bounds": [-0.5, 0.7]}
    gap = GAP | {"by": ["model"], "family": {"by": [], "method": "holm"}}
    own = study(gap=gap, same=same, adjusted=same | {"family": {"by": [], "method": "bonferroni"}})
    rows = coded(group, range(55), score=score)
    both = pl.concat([rows, rows.with_columns(model=pl.lit("beta"), score=pl.col("score") * 2)])
    found = estimates(own, both)
    assert found.filter(analysis="gap")["family_size"].to_list() == [2, 2]
    assert (
        found.filter(analysis="same").select("p_adjusted", "log_p_adjusted", "family_size").null_count().row(0)
        == (2,) * 3
    )
    tests = found.filter(analysis="adjusted")
    assert tests["p_adjusted"].to_list() == pytest.approx((tests["p_value"] * 2).clip(upper_bound=1).to_list())


@pytest.mark.parametrize(("side", "name"), [("two-sided", "two-sided"), ("greater", "larger")])
def test_power_against_statsmodels(side: str, name: str) -> None:
    """The test has the sides of the analysis whose tests they are."""
    group, score = scores()
    power = {"statistic": "detectable-effect", "of": "gap", "by": [], "difference": 0.4}
    own = study(gap=GAP | {"alternative": side}, power=power)
    assert f"a {'two-sided' if side == name else 'one-sided'} test at 0.05" in own.analyses["power"].note(own)
    row = estimates(own, coded(group, range(55), score=score)).filter(analysis="power")
    young, aged = (score[group == level] for level in ("young", "aged"))
    pooled = np.sqrt((29 * young.var(ddof=1) + 24 * aged.var(ddof=1)) / 53)
    library = TTestIndPower()
    size = library.solve_power(nobs1=30, alpha=0.05, power=0.8, ratio=25 / 30, alternative=name)
    assert row["estimate"].item() == pytest.approx(size * pooled, rel=1e-6)
    assert row["effect"].item() == pytest.approx(
        library.power(0.4 / pooled, 30, 0.05, 25 / 30, alternative=name), rel=1e-9
    )


def test_power_of_the_exact_binomial_test() -> None:
    test = {"statistic": "binomial-test", "outcomes": ["belief"], "by": [], "reference": "census"}
    power = {"statistic": "detectable-effect", "of": "test", "by": [], "difference": 0.2}
    census = pl.DataFrame({"outcome": "belief", "category": ["some", "centre"], "proportion": [0.5, 0.5]})
    responses = coded(["young"] * 40, range(40), belief=["some"] * 22 + ["centre"] * 18)
    row = estimates(study(test=test, power=power), responses, {"census": census}).filter(analysis="power", term="some")
    rejected = [k for k in range(41) if stats.binomtest(k, 40).pvalue < 0.05]

    def reached(share: float) -> float:
        return float(stats.binom.pmf(rejected, 40, share).sum())

    assert row["effect"].item() == pytest.approx(reached(0.7), rel=1e-9)
    assert reached(0.5 + row["estimate"].item()) == pytest.approx(0.8, rel=1e-9)


def test_prompt_sensitivity() -> None:
    share = {"statistic": "proportion", "outcomes": ["belief"], "by": ["group"], "denominator": "coded"}
    wordings = {"statistic": "prompt-sensitivity", "of": "share", "by": [], "over": "group", "term": "some"}
    counts = {"young": 3, "middle": 6, "aged": 8}
    belief = [word for k in counts.values() for word in ["some"] * k + ["centre"] * (10 - k)]
    responses = coded(np.repeat(list(counts), 10), range(30), belief=belief)
    rows = estimates(study(share=share, wordings=wordings), responses).filter(analysis="wordings")
    found = {row["term"]: row for row in rows.iter_rows(named=True)}
    expected = {"min": 0.3, "median": 0.6, "max": 0.8, "range": 0.5, "sd": np.std([0.3, 0.6, 0.8], ddof=1)}
    assert {name: found[name]["estimate"] for name in expected} == pytest.approx(expected)
    assert found["min"]["method"] == "smallest, at young"
    p = np.array([0.3, 0.6, 0.8])
    weights = 10 / (p * (1 - p))
    q = (weights * (p - (weights * p).sum() / weights.sum()) ** 2).sum()
    assert (found["heterogeneity"]["statistic"], found["heterogeneity"]["p_value"]) == pytest.approx(
        (q, stats.chi2.sf(q, 2)), rel=1e-9
    )


def test_divergences_of_clusters_exchange_whole_clusters() -> None:
    belief = ["some", "some", "centre", "some", "centre", "centre", "some", "centre"]
    item, group = [0, 0, 1, 1, 2, 2, 3, 3], ["young", "aged"] * 4
    settings = {
        "statistic": "group-divergence", "outcomes": ["belief"], "by": [], "factor": "group", "cluster": "item",
        "levels": ["young", "aged"], "kind": "total-variation",
    }  # fmt: skip
    row = estimates(declared(settings), coded(group, item, belief=belief)).row(0, named=True)
    yes = np.array([[1, 1], [0, 1], [0, 0], [1, 0]])

    def distance(signs: tuple[int, ...]) -> float:
        swapped = np.array([pair[::-1] if sign else pair for pair, sign in zip(yes, signs, strict=True)])
        return abs(swapped.mean(axis=0) @ [1, -1])

    every = [distance(signs) for signs in np.ndindex(2, 2, 2, 2)]
    assert row["estimate"] == pytest.approx(distance((0, 0, 0, 0)))
    assert row["p_value"] == pytest.approx(np.mean([one >= row["estimate"] - 1e-9 for one in every]))
    assert "exact permutation test of clusters" in row["method"]


@pytest.mark.parametrize(("clusters", "crossed"), [(12, True), (12, False), (30, False)])
def test_size_of_divergences_of_clusters(clusters: int, crossed: bool) -> None:
    """Of true nulls 3 to 6% are rejected; where clusters are in one group each, 60% by exchanging responses."""
    generator, runs = np.random.default_rng(1), 200
    odds = np.exp(np.log([0.5, 0.3, 0.2]) + generator.normal(size=(runs, clusters, 3)))
    counts = generator.multinomial(10, odds[:, :, None] / odds.sum(axis=-1)[:, :, None, None], (runs, clusters, 2))
    run, item, level, category = (each.ravel() for each in np.indices(counts.shape))
    level = level if crossed else item % 2
    frame = pl.DataFrame({"run": run, "item": item, "x": level, "y": category, "count": counts.ravel()})
    found = group_divergences(frame, ["run"], "x", "y", permutations=499, cluster="item")
    assert 0.005 <= (found["p_value"] < 0.05).sum() / runs <= 0.085


@pytest.mark.parametrize(
    ("analysis", "message"),
    [
        ({"statistic": "equivalence", "of": "gap", "by": [], "bounds": [1, 0]}, "expected two rising numbers"),
        ({"statistic": "equivalence", "of": "gap", "by": ["model"], "bounds": [0, 1]}, "no factor of gap 'model'"),
        ({"statistic": "detectable-effect", "of": "gap", "by": [], "power": 0.01}, "expected more than alpha"),
        ({"statistic": "prompt-sensitivity", "of": "gap", "by": [], "over": "group", "term": "x"}, "factor of gap"),
    ],
)
def test_faults(analysis: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        study(gap=GAP, it=analysis)
