"""Wilson intervals against R and their own algebra."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtri

from analysis.statistics.intervals import wilson

CELLS = st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


def precise_wilson(k: int, n: int, confidence: float) -> tuple[float, float]:
    """The textbook formula in 80 digits, where its cancellation does no harm."""
    with localcontext(prec=80):
        z = Decimal(-float(ndtri((1 - confidence) / 2)))
        f = Decimal(k) / n
        half = z * (f * (1 - f) / n + z * z / (4 * n * n)).sqrt()
        centre = f + z * z / (2 * n)
        scale = 1 + z * z / n
        return float((centre - half) / scale), float((centre + half) / scale)


def test_limits_equal_r(oracle):
    cells = oracle("wilson")
    for confidence in np.unique(cells["confidence"]):
        rows = cells["confidence"] == confidence
        low, high = wilson(cells["successes"][rows], cells["trials"][rows], float(confidence))
        assert_allclose(low, cells["low"][rows], rtol=1e-12)
        assert_allclose(high, cells["high"][rows], rtol=1e-12)


@pytest.mark.parametrize("confidence", [0.05, 0.5, 0.95, 0.999, 1 - 1e-12])
def test_limits_equal_the_textbook_formula(confidence):
    for n in (1, 2, 7, 50, 10**4, 10**9):
        for k in {1, n // 3, n - 1} - {0, n}:
            assert_allclose(wilson(k, n, confidence), precise_wilson(k, n, confidence), rtol=1e-14)


def test_six_digits_of_z_give_six_digits_of_the_limits():
    # As published with the rounded quantile.
    f, n, z = 41 / 50, 50, 1.959964
    centre, half = f + z * z / (2 * n), z * math.sqrt(f * (1 - f) / n + z * z / (4 * n * n))
    expected = (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
    assert_allclose(wilson(41, 50), expected, rtol=1e-7)


@given(CELLS, st.floats(0.01, 0.999999))
def test_the_interval_contains_the_proportion_and_is_symmetric(cell, confidence):
    k, n = cell
    low, high = wilson(k, n, confidence)
    assert 0 <= low <= k / n <= high <= 1
    mirrored_low, mirrored_high = wilson(n - k, n, confidence)
    assert_allclose([low, high], [1 - mirrored_high, 1 - mirrored_low], rtol=0, atol=1e-15)
    assert (low == 0) == (k == 0)
    assert (k == n) <= (high == 1)


@given(CELLS)
def test_more_confidence_is_a_wider_interval(cell):
    low, high = wilson(*cell, 0.9)
    wider_low, wider_high = wilson(*cell, 0.99)
    assert wider_low <= low
    assert high <= wider_high


def test_the_extreme_outcomes_have_exact_limits():
    n = np.array([1, 2, 3, 7, 50, 500, 10**9])
    for confidence in (0.5, 0.8, 0.95, 0.999):
        assert_array_equal(wilson(0, n, confidence)[0], np.zeros(n.size))
        assert_array_equal(wilson(n, n, confidence)[1], np.ones(n.size))


def test_no_trials_have_no_interval():
    with np.errstate(all="raise"):
        low, high = wilson([0, np.nan, 1, 2], [0, 5, np.nan, 4])
    assert_array_equal(np.isnan(low), [True, True, True, False])
    assert_array_equal(np.isnan(high), [True, True, True, False])


def test_impossible_counts_are_named():
    with pytest.raises(ValueError, match=r"^successes\[2\] is 6: expected at most the number of trials, 5$"):
        wilson([1, 2, 6], 5)
    with pytest.raises(ValueError, match=r"^successes\[0\] is -1: "):
        wilson([-1], [5])


@pytest.mark.parametrize("confidence", [0, 1, -0.5, 95, math.nan])
def test_an_impossible_confidence_is_refused(confidence):
    with pytest.raises(ValueError, match=r"^confidence is "):
        wilson(1, 2, confidence)
