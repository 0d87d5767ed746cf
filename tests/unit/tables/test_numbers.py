"""Numbers as printed, against exact rational arithmetic."""

from __future__ import annotations

import math
import re
from decimal import MAX_EMAX, MIN_EMIN, Decimal, localcontext
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.study.number_text import fixed, p_value_text, scaled, scientific, stars
from tallybook.study.presentation import PValuePart, Style

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


# --- scientific notation ----------------------------------------------------------------------------------------------

ROUNDINGS = st.sampled_from(["half-even", "half-up", "truncate"])
SCIENTIFIC = re.compile(r"-?[1-9](\.\d+)?e[+-]\d\d+")
NUMBERS = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0, 1, exclude_min=True),
    # Where the last digit is a five, and where a mantissa of nines is rounded up to ten.
    st.builds(lambda m, e: float(f"{m}5e{e}"), st.integers(1, 9999), st.integers(-300, 300)),
    st.builds(lambda n, e: float(f"{'9' * n}e{e}"), st.integers(1, 15), st.integers(-300, 290)),
).filter(bool)


def rounded(value: Fraction, digits: int, rounding: str) -> Fraction:
    """A number rounded to so many digits after the first one, by the definition."""
    size, exponent = abs(value), 0
    while size >= 10:
        size, exponent = size / 10, exponent + 1
    while size < 1:
        size, exponent = size * 10, exponent - 1
    units = size * 10**digits
    match rounding:
        case "half-even":
            whole = round(units)
        case "half-up":
            whole = math.floor(units + Fraction(1, 2))
        case _:
            whole = math.floor(units)
    return Fraction(whole, 10**digits) * Fraction(10) ** exponent * (1 if value > 0 else -1)


@given(NUMBERS, st.integers(0, 16), ROUNDINGS)
def test_scientific_notation_is_exact(value: float, digits: int, rounding: Any) -> None:
    text = scientific(value, digits, rounding=rounding)
    assert SCIENTIFIC.fullmatch(text)
    assert len(text.partition("e")[0].lstrip("-").replace(".", "")) == digits + 1
    assert Fraction(text) == rounded(Fraction(Decimal(repr(value))), digits, rounding)


@pytest.mark.parametrize(
    ("value", "digits", "rounding", "text"),
    [
        (4.7007e-235, 1, "half-even", "4.7e-235"),
        (9.96e-5, 1, "half-even", "1.0e-04"),
        (9.96e-5, 1, "truncate", "9.9e-05"),
        (2.5e-7, 0, "half-even", "2e-07"),
        (2.5e-7, 0, "half-up", "3e-07"),
        (-2.5e-7, 0, "half-up", "-3e-07"),
        (9.5, 0, "half-even", "1e+01"),
        (0.0123456, 3, "truncate", "1.234e-02"),
        (1.0, 2, "half-even", "1.00e+00"),
        (99.99e98, 1, "half-up", "1.0e+100"),
        (5e-324, 0, "half-even", "5e-324"),
        (1.7976931348623157e308, 16, "half-even", "1.7976931348623157e+308"),
        (0.0, 2, "half-even", "0.00e+00"),
        (-0.0, 0, "truncate", "0e+00"),
    ],
)
def test_scientific_notation(value: float, digits: int, rounding: Any, text: str) -> None:
    assert scientific(value, digits, rounding=rounding) == text


@given(st.one_of(st.floats(-1e6, -750), st.floats(-1e9, -1e6)), st.integers(0, 5), ROUNDINGS)
def test_a_number_too_small_for_a_float_is_printed_from_its_logarithm(log: float, digits: int, rounding: Any) -> None:
    with localcontext(prec=60, Emin=MIN_EMIN, Emax=MAX_EMAX):
        exact = Decimal(repr(log)).exp()
        mantissa = rounded(Fraction(exact.scaleb(-exact.adjusted())), digits, rounding)
    text = scientific(0.0, digits, log_value=log, rounding=rounding)
    shown, _, exponent = text.partition("e")
    shift = int(exponent) - exact.adjusted()
    assert shift in {0, 1}  # 1 where the mantissa is rounded up to ten
    assert Fraction(shown) * 10**shift == mantissa
    assert SCIENTIFIC.fullmatch(text)


@given(st.floats(1e-300, 1e-10), st.integers(1, 400))
def test_a_logarithm_gives_the_digits_of_the_number(value: float, tens: int) -> None:
    """The same number times a power of ten has the same digits."""
    mantissa, _, exponent = scientific(0.0, 9, log_value=math.log(value)).partition("e")
    assert float(f"{mantissa}e{exponent}") == pytest.approx(value, rel=1e-9)
    smaller = scientific(0.0, 9, log_value=math.log(value) - tens * math.log(10))
    other, _, lower = smaller.partition("e")
    shift = int(exponent) - tens - int(lower)
    assert float(other) == pytest.approx(float(mantissa) * 10**shift, rel=1e-8)


def test_a_logarithm_is_used_only_where_a_float_has_lost_digits() -> None:
    assert scientific(4.7007e-235, 3, log_value=-1.0) == "4.701e-235"
    assert scientific(2.2250738585072014e-308, 1, log_value=-1.0) == "2.2e-308"
    # Such floats are multiples of 4.9e-324.
    for log, text in ((-743.9, "8.5e-324"), (-744.4, "5.1e-324")):
        assert (scientific(math.exp(log), 1, log_value=log), float(text)) == (text, math.exp(log))


def test_the_smallest_p_values_of_billions_of_responses() -> None:
    assert scientific(0.0, 1, log_value=-2.31e6) == "5.6e-1003221"
    assert scientific(0.0, 1, log_value=-1e9) == "1.2e-434294482"


# --- p-values ---------------------------------------------------------------------------------------------------------


def p_value(value: float, log: float | None = None, rounding: Any = "half-even", **settings: Any) -> str:
    part = PValuePart.model_validate({"statistic": "p", "analysis": "a", "style": "p-value"} | settings)
    return p_value_text(value, log, part, Style(rounding=rounding))


def styled(value: float, log: float | None = None, part: dict[str, Any] | None = None, **style: Any) -> str:
    own = PValuePart.model_validate({"statistic": "p", "analysis": "a", "style": "p-value"} | (part or {}))
    return p_value_text(value, log, own, Style.model_validate(style))


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.0312, None, ".031"), (0.5, None, ".500"), (1.0, None, "> .999"), (0.001, None, ".001"),
        (0.000999, None, "< .001"), (4.7e-235, None, "< .001"), (0.0, None, "< .001"), (0.9996, None, "> .999"),
        (0.994, 2, ".99"), (0.996, 2, "> .99"), (0.004, 2, "< .01"), (0.00005, 4, "< .0001"),
    ],
)  # fmt: skip
def test_p_values_as_the_apa_prints_them(value: float, digits: int | None, printed: str) -> None:
    assert styled(value, None, {"digits": digits}, p_values="apa") == printed
    assert styled(value, None, {"digits": digits, "form": "apa"}) == printed


@given(st.floats(0, 1), st.integers(1, 6))
def test_an_apa_p_value_is_neither_zero_nor_one(value: float, digits: int) -> None:
    text = styled(value, None, {"digits": digits}, p_values="apa")
    assert re.fullmatch(rf"([<>] )?\.\d{{{digits}}}", text)
    assert text != "." + "0" * digits


def test_p_values_as_stars_alone() -> None:
    assert [styled(value, p_values="stars") for value in (0.2, 0.05, 0.0001)] == ["", "*", "***"]
    assert styled(0.08, p_values="stars", stars={"†": 0.1}) == "†"
    assert styled(0.2, None, {"form": "exact"}, p_values="stars") == "0.2000"


def test_exact_p_values_take_the_style_of_numbers() -> None:
    assert styled(0.25, leading_zero=False) == ".2500"
    assert styled(1.2e-7, scientific="power") == "1.2 × 10⁻⁷"
    assert styled(0.0, -1000.0, scientific="power") == "5.1 × 10⁻⁴³⁵"
    assert styled(0.00015, rounding="half-up", leading_zero=False) == ".0002"


@pytest.mark.parametrize(
    ("value", "log", "settings", "text"),
    [
        (0.5, None, {}, "0.5000"),
        (1.0, 0.0, {}, "1.0000"),
        (0.0001, None, {}, "0.0001"),
        (0.00009999, None, {}, "1.0e-04"),
        (0.00001234, None, {"mantissa_digits": 3}, "1.234e-05"),
        (0.00001234, None, {"mantissa_digits": 0}, "1e-05"),
        (0.012345, None, {"digits": 3}, "0.012"),
        (0.00099, None, {"digits": 3}, "9.9e-04"),
        (0.0005, None, {"digits": 3, "scientific_below": 0.0001}, "0.000"),
        (0.04, None, {"scientific_below": 0.05}, "4.0e-02"),
        (0.05, None, {"scientific_below": 0.05}, "0.0500"),
        (1e-300, None, {"scientific_below": 0}, "0.0000"),
        (4.7007e-235, -539.5, {}, "4.7e-235"),
    ],
)
def test_a_p_value(value: float, log: float | None, settings: dict[str, Any], text: str) -> None:
    assert p_value(value, log, **settings) == text


def test_a_p_value_of_zero() -> None:
    """With a logarithm it is too small for a float; without one it is exactly 0."""
    assert p_value(0.0, -1000.0) == "5.1e-435"
    assert p_value(0.0, -1000.0, rounding="truncate") == "5.0e-435"
    assert p_value(0.0, -1000.0, mantissa_digits=4) == "5.0760e-435"
    assert p_value(0.0) == "< 0.0001"
    assert p_value(0.0, digits=2) == "< 0.01"
    assert p_value(0.0, -1000.0, scientific_below=0) == "0.0000"


@pytest.mark.parametrize("digits", range(1, 18))
def test_by_default_notation_is_scientific_where_fixed_would_show_no_digit(digits: int) -> None:
    smallest = float(f"1e-{digits}")
    assert p_value(smallest, digits=digits) == f"0.{'0' * (digits - 1)}1"
    below = math.nextafter(smallest, 0)
    assert p_value(below, digits=digits).endswith(f"e-{digits:02d}")


@given(st.floats(0, 1), st.integers(1, 17), st.integers(0, 16), ROUNDINGS)
def test_a_p_value_is_one_of_both_notations(value: float, digits: int, mantissa_digits: int, rounding: Any) -> None:
    text = p_value(value, None, rounding, digits=digits, mantissa_digits=mantissa_digits)
    if value == 0:
        assert text == f"< {10.0**-digits:.{digits}f}"
    elif Fraction(Decimal(repr(value))) >= Fraction(1, 10**digits):
        assert text == fixed(value, digits, rounding=rounding)
    else:
        assert text == scientific(value, mantissa_digits, rounding=rounding)
