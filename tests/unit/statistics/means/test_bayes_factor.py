"""The JZS Bayes factor against R's quadrature and published values."""

# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportOperatorIssue=false, reportCallIssue=false
from __future__ import annotations

import math

import pytest
from numpy.testing import assert_allclose

from tallybook.statistics.comparisons.groups import bayes_factor

MEDIUM = math.sqrt(0.5)


def test_log_bayes_factors_equal_r(oracle):
    cells = oracle("bayes_factor")
    for t, n_1, n_2, scale, log_factor in zip(
        *(cells[name].tolist() for name in ("t", "n_1", "n_2", "scale", "log_bf10")), strict=True
    ):
        if not math.isclose(scale, MEDIUM, rel_tol=1e-12):
            continue
        found = bayes_factor(t, n_1 + n_2 - 2 if n_2 else n_1 - 1, n_1, n_2 or None)
        if log_factor > 709:
            assert not math.isfinite(found.estimate)
        else:
            # pingouin's quadrature stops at 1.5e-8 of the integral.
            assert found.estimate == pytest.approx(log_factor, rel=1e-7, abs=1e-7)


def test_published_values():
    # The examples in pingouin's documentation, where JASP and R's BayesFactor gave the same at the scale 0.707.
    assert_allclose(bayes_factor(3.5, 38, 20, 20).effect, 26.743, rtol=1e-3)
    assert_allclose(bayes_factor(3.5, 19, 20).effect, 17.185, rtol=1e-3)
