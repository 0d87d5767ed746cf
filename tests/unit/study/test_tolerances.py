"""When a regenerated number is near enough, at the edges of floating-point numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t as student

from tallybook.statistics.tails import log_p_value
from tallybook.study.publication import Tolerance


def tolerance(relative: float, **settings: object) -> Tolerance:
    return Tolerance.model_validate({"tables": ["1"], "relative": relative, "reason": "why"} | settings)


@pytest.mark.parametrize(
    ("printed", "value", "relative", "expected"),
    [
        ("0.3", 0.27, 0.1, True),
        ("0.3", 0.33, 0.1, True),  # the double next to .33 is larger
        ("0.3", 0.33000001, 0.1, False),
        ("-2", -1.99, 0.01, True),
        ("-2", 2.0, 0.5, False),
        ("0", 0.0, 0.5, True),
        ("0", 5e-324, 0.5, False),
        ("1.3811164278935356e-307", 1.3811164278935e-307, 1e-12, True),
        ("1.3811164278935356e-307", 1.3811164e-307, 1e-12, False),
        ("1e308", 1.0000001e308, 1e-6, True),
        ("5.1e-435", 0.0, 0.5, False),
        ("1e-999999999999", 0.0, 0.5, False),
        ("1e999999999999", 1.7e308, 0.5, False),
    ],
)
def test_numbers(printed: str, value: float, relative: float, expected: bool) -> None:
    assert tolerance(relative).allows(printed, value) is expected


@pytest.mark.parametrize(("t", "df"), [(4.2, 4199), (-4.2, 4199), (2.0, 5), (76.39, 33599)])
def test_p_follows_from_t(t: float, df: int) -> None:
    """Just inside and just outside of the p-values of the two farthest t, in the far tail too."""
    for farthest, inwards in ((abs(t) / 0.98, 1 - 1e-6), (abs(t) / 1.02, 1 + 1e-6)):
        for factor, expected in ((inwards, True), (1 / inwards, False)):
            log10 = (log_p_value(farthest * factor, df) / math.log(10)).item()
            printed = f"{10 ** (log10 % 1):.12f}e{math.floor(log10)}"
            assert tolerance(0.02, of="t").allows_p(printed, t, df) is expected
    for printed in ("0", "-0.5"):
        assert not tolerance(0.02, of="t").allows_p(printed, t, df)
    assert not tolerance(0.02, of="t", significant=3).allows_p("0.0", t, df)


@pytest.mark.parametrize(("printed", "found"), [(3.04e-05, 2.3e-05), (7.80e-05, 1.01e-04)])
def test_two_percent_of_t_are_about_four_of_the_logarithm_of_p(printed: float, found: float) -> None:
    t = float(student.isf(found / 2, 1599))
    assert abs(math.log(found / printed)) > 0.02 * abs(math.log(printed))
    assert tolerance(0.02, of="t").allows_p(repr(printed), t, 1599)
    assert not tolerance(0.01, of="t").allows_p(repr(printed), t, 1599)


@pytest.mark.parametrize(
    ("printed", "digits"), [("0.0010", 2), ("1.50e-7", 3), ("120", 3), ("0.000", 1), ("36.24740975506726", 16)]
)
def test_significant_digits(printed: str, digits: int) -> None:
    assert tolerance(0.5, significant=digits).allows(printed, float(printed))
    assert not tolerance(0.5, significant=digits + 1).allows(printed, float(printed))


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_number_is_within_every_tolerance_of_itself(value: float) -> None:
    assert tolerance(1e-15).allows(repr(value), value)


def test_words() -> None:
    assert tolerance(0.02).words == "within 0.02 of the published number: why"
    assert tolerance(1e-9, of="t").words == "its t is within 1e-09 of the published one: why"
