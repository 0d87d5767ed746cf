"""Logistic regressions of what cannot be fitted, hardly can, or is no regression."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy.special import expit

from tallybook.statistics.logistic.regression import logistic_regression
from tests.unit.statistics.frames import as_rows
from tests.unit.statistics.logistic_frames import NUMBERS, frame


@pytest.mark.parametrize("settings", [{}, {"estimator": "firth"}, {"cluster": "item"}])
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


def test_saturated_counts_give_their_log_odds():
    rows = pl.DataFrame({"x": [0, 1], "ones": [1, 5 * 10**8], "zeros": [10**9 - 1, 5 * 10**8]})
    found = as_rows(logistic_regression(rows, [], ["x"], outcome=("ones", "zeros")), [])
    assert_allclose(found["", "x"]["estimate"], math.log(10**9 - 1), rtol=1e-11)
    assert_allclose(found["", "x"]["std_error"], math.sqrt(1 + 1 / (10**9 - 1) + 4e-9), rtol=1e-10)


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
    found = as_rows(logistic_regression(rows, [], ["x"], outcome=("ones", "zeros")), [])
    assert_allclose(found["", "x"]["estimate"], math.log(3), rtol=1e-9)
    assert {row["status"] for row in found.values() if not row["term"].startswith("odds")} == {"ok"}


TWO_SUMMITS = [
    ([-1e3, -1.0, 1.0, 1e3], [0, 10, 30, 5], [5, 30, 10, 0]),
    ([-0.1407, -0.0056, -0.0014, 0.0095, 0.9664], [3, 2, 1, 0, 0], [0, 1, 3, 3, 3]),
    ([-2.5296, 0.0, 0.0088, 0.0726, 0.2295], [0, 0, 0, 3, 2], [2, 3, 1, 2, 0]),
]
"""Distant points bend the penalty into a summit near 0, and a higher one far away."""


def climbed_from_0(x, ones, zeros):
    """Firth's fit as R's logistf has it: modified scores from 0, steps of at most 5, halved while they lose."""
    x, ones, zeros = np.column_stack([np.ones(len(x)), x]), np.array(ones), np.array(zeros)

    def parts(beta):
        p, q = expit(x @ beta), expit(-x @ beta)
        weights = (ones + zeros) * p * q
        information = x.T @ (weights[:, None] * x)
        value = (ones * np.log(p) + zeros * np.log(q)).sum() + np.linalg.slogdet(information)[1] / 2
        leverage = weights * np.einsum("ij,jk,ik->i", x, np.linalg.inv(information), x)
        return value, np.linalg.solve(information, x.T @ (ones * q - zeros * p + leverage * (q - p) / 2))

    beta = np.zeros(2)
    for _ in range(2000):
        value, step = parts(beta)
        step /= max(1.0, np.abs(step).max() / 5.0)
        while np.abs(step).max() > 1e-9 and not parts(beta + step)[0] >= value:
            step /= 2.0
        beta = beta + step
    return beta, parts(beta)[0]


@pytest.mark.parametrize("points", TWO_SUMMITS)
def test_firth_takes_the_summit_reached_from_0_and_says_that_another_is_higher(points):
    rows = pl.DataFrame(dict(zip(("x", "ones", "zeros"), points, strict=True)))
    settings = {"outcome": ("ones", "zeros"), "estimator": "firth"}
    found = as_rows(logistic_regression(rows, [], ["x"], **settings), [])
    beta, value = climbed_from_0(*points)
    assert_allclose([found["", term]["estimate"] for term in ("Intercept", "x")], beta, rtol=1e-7, atol=1e-9)
    assert_allclose(found["", "penalized_log_likelihood"]["estimate"], value, rtol=1e-10)
    assert all(
        row["method"].endswith("; this maximum is the one reached from 0, another is higher") for row in found.values()
    )
    assert {found["", term]["status"] for term in ("Intercept", "x")} == {"ok"}


def test_firth_says_nothing_of_a_single_summit():
    rows = pl.DataFrame({"x": [0, 1], "ones": [0, 3], "zeros": [4, 2]})
    found = logistic_regression(rows, [], ["x"], outcome=("ones", "zeros"), estimator="firth")
    assert not found["method"].str.contains("higher").any()


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
        ({"correction": "hc3", "cluster": "item"}, "expected one of clusters-and-terms"),
        ({"cluster": "item", "estimator": "firth"}, "needs maximum likelihood"),
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
