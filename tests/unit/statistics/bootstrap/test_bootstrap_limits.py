"""Limits of bootstrap intervals against R's boot, and their own algebra."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.bootstrap.intervals import limits_of_replicates
from tallybook.statistics.bootstrap.lattice import quantile_levels

INTERVALS = ("percentile", "basic", "bca")


def limits(estimate, replicates, interval="percentile", confidence=0.95, acceleration=0.0):
    rows = np.atleast_2d(np.asarray(replicates, float))
    return limits_of_replicates(
        np.full(rows.shape[0], float(estimate)),
        rows,
        interval=interval,
        confidence=confidence,
        acceleration=np.full(rows.shape[0], acceleration),
    )


@pytest.mark.parametrize("interval", INTERVALS)
def test_limits_equal_r(oracle, interval):
    cells = oracle("bootstrap_limits")
    replicates = np.stack([cells[f"t.{i}"] for i in range(1, 200)], axis=1)
    compared = 0
    for confidence in np.unique(cells["confidence"]):
        rows = cells["confidence"] == confidence
        result = limits_of_replicates(
            cells["estimate"][rows],
            replicates[rows],
            interval=interval,
            confidence=float(confidence),
            acceleration=cells["acceleration"][rows],
        )
        assert_allclose(result.std_error, cells["std_error"][rows], rtol=1e-12)
        assert_allclose(result.low, cells[f"{interval}_low"][rows], rtol=1e-9)
        assert_allclose(result.high, cells[f"{interval}_high"][rows], rtol=1e-9)
        compared += rows.sum()
    assert compared == cells["estimate"].size == 25


VALUES = arrays(np.float64, (2, 39), elements=st.floats(-100, 100, allow_subnormal=False), unique=True)


@pytest.mark.parametrize("interval", INTERVALS)
@given(values=VALUES, estimate=st.floats(-50, 50), acceleration=st.floats(-0.1, 0.1))
def test_a_change_of_sign_mirrors_the_interval(interval, values, estimate, acceleration):
    one = limits(estimate, values, interval, 0.9, acceleration)
    other = limits(-estimate, -values, interval, 0.9, -acceleration)
    assert_allclose(other.low, -one.high, rtol=1e-9, atol=1e-9)
    assert_allclose(other.high, -one.low, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("interval", INTERVALS)
@given(values=VALUES, order=st.permutations(range(39)))
def test_the_order_of_the_replicates_does_not_matter(interval, values, order):
    one, other = limits(0, values, interval), limits(0, values[:, order], interval)
    assert_array_equal(one.low, other.low)
    assert_array_equal(one.high, other.high)


def test_order_statistics_are_counted_from_the_number_of_replicates_and_one():
    result = limits(50, [np.arange(1, 100)], confidence=0.9)
    assert_allclose([result.low[0], result.high[0]], [5, 95], rtol=1e-12)
    # A level beyond the first and the last order statistic takes these.
    result = limits(50, [np.arange(1, 100)], confidence=0.999)
    assert (result.low[0], result.high[0]) == (1, 99)


def test_replicates_that_do_not_exist_leave_no_interval():
    assert np.isnan([*limits(40, [np.append(np.arange(1.0, 101.0), np.nan)])]).all()


def test_ties_with_the_estimate_count_half():
    # 0.1 + 0.2 differs from 0.3 by rounding only. Of 39 replicates 12 are ties and 10 lie below.
    values = np.concatenate([np.linspace(0, 0.25, 10), np.full(12, 0.1 + 0.2), np.linspace(0.4, 1, 17)])
    result = limits(0.3, [values], "bca", 0.8, acceleration=0.02)
    low, high = quantile_levels("bca", 0.8, np.array([(10 + 6) / 39]), np.array([0.02]))
    # A percentile interval whose tail is that level has the same end.
    assert_allclose(result.low, limits(0.3, [values], "percentile", 1 - 2 * float(low[0])).low, rtol=1e-12)
    assert_allclose(result.high, limits(0.3, [values], "percentile", 1 - 2 * float(high[0])).high, rtol=1e-12)


def test_bca_levels_without_bias_and_acceleration_are_those_of_percentile():
    assert_allclose(quantile_levels("bca", 0.95, np.array([0.5]), np.zeros(1)), [[0.025], [0.025]], rtol=1e-14)


def test_bca_stays_at_its_limit_beyond_the_pole():
    low, high = quantile_levels("bca", 0.95, np.array([0.5, 0.5]), np.array([0.6, -0.6]))
    assert high[0] == 0
    assert low[1] == 0
    assert 0 < low[0] < 0.5
    assert 0 < high[1] < 0.5


@pytest.mark.parametrize(("share", "acceleration"), [(0.0, 0.0), (1.0, 0.0), (np.nan, 0.0), (0.5, np.nan)])
def test_bca_without_bias_or_acceleration_does_not_exist(share, acceleration):
    assert np.isnan(quantile_levels("bca", 0.95, np.array([share]), np.array([acceleration]))).all()


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("values", [[3.0] * 40, [np.nan] * 40, [np.inf] * 40, [0.3, 0.1 + 0.2] * 20])
def test_replicates_without_spread_give_no_interval(interval, values):
    with np.errstate(all="raise"):
        assert np.isnan([*limits(values[0], [values], interval)]).all()


def test_an_estimate_that_does_not_exist_has_no_interval():
    assert np.isnan([*limits(np.nan, [np.arange(40)])]).all()
