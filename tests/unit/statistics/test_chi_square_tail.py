"""Logarithms of chi-square tails against R, scipy and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from tallybook.statistics.tails import log_chi_square_tail


def test_the_tail_equals_r(oracle):
    r = oracle("chi_square_tail")
    assert_allclose(log_chi_square_tail(r["statistic"], r["df"]), r["log_tail"], rtol=1e-11)


@pytest.mark.parametrize("df", [1, 2, 3, 7, 40])
def test_the_tail_is_continuous_where_its_computation_changes(df):
    x = np.linspace(800, 1100, 4001)
    steps = np.diff(log_chi_square_tail(x, df))
    slope = -0.5 + (df / 2 - 1) / x  # to first order
    assert_allclose(steps / np.diff(x), (slope[1:] + slope[:-1]) / 2, atol=2e-3)
    assert (np.abs(np.diff(steps)) < 1e-6).all()


def test_two_degrees_of_freedom_have_a_closed_form():
    x = np.array([0.0, 1e-300, 1e-5, 3.0, 1e3, 1e12])
    assert_allclose(log_chi_square_tail(x, 2), -x / 2, rtol=1e-12)


def test_what_does_not_exist_is_nan_without_a_warning():
    with np.errstate(all="raise"):
        found = log_chi_square_tail([-1.0, math.nan, 1.0, 1.0, math.inf], [1, 1, 0, math.nan, 3])
    assert np.isnan(found[:4]).all()
    assert found[4] == -math.inf
