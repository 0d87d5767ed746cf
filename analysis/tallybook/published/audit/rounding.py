"""What a printed number says of the number that it was rounded from, in exact arithmetic."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tallybook.study.presentation import Rounding

_NUMBER = re.compile(r"[+-]?(?:\d+\.?(?P<digits>\d*)|\.(?P<only>\d+))(?:[eE](?P<exponent>[+-]?\d{1,4}))?", re.ASCII)


class Rounded(NamedTuple):
    """A printed number."""

    text: str  # as printed
    value: Fraction  # the number that is printed
    low: Fraction  # the smallest number that is printed so
    high: Fraction  # the largest
    digits: int  # the digits after the point that it is known to


def rounded(text: str, digits: int | None = None, rounding: Rounding = "half-even") -> Rounded | None:
    """Read a printed number and the bounds of what it was rounded from; None if the text is no number.

    >>> rounded("0.12", digits=3)
    Rounded(text='0.12', value=Fraction(3, 25), low=Fraction(239, 2000), high=Fraction(241, 2000), digits=3)
    >>> rounded("-") is None
    True
    """
    number = _NUMBER.fullmatch(text)
    if number is None:
        return None
    own = len(number["digits"] or number["only"] or "") - int(number["exponent"] or 0)
    known = own if digits is None or number["exponent"] else max(own, digits)
    value, unit = Fraction(text), Fraction(10) ** -known
    if rounding != "truncate":
        low, high = value - unit / 2, value + unit / 2
    else:
        low, high = value - (unit if value <= 0 else 0), value + (unit if value >= 0 else 0)
    return Rounded(text, value, low, high, known)


def exact(number: float) -> Fraction:
    """Convert a number of the study file to a fraction, as it is written there.

    >>> exact(0.9975)
    Fraction(399, 400)
    """
    return Fraction(repr(float(number)))


def shown(value: Fraction, digits: int) -> str:
    """Write a number in fixed notation, rounded half to even.

    >>> shown(Fraction(1, 3), 4), shown(Fraction(5, 2), 0), shown(Fraction(-1, 10**6), 2)
    ('0.3333', '2', '0.00')
    """
    places = max(digits, 0)
    return f"{Decimal(round(value * 10**places)).scaleb(-places):f}"
