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
from tallybook.statistics.means.bayes_factor import MEDIUM_SCALE, bayes_factors, log_bayes_factor
from tallybook_schemas.frames import Estimates
from tests.statistics.frames import quick
from tests.statistics.score_frames import EDGES, PAIRS, ROWS, contrasts_of, edge_pairs, pair_frame, score_frame


def test_log_bayes_factors_equal_r(oracle):
    cells = oracle("bayes_factor")
    for scale in np.unique(cells["scale"]):
        rows = cells["scale"] == scale
        result = log_bayes_factor(cells["t"][rows], cells["df"][rows], cells["effective_n"][rows], float(scale))
        assert_allclose(result, cells["log_bf10"][rows], rtol=1e-12, atol=1e-11)
    assert cells["log_bf10"].max() > 1e8


def test_published_values():
    # Rouder et al. (2009), p. 232: t = 2.03 with 80 participants gives 1.56 for the null, with r = 1.
    assert_allclose(np.exp(-log_bayes_factor(2.03, 79, 80, 1.0)), 1.56, atol=5e-3)
    # The examples in pingouin's documentation, where JASP and R's BayesFactor gave the same.
    assert_allclose(np.exp(log_bayes_factor(3.5, 38, 10, 0.707)), 26.743, atol=5e-4)
    assert_allclose(np.exp(log_bayes_factor(3.5, 19, 20, 0.707)), 17.185, atol=5e-4)


def test_it_equals_pingouin_where_pingouin_has_a_value():
    import pingouin

    for t, n in ((0.0, 5), (1.3, 12), (-2.5, 80), (6.0, 500), (20.0, 5000)):
        expected = pingouin.bayesfactor_ttest(t, n, r=MEDIUM_SCALE)
        assert_allclose(np.exp(log_bayes_factor(t, n - 1, n)), expected, rtol=1e-7)
        expected = pingouin.bayesfactor_ttest(t, n, 2 * n, r=0.5)
        assert_allclose(np.exp(log_bayes_factor(t, 3 * n - 2, n * 2 / 3, 0.5)), expected, rtol=1e-7)


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
        expected = log_bayes_factor(t, contrast["df"], contrast["effective_n"], scale)
        assert row["estimate"] == expected
        assert_allclose(row["effect"], math.exp(expected))


@quick
@given(st.floats(-1e6, 1e6), st.integers(1, 10**9), st.floats(0.5, 1e9), st.floats(0.01, 10))
def test_it_rises_with_the_size_of_t_alone(t, df, effective_n, scale):
    here, turned, more = log_bayes_factor([t, -t, 1.1 * t + 0.1 * np.sign(t)], df, effective_n, scale)
    assert np.isfinite(here)
    assert here == turned
    assert more >= here or t == 0


@quick
@given(st.integers(2, 10**9), st.floats(0.01, 10))
def test_no_difference_speaks_for_none(n, scale):
    # At t = 0 the integral is that of (1 + N r² g)^(-1/2) over the prior alone: below 1, and falling with N.
    here, more = log_bayes_factor(0.0, [n - 1, 2 * n - 1], [n, 2 * n], scale)
    assert more < here < 0


def test_the_limit_of_many_observations():
    # The likelihood is then so narrow that only the prior's density at 0, 1 / (pi r), counts (Savage-Dickey):
    # BF10 sqrt(N) tends to sqrt(2 pi) / (pi r) e^(t²/2).
    n, t, scale = 1e12, 1.5, 0.5
    limit = math.sqrt(2 * math.pi) / (math.pi * scale) * math.exp(t * t / 2)
    assert_allclose(np.exp(log_bayes_factor(t, n - 1, n, scale)) * math.sqrt(n), limit, rtol=1e-5)


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("design", ["one-sample", "two-sample", "paired"])
def test_every_edge_ends_in_a_status(edge, design):
    rows = EDGES[edge]
    with np.errstate(all="raise"):
        factors = bayes_factors(contrasts_of(design, score_frame(rows), pair_frame(edge_pairs(rows))), ["cell"])
    check(factors.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")
    for row in factors.iter_rows(named=True):
        assert (row["estimate"] is None) == (row["status"] != "ok")


def test_a_factor_too_large_for_a_float_keeps_its_logarithm():
    rows = score_frame([("a", "first", 1.0, 3000), ("a", "first", 0.0, 500)])
    row = bayes_factors(contrasts_of("one-sample", rows, pair_frame([])), ["cell"]).row(0, named=True)
    assert row["estimate"] > 1000
    assert (row["effect"], row["effect_kind"], row["status"]) == (None, "bf10", "ok")


def test_what_does_not_exist_is_nan_without_a_warning():
    with np.errstate(all="raise"):
        result = log_bayes_factor([np.nan, 1, 1, np.inf, 1, 1], [5, np.nan, 5, 5, 0, 5], [6, 6, np.nan, 6, 6, 0])
    assert np.isnan(result).all()


def test_impossible_settings_are_refused():
    contrasts = contrasts_of("one-sample", score_frame([]), pair_frame([]))
    for scale in (0, -1, math.nan, math.inf):
        with pytest.raises(ValueError, match=r"^scale is "):
            bayes_factors(contrasts, ["cell"], scale=scale)
    rows = score_frame(EDGES["a billion"])
    with pytest.raises(ValueError, match=r"^the contrasts are Welch's: "):
        bayes_factors(contrasts_of("welch", rows, pair_frame([])), ["cell"])
