"""The noncentral t distribution against R's quadrature, scipy and its own algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.means.student import noncentral_t_probability, noncentrality_at, root
from tests.unit.statistics.frames import quick

STATISTICS = st.floats(-500, 500)
FREEDOMS = st.one_of(st.integers(1, 60).map(float), st.floats(1, 1e6))


def slow_probability(t, df, delta):
    """The mean of Phi(t s - delta) over the distribution of s, by a fine sum over its quantiles' logarithm."""
    from scipy.stats import chi2, norm

    spread = 1 / np.sqrt(2 * df)
    log_s, step = np.linspace(-40 / df - 12 * spread, 12 * spread, 200_001, retstep=True)
    s = np.exp(log_s)
    density = chi2.pdf(df * s * s, df) * 2 * df * s * s
    return float((density * norm.cdf(t * s - delta)).sum() * step)


def test_noncentralities_equal_r(oracle):
    cells = oracle("noncentral_t")
    result = noncentrality_at(cells["q"], cells["t"], cells["df"])
    # R's own roots are exact to 1e-13 (1 + |t|).
    assert_allclose(result, cells["noncentrality"], rtol=1e-11, atol=1e-12)
    assert (np.abs(cells["noncentrality"]) > 100).sum() > 20


@pytest.mark.parametrize(
    ("t", "df"), [(2.0, 9), (-7.0, 49), (95.0, 500), (130.0, 2e4), (240.0, 2e4), (900.0, 30), (900.0, 1e6), (3e4, 1e4)]
)
def test_probabilities_equal_a_slow_sum(t, df):
    spread = np.sqrt(1 + t * t / (2 * df))
    for delta in t + spread * np.array([-3, -1, 0, 0.5, 2]):
        assert_allclose(noncentral_t_probability(t, df, delta), slow_probability(t, df, delta), atol=1e-11)


@pytest.mark.parametrize("df", [3, 40, 4000, 1e6])
def test_near_and_far_forms_meet(df):
    # At |delta| = 100 one form takes over from the other.
    for t in (60.0, 99.0, 100.0, 101.0, 140.0):
        near, far = noncentral_t_probability(t, df, [100.0, np.nextafter(100.0, 101.0)])
        assert_allclose(near, far, atol=1e-12)
        assert_allclose(
            noncentral_t_probability(-t, df, [-100.0, -100.00000000000001]), [1 - near, 1 - far], atol=1e-12
        )


@quick
@given(STATISTICS, FREEDOMS)
def test_without_noncentrality_it_is_students_distribution(t, df):
    from scipy.special import stdtr

    assert_allclose(noncentral_t_probability(t, df, 0.0), stdtr(df, t), rtol=1e-12, atol=1e-15)


@quick
@given(st.sampled_from([5e-4, 0.025, 0.05, 0.5, 0.8, 0.975, 0.9995]), STATISTICS, FREEDOMS)
def test_inversion_returns_the_probability(q, t, df):
    delta = noncentrality_at(q, t, df)
    assert_allclose(noncentral_t_probability(t, df, delta), q, rtol=1e-10, atol=1e-13)
    assert_allclose(noncentrality_at(1 - q, -t, df), -delta, rtol=1e-10, atol=1e-10)


@quick
@given(STATISTICS, FREEDOMS, st.floats(-600, 600), st.floats(0.01, 50))
def test_the_probability_falls_with_the_noncentrality(t, df, delta, step):
    here, beyond = noncentral_t_probability(t, df, [delta, delta + step])
    assert 0 <= beyond <= here + 1e-13 <= 1 + 1e-13


def test_probabilities_that_scipy_cannot_compute_are_0_or_1():
    from scipy.special import nctdtr

    t, df, delta = (
        np.array([-3.5, 0.2, 40.004, 3.5]),
        np.array([49.0, 20000.0, 8732.0, 49.0]),
        np.array([5.6, 37.0, 0.002, -5.6]),
    )
    assert np.isnan(nctdtr(df, delta, t)).any()
    assert_allclose(noncentral_t_probability(t, df, delta), [0, 0, 1, 1], atol=1e-13)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999, 0.99999])
def test_there_is_a_limit_for_every_statistic(confidence):
    t = np.concatenate([[0.0], np.logspace(-5, 9, 60), -np.logspace(-5, 9, 60)])
    df = np.logspace(0, 9, 10)[:, None]
    tail = (1 - confidence) / 2
    with np.errstate(all="raise"):
        low, high = noncentrality_at(1 - tail, t, df), noncentrality_at(tail, t, df)
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
    assert (low < high).all()


def test_what_does_not_exist_is_nan_without_a_warning():
    nan, inf = np.nan, np.inf
    with np.errstate(all="raise"):
        assert np.isnan(
            noncentral_t_probability([nan, 1, 1, inf, 1, 1], [5, nan, 5, 5, 0, 5], [1, 1, nan, 1, 1, inf])
        ).all()
        assert np.isnan(noncentrality_at([0, 1, nan, 0.5, 0.5, 0.5], [1, 1, 1, nan, inf, 1], [5, 5, 5, 5, 5, 0])).all()
        assert noncentrality_at([], [], []).size == 0


def test_a_bracket_without_a_root_has_none():
    one = np.ones(2)
    found = root(lambda x, c: x - c, 0 * one, 5 * one, (np.array([7.0, 3.0]),), np.array([True, True]))
    assert np.isnan(found[0])
    assert found[1] == 3
