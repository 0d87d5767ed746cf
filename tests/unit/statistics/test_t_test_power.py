"""Power and detectable effects of t tests against R, pingouin, statsmodels and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.power import detectable_size, power_at_size
from tests.unit.statistics.frames import quick

ALTERNATIVES = st.sampled_from(["two-sided", "greater", "less"])


def test_sizes_and_powers_equal_r(oracle):
    cells = oracle("power_t")
    two = cells["type"] == "two.sample"
    df = np.where(two, 2 * cells["n"] - 2, cells["n"] - 1)
    effective_n = np.where(two, cells["n"] / 2, cells["n"])
    compared = 0
    for alternative, alpha, power in itertools.product(("two-sided", "greater"), (0.05, 0.001), (0.5, 0.8, 0.99)):
        rows = (cells["alternative"] == alternative) & (cells["alpha"] == alpha) & (cells["power"] == power)
        sizes = detectable_size(df[rows], effective_n[rows], alpha=alpha, power=power, alternative=alternative)
        assert_allclose(sizes, cells["detectable"][rows], rtol=1e-9)
        powers = power_at_size(0.3, df[rows], effective_n[rows], alpha=alpha, alternative=alternative)
        assert_allclose(powers, cells["power_at_0.3"][rows], rtol=1e-9)
        compared += rows.sum()
    assert compared == two.size


def test_cohens_tables():
    # Cohen (1988), table 2.3.5 (two-tailed .05): power of n = 64 a group at d = .50 is .80, of n = 26 at d = .80 .81;
    # Faul et al. (2007), G*Power: one sample of 34 at d = .5 has .8078, of 27 at d = .5, one-tailed, .8118.
    assert_allclose(power_at_size([0.5, 0.8], [126, 50], [32, 13]), [0.80, 0.81], atol=5e-3)
    assert_allclose(power_at_size(0.5, 33, 34), 0.8078, atol=5e-5)
    assert_allclose(power_at_size(0.5, 26, 27, alternative="greater"), 0.8118, atol=5e-5)


def test_powers_equal_pingouin_and_statsmodels():
    import pingouin
    from statsmodels.stats.power import TTestIndPower, TTestPower

    for size, n, alpha, alternative in itertools.product(
        (0.2, 0.9), (5, 40, 300), (0.05, 0.01), ("two-sided", "greater")
    ):
        settings = {"alpha": alpha, "alternative": alternative}
        one = power_at_size(size, n - 1, n, **settings)
        two = power_at_size(size, n + 2 * n - 2, n * 2 / 3, **settings)
        assert_allclose(one, pingouin.power_ttest(size, n, contrast="one-sample", **settings), rtol=1e-9)
        assert_allclose(two, pingouin.power_ttest2n(n, 2 * n, size, **settings), rtol=1e-9)
        name = {"two-sided": "two-sided", "greater": "larger"}[alternative]
        for ours, theirs in (
            (one, TTestPower().power(size, n, alpha, alternative=name)),
            (two, TTestIndPower().power(size, n, alpha, ratio=2, alternative=name)),
        ):
            # statsmodels has no number where the power is all but 1.
            assert_allclose(ours, 1.0 if np.isnan(theirs) else theirs, rtol=1e-9)


@quick
@given(
    st.one_of(st.integers(1, 100), st.integers(1, 10**9)),
    st.floats(0.5, 1e9),
    st.floats(1e-6, 0.4),
    st.floats(0.01, 0.99),
    ALTERNATIVES,
)
def test_the_detectable_size_has_the_wanted_power(df, effective_n, alpha, share, alternative):
    power = alpha + share * (1 - alpha)
    size = detectable_size(df, effective_n, alpha=alpha, power=power, alternative=alternative)
    assert (size < 0) == (alternative == "less")
    found = power_at_size(size, df, effective_n, alpha=alpha, alternative=alternative)
    assert_allclose(found, power, rtol=1e-9)
    # Four times the observations: half the size, at the same degrees of freedom.
    assert_allclose(detectable_size(df, 4 * effective_n, alpha=alpha, power=power, alternative=alternative), size / 2)


@quick
@given(st.floats(-3, 3), st.integers(1, 500), st.floats(0.5, 500), st.floats(1e-4, 0.5))
def test_power_is_alpha_without_effect_and_turns_with_its_sign(size, df, effective_n, alpha):
    for alternative in ("two-sided", "greater", "less"):
        none = power_at_size(0.0, df, effective_n, alpha=alpha, alternative=alternative)
        assert_allclose(none, alpha, rtol=1e-11)
    turned = {"two-sided": "two-sided", "greater": "less"}
    for alternative, other in turned.items():
        here = power_at_size(size, df, effective_n, alpha=alpha, alternative=alternative)
        assert here == power_at_size(-size, df, effective_n, alpha=alpha, alternative=other)
    assert power_at_size(size, df, effective_n, alpha=alpha) >= alpha * (1 - 1e-11)


@pytest.mark.slow
def test_a_simulation_has_the_computed_power():
    from scipy import stats

    generator = np.random.default_rng(20250803)
    n, m, trials = 12, 30, 40_000
    size = float(detectable_size(n + m - 2, n * m / (n + m), power=0.8))
    p = stats.ttest_ind(generator.normal(size, 1, (trials, n)), generator.normal(0, 1, (trials, m)), axis=1).pvalue
    assert_allclose((p < 0.05).mean(), 0.8, atol=4 * math.sqrt(0.16 / trials))


# --- settings ---------------------------------------------------------------------------------------------------------


def test_what_does_not_exist_is_nan_without_a_warning():
    nan = np.nan
    with np.errstate(all="raise"):
        assert np.isnan(detectable_size([nan, 5, 0, 5, -1], [5, nan, 5, 0, 5])).all()
        assert np.isnan(power_at_size([nan, 1, 1, 1], [5, nan, 5, 0], [5, 5, nan, 5])).all()
