"""Power and detectable proportions of the exact binomial test against R, enumeration, and their own algebra."""

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
from tallybook.statistics.power.binomial import (
    binomial_test_power,
    detectable_proportion,
    detectable_proportions,
    power_at_proportion,
)
from tallybook.statistics.proportions.binomial import two_sided_p_value
from tallybook.statistics.proportions.effect_size import cohens_h
from tallybook_schemas.frames import Estimates
from tests.statistics.frames import quick

METHODS = ("minimum-likelihood", "doubling")
LEVELS = list(itertools.product((0.05, 0.005), (0.5, 0.8)))


def checked(estimates):
    return check(estimates.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")


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


def test_estimates_of_every_kind_of_cell():
    cells = pl.DataFrame(
        {
            "cell": ["usual", "empty", "few", "unknown", "impossible", "zero", "one"],
            "n": [50, 0, 3, 50, 50, 50, 50],
            "null_value": [0.25, 0.5, 0.5, None, 1.5, 0.0, 1.0],
        }
    )
    with np.errstate(all="raise"):
        found = checked(detectable_proportions(cells, ["cell"]))
        powers = checked(binomial_test_power(cells, ["cell"], difference=0.2))
    rows = {(row["cell"], row["term"].rpartition("_")[2]): row for row in found.iter_rows(named=True)}
    assert list(rows) == [(cell, side) for cell in cells["cell"] for side in ("increase", "decrease")]
    below, above = detectable_proportion(50, 0.25)
    assert rows["usual", "increase"]["estimate"] == above - 0.25
    assert rows["usual", "decrease"]["estimate"] == below - 0.25
    assert rows["usual", "increase"]["effect"] == cohens_h(above, 0.25)
    statuses = {key: row["status"] for key, row in rows.items() if row["estimate"] is None}
    assert statuses == {
        ("empty", "increase"): "no-data",
        ("empty", "decrease"): "no-data",
        ("few", "increase"): "undetectable",
        ("few", "decrease"): "undetectable",
        ("unknown", "increase"): "no-reference",
        ("unknown", "decrease"): "no-reference",
        ("impossible", "increase"): "no-reference",
        ("impossible", "decrease"): "no-reference",
        ("zero", "decrease"): "undetectable",
        ("one", "increase"): "undetectable",
    }
    assert powers["status"].to_list() == ["ok", "no-data", "ok", "no-reference", "no-reference", "ok", "degenerate"]
    assert powers["estimate"][0] == power_at_proportion(0.45, 50, 0.25)
    assert powers["estimate"][2] == 0
    assert checked(detectable_proportions(cells.clear(), ["cell"])).is_empty()


def test_impossible_settings_are_refused():
    for message, settings in (
        ("^alpha is 0: ", {"alpha": 0}),
        ("^power is 0.05: ", {"power": 0.05}),
        ("^method is 'exact': ", {"method": "exact"}),
    ):
        with pytest.raises(ValueError, match=message):
            detectable_proportion(10, 0.5, **settings)
    with pytest.raises(ValueError, match=r"^difference is 2: "):
        binomial_test_power(pl.DataFrame({"n": [5], "null_value": [0.5]}), [], difference=2)
    with pytest.raises(ValueError, match=r"^trials\[0\] is -1: "):
        detectable_proportion([-1], 0.5)


def test_what_does_not_exist_is_nan_without_a_warning():
    nan = np.nan
    with np.errstate(all="raise"):
        assert np.isnan(detectable_proportion([0, nan, 5, 5, 5], [0.5, 0.5, nan, -0.1, 1.1])).all()
        assert np.isnan(power_at_proportion([nan, 1.5, -0.5, 0.5], [5, 5, 5, 0], 0.5)).all()
