"""Who is chosen: tests of uniform choice and impact ratios, against scipy, statsmodels and a slow twin."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.stats.proportion import confint_proportions_2indep

from tallybook.analyses.estimating import clusters, estimate
from tallybook.report.methods_section import methods
from tallybook.study.model import Study
from tallybook.tables.notes import convention
from tallybook.tally import by_cluster, tally
from tests.unit.statistics.frames import DECLARATION

FIT: dict[str, Any] = {"statistic": "goodness-of-fit", "outcomes": ["politics"], "by": ["model"]}
RATIO: dict[str, Any] = {"statistic": "impact-ratio", "outcomes": ["politics"], "by": ["model"]}
BETWEEN = RATIO | {"factor": "group", "category": "left"}
TOPS = {"right": 181, "left": 96, "centre": 130}


def study(analysis: dict[str, Any]) -> Study:
    census = {"census": {"file": "census.csv", "by": [], "label": "Census"}}
    return Study.model_validate(DECLARATION | {"analyses": {"it": analysis}, "references": census})


def estimates(analysis: dict[str, Any], rows: list[dict[str, Any]], references: Any = None) -> pl.DataFrame:
    declared = study(analysis)
    other = {"model": "zeta", "dimension": "age", "group": "young", "item": "x", "status": "ok", "count": 1, "score": 0}
    coded = pl.DataFrame([other | {"belief": None, "job": None, "position": n} | row for n, row in enumerate(rows)])
    coded = coded.with_columns(pl.col("politics").cast(pl.String), pl.col("belief", "job").cast(pl.String))
    names = {"politics": declared.outcomes["politics"]}
    clustered = by_cluster(coded.lazy(), list(declared.factors), names, clusters(declared))
    return estimate(declared, tally(coded, list(declared.factors), names), references or {}, {}, clustered)


def tops(**changes: int) -> list[dict[str, Any]]:
    return [{"politics": category, "count": count} for category, count in (TOPS | changes).items() if count]


@pytest.mark.parametrize(("test", "name"), [("chi-square", "pearson"), ("g", "log-likelihood")])
def test_uniform_choice_against_scipy(test: str, name: str) -> None:
    found = estimates(FIT | {"test": test}, [*tops(), {"politics": None, "status": "refused", "count": 50}])
    expected = stats.power_divergence(list(TOPS.values()), lambda_=name)
    row = found.row(0, named=True)
    assert (row["statistic"], row["p_value"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)
    assert (row["n"], row["df"], row["status"]) == (407, 2, "ok")
    pearson = stats.chisquare(list(TOPS.values())).statistic
    assert row["effect"] == pytest.approx((pearson / 407) ** 0.5, rel=1e-12)


def test_a_category_that_nobody_chose_counts() -> None:
    row = estimates(FIT, tops(centre=0)).row(0, named=True)
    assert row["statistic"] == pytest.approx(stats.chisquare([181, 96, 0]).statistic, rel=1e-12)


def test_the_exact_test_of_few_answers() -> None:
    row = estimates(FIT | {"test": "exact"}, tops(right=3, left=0, centre=0)).row(0, named=True)
    assert row["p_value"] == pytest.approx(3 / 27, rel=1e-12)  # three outcomes as extreme of 27


def test_choice_against_a_reference() -> None:
    shares = {"right": 0.5, "left": 0.25, "centre": 0.25}
    rows = [("politics", category, share) for category, share in shares.items()]
    census = pl.DataFrame(rows, schema=["outcome", "category", "proportion"], orient="row")
    row = estimates(FIT | {"reference": "census"}, tops(), {"census": census}).row(0, named=True)
    expected = stats.chisquare(list(TOPS.values()), [407 * share for share in shares.values()])
    assert (row["statistic"], row["p_value"]) == pytest.approx((expected.statistic, expected.pvalue), rel=1e-9)


def test_a_cell_without_an_answer_has_no_test() -> None:
    silent = {"model": "alpha", "politics": None, "status": "refused"}
    found = estimates(FIT, [*tops(), silent])
    row = found.filter(model="alpha").row(0, named=True)
    assert (row["n"], row["statistic"], row["p_value"], row["status"]) == (0, None, None, "no-data")


def test_competing_categories_come_from_one_multinomial() -> None:
    found = estimates(RATIO, tops())
    ratios = {row["term"]: row for row in found.iter_rows(named=True)}
    left, right = ratios["left"], ratios["right"]
    error = (1 / 96 + 1 / 181) ** 0.5
    limits = [96 / 181 * np.exp(side * stats.norm.ppf(0.975) * error) for side in (-1, 1)]
    assert [left[name] for name in ("estimate", "ci_low", "ci_high")] == pytest.approx([96 / 181, *limits], rel=1e-9)
    assert (right["estimate"], right["std_error"], right["ci_low"], right["status"]) == (1, None, None, "ok")


def test_the_variance_of_a_multinomial_ratio_by_simulation() -> None:
    draws = np.random.default_rng(1).multinomial(2000, [0.2, 0.3, 0.5], 200_000)
    spread = np.log(draws[:, 0] / draws[:, 2]).std()
    assert spread == pytest.approx((1 / 400 + 1 / 1000) ** 0.5, rel=0.01)


def test_groups_are_compared_as_independent_against_statsmodels() -> None:
    counts = {"young": (30, 20), "middle": (12, 48), "aged": (25, 75)}
    rows = [
        {"group": group, "politics": category, "count": count}
        for group, both in counts.items()
        for category, count in zip(("left", "right"), both, strict=True)
    ]
    found = estimates(BETWEEN, rows)
    for row in found.iter_rows(named=True):
        yes, no = counts[row["term"]]
        assert row["estimate"] == pytest.approx(yes / (yes + no) / 0.6, rel=1e-12)
        assert row["n"] == yes + no
        if row["term"] != "young":
            limits = confint_proportions_2indep(yes, yes + no, 30, 50, method="log", compare="ratio")
            assert (row["ci_low"], row["ci_high"]) == pytest.approx(limits, rel=1e-9)


@pytest.mark.parametrize("cluster", [{}, {"cluster": "item"}])
def test_refusals_count_where_shares_are_of_all_responses(cluster: dict[str, str]) -> None:
    """Who is refused an answer is not selected either."""
    answers = [("young", "left", 30), ("young", "right", 20), ("aged", "left", 24), ("aged", "right", 6)]
    rows: list[dict[str, Any]] = [
        {"group": group, "politics": category, "item": item, "count": count / 2}
        for group, category, count in answers
        for item in "ab"
    ]
    rows += [{"group": "aged", "item": item, "status": "refused", "count": 10} for item in "ab"]
    whole = estimates(BETWEEN | cluster | {"denominator": "all"}, rows)
    ratios = {row["term"]: (row["estimate"], row["n"]) for row in whole.iter_rows(named=True)}
    assert ratios == {"young": (1.0, 50), "aged": (pytest.approx(24 / 50 / 0.6), 50)}
    coded = {row["term"]: row["estimate"] for row in estimates(BETWEEN | cluster, rows).iter_rows(named=True)}
    assert coded == {"aged": 1.0, "young": pytest.approx(0.6 / 0.8)}
    assert "responses (refusals and uncoded responses included" in convention(
        study(BETWEEN | {"denominator": "all"}), "it"
    )


def test_what_others_are_divided_by_can_be_named() -> None:
    found = estimates(RATIO | {"against": "left"}, tops())
    expected = {"right": 181 / 96, "left": 1.0, "centre": 130 / 96}
    assert dict(found.select("term", "estimate").iter_rows()) == pytest.approx(expected, rel=1e-12)


def test_nothing_chosen_is_no_ratio() -> None:
    ratios = {row["term"]: row for row in estimates(RATIO, tops(centre=0)).iter_rows(named=True)}
    assert [ratios["centre"][name] for name in ("estimate", "std_error", "ci_low", "status")] == [0, None, None, "ok"]
    never = estimates(BETWEEN, [{"group": group, "politics": "right"} for group in ("young", "aged")])
    assert never["estimate"].to_list() == [None, None]
    assert never["status"].to_list() == ["degenerate"] * 2


def test_clustered_ratios_leave_out_one_cluster_at_a_time() -> None:
    generator = np.random.default_rng(7)
    answers = [(f"i{item}", generator.choice(list(TOPS), p=[0.5, 0.2, 0.3])) for item in range(9) for _ in range(7)]
    rows = [{"item": item, "politics": category} for item, category in answers]
    found = estimates(RATIO | {"cluster": "item"}, rows)
    ratios = {row["term"]: row for row in found.iter_rows(named=True)}

    def ratio(without: str | None, term: str) -> float:
        kept = [category for item, category in answers if item != without]
        return kept.count(term) / max(kept.count(category) for category in TOPS)

    for term in ("left", "centre"):
        whole = np.log(ratio(None, term))
        parts = np.array([np.log(ratio(f"i{item}", term)) for item in range(9)])
        error = (8 / 9 * np.square(parts - whole).sum()) ** 0.5
        limits = np.exp(whole + np.array([-1, 1]) * stats.t.ppf(0.975, 8) * error)
        assert (ratios[term]["ci_low"], ratios[term]["ci_high"]) == pytest.approx(tuple(limits), rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (FIT | {"reference": "survey"}, "analyses.it.reference"),
        (RATIO | {"factor": "group"}, "'factor' and 'category' go together"),
        (RATIO | {"against": "up"}, "analyses.it.against"),
        (BETWEEN | {"category": "up"}, "analyses.it.category"),
        (BETWEEN | {"by": ["group"]}, "analyses.it"),
    ],
)
def test_what_is_not_declared_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        study(changes)


@pytest.mark.parametrize(
    ("analysis", "said"),
    [
        (FIT, "against equal shares"),
        (FIT | {"reference": "census", "test": "exact"}, "against the reference (Census)"),
        (RATIO, "divided by the largest share of any category"),
        (BETWEEN | {"cluster": "item"}, "jackknife over clusters"),
    ],
)
def test_notes_and_methods_say_what_was_done(analysis: dict[str, Any], said: str) -> None:
    declared = study(analysis)
    assert said in convention(declared, "it") + methods(declared, {})
    assert "[@" in methods(declared, {})
