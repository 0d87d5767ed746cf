"""Numbers as they are printed."""

from __future__ import annotations

from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.study.presentation import Rounding

_MODES = {"half-even": ROUND_HALF_EVEN, "half-up": ROUND_HALF_UP, "truncate": ROUND_DOWN}
# Wide enough for any double with all of its digits before and seventeen behind the point.
_CONTEXT = Context(prec=400)


def fixed(value: float, digits: int, *, scale: int = 1, rounding: Rounding = "half-even") -> str:
    """A number in fixed notation.

    The number's shortest decimal form is scaled and rounded, so that 0.29 * 100 is 29 and not 28.999999999999996: a
    share k/n whose percentage has few digits is rounded (or truncated) exactly.

    Args:
        value: A finite number.
        digits: Digits after the decimal point.
        scale: What the number is multiplied by.
        rounding: How the last digit is found; `truncate` cuts towards zero.

    Returns:
        The text; zero has no sign.

    >>> fixed(0.29, 2, scale=100, rounding="truncate")
    '29.00'
    >>> fixed(0.125, 2), fixed(0.125, 2, rounding="half-up"), fixed(-0.001, 2)
    ('0.12', '0.13', '0.00')
    """
    scaled = _CONTEXT.multiply(Decimal(repr(float(value))), Decimal(scale))
    rounded = scaled.quantize(Decimal(1).scaleb(-digits), rounding=_MODES[rounding], context=_CONTEXT)
    return f"{abs(rounded) if rounded.is_zero() else rounded:f}"


def stars(p_value: float | None, levels: Mapping[str, float]) -> str:
    """The stars of a p-value.

    Args:
        p_value: The p-value; None where there is none.
        levels: Sign -> the largest p-value that earns it, the most demanding first.

    Returns:
        The first sign that fits; empty without one or without p-value.

    >>> stars(0.001, {"***": 0.001, "**": 0.01, "*": 0.05})
    '***'
    """
    if p_value is None:
        return ""
    return next((sign for sign, largest in levels.items() if p_value <= largest), "")


def scaled(value: float, scale: int) -> float:
    """A number times a scale, correctly rounded from the number's shortest decimal form.

    Args:
        value: A finite number.
        scale: What it is multiplied by.

    Returns:
        The double nearest to the product.

    >>> scaled(0.29, 100)
    29.0
    """
    return float(_CONTEXT.multiply(Decimal(repr(float(value))), Decimal(scale)))
