"""Fitted curves against the coefficients of the regression and statsmodels' predictions."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.core.frame_checks import check
from tallybook.statistics.logistic.curve import fitted_probabilities
from tallybook.statistics.logistic.regression import logistic_regression
from tallybook_schemas.columns import Estimates
from tests.unit.statistics.frames import quick
from tests.unit.statistics.logistic_frames import ROWS, design, expected_status, frame, responses

AT = pl.DataFrame({"x": [-2.0, 0.5, 3.0], "z": [0.0, 1.0, 0.25]})


def curve(rows, by, predictors, at, **settings):
    found = fitted_probabilities(rows, by, predictors, at, outcome="y", **settings)
    check(found.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")
    return found


@quick
@given(ROWS, st.sampled_from([0.8, 0.95]))
def test_every_curve_equals_statsmodels_on_responses(rows, confidence):
    from scipy.special import expit
    from scipy.stats import norm
    from statsmodels.discrete.discrete_model import Logit

    found = curve(frame(rows), ["cell"], ["x", "z"], AT, confidence=confidence)
    assert found.height == 3 * len({row["cell"] for row in rows})
    for cell in {row["cell"] for row in rows}:
        own = found.filter(pl.col("cell") == cell)
        members = responses(rows, cell)
        x, y = design(members, ["x", "z"])
        status = expected_status(x, y)
        assert own.select("x", "z").rows() == AT.rows()
        assert set(own["status"]) == {status}
        assert set(own["n"]) == {len(members)}
        if status != "ok":
            assert own["estimate"].null_count() == own["ci_low"].null_count() == 3
            continue
        fit = Logit(y, x).fit(disp=0, tol=1e-13, maxiter=200)
        points = np.column_stack([np.ones(3), AT.to_numpy()])
        eta = points @ fit.params
        error = np.sqrt(np.einsum("pk,kl,pl->p", points, fit.cov_params(), points))
        half = norm.ppf((1 + confidence) / 2) * error
        assert_allclose(own["estimate"], expit(eta), rtol=1e-7)
        assert_allclose(own["std_error"], expit(eta) * expit(-eta) * error, rtol=1e-7)
        assert_allclose(own["ci_low"], expit(eta - half), rtol=1e-7)
        assert_allclose(own["ci_high"], expit(eta + half), rtol=1e-7)


@quick
@given(ROWS, st.sampled_from([{"estimator": "firth"}, {"cluster": "item"}]))
def test_the_curve_at_zero_is_the_intercept(rows, settings):
    zero = curve(frame(rows), ["cell"], ["x"], pl.DataFrame({"x": [0]}), **settings)
    regression = logistic_regression(frame(rows), ["cell"], ["x"], outcome="y", **settings)
    for (cell,), own in zero.group_by("cell"):
        term = regression.filter(cell=cell, term="Intercept").row(0, named=True)
        row = own.row(0, named=True)
        assert row["status"] == term["status"]
        for name in ("estimate", "ci_low", "ci_high"):
            assert (row[name] is None) == (term[name] is None)
            if row[name] is not None:
                assert_allclose(row[name], 1 / (1 + math.exp(-term[name])), rtol=1e-9)


def test_a_predictor_far_from_zero_keeps_its_band():
    near = pl.DataFrame({"x": [0, 1, 2], "y": [1, 1, 1], "count": [3, 5, 8]})
    near = pl.concat([near, near.with_columns(pl.lit(0, pl.Int64).alias("y"), pl.lit(6, pl.Int64).alias("count"))])
    far = near.with_columns(pl.col("x") + 10**9)
    one = curve(near, [], ["x"], pl.DataFrame({"x": [0.5]}))
    two = curve(far, [], ["x"], pl.DataFrame({"x": [10**9 + 0.5]}))
    for name in ("estimate", "std_error", "ci_low", "ci_high"):
        assert_allclose(one[name], two[name], rtol=1e-12)
