"""Parsing of printed numbers, with exact bounds of the values that round to them."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tallybook.study.presentation import Rounding

_NUMBER = re.compile(r"[+-]?(?:\d+\.?(?P<digits>\d*)|\.(?P<only>\d+))(?:[eE](?P<exponent>[+-]?\d{1,4}))?", re.ASCII)
_SIMPLE = str.maketrans(
    {"−": "-", "‐": "-", "‑": "-", "–": "-", "—": "-", "\u00a0": " ", "\u2009": " ", "\u202f": " ", "∗": "*", "⁎": "*"}
    | dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))
)
_TEX = (
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|mathit|textit|bm)\s*\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\{,\}"), ","),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\(?:ast|star)\b"), "*"),
    (re.compile(r"\\(?:leq?|leqslant)\b"), "≤"),
    (re.compile(r"\\lt\b"), "<"),
    (re.compile(r"\\(?:pm)\b"), "±"),
    (re.compile(r"\\([%$#&_])"), r"\1"),
    (re.compile(r"\\[,;:! ]"), ""),
    (re.compile(r"[{}$]"), ""),
)
_POWER = re.compile(r"\s*[x×·*]\s*10\s*\^?\s*(?=[+-]?\d)")
_THOUSANDS = re.compile(r"(?<![\d.,])\d{1,3}(?:,\d{3})+(?![\d,])")
NUMBER = r"[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,4})?"
_ONE = re.compile(
    rf"(?:p\s*)?(?P<relation>[<>≤≥=≈~]?)\s*(?P<number>{NUMBER})\s*(?P<percent>%?)\s*\^?(?P<stars>\*{{0,4}})[†‡§a-d]?",
    re.IGNORECASE,
)
# A minus after a digit is a dash between two limits: "1.2-3.4".
_EACH = re.compile(r"(?:[<>≤≥]\s*)?(?:(?<![\d%])[+-])?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,4})?\s*%?\^?\*{0,4}")
LONGEST = 200
"""The maximum length of a cell that is parsed as numbers."""


_MOST_EXPONENT, _MOST_DIGITS = 300, 18
"""The largest exponent, and the largest number of digits before the decimal point, that are plausible in a study."""


class Printed(NamedTuple):
    """A printed number and the bounds of the values that round to it, inclusive."""

    text: str
    value: Fraction
    low: Fraction
    high: Fraction
    digits: int
    relation: str = "="
    is_percent: bool = False
    stars: int = 0

    @property
    def shown(self) -> str:
        """The number with its relation and stars, as printed."""
        return f"{'' if self.relation == '=' else f'{self.relation} '}{self.text}{'*' * self.stars}"

    @property
    def is_whole(self) -> bool:
        """Whether the number is printed as a count, without decimals."""
        return self.digits <= 0 and self.value.denominator == 1 and self.relation == "="

    @property
    def floats(self) -> tuple[float, float]:
        """The bounds as floats."""
        return float(self.low), float(self.high)

    def truncated(self) -> Printed:
        """Return the same number with the bounds for truncation of its last digits instead of rounding."""
        unit = Fraction(10) ** -self.digits
        return self._replace(
            low=self.value - (unit if self.value <= 0 else 0), high=self.value + (unit if self.value >= 0 else 0)
        )


def plain(text: str) -> str:
    """Normalise the notation of numbers: minus signs, powers of ten, TeX, thousands separators."""
    text = text.translate(_SIMPLE)
    if "\\" in text or "{" in text or "$" in text:
        for pattern, replacement in _TEX:
            text = pattern.sub(replacement, text)
    text = _POWER.sub("e", text)
    return _THOUSANDS.sub(lambda found: found[0].replace(",", ""), text).strip()


def rounded(text: str, digits: int | None = None, rounding: Rounding = "half-even") -> Printed | None:
    """Parse a printed number, with the bounds of the values that round to it; None if the text is no number.

    >>> rounded("0.12", digits=3)[:5]
    ('0.12', Fraction(3, 25), Fraction(239, 2000), Fraction(241, 2000), 3)
    >>> rounded("-") is None
    True
    """
    number = _NUMBER.fullmatch(text)
    if number is None or abs(int(number["exponent"] or 0)) > _MOST_EXPONENT:
        return None
    own = len(number["digits"] or number["only"] or "") - int(number["exponent"] or 0)
    known = own if digits is None or number["exponent"] else max(own, digits)
    value, half = Fraction(text), Fraction(10) ** -known / 2
    if abs(value) >= Fraction(10) ** _MOST_DIGITS:
        return None
    printed = Printed(text, value, value - half, value + half, known)
    return printed.truncated() if rounding == "truncate" else printed


def exact(number: float) -> Fraction:
    """Convert a number of the study file to a fraction with its exact decimal value.

    >>> exact(0.9975)
    Fraction(399, 400)
    """
    return Fraction(repr(float(number)))


def shown(value: Fraction, digits: int) -> str:
    """Format a number in fixed notation, rounded half to even.

    >>> shown(Fraction(1, 3), 4), shown(Fraction(5, 2), 0), shown(Fraction(-1, 10**6), 2)
    ('0.3333', '2', '0.00')
    """
    places = max(digits, 0)
    return f"{Decimal(round(value * 10**places)).scaleb(-places):f}"


def parse(text: str) -> Printed | None:
    """Parse a cell that consists of one number; None for any other cell."""
    found = _ONE.fullmatch(plain(text)) if len(text) <= LONGEST else None
    number = rounded(found["number"]) if found else None
    if found is None or number is None:
        return None
    relation = {"≤": "<", "≥": ">", "": "=", "≈": "=", "~": "="}.get(found["relation"], found["relation"])
    text, stars = found["number"] + found["percent"], len(found["stars"])
    return number._replace(text=text, relation=relation, is_percent=bool(found["percent"]), stars=stars)


def all_numbers(text: str) -> list[str]:
    """Return the numbers in a cell, as printed: `3.45 (1.20)` has two."""
    return _EACH.findall(plain(text))
