"""What a printed number says of the number that it was rounded from."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.published.audit.numbers import exact, rounded, shown

MODES = {"half-even": ROUND_HALF_EVEN, "half-up": ROUND_HALF_UP, "truncate": ROUND_DOWN}


@pytest.mark.parametrize(
    ("text", "digits", "low", "high", "known"),
    [
        ("0.997", None, "0.9965", "0.9975", 3),
        ("0.12", None, "0.115", "0.125", 2),
        ("0.12", 3, "0.1195", "0.1205", 3),
        ("0", 3, "-0.0005", "0.0005", 3),
        ("0.1234", 3, "0.12335", "0.12345", 4),  # more digits than declared: those that are printed count
        ("-.5", None, "-0.55", "-0.45", 1),
        ("617", None, "616.5", "617.5", 0),
        ("1.398e-17", None, "1.3975e-17", "1.3985e-17", 20),
        ("1.5e+3", None, "1450", "1550", -2),
        ("1.5e+3", 3, "1450", "1550", -2),
    ],
)
def test_bounds(text: str, digits: int | None, low: str, high: str, known: int) -> None:
    found = rounded(text, digits)
    assert found is not None
    assert found[:5] == (text, Fraction(text), Fraction(low), Fraction(high), known)


@pytest.mark.parametrize("text", ["-", "", "n/a", "NaN", "inf", "1_000", "0.5 ", "1/3", "yes", "1e99999", "٣"])
def test_what_is_no_number(text: str) -> None:
    assert rounded(text) is None


@pytest.mark.parametrize(
    ("text", "low", "high"), [("0.2", "0.2", "0.3"), ("-0.2", "-0.3", "-0.2"), ("0.0", "-0.1", "0.1")]
)
def test_a_number_that_was_cut_off(text: str, low: str, high: str) -> None:
    found = rounded(text, rounding="truncate")
    assert found is not None
    assert (found.low, found.high) == (Fraction(low), Fraction(high))


@given(st.decimals(-1000, 1000, places=7), st.integers(0, 5), st.sampled_from(sorted(MODES)))
def test_the_bounds_hold_what_was_rounded(number: Decimal, digits: int, rounding: str) -> None:
    found = rounded(f"{number.quantize(Decimal(1).scaleb(-digits), MODES[rounding]):f}", rounding=rounding)
    assert found is not None
    assert found.low <= Fraction(number) <= found.high
    assert found.high - found.low <= 2 * Fraction(10) ** -digits


def test_numbers_are_exact_and_shown_with_their_digits() -> None:
    assert exact(0.9975) == Fraction(9975, 10000)
    assert exact(1e-5) == Fraction(1, 100000)
    assert shown(Fraction(2, 3), 3) == "0.667"
    assert shown(Fraction(1, 8), 2) == "0.12"
    assert shown(Fraction(-1, 3), 2) == "-0.33"
    assert shown(Fraction(1499), -2) == "1499"
    assert shown(Fraction("1.3811164278935356e-307"), 310) == f"0.{'0' * 306}1381"
