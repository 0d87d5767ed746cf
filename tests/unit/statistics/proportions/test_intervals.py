"""Intervals of proportions and of their difference against R, exact arithmetic and their own algebra."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.special import ndtri

from tallybook.statistics.proportions.binomial import log_probability_mass, two_sided_p_value
from tallybook.statistics.proportions.intervals import newcombe, proportion_interval


def wilson(k, n, confidence=0.95):
    return proportion_interval(k, n, confidence)


def clopper_pearson(k, n, confidence=0.95):
    return proportion_interval(k, n, confidence, "clopper-pearson")


def jeffreys(k, n, confidence=0.95):
    return proportion_interval(k, n, confidence, "jeffreys")


EVERY = pytest.mark.parametrize("interval", [wilson, clopper_pearson, jeffreys])
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
            assert_allclose(wilson(k, n, confidence), precise_wilson(k, n, confidence), rtol=1e-12)


def test_six_digits_of_z_give_six_digits_of_the_limits():
    # As published with the rounded quantile.
    f, n, z = 41 / 50, 50, 1.959964
    centre, half = f + z * z / (2 * n), z * math.sqrt(f * (1 - f) / n + z * z / (4 * n * n))
    expected = (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)
    assert_allclose(wilson(41, 50), expected, rtol=1e-7)


@EVERY
@given(cell=CELLS, confidence=st.floats(0.01, 0.999999))
def test_the_interval_contains_the_proportion_and_is_symmetric(interval, cell, confidence):
    k, n = cell
    low, high = interval(k, n, confidence)
    # Jeffreys' interval of almost no confidence lies beside a proportion near 0 or 1, where its posterior is skewed.
    assert 0 <= low <= high <= 1
    assert low <= k / n <= high or (interval is jeffreys and confidence < 0.7)
    mirrored_low, mirrored_high = interval(n - k, n, confidence)
    assert_allclose(
        [low, high], [1 - mirrored_high, 1 - mirrored_low], rtol=0, atol=1e-15 if interval is wilson else 2e-14
    )
    assert (low == 0) == (k == 0)
    assert (k == n) <= (high == 1)


@EVERY
@given(cell=CELLS)
def test_more_confidence_is_a_wider_interval(interval, cell):
    low, high = interval(*cell, 0.9)
    wider_low, wider_high = interval(*cell, 0.99)
    assert wider_low <= low
    assert high <= wider_high


@EVERY
def test_the_extreme_outcomes_have_exact_limits(interval):
    n = np.array([1, 2, 3, 7, 50, 500, 10**9])
    for confidence in (0.5, 0.8, 0.95, 0.999):
        assert_array_equal(interval(0, n, confidence)[0], np.zeros(n.size))
        assert_array_equal(interval(n, n, confidence)[1], np.ones(n.size))


@EVERY
def test_no_trials_have_no_interval(interval):
    with np.errstate(all="raise"):
        low, high = interval([0, np.nan, 1, 2], [0, 5, np.nan, 4])
    assert_array_equal(np.isnan(low), [True, True, True, False])
    assert_array_equal(np.isnan(high), [True, True, True, False])


@EVERY
def test_impossible_counts_are_named(interval):
    with pytest.raises(ValueError, match=r"^successes\[2\] is 6: expected at most the number of trials, 5$"):
        interval([1, 2, 6], 5)
    with pytest.raises(ValueError, match=r"^successes\[0\] is -1: "):
        interval([-1], [5])


# --- quantiles of beta distributions ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("interval", "name"), [(clopper_pearson, "exact"), (jeffreys, "jeffreys")])
def test_quantiles_equal_r(oracle, interval, name):
    cells = oracle("proportion_intervals")
    for confidence in np.unique(cells["confidence"]):
        rows = cells["confidence"] == confidence
        limits = interval(cells["successes"][rows], cells["trials"][rows], float(confidence))
        for found, side in zip(limits, ("low", "high"), strict=True):
            # R's own quantiles are off by up to 8e-10 for one success in a billion, scipy's by up to 2e-8.
            assert_allclose(found, cells[f"{name}_{side}"][rows], rtol=2e-8 if name == "exact" else 1e-10)
            few = cells["trials"][rows] < 10**6
            assert_allclose(found[few], cells[f"{name}_{side}"][rows][few], rtol=1e-11)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.999])
@pytest.mark.parametrize("n", [1, 2, 9, 60])
def test_exact_limits_are_where_the_tails_are_half_of_alpha(n, confidence):
    for k in range(n + 1):
        low, high = clopper_pearson(k, n, confidence)
        tail = (1 - confidence) / 2
        if k > 0:
            assert math.fsum(np.exp(log_probability_mass(range(k, n + 1), n, low))) == pytest.approx(tail, rel=1e-12)
        if k < n:
            assert math.fsum(np.exp(log_probability_mass(range(k + 1), n, high))) == pytest.approx(tail, rel=1e-12)


def test_exact_limits_at_a_billion_trials():
    # P(X <= k) is almost exactly Poisson; 60 digits of it by its terms.
    n = 10**9
    for k, confidence in ((0, 0.95), (1, 0.5), (1, 0.999), (5, 0.95), (40, 0.999)):
        high = float(clopper_pearson(k, n, confidence)[1])
        with localcontext(prec=60):
            p = Decimal(high)
            term = total = (1 - p) ** n
            for i in range(1, k + 1):
                term *= Decimal(n - i + 1) / i * p / (1 - p)
                total += term
        assert float(total) == pytest.approx((1 - confidence) / 2, rel=5e-8)


@given(st.integers(1, 10**6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_exact_limits_are_what_doubling_does_not_reject(cell):
    k, n = cell
    for limit, step in zip(clopper_pearson(k, n), (1, -1), strict=True):
        if 0 < limit < 1:
            inside, outside = (float(limit) * (1 + sign * step * 1e-9) for sign in (1, -1))
            assert two_sided_p_value(k, n, inside, "doubling") > 0.05 * (1 - 1e-4)
            assert two_sided_p_value(k, n, outside, "doubling") < 0.05 * (1 + 1e-4)


@given(cell=CELLS, confidence=st.floats(0.01, 0.999))
def test_limits_of_a_uniform_prior_hold_the_tails_of_its_posterior(cell, confidence):
    k, n = cell
    low, high = proportion_interval(k, n, confidence, "uniform")
    posterior, tail = stats.beta(k + 1, n - k + 1), (1 - confidence) / 2
    # The last digits of a limit next to 1 are many in the tail of a billion responses.
    for of_tail, limit in ((posterior.cdf, low), (posterior.sf, high)):
        ends = sorted(of_tail([limit * (1 - 1e-14), limit * (1 + 1e-14)]))
        assert ends[0] * (1 - 1e-6) <= tail <= ends[1] * (1 + 1e-6)


def test_limits_of_a_uniform_prior_are_those_that_benchmarks_print():
    low, high = proportion_interval([44, 0], 50, 0.95, "uniform")
    assert_allclose([low[0], high[0]], [0.761324, 0.942988], atol=5e-7)
    assert low[1] > 0
    assert np.isnan(proportion_interval(0, 0, 0.95, "uniform")).all()


# --- the difference of two proportions --------------------------------------------------------------------------------


def test_newcombe_equals_statsmodels():
    from statsmodels.stats.proportion import confint_proportions_2indep

    k1, n1, k2, n2 = np.array([(7, 50, 9, 60), (0, 5, 5, 5), (1, 10**6, 3, 10**6), (12, 12, 1, 40)]).T
    expected = confint_proportions_2indep(k1, n1, k2, n2, compare="diff", method="newcomb", alpha=0.1)
    assert_allclose(newcombe((k1, n1), (k2, n2), 0.9), expected, rtol=1e-14)


def test_newcombe_equals_r(oracle):
    cells = oracle("newcombe")
    for confidence in np.unique(cells["confidence"]):
        rows = {name: column[cells["confidence"] == confidence] for name, column in cells.items()}
        low, high = newcombe((rows["k1"], rows["n1"]), (rows["k2"], rows["n2"]), float(confidence))
        # Limits near 0 are differences of numbers near 1.
        assert_allclose(low, rows["low"], rtol=1e-9, atol=1e-15)
        assert_allclose(high, rows["high"], rtol=1e-9, atol=1e-15)


def test_newcombe_equals_the_published_limits():
    # Newcombe (1998), table II, method 10.
    published = {
        (56, 70, 48, 80): (0.0524, 0.3339), (9, 10, 3, 10): (0.1705, 0.8090), (6, 7, 2, 7): (0.0582, 0.8062),
        (5, 56, 0, 29): (-0.0381, 0.1926), (0, 10, 0, 20): (-0.1611, 0.2775), (0, 10, 0, 10): (-0.2775, 0.2775),
        (10, 10, 0, 20): (0.6791, 1.0000), (10, 10, 0, 10): (0.6075, 1.0000),
    }  # fmt: skip
    k1, n1, k2, n2 = np.array(list(published)).T
    assert_allclose(np.transpose(newcombe((k1, n1), (k2, n2))), list(published.values()), atol=5.1e-5)


@given(CELLS, CELLS)
def test_newcombe_is_antisymmetric_and_bounded(first, second):
    low, high = newcombe(first, second)
    difference = first[0] / first[1] - second[0] / second[1]
    assert -1 - 1e-15 <= low <= difference <= high <= 1 + 1e-15
    assert_allclose(newcombe(second, first), (-high, -low), rtol=1e-13, atol=1e-15)
