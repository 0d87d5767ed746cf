"""Formatting of numbers for print."""

from __future__ import annotations

import re
import sys
from decimal import MAX_EMAX, MIN_EMIN, ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.presentation import PValuePart, Rounding, Style

_MODES = {"half-even": ROUND_HALF_EVEN, "half-up": ROUND_HALF_UP, "truncate": ROUND_DOWN}
# Wide enough for any double with all of its digits before and seventeen behind the point, and for any p-value that is
# known by its logarithm.
_CONTEXT = Context(prec=400, Emin=MIN_EMIN, Emax=MAX_EMAX)


_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_ZERO_BEFORE_POINT = re.compile(r"^(-?)0(?=\.)")

EXACT_DIGITS, APA_DIGITS = 4, 3
"""The default number of digits of p-values: of exact ones, and in APA style."""


def fixed(
    value: float,
    digits: int,
    *,
    scale: int = 1,
    rounding: Rounding = "half-even",
    leading_zero: bool = True,
    grouped: bool = False,
) -> str:
    """Format a number in fixed notation, rounded from its shortest decimal form.

    >>> fixed(0.29, 2, scale=100, rounding="truncate")
    '29.00'
    >>> fixed(0.125, 2), fixed(0.125, 2, rounding="half-up"), fixed(-0.001, 2)
    ('0.12', '0.13', '0.00')
    >>> fixed(-0.25, 2, leading_zero=False), fixed(0.25, 0, leading_zero=False), fixed(-71400.8, 0, grouped=True)
    ('-.25', '0', '-71,401')
    """
    scaled = _CONTEXT.multiply(Decimal(repr(float(value))), Decimal(scale))
    rounded = scaled.quantize(Decimal(1).scaleb(-digits), rounding=_MODES[rounding], context=_CONTEXT)
    text = format(abs(rounded) if rounded.is_zero() else rounded, ",f" if grouped else "f")
    return text if leading_zero else without_leading_zero(text)


def without_leading_zero(text: str) -> str:
    """Remove the zero before the decimal point.

    >>> without_leading_zero("-0.50"), without_leading_zero("10.50")
    ('-.50', '10.50')
    """
    return _ZERO_BEFORE_POINT.sub(r"\1", text)


def scientific(value: float, digits: int, *, log_value: float | None = None, rounding: Rounding = "half-even") -> str:
    """Format a number in scientific notation; `log_value` is used where the value underflows.

    >>> scientific(4.7007e-235, 2), scientific(9.96e-5, 1), scientific(9.96e-5, 1, rounding="truncate")
    ('4.70e-235', '1.0e-04', '9.9e-05')
    >>> scientific(0.0, 1, log_value=-1000.0)
    '5.1e-435'
    """
    exact = Decimal(repr(float(value)))
    if abs(value) < sys.float_info.min and log_value is not None:  # such a float has lost digits, if not all of them
        exact = _CONTEXT.exp(Decimal(repr(float(log_value))))
    # A mantissa that is rounded up to ten moves the exponent.
    unit = Decimal(1).scaleb(exact.adjusted() - digits, _CONTEXT)
    whole = _CONTEXT.plus(exact.quantize(unit, _MODES[rounding], _CONTEXT))
    exponent = 0 if whole.is_zero() else whole.adjusted()
    mantissa = whole.scaleb(-exponent, _CONTEXT).quantize(Decimal(1).scaleb(-digits), _MODES[rounding], _CONTEXT)
    return f"{mantissa:f}e{exponent:+03d}"


def p_value_text(p_value: float, log_p_value: float | None, part: PValuePart, style: Style) -> str:
    """Format a p-value for a table: exact, in APA style, or as stars."""
    match part.form or style.p_values:
        case "stars":
            return stars(p_value, style.stars)
        case "apa":
            sign, text = signed_p_value(p_value, style.rounding, APA_DIGITS if part.digits is None else part.digits)
            return text if sign == "=" else f"{sign} {text}"
        case "exact":
            digits = EXACT_DIGITS if part.digits is None else part.digits
    below = 10.0**-digits if part.scientific_below is None else part.scientific_below
    if p_value >= below or (p_value == 0 and log_p_value is None):
        shown = fixed(p_value, digits, rounding=style.rounding, leading_zero=style.leading_zero)
        # Zeros are printed only if the study file sets `scientific_below`, as to reproduce a paper that prints them.
        zeros = part.value == "p_value" and part.scientific_below is not None
        return shown if zeros else never_zero(shown)
    text = scientific(p_value, part.mantissa_digits, log_value=log_p_value, rounding=style.rounding)
    return power_of_ten(text) if style.scientific == "power" else text


def never_zero(text: str) -> str:
    """Replace a positive number that would be printed as zero by `<` and the smallest number its digits can show.

    >>> never_zero("0.0000"), never_zero(".000"), never_zero("0.0400")
    ('< 0.0001', '< .001', '0.0400')
    """
    return text if {*text} & {*"123456789"} else f"< {text[:-1]}1"


def signed_p_value(value: float, rounding: Rounding = "half-even", digits: int = APA_DIGITS) -> tuple[str, str]:
    """Return the relation sign and the digits of a p-value in APA style.

    Source:
        American Psychological Association (2020). Publication manual (7th ed.), section 6.36.

    >>> signed_p_value(0.0321), signed_p_value(0.0004), signed_p_value(0.9999)
    (('=', '.032'), ('<', '.001'), ('>', '.999'))
    """
    smallest = Decimal(1).scaleb(-digits)
    if value < float(smallest):
        return "<", without_leading_zero(f"{smallest:f}")
    text = fixed(value, digits, rounding=rounding)
    return (
        (">", without_leading_zero(f"{1 - smallest:f}")) if text.startswith("1") else ("=", without_leading_zero(text))
    )


def power_of_ten(text: str) -> str:
    """Format scientific notation as a multiple of a power of ten.

    >>> power_of_ten("4.70e-235"), power_of_ten("5.1e-05")
    ('4.70 × 10⁻²³⁵', '5.1 × 10⁻⁵')
    """
    mantissa, _, exponent = text.partition("e")
    return f"{mantissa} × 10{str(int(exponent)).translate(_SUPERSCRIPTS)}"


def stars(p_value: float | None, levels: Mapping[str, float]) -> str:
    """Return the significance stars of a p-value.

    >>> stars(0.001, {"***": 0.001, "**": 0.01, "*": 0.05})
    '***'
    """
    if p_value is None:
        return ""
    return next((sign for sign, largest in levels.items() if p_value <= largest), "")


def scaled(value: float, scale: int) -> float:
    """Multiply a number by an integer, correctly rounded from its shortest decimal form.

    >>> scaled(0.29, 100)
    29.0
    """
    return float(_CONTEXT.multiply(Decimal(repr(float(value))), Decimal(scale)))
