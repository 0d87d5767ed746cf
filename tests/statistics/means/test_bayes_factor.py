"""The JZS Bayes factor against R's quadrature, published values, pingouin, and its own algebra."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.core.frame_checks import check
from tallybook.statistics.means.bayes_factor import MEDIUM_SCALE, bayes_factors
from tallybook_schemas.frames import Estimates
from tests.statistics.frames import quick
from tests.statistics.score_frames import EDGES, PAIRS, ROWS, contrasts_of, edge_pairs, pair_frame, score_frame


def contrast(t, n_1, n_2=0):
    """The contrast of one t statistic, of two groups or of one sample."""
    design, df, effective_n = (
        ("two-sample", n_1 + n_2 - 2, n_1 * n_2 / (n_1 + n_2)) if n_2 else ("one-sample", n_1 - 1, n_1)
    )
    columns = {"design": design, "n": int(n_1 + n_2), "estimate": float(t), "null_value": 0.0, "std_error": 1.0}
    return pl.DataFrame(columns | {"df": float(df), "effective_n": float(effective_n), "status": "ok"})


def factor(t, n_1, n_2=0, scale=MEDIUM_SCALE):
    return bayes_factors(contrast(t, n_1, n_2), [], scale=scale).row(0, named=True)


def test_log_bayes_factors_equal_r(oracle):
    cells = oracle("bayes_factor")
    large = 0
    for t, n_1, n_2, scale, log_factor in zip(
        *(cells[name].tolist() for name in ("t", "n_1", "n_2", "scale", "log_bf10")), strict=True
    ):
        row = factor(t, n_1, n_2, scale)
        if log_factor > 709:
            large += 1
            assert (row["estimate"], row["effect"], row["status"]) == (None, None, "degenerate")
        else:
            # pingouin's quadrature stops at 1.5e-8 of the integral.
            assert row["estimate"] == pytest.approx(log_factor, rel=1e-7, abs=1e-7)
            assert row["effect"] == pytest.approx(math.exp(log_factor), rel=1e-6)
    assert large > 10


def test_published_values():
    # Rouder et al. (2009), p. 232: t = 2.03 with 80 participants gives 1.56 for the null, with r = 1.
    assert_allclose(1 / factor(2.03, 80, scale=1.0)["effect"], 1.56, atol=5e-3)
    # The examples in pingouin's documentation, where JASP and R's BayesFactor gave the same.
    assert_allclose(factor(3.5, 20, 20, 0.707)["effect"], 26.743, atol=5e-4)
    assert_allclose(factor(3.5, 20, scale=0.707)["effect"], 17.185, atol=5e-4)


@quick
@given(ROWS, PAIRS, st.sampled_from(["one-sample", "two-sample", "paired"]), st.sampled_from([0.2, MEDIUM_SCALE, 1.0]))
def test_frames_equal_the_kernel(rows, pairs, design, scale):
    contrasts = contrasts_of(design, score_frame(rows), pair_frame(pairs))
    factors = bayes_factors(contrasts, ["cell"], scale=scale)
    check(factors.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")
    assert factors["status"].to_list() == contrasts["status"].to_list()
    for contrast, row in zip(contrasts.iter_rows(named=True), factors.iter_rows(named=True), strict=True):
        if row["status"] != "ok":
            assert (row["estimate"], row["effect"], row["statistic"], row["df"]) == (None,) * 4
            continue
        t = contrast["estimate"] / contrast["std_error"]
        assert (row["statistic"], row["df"]) == (t, contrast["df"])
        assert row["estimate"] == pytest.approx(math.log(row["effect"]), abs=1e-12)


@quick
@given(st.floats(-20, 20), st.integers(2, 10**4), st.floats(0.05, 5))
def test_it_rises_with_the_size_of_t_alone(t, n, scale):
    here, turned, more = (factor(value, n, scale=scale)["estimate"] for value in (t, -t, 1.1 * t))
    assert here == turned
    assert more is None or more >= here - 1e-9


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("design", ["one-sample", "two-sample", "paired"])
def test_every_edge_ends_in_a_status(edge, design):
    rows = EDGES[edge]
    with np.errstate(all="raise"):
        factors = bayes_factors(contrasts_of(design, score_frame(rows), pair_frame(edge_pairs(rows))), ["cell"])
    check(factors.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")
    for row in factors.iter_rows(named=True):
        assert (row["estimate"] is None) == (row["status"] != "ok")


def test_impossible_settings_are_refused():
    contrasts = contrasts_of("one-sample", score_frame([]), pair_frame([]))
    for scale in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"^scale is "):
            bayes_factors(contrasts, ["cell"], scale=scale)
    rows = score_frame(EDGES["a billion"])
    with pytest.raises(ValueError, match=r"^the contrasts are Welch's: "):
        bayes_factors(contrasts_of("welch", rows, pair_frame([])), ["cell"])
