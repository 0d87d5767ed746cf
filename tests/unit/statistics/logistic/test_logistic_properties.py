"""Logistic regressions against statsmodels on single responses, and against themselves."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.logistic.regression import logistic_regression
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.logistic_frames import NUMBERS, ROWS, design, expected_status, frame, responses

# --- against statsmodels on single responses --------------------------------------------------------------------------

PREDICTORS = st.sampled_from([[], ["x"], ["z"], ["x", "z"], ["z", "x"]])


def logit(members, predictors, **settings):
    from statsmodels.discrete.discrete_model import Logit

    x, y = design(members, predictors)
    return Logit(y, x).fit(disp=0, method="newton", tol=1e-13, maxiter=200, **settings)


@quick
@given(ROWS, PREDICTORS)
def test_every_cell_equals_statsmodels_on_its_responses(rows, predictors):
    from scipy.stats import chi2

    found = as_rows(logistic_regression(frame(rows), ["cell"], predictors, outcome="y"), ["cell"])
    assert {key[0] for key in found} == {row["cell"] for row in rows}
    for cell in {row["cell"] for row in rows}:
        members = responses(rows, cell)
        x, y = design(members, predictors)
        status = expected_status(x, y)
        own = {term: row for (of, _, term), row in found.items() if of == cell}
        assert {row["status"] for row in own.values()} == {status}
        assert {row["n"] for row in own.values()} == {len(members)}
        if status != "ok":
            assert all(row[name] is None for row in own.values() for name in NUMBERS)
            continue
        expected = logit(members, predictors)
        terms = ["Intercept", *predictors]
        for position, term in enumerate(terms):
            row = own[term]
            numbers = (expected.params, expected.bse, *expected.conf_int().T, expected.tvalues, expected.pvalues)
            names = ("estimate", "std_error", "ci_low", "ci_high", "statistic", "p_value")
            for name, values in zip(names, numbers, strict=True):
                assert_allclose(row[name], values[position], rtol=1e-8, atol=1e-9)
            assert_allclose(math.exp(row["log_p_value"]), row["p_value"], rtol=1e-12)
            if term in predictors:
                ratio = own[f"odds_ratio:{term}"]
                assert row["effect"] == ratio["estimate"]
                assert (row["effect_ci_low"], row["effect_ci_high"]) == (ratio["ci_low"], ratio["ci_high"])
                assert_allclose(ratio["estimate"], math.exp(row["estimate"]), rtol=1e-15)
                assert_allclose(
                    [ratio["ci_low"], ratio["ci_high"], ratio["std_error"]],
                    [math.exp(row["ci_low"]), math.exp(row["ci_high"]), row["std_error"] * math.exp(row["estimate"])],
                )
        assert_allclose(own["log_likelihood"]["estimate"], expected.llf, rtol=1e-10)
        # The null model has a closed form; statsmodels fits it, to fewer digits.
        null = sum(math.log(np.mean(y == value)) for value in y)
        assert_allclose(null, expected.llnull, rtol=1e-6)
        values = {"log_likelihood_null": null, "pseudo_r_squared": 1 - expected.llf / null}
        values |= {"aic": expected.aic, "bic": expected.bic, "df_residual": expected.df_resid}
        for term, value in values.items():
            assert_allclose(own[term]["estimate"], value, rtol=1e-9, atol=1e-12)
        assert ("likelihood_ratio" in own) == bool(predictors)
        if predictors:
            ratio, statistic = own["likelihood_ratio"], 2 * (expected.llf - null)
            assert ratio["df"] == len(predictors)
            assert_allclose(ratio["statistic"], statistic, rtol=1e-9, atol=1e-12)
            assert_allclose(ratio["p_value"], chi2.sf(max(statistic, 0), len(predictors)), rtol=1e-6)


@quick
@given(ROWS)
def test_clustered_errors_equal_statsmodels_on_responses(rows):
    found = as_rows(logistic_regression(frame(rows), ["cell"], ["x"], outcome="y", cluster="item"), ["cell"])
    for cell in {row["cell"] for row in rows}:
        members = responses(rows, cell)
        x, y = design(members, ["x"])
        if expected_status(x, y) != "ok":
            continue
        items = np.array([row["item"] for row in members])
        row = found[cell, "", "x"]
        if len(set(items)) == 1:
            assert (row["status"], row["std_error"], row["p_value"]) == ("degenerate", None, None)
            assert row["estimate"] is not None
            continue
        groups = np.unique(items, return_inverse=True)[1]
        expected = logit(members, ["x"], cov_type="cluster", cov_kwds={"groups": groups})
        if row["status"] == "degenerate":  # a variance is 0, there a rounding error of either sign
            assert not (expected.bse > 1e-6).all()
            continue
        for position, term in enumerate(["Intercept", "x"]):
            own = found[cell, "", term]
            assert_allclose(own["std_error"], expected.bse[position], rtol=1e-6, atol=1e-9)


# --- properties -------------------------------------------------------------------------------------------------------

SETTINGS = st.sampled_from(
    [
        {},
        {"estimator": "firth"},
        {"estimator": "firth"},
        {"cluster": "item"},
    ]
)


@quick
@given(ROWS, SETTINGS, st.randoms(use_true_random=False))
def test_order_and_grouping_of_rows_do_not_matter(rows, settings, random):
    whole = exactly(logistic_regression(frame(rows), ["cell"], ["x", "z"], outcome="y", **settings))
    single = [row | {"count": 1} for row in rows for _ in range(row["count"])]
    single += [row | {"count": 0} for row in rows]
    random.shuffle(single)
    assert exactly(logistic_regression(frame(single), ["cell"], ["x", "z"], outcome="y", **settings)) == whole


@quick
@given(ROWS, SETTINGS)
def test_a_cell_is_fitted_by_itself(rows, settings):
    whole = logistic_regression(frame(rows), ["cell"], ["x"], outcome="y", **settings)
    for cell in {row["cell"] for row in rows}:
        alone = [row for row in rows if row["cell"] == cell]
        found = logistic_regression(frame(alone), ["cell"], ["x"], outcome="y", **settings)
        assert exactly(found) == exactly(whole.filter(pl.col("cell") == cell))


@quick
@given(ROWS, st.sampled_from(["maximum-likelihood", "firth"]))
def test_the_two_ways_to_give_counts_agree(rows, estimator):
    counted = (
        frame(rows)
        .group_by("cell", "x")
        .agg(
            pl.col("count").filter(pl.col("y") == 1).sum().alias("ones"),
            pl.col("count").filter(pl.col("y") == 0).sum().alias("zeros"),
        )
    )
    one = logistic_regression(frame(rows), ["cell"], ["x"], outcome="y", estimator=estimator)
    two = logistic_regression(counted, ["cell"], ["x"], outcome=("ones", "zeros"), estimator=estimator)
    assert exactly(one) == exactly(two)


@quick
@given(ROWS, SETTINGS, st.sampled_from([1e-6, 0.3, 1.0, 1e6]), st.sampled_from([0.0, -1.0, 2024.0, 1e6]))
def test_scale_and_origin_of_a_predictor_do_not_matter(rows, settings, scale, origin):
    moved = frame(rows).with_columns(pl.col("x") * scale + origin * scale)
    found = as_rows(logistic_regression(moved, ["cell"], ["x", "z"], outcome="y", **settings), ["cell"])
    for key, row in as_rows(
        logistic_regression(frame(rows), ["cell"], ["x", "z"], outcome="y", **settings), ["cell"]
    ).items():
        other = found[key]
        # The odds ratio of a millionth part of a unit may be too large for a float; and the intercept of another
        # origin is another coefficient.
        assert other["status"] == row["status"] or key[-1] in {"odds_ratio:x", "Intercept"}
        if key[-1] == "x" and row["estimate"] is not None:
            own = [
                None if row[name] is None else row[name] / scale
                for name in ("estimate", "std_error", "ci_low", "ci_high")
            ]
            atol = 1e-9 * (row["std_error"] or 1) / scale
            assert_allclose(
                [
                    np.nan if other[name] is None else other[name]
                    for name in ("estimate", "std_error", "ci_low", "ci_high")
                ],
                [np.nan if value is None else value for value in own],
                rtol=1e-7,
                atol=atol,
            )
        if key[-1] in {"log_likelihood", "likelihood_ratio", "pseudo_r_squared", "z"} and row["estimate"] is not None:
            assert_allclose(other["estimate"], row["estimate"], rtol=1e-7, atol=1e-8)


@quick
@given(ROWS, SETTINGS)
def test_swapping_the_outcomes_turns_the_signs(rows, settings):
    swapped = [row | {"y": 1 - row["y"]} for row in rows]
    found = as_rows(logistic_regression(frame(swapped), ["cell"], ["x"], outcome="y", **settings), ["cell"])
    for key, row in as_rows(
        logistic_regression(frame(rows), ["cell"], ["x"], outcome="y", **settings), ["cell"]
    ).items():
        other = found[key]
        assert other["status"] == row["status"]
        if key[-1] == "x" and row["ci_low"] is not None:
            scale = 1e-9 * row["std_error"]
            assert_allclose(-other["estimate"], row["estimate"], rtol=1e-8, atol=scale)
            assert_allclose(
                [-other["ci_high"], -other["ci_low"]], [row["ci_low"], row["ci_high"]], rtol=1e-8, atol=scale
            )
            assert_allclose(other["log_p_value"], row["log_p_value"], rtol=1e-8, atol=1e-7)


NEARLY_FLAT = [
    {"cell": "b", "x": x, "z": z, "item": "ann", "y": y, "count": count}
    for x, z, y, count in ((-2, 0, 0, 1), (-2, 1, 1, 4), (-1, 1, 0, 4), (3, 0, 0, 4))
]
"""Data whose penalised likelihood has a maximum with a curvature of less than a tenth of the information."""


@quick
@given(ROWS)
@example(NEARLY_FLAT)
def test_firth_climbs_as_high_as_a_general_optimiser(rows):
    from scipy.optimize import minimize

    found = as_rows(logistic_regression(frame(rows), ["cell"], ["x", "z"], outcome="y", estimator="firth"), ["cell"])
    for cell in {row["cell"] for row in rows}:
        members = responses(rows, cell)
        x, y = design(members, ["x", "z"])
        own = found[cell, "", "penalized_log_likelihood"]
        if len(y) == 0 or np.linalg.matrix_rank(x) < 3:
            assert own["status"] == ("degenerate" if len(y) else "no-data")
            continue

        def loss(beta, x=x, y=y):
            eta = x @ beta
            weights = np.exp(-np.logaddexp(0, eta) - np.logaddexp(0, -eta))
            likelihood = -np.logaddexp(0, np.where(y == 1, -eta, eta)).sum()
            return -likelihood - np.linalg.slogdet(x.T @ (weights[:, None] * x))[1] / 2

        beta = [found[cell, "", term]["estimate"] for term in ("Intercept", "x", "z")]
        assert own["status"] == "ok"
        assert_allclose(own["estimate"], -loss(np.array(beta)), rtol=1e-10)
        best = minimize(
            loss, np.zeros(3), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-12, "maxiter": 4000}
        )
        # There can be two summits, and either search may end on the lower.
        assert own["estimate"] >= -best.fun - 1e-9 or "another is higher" in own["method"]
