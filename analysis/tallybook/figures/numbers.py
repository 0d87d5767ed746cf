"""Numbers in figures: on axes and in words."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

MINUS = "\u2212"

# Axes whose largest number is smaller or larger than these have scientific notation.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e7


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Write the numbers at ticks with the same decimals, as few as tell them apart."""
    from mizani.labels import label_number

    if not is_plain(min(ticks), max(ticks)):
        return [scientific(tick) for tick in ticks]
    # mizani calls the typographic minus sign a hyphen.
    return list(label_number(style_negative="hyphen")(ticks))


def in_words(value: float, lowest: float, highest: float) -> str:
    """Write a number with the decimals that give the longest of those around it three digits.

    >>> in_words(-0.25, -0.25, 1.5), in_words(71.84, -70.9, 71.84), in_words(-0.0, 0.0, 0.0)
    ('−0.25', '71.8', '0')
    """
    if not is_plain(lowest, highest):
        return scientific(value)
    largest = max(abs(lowest), abs(highest))
    digits = max(2 - math.floor(math.log10(largest)), 0) if largest else 0
    # + 0.0 makes a 0 of -0.0.
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", MINUS)


def is_plain(lowest: float, highest: float) -> bool:
    """Tell whether numbers of this size are written out."""
    largest = max(abs(lowest), abs(highest))
    return largest == 0 or _SMALLEST_PLAIN <= largest < _LARGEST_PLAIN


def scientific(number: float) -> str:
    """Write a number with three digits and, if needed, an exponent.

    >>> scientific(-2.5e9)
    '−2.5e+09'
    """
    return f"{number:.3g}".replace("-", MINUS)
