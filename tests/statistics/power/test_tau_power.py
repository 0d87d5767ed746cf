"""Power and detectable taus against R, Noether's sample size, simulation, and their own algebra."""

from __future__ import annotations

import itertools
import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.core.frame_checks import check
from tallybook.statistics.power.tau import detectable_tau, detectable_taus, power_at_tau, tau_null_error, tau_test_power
from tallybook_schemas.frames import Estimates
from tests.statistics.frames import quick


def checked(estimates):
    return check(estimates.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")


def test_taus_equal_r(oracle):
    cells = oracle("power_tau")
    assert_allclose(tau_null_error(cells["n"]), cells["null_error"], rtol=1e-14)
    for alpha, power, alternative in itertools.product((0.05, 0.001), (0.06, 0.5, 0.8, 0.99), ("two-sided", "greater")):
        rows = (cells["alpha"] == alpha) & (cells["power"] == power)
        taus = detectable_tau(tau_null_error(cells["n"][rows]), alpha=alpha, power=power, alternative=alternative)
        assert_allclose(taus, cells[alternative.replace("-", "_")][rows], rtol=1e-9)
        less = detectable_tau(tau_null_error(cells["n"][rows]), alpha=alpha, power=power, alternative="less")
        assert_allclose(less, -cells["greater"][rows], rtol=1e-9)


def test_for_many_observations_it_is_noethers_sample_size():
    # Noether (1987), section 4: n = 4 (z_alpha + z_beta)² / (9 tau²), one-sided.
    from scipy.special import ndtri

    z = ndtri(0.95) + ndtri(0.8)
    n = 10**8
    tau = detectable_tau(tau_null_error(n), alternative="greater")
    assert_allclose(4 * z**2 / (9 * tau**2), n, rtol=1e-7)


@pytest.mark.slow
def test_a_simulated_tau_has_at_least_the_wanted_power():
    from scipy import stats

    generator = np.random.default_rng(20250804)
    n, trials = 50, 4000
    tau = float(detectable_tau(tau_null_error(n)))
    r = math.sin(math.pi * tau / 2)  # Greiner's relation of a bivariate normal distribution
    x = generator.normal(size=(trials, n))
    y = r * x + math.sqrt(1 - r * r) * generator.normal(size=(trials, n))
    p = np.array([stats.kendalltau(*pair, method="asymptotic").pvalue for pair in zip(x, y, strict=True)])
    # The approximation leaves out that the standard error shrinks with the association.
    assert 0.79 < (p < 0.05).mean() < 0.84


def test_ties_bring_their_own_standard_error():
    cells = pl.DataFrame({"cell": ["a", "b", "c"], "n": [50, 50, 0], "null_std_error": [0.2, None, None]})
    rows = checked(detectable_taus(cells, ["cell"])).select("estimate", "status").rows()
    assert rows == [(pytest.approx(2.80158 * 0.2, rel=1e-5), "ok"), (None, "undetectable"), (None, "no-data")]


def test_small_cells_detect_no_tau():
    cells = pl.DataFrame({"cell": ["none", "one", "two", "five", "nine"], "n": [0, 1, 2, 5, 9]})
    rows = checked(detectable_taus(cells, ["cell"])).iter_rows(named=True)
    assert [row["status"] for row in rows] == ["no-data", "undetectable", "undetectable", "undetectable", "ok"]


@quick
@given(
    st.floats(0.01, 0.5), st.floats(1e-4, 0.4), st.floats(0.01, 0.99), st.sampled_from(["two-sided", "greater", "less"])
)
def test_the_detectable_tau_has_the_wanted_power(error, alpha, share, alternative):
    power = alpha + share * (1 - alpha)
    tau = detectable_tau(error, alpha=alpha, power=power, alternative=alternative)
    if not np.isnan(tau):
        assert (tau < 0) == (alternative == "less")
        assert_allclose(power_at_tau(tau, error, alpha=alpha, alternative=alternative), power, rtol=1e-9)
    assert_allclose(power_at_tau(0.0, error, alpha=alpha, alternative=alternative), alpha, rtol=1e-12)


def test_powers_of_every_kind_of_cell():
    cells = pl.DataFrame({"cell": ["none", "one", "two", "many"], "n": [0, 1, 2, 50]})
    with np.errstate(all="raise"):
        rows = list(checked(tau_test_power(cells, ["cell"], tau=-0.3)).iter_rows(named=True))
    assert [row["status"] for row in rows] == ["no-data", "degenerate", "ok", "ok"]
    assert rows[3]["estimate"] == power_at_tau(-0.3, tau_null_error(50))
    assert (rows[3]["term"], rows[3]["effect"], rows[3]["effect_kind"]) == ("power", -0.3, "kendall_tau")
    assert rows[3]["method"] == "power of a normal test of Kendall's tau, two-sided, with alpha 0.05"


def test_impossible_settings_are_refused():
    for message, settings in (
        ("^alpha is 0: ", {"alpha": 0}),
        ("^power is 1: ", {"power": 1}),
        ("^alternative is 'both': ", {"alternative": "both"}),
    ):
        with pytest.raises(ValueError, match=message):
            detectable_tau(0.1, **settings)
    with pytest.raises(ValueError, match=r"^tau is 1\.5: expected a number between -1 and 1$"):
        tau_test_power(pl.DataFrame({"n": [5]}), [], tau=1.5)


def test_what_does_not_exist_is_nan_without_a_warning():
    nan = np.nan
    with np.errstate(all="raise"):
        assert np.isnan(detectable_tau([nan, 0, -1, 2])).all()
        assert np.isnan(power_at_tau([nan, 0.1, 0.1], [0.1, nan, 0])).all()
        assert np.isnan(tau_null_error([nan, 0, 1])).all()
