"""Logistic regressions against R, against statsmodels on single responses, and against themselves."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.special import expit

from analysis.statistics.logistic import MODEL_TERMS, logistic_regression
from analysis.statistics.logistic_design import treatment_coded
from tests.statistics.frames import as_rows, exactly, quick
from tests.statistics.logistic_frames import ROWS, design, expected_status, frame, responses

BAI = Path(__file__).parents[3] / "shared" / "studies" / "bai2025"
NUMBERS = (
    "estimate", "std_error", "ci_low", "ci_high", "statistic", "df", "p_value", "log_p_value", "effect",
)  # fmt: skip
COUNTS = ("successes", "failures")


def counts(data, name):
    """One data set of the oracle, and its predictors."""
    rows = pl.DataFrame(dict(data)).filter(dataset=name)
    predictors = ["x"] if math.isnan(rows["z"][0]) else ["x", "z"]
    return rows.drop("dataset"), predictors


def fitted(rows, predictors, **settings):
    """Term -> estimate of a single cell."""
    found = as_rows(logistic_regression(rows, [], predictors, outcome=COUNTS, **settings), [])
    return {term: row for (_, term), row in found.items()}


# --- against R --------------------------------------------------------------------------------------------------------


def test_regressions_equal_r(oracle):
    r, data = oracle("logistic"), oracle("logistic_data")
    for name in dict.fromkeys(r["dataset"]):
        rows, predictors = counts(data, name)
        found = fitted(rows, predictors)
        own = {term: index for index, term in enumerate(r["term"]) if r["dataset"][index] == name}
        assert {term for term in found if not term.startswith("odds_ratio:")} == set(own)
        for term, index in own.items():
            row = found[term]
            assert (row["status"], row["n"]) == ("ok", r["n"][index])

            assert_allclose(row["estimate"], r["estimate"][index], rtol=1e-9, atol=1e-12, err_msg=f"{name} {term}")
            if term in MODEL_TERMS[:-1]:
                continue
            if term == "likelihood_ratio":
                assert_allclose(row["statistic"], r["statistic"][index], rtol=1e-9)
                assert_allclose(row["log_p_value"], r["log_p"][index], rtol=1e-9)
                continue
            assert_allclose(row["std_error"], r["std_error"][index], rtol=1e-9, err_msg=f"{name} {term}")
            assert_allclose(
                [row["ci_low"], row["ci_high"], row["statistic"], row["log_p_value"]],
                [r[column][index] for column in ("low", "high", "statistic", "log_p")],
                rtol=1e-9,
                atol=1e-12,
            )
            assert_allclose(row["p_value"], np.exp(row["log_p_value"]), rtol=1e-12)


def test_profile_intervals_equal_r(oracle):
    r, data = oracle("logistic"), oracle("logistic_data")
    compared = 0
    for name in dict.fromkeys(r["dataset"]):
        rows, predictors = counts(data, name)
        found = fitted(rows, predictors, interval="profile")
        for index in np.flatnonzero((r["dataset"] == name) & np.isfinite(r["profile_low"])):
            row = found[r["term"][index]]
            limits = [r["profile_low"][index], r["profile_high"][index]]
            # uniroot ends within 1e-13 standard errors of where R's likelihood, in its own rounding, crosses.
            assert_allclose([row["ci_low"], row["ci_high"]], limits, rtol=1e-9, err_msg=name)
            compared += 1
    assert compared > 15


@pytest.mark.parametrize("correction", ["clusters-and-terms", "clusters", "none"])
def test_clustered_errors_equal_sandwich(oracle, correction):
    r, data = oracle("logistic_cluster"), oracle("logistic_data")
    rows, predictors = counts(data, "clustered")
    found = fitted(rows, predictors, cluster="item", correction=correction)
    for index in np.flatnonzero(r["correction"] == correction):
        row = found[r["term"][index]]
        assert_allclose(
            [row["estimate"], row["std_error"], row["statistic"], row["p_value"]],
            [r[column][index] for column in ("estimate", "std_error", "statistic", "p")],
            rtol=1e-9,
        )
    own, independent = found["likelihood_ratio"], fitted(rows, predictors)["likelihood_ratio"]
    assert_allclose(own["statistic"], independent["statistic"], rtol=1e-13)


def firth_counts(oracle, name):
    if name == "endometrial":
        return pl.DataFrame(oracle("logistic_endometrial")), ["NV", "PI", "EH"]
    return counts(oracle("logistic_data"), name)


def test_firth_equals_r(oracle):
    r = oracle("logistic_firth")
    for name in dict.fromkeys(r["dataset"]):
        rows, predictors = firth_counts(oracle, name)
        wald = fitted(rows, predictors, estimator="firth")
        profile = fitted(rows, predictors, estimator="firth", interval="profile")
        for index in np.flatnonzero(r["dataset"] == name):
            term = r["term"][index]
            expected = {
                column: r[column][index] for column in ("estimate", "std_error", "low", "high", "ratio", "log_p")
            }
            # brglm2 and the climb end within 1e-13, the largest deviation of a limit is about 1e-11.
            for row in (wald[term], profile[term]):
                assert_allclose(row["estimate"], expected["estimate"], rtol=1e-9, atol=1e-11, err_msg=f"{name} {term}")
            if term in {"log_likelihood", "penalized_log_likelihood"}:
                continue
            row = profile[term]
            assert_allclose(row["statistic"], expected["ratio"], rtol=1e-9, atol=1e-12, err_msg=f"{name} {term}")
            assert_allclose(row["log_p_value"], expected["log_p"], rtol=1e-8, atol=1e-7, err_msg=f"{name} {term}")
            if term != "likelihood_ratio":
                assert_allclose(row["std_error"], expected["std_error"], rtol=1e-9)
                assert_allclose([row["ci_low"], row["ci_high"]], [expected["low"], expected["high"]], rtol=1e-8)
                z = wald[term]["estimate"] / wald[term]["std_error"]
                assert_allclose(wald[term]["statistic"], z, rtol=1e-14)


# --- published examples -----------------------------------------------------------------------------------------------


def test_snoring_and_heart_disease(oracle):
    """Agresti (2013), Categorical Data Analysis, section 4.2.3: logit = -3.87 + 0.40 x."""
    rows, predictors = counts(oracle("logistic_data"), "snoring")
    found = fitted(rows, predictors)
    assert [round(found[term]["estimate"], 2) for term in ("Intercept", "x")] == [-3.87, 0.40]


def test_endometrial_cancer(oracle):
    """Heinze & Schemper (2002), Statistics in Medicine 21, 2409-2419, table II: quasi-separation by neovasculation."""
    rows, predictors = firth_counts(oracle, "endometrial")
    assert fitted(rows, predictors)["NV"]["status"] == "separated"
    found = fitted(rows, predictors, estimator="firth", interval="profile")
    assert [round(found[name]["estimate"], 2) for name in predictors] == [2.93, -0.03, -2.60]
    assert [round(found[name]["std_error"], 2) for name in predictors] == [1.55, 0.04, 0.78]
    limits = [(round(found[name]["ci_low"], 2), round(found[name]["ci_high"], 2)) for name in predictors]
    assert limits == [(0.61, 7.85), (-0.12, 0.04), (-4.37, -1.23)]


@pytest.mark.released
@pytest.mark.skipif(not BAI.is_dir(), reason="the released data (../shared) are not here")
def test_the_published_regression_of_decisions_on_associations():
    """Bai et al. (2025), notebook: decision_bias on stored iat_bias, 617 responses."""
    rows = pl.read_csv(BAI / "data" / "result_chained.csv", encoding="utf8-lossy").with_columns(count=1)
    found = as_rows(logistic_regression(rows, [], ["iat_bias"], outcome="decision_bias"), [])
    published = pl.read_csv(BAI / "published" / "notebook_logits.csv", infer_schema=False)
    compared = 0
    for printed in published.filter(fit="stored iat_bias").iter_rows(named=True):
        own = _published_value(found, printed["term"], printed["stat"])
        text = printed["value"]
        if len(text) > 10:  # printed to all digits
            assert_allclose(own, float(text), rtol=1e-12)
        else:
            assert _as_printed(own, text) == text, printed
        compared += 1
    assert compared == 21


def _published_value(found, term, stat):
    model = {"pseudo_r2": "pseudo_r_squared", "log_likelihood": "log_likelihood", "ll_null": "log_likelihood_null"}
    model |= {"aic": "aic", "bic": "bic"}
    ratio = found["", "likelihood_ratio"]
    if term == "model":
        others = {"n_obs": ratio["n"], "df_model": ratio["df"], "df_resid": ratio["n"] - ratio["df"] - 1}
        others |= {"llr_p": ratio["p_value"]}
        return others[stat] if stat in others else found["", model[stat]]["estimate"]
    row = found["", {"intercept": "Intercept", "iat_bias": "iat_bias"}[term]]
    column = {"coef": "estimate", "std_err": "std_error", "z": "statistic", "p": "p_value"}
    return row[column.get(stat, stat.replace("ci_lo", "ci_low").replace("ci_hi", "ci_high"))]


def _as_printed(value, text):
    if "e" in text:
        return f"{value:.{len(text.split('e')[0].split('.')[1])}e}"
    return f"{value:.{len(text.partition('.')[2])}f}"


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
        values |= {"aic": expected.aic, "bic": expected.bic}
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
        {"interval": "profile"},
        {"estimator": "firth", "interval": "profile"},
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
            own = [row[name] and row[name] / scale for name in ("estimate", "std_error", "ci_low", "ci_high")]
            atol = 1e-9 * (row["std_error"] or 1) / scale
            assert_allclose(
                [other[name] or np.nan for name in ("estimate", "std_error", "ci_low", "ci_high")],
                [value or np.nan for value in own],
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


@quick
@given(ROWS)
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
        # It may be higher: there can be two summits, and a search from 0 may end on the lower.
        assert own["estimate"] >= -best.fun - 1e-9


@quick
@given(ROWS, st.sampled_from(["maximum-likelihood", "firth"]), st.sampled_from([0.5, 0.95, 0.999]))
def test_a_profile_interval_ends_where_the_test_rejects(rows, estimator, confidence):
    """Shifting a predictor's coefficient to its limit by an offset is beyond the interface: the nested fit decides."""
    from scipy.stats import chi2

    settings = {"estimator": estimator, "interval": "profile", "confidence": confidence}
    found = as_rows(logistic_regression(frame(rows), ["cell"], ["x"], outcome="y", **settings), ["cell"])
    for row in found.values():
        if row["ci_low"] is None or row["term"].startswith("odds_ratio:"):
            continue
        inside = row["ci_low"] < 0 < row["ci_high"]
        assert row["ci_low"] < row["estimate"] < row["ci_high"]
        if abs(row["statistic"] - chi2.ppf(confidence, 1)) > 1e-6:
            assert inside == (row["p_value"] > 1 - confidence)


# --- degenerate input -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", [{}, {"estimator": "firth"}, {"interval": "profile"}, {"cluster": "item"}])
@pytest.mark.parametrize(
    ("rows", "status", "firth"),
    [
        ([(0, 0, 0)], "no-data", "no-data"),
        ([(0, 1, 0)], "degenerate", "degenerate"),  # one response
        ([(0, 4, 5)], "degenerate", "degenerate"),  # one value of the predictor
        ([(0.1, 4, 5), (0.1, 1, 1)], "degenerate", "degenerate"),
        ([(0, 4, 0), (1, 3, 0)], "degenerate", "ok"),  # the outcome does not vary
        ([(0, 0, 4), (1, 3, 0)], "separated", "ok"),
        ([(0, 0, 4), (1, 3, 2)], "separated", "ok"),
        ([(0, 1e9, 0), (1, 1e9, 1)], "separated", "ok"),
        ([(math.inf, 1, 2), (0, 2, 1)], "degenerate", "degenerate"),
        ([(1e300, 1, 2), (-1e300, 2, 1)], "degenerate", "degenerate"),
        ([(math.nan, 1, 2), (None, 2, 1)], "no-data", "no-data"),
    ],
)
def test_what_cannot_be_fitted_has_a_status(rows, status, firth, settings):
    x, ones, zeros = zip(*rows, strict=True)
    given_counts = pl.DataFrame({"x": x, "ones": ones, "zeros": zeros, "item": ["a", "b"][: len(rows)]}, strict=False)
    result = logistic_regression(given_counts, [], ["x"], outcome=("ones", "zeros"), **settings)
    expected = firth if settings.get("estimator") == "firth" else status
    assert as_rows(result, [])
    assert set(result["status"]) == {expected}
    if expected != "ok":
        assert all(result[name].null_count() == result.height for name in NUMBERS)


def test_collinear_predictors_are_degenerate():
    rows = pl.DataFrame({"x": [1, 2, 3, 4], "ones": [1, 2, 3, 4], "zeros": [4, 3, 2, 2]})
    rows = rows.with_columns(w=pl.col("x") * 3.7 - 0.1, v=pl.col("x") ** 2)
    for predictors, status in ((["x", "w"], "degenerate"), (["x", "v"], "ok"), (["x", "v", "w"], "degenerate")):
        assert set(logistic_regression(rows, [], predictors, outcome=("ones", "zeros"))["status"]) == {status}


def test_an_empty_frame_has_no_cells_and_no_rows():
    assert logistic_regression(frame([]), ["cell"], ["x"], outcome="y").height == 0
    assert set(logistic_regression(frame([]), [], ["x"], outcome="y")["status"]) == {"no-data"}


def test_an_odds_ratio_too_large_for_a_float_is_not_given():
    rows = pl.DataFrame({"x": [0.0, 1e-3], "ones": [1, 9], "zeros": [9, 1]})
    found = as_rows(logistic_regression(rows, [], ["x"], outcome=("ones", "zeros")), [])
    assert found["", "x"]["effect"] is None
    assert (found["", "odds_ratio:x"]["estimate"], found["", "odds_ratio:x"]["status"]) == (None, "degenerate")
    assert_allclose(found["", "x"]["estimate"], 1e3 * math.log(81), rtol=1e-12)


def test_saturated_counts_give_log_odds_to_all_digits():
    rows = pl.DataFrame({"x": [0, 1], "ones": [1, 5 * 10**8], "zeros": [10**9 - 1, 5 * 10**8]})
    found = as_rows(logistic_regression(rows, [], ["x"], outcome=("ones", "zeros")), [])
    assert_allclose(found["", "x"]["estimate"], math.log(10**9 - 1), rtol=1e-14)
    assert_allclose(found["", "x"]["std_error"], math.sqrt(1 + 1 / (10**9 - 1) + 4e-9), rtol=1e-14)


STEEP = pl.DataFrame(
    {
        "x": [-3, -3, -2, -1, -1, 0, 3],
        "z": [1, 2, 2, 0, 2, 2, 2],
        "ones": [0, 1000007, 1000000, 1000005, 0, 0, 0],
        "zeros": [10**6, 0, 0, 0, 2, 1, 1],
    }
)
"""Overlap by a handful among millions: log odds reach 90, beyond what R's glm follows (it stops at 30)."""


def test_a_long_climb_ends_where_the_slope_is_zero():
    found = as_rows(logistic_regression(STEEP, [], ["x", "z"], outcome=("ones", "zeros")), [])
    assert {row["status"] for row in found.values()} == {"ok"}
    design = np.column_stack([np.ones(7), STEEP["x"], STEEP["z"]]).astype(float)
    eta = design @ [found["", term]["estimate"] for term in ("Intercept", "x", "z")]
    ones, zeros = expit(eta), expit(-eta)
    up, down = STEEP["ones"].to_numpy() * zeros, STEEP["zeros"].to_numpy() * ones
    score, scale = design.T @ (up - down), np.abs(design.T) @ (up + down)
    assert np.abs(eta).max() > 30
    assert (np.abs(score) < 1e-9 * scale).all()


@pytest.mark.parametrize("size", [1e3, 1e5, 1e8])
def test_a_distant_value_that_fits_does_not_hold_up_the_others(size):
    rows = pl.DataFrame({"x": [-size, -1, 1, size], "ones": [0, 10, 30, 5], "zeros": [5, 30, 10, 0]})
    found = as_rows(logistic_regression(rows, [], ["x"], outcome=("ones", "zeros"), interval="profile"), [])
    assert_allclose(found["", "x"]["estimate"], math.log(3), rtol=1e-9)
    assert {row["status"] for row in found.values() if not row["term"].startswith("odds")} == {"ok"}


def test_firth_takes_the_higher_of_two_summits():
    """Two distant points bend the penalty into a second, lower summit near 0, where a climb from 0 would end."""
    rows = pl.DataFrame({"x": [-1e3, -1.0, 1.0, 1e3], "ones": [0, 10, 30, 5], "zeros": [5, 30, 10, 0]})
    found = as_rows(logistic_regression(rows, [], ["x"], outcome=("ones", "zeros"), estimator="firth"), [])
    assert_allclose(found["", "x"]["estimate"], 1.0663514, rtol=1e-7)


def test_an_estimate_beyond_the_last_digit_is_not_given():
    """The data overlap, but the likelihood is flat: whole units of a coefficient change it by less than 1e-16."""
    points = [
        (-3, 1, 10**6, 0), (-2, 1, 0, 10**6), (-1, 0, 0, 8), (0, 1, 1, 0), (1, 2, 0, 10**6), (2, 0, 0, 1), (2, 1, 1, 0),
        (3, 0, 0, 2), (3, 1, 0, 1),
    ]  # fmt: skip
    rows = pl.DataFrame(points, schema=["x", "z", "ones", "zeros"], orient="row")
    result = logistic_regression(rows, [], ["x", "z"], outcome=("ones", "zeros"))
    assert as_rows(result, [])
    assert set(result["status"]) == {"not-converged"}
    assert result["estimate"].null_count() == result.height


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"outcome": "x"}, "different ones"),
        ({"outcome": "nothing"}, "no column 'nothing'"),
        ({"outcome": ("y", "nothing")}, "no column 'nothing'"),
        ({"outcome": "count"}, "different ones"),
        ({"outcome": "w"}, "outcome 'w' is 7: expected 0 or 1"),
        ({"outcome": "cell"}, "expected 0 and 1"),
        ({"estimator": "ridge"}, "expected one of maximum-likelihood, firth"),
        ({"interval": "score"}, "expected one of wald, profile"),
        ({"correction": "hc3", "cluster": "item"}, "expected one of clusters-and-terms"),
        ({"cluster": "item", "estimator": "firth"}, "needs maximum likelihood"),
        ({"cluster": "item", "interval": "profile"}, "as independent"),
        ({"cluster": "nothing"}, "no column 'nothing'"),
        ({"confidence": 1.0}, "confidence is 1.0"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    rows = frame([{"cell": "a", "x": 0, "z": 1, "item": "ann", "y": 1, "count": 7}]).with_columns(w=pl.col("count"))
    with pytest.raises(ValueError, match=message):
        logistic_regression(rows, [], ["x"], **({"outcome": "y"} | settings))


def test_impossible_counts_and_predictors_are_refused():
    rows = frame([{"cell": "a", "x": 0, "z": 1, "item": "ann", "y": 1, "count": -1}])
    with pytest.raises(ValueError, match="row 0 has count -1"):
        logistic_regression(rows, [], ["x"], outcome="y")
    with pytest.raises(ValueError, match="predictor 'item' is String"):
        logistic_regression(rows, [], ["item"], outcome="y")
    for name in ("Intercept", "aic", "odds_ratio:x"):
        with pytest.raises(ValueError, match="another term is"):
            logistic_regression(rows.rename({"x": name}), [], [name], outcome="y")


# --- categorical predictors -------------------------------------------------------------------------------------------


def test_treatment_coding_measures_levels_against_the_reference():
    rows = pl.DataFrame({"domain": ["race", "age", "sex", None], "ones": [30, 10, 20, 5], "zeros": [10, 30, 20, 5]})
    coded, names = treatment_coded(rows, "domain", reference="age", levels=["sex", "age", "race"])
    assert names == ["domain[sex]", "domain[race]"]
    found = as_rows(logistic_regression(coded, [], names, outcome=("ones", "zeros")), [])
    assert found["", "Intercept"]["n"] == 120
    for term, value in (("Intercept", -math.log(3)), (names[0], math.log(3)), (names[1], math.log(9))):
        assert_allclose(found["", term]["estimate"], value, rtol=1e-14)


@pytest.mark.parametrize(
    ("levels", "reference", "message"),
    [
        (None, "nobody", "no level 'nobody'"),
        (["race"], "race", "holds 'age'"),
        (["age", "race", "age"], "age", "named twice"),
    ],
)
def test_impossible_levels_are_refused(levels, reference, message):
    with pytest.raises(ValueError, match=message):
        treatment_coded(pl.DataFrame({"domain": ["race", "age"]}), "domain", reference=reference, levels=levels)
