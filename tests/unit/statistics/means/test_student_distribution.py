"""Tails of Student's t against R, exact arithmetic and their own algebra."""

from __future__ import annotations

import math
from decimal import Decimal, getcontext, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.tails import critical_value, log_p_value
from tests.unit.statistics.frames import quick

ALTERNATIVES = ("two-sided", "greater", "less")
# The arctangent of one over these, added up with these weights, is a quarter of pi (Machin).
MACHIN = ((5, 4), (239, -1))


def arctangent(x: Decimal) -> Decimal:
    """Euler's series for 0 <= x <= 1, to the digits of the context."""
    square = x * x
    ratio = square / (1 + square)
    term = x / (1 + square)
    total, step = term, 1
    while abs(term) > abs(total) * Decimal(10) ** -getcontext().prec:
        term *= ratio * 2 * step / (2 * step + 1)
        total += term
        step += 1
    return total


def log_two_sided(t: float, df: int) -> float:
    """ln P(|T| >= |t|) of a whole number of degrees of freedom, by the finite sums of Abramowitz & Stegun, 26.7.3-4."""
    with localcontext(prec=60 + int(df * max(0.0, math.log10(1 + t * t / df))) + 20):
        x = abs(Decimal(t))
        cosine = df / (df + x * x)
        sine = (1 - cosine).sqrt()
        if df % 2 == 0:
            term = total = Decimal(1)
            for k in range(1, df // 2):
                term *= cosine * (2 * k - 1) / (2 * k)
                total += term
            return float((1 - sine * total).ln())
        term, total = cosine.sqrt(), Decimal(0)
        for k in range(1, (df + 1) // 2):
            total += term
            term *= cosine * (2 * k) / (2 * k + 1)
        pi = 4 * sum(weight * arctangent(Decimal(1) / part) for part, weight in MACHIN)
        ratio = x / Decimal(df).sqrt()
        angle = pi / 2 - arctangent(1 / ratio) if ratio > 1 else arctangent(ratio)
        return float((1 - 2 / pi * (angle + sine * total)).ln())


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_log_p_equals_r(oracle, alternative):
    cells = oracle("student_tail")
    result = log_p_value(cells["t"], cells["df"], alternative)
    expected = cells[alternative.replace("-", "_")]
    # Near ln 1 = 0 only as many digits are left as 1 - p has.
    assert_allclose(result, expected, rtol=1e-13, atol=1e-11)
    assert (expected < -1000).sum() > 30 or alternative == "less"


def test_critical_values_equal_r(oracle):
    cells = oracle("student_critical")
    assert_allclose(critical_value(cells["tail"], cells["df"]), cells["critical"], rtol=1e-13)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 7, 20, 49, 101, 300])
def test_log_p_equals_exact_arithmetic(df):
    for t in (1e-3, 0.3, 1.0, 2.0, 7.5, 20.0, 36.0, 300.0, 1e6):
        assert_allclose(log_p_value(t, df), log_two_sided(t, df), rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize(("df", "t"), [(30, 2.383523e7), (300, 77.67254), (900, 39.81754)])
def test_both_forms_of_the_tail_meet(df, t):
    # Here p passes 1e-200, where the continued fraction takes over.
    around = t * np.linspace(0.98, 1.02, 9)
    result = log_p_value(around, df)
    assert result[0] > np.log(1e-200) > result[-1]
    assert_allclose(result, [log_two_sided(value, df) for value in around], rtol=1e-14)


def test_the_t_of_the_association_study_has_a_finite_log_p():
    # Bai et al. (2025): t = 76.39, df = 33599, p printed as 0.0.
    # R 4.2: print(log(2) + pt(76.39342008909948, 33599, lower.tail = FALSE, log.p = TRUE), digits = 15)
    log_p = log_p_value(76.39342008909948, 33599)
    assert_allclose(log_p, -2695.02741259014, rtol=1e-13)
    assert np.exp(log_p) == 0


@quick
@given(st.floats(-1e6, 1e6), st.floats(1, 1e9))
def test_tails_add_up(t, df):
    both, above, below = (float(log_p_value(t, df, alternative)) for alternative in ALTERNATIVES)
    assert max(both, above, below) <= 0
    assert math.exp(above) + math.exp(below) == pytest.approx(1, abs=1e-12)
    assert both == float(log_p_value(-t, df))
    assert above == float(log_p_value(-t, df, "less"))
    assert min(above, below) == pytest.approx(both - math.log(2), rel=1e-12, abs=1e-15)


@quick
@given(st.floats(1e-6, 0.499), st.floats(1, 1e6))
def test_critical_values_are_exceeded_with_their_probability(tail, df):
    assert_allclose(np.exp(log_p_value(critical_value(tail, df), df, "greater")), tail, rtol=1e-11)


def test_what_does_not_exist_is_nan_without_a_warning():
    with np.errstate(all="raise"):
        result = log_p_value([np.nan, 1, np.inf, -np.inf, 1, 1, 1], [5, np.nan, 5, 5, 0, -1, np.inf])
        critical = critical_value([0, 1, np.nan, 0.1, 0.1], [5, 5, 5, 0, np.nan])
    assert np.isnan(result).all()
    assert np.isnan(critical).all()


def test_no_difference_at_all():
    assert_array_equal(log_p_value([0.0, -0.0], 7), [0.0, 0.0])
    assert not np.signbit(log_p_value(1e300, 7, "less"))  # 0, not -0
    assert_allclose(log_p_value(0.0, 7, "greater"), -math.log(2), rtol=1e-15)
