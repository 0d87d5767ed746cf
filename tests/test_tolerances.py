"""When a regenerated number is near enough, at the edges of floating-point numbers and of what has a logarithm."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.study.publication import Tolerance
from tallybook.study.tolerances import in_words, is_within


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
    assert is_within(tolerance(relative), printed, value) is expected


@pytest.mark.parametrize(
    ("printed", "value", "expected"),
    [
        ("1e-100", 1e-101, True),
        ("1e-100", 1e-103, False),
        ("100", 103.0, True),
        ("1", 1.0, True),
        ("1", 1.0000001, False),  # the logarithm of 1 is 0
        ("0", 0.5, False),
        ("0.5", 0.0, False),
        ("-0.5", 0.5, False),
        ("5.1e-435", 1e-300, False),
        ("1e400", 1e300, False),
    ],
)
def test_logarithms(printed: str, value: float, expected: bool) -> None:
    assert is_within(tolerance(0.02, of="logarithm"), printed, value) is expected


@pytest.mark.parametrize(
    ("printed", "digits"), [("0.0010", 2), ("1.50e-7", 3), ("120", 3), ("0.000", 1), ("36.24740975506726", 16)]
)
def test_significant_digits(printed: str, digits: int) -> None:
    assert is_within(tolerance(0.5, significant=digits), printed, float(printed))
    assert not is_within(tolerance(0.5, significant=digits + 1), printed, float(printed))


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_a_number_is_within_every_tolerance_of_itself(value: float) -> None:
    assert is_within(tolerance(1e-15), repr(value), value)


def test_words() -> None:
    assert in_words(tolerance(0.02)) == "within 0.02 of the published number: why"
    assert in_words(tolerance(1e-9, of="logarithm")) == (
        "its logarithm is within 1e-09 of the published logarithm: why"
    )
