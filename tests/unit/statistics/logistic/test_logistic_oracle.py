"""Logistic regressions against R, and against published examples."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.stats import t as student

from tallybook.statistics.logistic.regression import MODEL_TERMS, logistic_regression
from tests.released import STUDIES, needs_released, released_data
from tests.unit.statistics.frames import as_rows
from tests.unit.statistics.logistic_frames import fitted


def counts(data, name):
    """One data set of the oracle, and its predictors."""
    rows = pl.DataFrame(dict(data)).filter(dataset=name)
    predictors = ["x"] if math.isnan(rows["z"][0]) else ["x", "z"]
    return rows.drop("dataset"), predictors


# --- against R --------------------------------------------------------------------------------------------------------


def test_regressions_equal_r(oracle):
    r, data = oracle("logistic"), oracle("logistic_data")
    for name in dict.fromkeys(r["dataset"]):
        rows, predictors = counts(data, name)
        found = fitted(rows, predictors)
        own = {term: index for index, term in enumerate(r["term"]) if r["dataset"][index] == name}
        # R's responses are counts: its residual degrees of freedom are those of rows, and statsmodels' are compared.
        assert {term for term in found if not term.startswith("odds_ratio:")} == {*own, "df_residual"}
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


def test_clustered_errors_equal_sandwich(oracle):
    correction = "clusters-and-terms"
    r, data = oracle("logistic_cluster"), oracle("logistic_data")
    rows, predictors = counts(data, "clustered")
    found = fitted(rows, predictors, cluster="item", correction=correction)
    for index in np.flatnonzero(r["correction"] == correction):
        row = found[r["term"][index]]
        assert_allclose(
            [row["estimate"], row["std_error"], row["statistic"], row["p_value"]],
            [
                *(r[column][index] for column in ("estimate", "std_error", "statistic")),
                2 * student.sf(abs(r["statistic"][index]), rows["item"].n_unique() - 1),  # R's own p is the normal one
            ],
            rtol=1e-9,
        )
    assert "likelihood_ratio" not in found


def firth_counts(oracle, name):
    if name == "endometrial":
        return pl.DataFrame(oracle("logistic_endometrial")), ["NV", "PI", "EH"]
    return counts(oracle("logistic_data"), name)


def test_firth_equals_r(oracle):
    r = oracle("logistic_firth")
    for name in dict.fromkeys(r["dataset"]):
        rows, predictors = firth_counts(oracle, name)
        wald = fitted(rows, predictors, estimator="firth")
        for index in np.flatnonzero(r["dataset"] == name):
            term = r["term"][index]
            expected = {column: r[column][index] for column in ("estimate", "std_error", "ratio", "log_p")}
            # brglm2 and the climb end within 1e-13, the largest deviation of a limit is about 1e-11.
            row = wald[term]
            assert_allclose(row["estimate"], expected["estimate"], rtol=1e-9, atol=1e-11, err_msg=f"{name} {term}")
            if term in {"log_likelihood", "penalized_log_likelihood"}:
                continue
            if term == "likelihood_ratio":
                assert_allclose(row["statistic"], expected["ratio"], rtol=1e-9, atol=1e-12, err_msg=f"{name} {term}")
                assert_allclose(row["log_p_value"], expected["log_p"], rtol=1e-8, atol=1e-7, err_msg=f"{name} {term}")
            else:
                assert_allclose(row["std_error"], expected["std_error"], rtol=1e-9)
                assert_allclose(row["statistic"], row["estimate"] / row["std_error"], rtol=1e-14)


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
    found = fitted(rows, predictors, estimator="firth")
    assert [round(found[name]["estimate"], 2) for name in predictors] == [2.93, -0.03, -2.60]
    assert [round(found[name]["std_error"], 2) for name in predictors] == [1.55, 0.04, 0.78]


@pytest.mark.released
@needs_released("bai2025")
def test_the_published_regression_of_decisions_on_associations():
    """Bai et al. (2025), notebook: decision_bias on stored iat_bias, 617 responses."""
    rows = pl.read_csv(released_data("bai2025") / "result_chained.csv", encoding="utf8-lossy").with_columns(count=1)
    found = as_rows(logistic_regression(rows, [], ["iat_bias"], outcome="decision_bias"), [])
    published = pl.read_csv(STUDIES / "bai2025" / "published" / "notebook_logits.csv", infer_schema=False)
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
