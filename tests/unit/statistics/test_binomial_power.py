"""Power and detectable proportions of the exact binomial test against R, enumeration, and their own algebra."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.power import detectable_proportion, power_at_proportion
from tallybook.statistics.proportions.binomial import two_sided_p_value
from tests.unit.statistics.frames import quick

METHODS = ("minimum-likelihood", "doubling")
LEVELS = list(itertools.product((0.05, 0.005), (0.5, 0.8)))


def slow_power(p, n, reference, alpha, method):
    """The probabilities of all outcomes with a p-value below alpha, added up."""
    rejected = two_sided_p_value(np.arange(n + 1), n, reference, method) < alpha
    return math.fsum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in np.flatnonzero(rejected).tolist())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("alpha", "power"), LEVELS)
def test_proportions_and_powers_equal_r(oracle, method, alpha, power):
    cells = oracle("power_binomial")
    rows = (cells["alpha"] == alpha) & (cells["power"] == power)
    n, reference, name = cells["n"][rows], cells["reference"][rows], method.replace("-", "_")
    below, above = detectable_proportion(n, reference, alpha=alpha, power=power, method=method)
    assert_allclose(below, cells[f"{name}_below"][rows], rtol=1e-9)
    assert_allclose(above, cells[f"{name}_above"][rows], rtol=1e-9)
    found = power_at_proportion(0.3, n, reference, alpha=alpha, method=method)
    assert_allclose(found, cells[f"{name}_at_0.3"][rows], rtol=1e-9, atol=1e-15)
    assert np.isnan(below).sum() > 5


@quick
@given(
    st.integers(1, 200), st.floats(0, 1), st.floats(0, 1), st.sampled_from([0.2, 0.05, 1e-3]), st.sampled_from(METHODS)
)
def test_power_equals_the_sum_over_all_outcomes(n, p, reference, alpha, method):
    found = power_at_proportion(p, n, reference, alpha=alpha, method=method)
    assert_allclose(found, slow_power(p, n, reference, alpha, method), rtol=1e-9, atol=1e-14)


@quick
@given(st.integers(1, 5000), st.floats(0.001, 0.999), st.sampled_from(LEVELS), st.sampled_from(METHODS))
def test_detectable_proportions_have_the_wanted_power_and_nearer_ones_have_not(n, reference, levels, method):
    alpha, power = levels
    settings = {"alpha": alpha, "method": method}
    for side in detectable_proportion(n, reference, power=power, **settings):
        if np.isnan(side):
            continue
        assert_allclose(power_at_proportion(side, n, reference, **settings), power, rtol=1e-7)
        assert power_at_proportion((side + reference) / 2, n, reference, **settings) < power
    # Without a difference the power is the test's true size.
    assert power_at_proportion(reference, n, reference, **settings) <= alpha * (1 + 1e-9)


@quick
@given(st.integers(1, 500), st.sampled_from([0.5, 0.25, 0.375]), st.sampled_from(METHODS))
def test_failures_are_successes_of_the_other_kind(n, reference, method):
    below, above = detectable_proportion(n, reference, method=method)
    mirrored_below, mirrored_above = detectable_proportion(n, 1 - reference, method=method)
    assert_allclose([below, above], [1 - mirrored_above, 1 - mirrored_below], rtol=1e-9)


def test_a_billion_trials_detect_what_the_normal_approximation_says():
    from scipy.special import ndtri

    n, reference = 10**9, 0.25
    z = -ndtri(0.025) + ndtri(0.8)
    below, above = detectable_proportion(n, reference)
    assert_allclose([reference - below, above - reference], z * np.sqrt(0.1875 / n), rtol=1e-3)


def test_what_does_not_exist_is_nan_without_a_warning():
    nan = np.nan
    with np.errstate(all="raise"):
        assert np.isnan(detectable_proportion([0, nan, 5, 5, 5], [0.5, 0.5, nan, -0.1, 1.1])).all()
        assert np.isnan(power_at_proportion([nan, 1.5, -0.5, 0.5], [5, 5, 5, 0], 0.5)).all()
