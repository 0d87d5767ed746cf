"""Numbers that may differ a little: printed and regenerated ones as a study allows it, and those of two machines."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from tallybook.study.publication import Tolerance

PLATFORMS = 1e-9
"""By how much, of itself, an unrounded number may differ between platforms: their libraries round the last of 16 digits
otherwise, and what is added up or iterated loses some of them. No digit that anybody prints is as far behind."""
_SMALL = 1e-3
"""Numbers below this are compared as if they were as large: a difference of numbers that are almost equal, or a tail's
probability, has no digits of its own to agree in."""


def is_within(tolerance: Tolerance, printed: str, value: float) -> bool:
    """Whether a regenerated number is as near to a printed one as a tolerance asks.

    |regenerated - printed| ≤ relative · |printed|, of the numbers (the regenerated one in its shortest decimal form,
    in exact arithmetic) or of their natural logarithms.

    Args:
        tolerance: The tolerance.
        printed: A number in fixed or scientific notation.
        value: The regenerated number, unrounded.

    Returns:
        Whether it is. A number printed with too few digits is not, nor one beyond the range of floating-point numbers,
        nor the logarithm of what has none.
    """
    written, published = Decimal(printed), float(printed)
    is_beyond_floats = not math.isfinite(published) or (published == 0 and written != 0)
    if len(written.as_tuple().digits) < tolerance.significant or is_beyond_floats:
        return False
    if tolerance.of == "logarithm":
        if value <= 0 or published <= 0:
            return False
        logarithm = math.log(published)
        return abs(math.log(value) - logarithm) <= tolerance.relative * abs(logarithm)
    exact = Fraction(printed)
    return abs(Fraction(repr(value)) - exact) <= Fraction(repr(tolerance.relative)) * abs(exact)


def in_words(tolerance: Tolerance) -> str:
    """How a number agrees that is within a tolerance.

    Args:
        tolerance: The tolerance.

    Returns:
        A phrase that names the tolerance and its reason.
    """
    of = "its logarithm is " if tolerance.of == "logarithm" else ""
    return f"{of}within {tolerance.relative:g} of the published {tolerance.of}: {tolerance.reason}"


def are_near(first: pl.Expr, second: pl.Expr, relative: float = PLATFORMS) -> pl.Expr:
    """Whether unrounded numbers are the same but for the platform that computed them.

    |x - y| ≤ relative · max(|x|, |y|, 0.001)

    Args:
        first: An expression of numbers.
        second: Another.
        relative: By how much they may differ, of the larger.

    Returns:
        An expression; null where one of them is null.

    >>> pairs = pl.DataFrame({"x": [0.1 + 0.2, 1e-91, 0.0, 0.3], "y": [0.3, 2e-91, 5e-17, 0.3001]})
    >>> pairs.select(are_near(pl.col("x"), pl.col("y"))).to_series().to_list()
    [True, True, True, False]
    """
    size = pl.max_horizontal(first.abs(), second.abs(), pl.lit(_SMALL))
    return (first - second).abs() <= relative * size
