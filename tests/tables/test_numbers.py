"""Numbers as printed, against exact rational arithmetic."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.tables.numbers import fixed, scaled, stars

LEVELS = {"***": 0.001, "**": 0.01, "*": 0.05}


@given(k=st.integers(0, 10_000), n=st.integers(1, 10_000), digits=st.integers(0, 4))
def test_a_percentage_is_truncated_exactly(k: int, n: int, digits: int) -> None:
    k = min(k, n)
    exact = Fraction(100 * 10**digits * k, n)
    cut = exact.numerator // exact.denominator
    assert Fraction(fixed(k / n, digits, scale=100, rounding="truncate")) == Fraction(cut, 10**digits)


@given(k=st.integers(0, 2_000), n=st.integers(1, 2_000))
def test_a_percentage_is_rounded_exactly(k: int, n: int) -> None:
    k = min(k, n)
    exact = Fraction(10_000 * k, n)
    assert Fraction(fixed(k / n, 2, scale=100)) == Fraction(round(exact), 100)
    half_up = (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)
    assert Fraction(fixed(k / n, 2, scale=100, rounding="half-up")) == Fraction(half_up, 100)


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 17))
def test_any_finite_number_is_printed_within_half_a_unit(value: float, digits: int) -> None:
    shown = Fraction(fixed(value, digits))
    assert abs(shown - Fraction(repr(value) if "e" not in repr(value) else value)) <= Fraction(1, 2 * 10**digits) + abs(
        Fraction(value)
    ) * Fraction(1, 2**52)


@pytest.mark.parametrize(
    ("value", "digits", "rounding", "text"),
    [
        (-0.125, 2, "half-even", "-0.12"),
        (-0.125, 2, "half-up", "-0.13"),
        (-0.129, 2, "truncate", "-0.12"),
        (-0.0, 1, "half-even", "0.0"),
        (-0.04, 1, "half-up", "0.0"),
        (0.5, 0, "half-even", "0"),
        (1.5, 0, "half-even", "2"),
        (1e-300, 3, "half-even", "0.000"),
        (2.675, 2, "half-even", "2.68"),
        (12345.0, 0, "truncate", "12345"),
    ],
)
def test_rounding(value: float, digits: int, rounding: str, text: str) -> None:
    assert fixed(value, digits, rounding=rounding) == text


@pytest.mark.parametrize(
    ("p_value", "sign"),
    [(0.0, "***"), (0.001, "***"), (0.00101, "**"), (0.01, "**"), (0.05, "*"), (0.0501, ""), (1.0, ""), (None, "")],
)
def test_stars(p_value: float | None, sign: str) -> None:
    assert stars(p_value, LEVELS) == sign


@given(k=st.integers(0, 500), n=st.integers(1, 500))
def test_a_scaled_share_is_the_nearest_double(k: int, n: int) -> None:
    k = min(k, n)
    assert scaled(k / n, 100) == pytest.approx(100 * k / n, rel=1e-15)
    if (100 * k) % n == 0:
        assert scaled(k / n, 100) == 100 * k // n
