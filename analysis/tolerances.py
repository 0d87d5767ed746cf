"""Printed and regenerated numbers that a study allows to differ a little."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from schemas.study.publication import Tolerance


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
