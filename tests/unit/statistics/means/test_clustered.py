"""Clustered standard errors of means and shares: against R, against statsmodels row by row, and by what must hold."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import t as student
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM
from statsmodels.regression.linear_model import OLS

from tallybook.core.frame_checks import check
from tallybook.statistics.jackknife import influences
from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.score_means import score_t_tests
from tallybook.statistics.proportions.left_out import means_without_each, shares_without_each
from tallybook.statistics.proportions.proportion import proportions
from tallybook.statistics.scales import SCALES, on_scale
from tallybook_schemas.columns import Estimates
from tests.unit.statistics import frames

TERMS = {"answer": {"yes": ("yes",), "no": ("no",), "any": ("yes", "no")}}

SCORES = st.lists(
    st.fixed_dictionaries(
        {
            "cell": st.sampled_from(["b", "a"]),
            "item": st.sampled_from(["ann", "bob", "cid", "dee"]),
            "value": st.sampled_from([-1.5, 0.0, 0.25, 7.0, None]),
            "count": st.integers(0, 4),
        }
    ),
    max_size=30,
)
ANSWERS = st.lists(
    st.fixed_dictionaries(
        {
            "cell": st.sampled_from(["b", "a"]),
            "item": st.sampled_from(["ann", "bob", "cid", "dee"]),
            "category": st.sampled_from(["yes", "no", None]),
            "status": st.sampled_from(["refused", "invalid", "error"]),
            "count": st.integers(1, 4),
        }
    ),
    max_size=30,
)


def as_rows(found, by):
    return list(frames.as_rows(found, by).values())


def scores(rows):
    kinds = {"cell": pl.String, "item": pl.String, "value": pl.Float64, "count": pl.Int64}
    return pl.DataFrame(rows, schema=kinds)


def answers(rows):
    kinds = dict.fromkeys(("cell", "item", "outcome", "category", "status"), pl.String) | {"count": pl.Int64}
    made = [row | {"outcome": "answer", "status": "ok" if row["category"] else row["status"]} for row in rows]
    return pl.DataFrame(made, schema=kinds)


def with_errors(whole, replicates, by, scale, kind):
    replicates = influences(whole, replicates, by) if kind == "CR1" else replicates
    return on_scale(whole, replicates, by, SCALES[scale], kind=kind)


def clustered_means(frame, cell="cell", cluster="item", *, null_value=0.0, kind="CR1"):
    frame = frame.with_columns(pl.lit("score").alias("outcome"))
    by = [cell, "outcome"]
    whole = score_t_tests(moments(frame, by), [cell], null_value=null_value)
    left = means_without_each(frame, by, cluster).rename({"n 0": "n", "mean 0": "estimate"})
    return with_errors(whole, left.with_columns(pl.lit("mean").alias("term")), [cell], "identity", kind)


def clustered_shares(tally, cell="cell", *, denominator="all", kind="CR1"):
    whole = proportions(tally, [cell], TERMS, denominator=denominator)
    whole = whole.with_columns(pl.lit(None, dtype=pl.Float64).alias("null_value"))
    left = shares_without_each(tally, [cell], "item", TERMS, denominator=denominator)
    return with_errors(whole, left.rename({"n 0": "n", "share 0": "estimate"}), [cell], "logit", kind)


def means(rows, **settings):
    return as_rows(clustered_means(scores(rows), **settings), ["cell"])


def shared(rows, denominator="all"):
    return as_rows(clustered_shares(answers(rows), denominator=denominator), ["cell"])


# --- against R --------------------------------------------------------------------------------------------------------


@pytest.fixture
def counts(oracle):
    data = pl.DataFrame(dict(oracle("logistic_data"))).filter(dataset="clustered")
    rows = data.with_columns(
        pl.when(pl.col("z") == 1).then(pl.lit("b")).otherwise(pl.lit("a")).alias("group"),
        pl.col("item").cast(pl.String),
        pl.col("successes", "failures").cast(pl.Int64),
    )
    return pl.concat([rows, rows.with_columns(pl.lit("all").alias("group"))])


@pytest.mark.parametrize(("kind", "named"), [("CR1", "mean"), ("CV3", "mean CV3")])
def test_means_equal_sandwich(oracle, counts, kind, named):
    r = oracle("clustered")
    frame = counts.with_columns(pl.col("x").alias("value"), (pl.col("successes") + pl.col("failures")).alias("count"))
    found = clustered_means(frame, "group", null_value=0.25, kind=kind)
    assert found.height == 3
    for row in as_rows(found, ["group"]):
        at = next(i for i, one in enumerate(r["kind"]) if one == named and r["group"][i] == row["group"])
        names = ("estimate", "std_error", "df", "ci_low", "ci_high", "statistic", "p_value")
        assert_allclose([row[name] for name in names], [r[name][at] for name in names], rtol=1e-11)


@pytest.mark.parametrize(("kind", "named"), [("CR1", "share"), ("CV3", "share CV3")])
def test_shares_equal_sandwich(oracle, counts, kind, named):
    r = oracle("clustered")
    parts = [
        counts.select("group", "item", pl.lit(category).alias("category"), pl.col(column).alias("count"))
        for category, column in (("yes", "successes"), ("no", "failures"))
    ]
    tally = pl.concat(parts).filter(pl.col("count") > 0)
    tally = tally.with_columns(pl.lit("answer").alias("outcome"), pl.lit("ok").alias("status"))
    found = clustered_shares(tally, "group", denominator="coded", kind=kind)
    for row in as_rows(found.filter(term="yes"), ["group"]):
        at = next(i for i, one in enumerate(r["kind"]) if one == named and r["group"][i] == row["group"])
        names = ("estimate", "std_error", "df", "ci_low", "ci_high")
        assert_allclose([row[name] for name in names], [r[name][at] for name in names], rtol=1e-10)


# --- against statsmodels, one row a response -------------------------------------------------------------------------


@given(SCORES)
def test_means_equal_statsmodels(rows):
    for row in means(rows):
        own = [one for one in rows if one["cell"] == row["cell"] and one["value"] is not None]
        own = [one for one in own for _ in range(one["count"])]
        items = [one["item"] for one in own]
        values = np.array([one["value"] for one in own])
        assert row["n"] == len(own)
        if row["status"] != "ok":
            averages = {np.mean([v for v, i in zip(values, items, strict=True) if i == item]) for item in items}
            assert len(set(items)) < 2 or len(averages) == 1
            assert row["std_error"] is None or row["status"] == "degenerate"
            assert row["p_value"] is row["ci_low"] is None
            continue
        codes = np.unique(items, return_inverse=True)[1]
        fit = OLS(values, np.ones(len(own))).fit(cov_type="cluster", cov_kwds={"groups": codes}, use_t=True)
        assert_allclose([row["estimate"], row["std_error"]], [fit.params[0], fit.bse[0]], rtol=1e-9, atol=1e-12)
        assert_allclose([row["ci_low"], row["ci_high"]], fit.conf_int()[0], rtol=1e-9, atol=1e-9)


@given(ANSWERS, st.sampled_from(["all", "answered", "coded"]))
def test_shares_equal_statsmodels(rows, denominator):
    left_out = {"all": ["error"], "answered": ["error", "refused"], "coded": ["error", "refused", "invalid"]}
    for row in shared(rows, denominator):
        own = [one for one in rows if one["cell"] == row["cell"]]
        own = [one for one in own if one["category"] or one["status"] not in left_out[denominator]]
        own = [one for one in own for _ in range(one["count"])]
        term = {"refusal": "refused"}.get(row["term"], row["term"])
        is_hit = [one["category"] if term == "any" else (one["category"] or one["status"]) == term for one in own]
        hits = np.array([float(bool(hit)) for hit in is_hit])
        items = [one["item"] for one in own]
        assert row["n"] == len(own)
        if not own:
            assert (row["status"], row["estimate"]) == ("no-data", None)
            continue
        assert row["estimate"] == pytest.approx(hits.mean())
        shares = {hits[[i == item for i in items]].mean() for item in items}
        if len(set(items)) < 2 or max(shares) - min(shares) < 1e-9:
            assert (row["status"], row["std_error"], row["ci_low"], row["df"]) == ("degenerate", None, None, None)
            continue
        codes = np.unique(items, return_inverse=True)[1]
        fit = GLM(hits, np.ones(len(own)), Binomial()).fit(tol=1e-14, cov_type="cluster", cov_kwds={"groups": codes})
        # statsmodels' factor has (n - 1) / (n - k) = 1 here.
        assert row["std_error"] == pytest.approx(fit.bse[0] * row["estimate"] * (1 - row["estimate"]), rel=1e-6)
        assert row["df"] == len(set(items)) - 1
        assert 0 <= row["ci_low"] <= row["estimate"] <= row["ci_high"] <= 1


# --- the jackknife, against its definition ---------------------------------------------------------------------------


@frames.quick
@given(SCORES, ANSWERS, st.sampled_from(["CV3", "CV3J"]))
def test_without_each_cluster(values, given_answers, kind):
    def spread(each, whole):
        centre = whole if kind == "CV3" else sum(each) / len(each)
        return math.sqrt((len(each) - 1) / len(each) * sum((one - centre) ** 2 for one in each))

    for row in means(values, kind=kind):
        own = [one for one in values if one["cell"] == row["cell"] and one["value"] is not None and one["count"]]
        if row["status"] == "ok":
            items = {one["item"] for one in own}
            parts = [[one for one in own if one["item"] != item] for item in items]
            each = [np.average([o["value"] for o in part], weights=[o["count"] for o in part]) for part in parts]
            assert row["std_error"] == pytest.approx(spread(each, row["estimate"]), rel=1e-9, abs=1e-12)
    found = clustered_shares(answers(given_answers), denominator="coded", kind=kind)
    for row in as_rows(found.filter(term="yes"), ["cell"]):
        own = [one for one in given_answers if one["cell"] == row["cell"] and one["category"]]
        hits = dict.fromkeys(sorted({one["item"] for one in own}), 0)
        totals = dict(hits)
        for one in own:
            totals[one["item"]] += one["count"]
            hits[one["item"]] += one["count"] * (one["category"] == "yes")
        k, n = sum(hits.values()), sum(totals.values())
        each = [(k - hits[item]) / (n - totals[item]) for item in hits if n > totals[item]]
        if len(each) < 2 or len({hits[item] / totals[item] for item in hits}) < 2:
            assert (row["ci_low"], row["ci_high"]) == (None, None)
            continue
        if row["status"] == "ok":
            assert row["std_error"] == pytest.approx(spread(each, k / n), rel=1e-9, abs=1e-12)
            if {0.0, 1.0} & set(each):
                reach = row["std_error"] / (k / n * (1 - k / n))
            else:
                reach = spread([math.log(one / (1 - one)) for one in each], math.log(k / (n - k)))
            odds = math.log(k / (n - k)) - student.ppf(0.975, len(each) - 1) * reach
            assert row["ci_low"] == pytest.approx(1 / (1 + math.exp(-odds)), rel=1e-7)


# --- what must hold --------------------------------------------------------------------------------------------------


@given(SCORES)
def test_clusters_of_one_are_independent_responses(rows):
    frame = scores(rows).with_columns(pl.lit(1, dtype=pl.Int64).alias("count"))
    frame = frame.with_row_index("own").with_columns(pl.col("own").cast(pl.String))
    clustered = clustered_means(frame, cluster="own", null_value=0.1)
    summary = moments(frame.with_columns(pl.lit("score").alias("outcome")), ["cell", "outcome"])
    plain = score_t_tests(summary, ["cell"], null_value=0.1)
    for own, other in zip(as_rows(clustered, ["cell"]), as_rows(plain, ["cell"]), strict=True):
        for name in ("n", "estimate", "std_error", "ci_low", "ci_high", "df", "statistic", "effect", "status"):
            if other["status"] == "ok" or name in {"n", "estimate", "status"}:
                assert own[name] == (
                    pytest.approx(other[name], rel=1e-9) if isinstance(other[name], float) else other[name]
                )


@given(SCORES, ANSWERS, st.integers(2, 5))
def test_repeating_every_response_within_its_cluster_says_nothing_new(values, given_answers, times):
    def without_n(rows):
        return [{key: value for key, value in row.items() if key != "n"} for row in rows]

    many = [row | {"count": row["count"] * times} for row in values]
    numbers = ("estimate", "std_error", "ci_low", "ci_high", "p_value")
    for one, other in zip(means(values), means(many), strict=True):
        assert_allclose([one[n] or 0 for n in numbers], [other[n] or 0 for n in numbers], rtol=1e-9, atol=1e-12)
    many = [row | {"count": row["count"] * times} for row in given_answers]
    for one, other in zip(without_n(shared(given_answers)), without_n(shared(many)), strict=True):
        assert_allclose([one[n] or 0 for n in numbers[:4]], [other[n] or 0 for n in numbers[:4]], rtol=1e-9, atol=1e-12)


@given(ANSWERS, st.sampled_from(["all", "answered", "coded"]))
def test_shares_are_those_without_clusters(rows, denominator):
    tally = answers(rows)
    plain = proportions(tally, ["cell"], TERMS, denominator=denominator)
    clustered = clustered_shares(tally, denominator=denominator)
    columns = ["cell", "outcome", "term", "n", "estimate"]
    assert clustered.select(columns).equals(plain.select(columns))
    check(clustered.with_columns(pl.lit("share").alias("analysis")), Estimates, where="estimates")


@given(ANSWERS)
def test_the_order_of_rows_does_not_matter(rows):
    assert shared(rows) == shared(rows[::-1])


def test_far_from_zero():
    rows = [
        {"cell": "a", "item": item, "value": 1e9 + value, "count": 1}
        for item, value in (("x", 1.0), ("x", 2.0), ("y", 4.0), ("z", 9.0))
    ]
    (row,) = means(rows)
    off = [1 + 2 - 2 * 4, 4 - 4, 9 - 4]
    assert row["std_error"] == pytest.approx(math.sqrt(3 / 2 * sum(one**2 for one in off)) / 4, rel=1e-6)
