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
    """Tell whether |regenerated - printed| is within a tolerance, in exact arithmetic on shortest decimal forms."""
    written, published = Decimal(printed), float(printed)
    is_beyond_floats = not math.isfinite(published) or (published == 0 and written != 0)
    if len(written.as_tuple().digits) < tolerance.significant or is_beyond_floats:
        return False
    exact = Fraction(printed)
    most = Fraction(repr(tolerance.relative)) * abs(exact) + Fraction(repr(tolerance.absolute))
    return abs(Fraction(repr(value)) - exact) <= most


def p_is_within(tolerance: Tolerance, printed: str, t: float, df: float) -> bool:
    """Tell whether a printed two-sided p-value is that of a t within a tolerance of the regenerated one.

    |regenerated t - t of the printed p| ≤ relative · |t of the printed p|, hence p(t / (1 - relative)) ≤ printed ≤
    p(t / (1 + relative)), compared as logarithms.

    A p-value printed with too few digits is not, nor one that is not positive.
    """
    from tallybook.statistics.tails import log_p_value

    written = Decimal(printed)
    if len(written.as_tuple().digits) < tolerance.significant or written <= 0:
        return False
    lowest, highest = log_p_value([abs(t) / (1 - tolerance.relative), abs(t) / (1 + tolerance.relative)], df)
    return bool(lowest <= float(written.ln()) <= highest)


def in_words(tolerance: Tolerance) -> str:
    """Describe the tolerance within which a number agrees, and its reason."""
    of, what = ("its t is ", "one") if tolerance.of == "t" else ("", "number")
    if tolerance.absolute:
        return f"no further than {tolerance.absolute:g} from the published number: {tolerance.reason}"
    return f"{of}within {tolerance.relative:g} of the published {what}: {tolerance.reason}"


def are_near(first: pl.Expr, second: pl.Expr, relative: float = PLATFORMS) -> pl.Expr:
    """Tell whether |x - y| ≤ relative · max(|x|, |y|, 0.001); null where one of them is.

    >>> pairs = pl.DataFrame({"x": [0.1 + 0.2, 1e-91, 0.0, 0.3], "y": [0.3, 2e-91, 5e-17, 0.3001]})
    >>> pairs.select(are_near(pl.col("x"), pl.col("y"))).to_series().to_list()
    [True, True, True, False]
    """
    size = pl.max_horizontal(first.abs(), second.abs(), pl.lit(_SMALL))
    return (first - second).abs() <= relative * size
