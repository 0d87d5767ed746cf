"""The tables, assumptions and results of an audit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

Severity = Literal["", "rounding", "unlikely", "impossible"]
"""The severity of a finding; empty where the numbers agree."""
SEVERITIES: tuple[Severity, ...] = ("impossible", "unlikely", "rounding")
Values = Literal["whole", "binary", "continuous"]

STARS = {1: 0.05, 2: 0.01, 3: 0.001}
"""Stars -> the level below which p is, where the table's caption does not say so."""


@dataclass(frozen=True)
class Settings:
    """The facts that are known of the data behind a table."""

    # what one response's value is: `whole` numbers (ratings), `binary` (0 or 1), `continuous`; None takes whole
    # numbers, and binary ones where means and deviations fit
    values: Values | None = None
    items: int = 1  # how many items a response's mean is taken of
    scale: tuple[int, int] | None = None  # the smallest and the largest possible value
    truncated: bool = False  # numbers were cut off after their last digit instead of rounded
    level: float = 0.95  # the level of confidence of intervals
    one_sided: bool = False  # p values may be one-sided


class Result(NamedTuple):
    """The result of one check of a record."""

    check: str
    severity: Severity  # empty where the numbers agree
    roles: tuple[str, ...]  # the numbers that were looked at
    expected: str = ""  # what would be consistent
    note: str = ""  # what is wrong


def judged(
    check: str,
    ok: bool,  # noqa: FBT001
    roles: tuple[str, ...],
    expected: str,
    note: str,
    *,
    wrong: Severity = "impossible",
) -> Result:
    """Make the result of a check that holds, or does not."""
    return Result(check, "" if ok else wrong, roles, expected, "" if ok else note)


def between(low: Fraction, high: Fraction) -> range:
    """List the whole numbers of an interval, its ends counted in."""
    return range(-(-low.numerator // low.denominator), high.numerator // high.denominator + 1)


class Row(NamedTuple):
    """One row of a printed table, and where it stands."""

    place: str
    cells: list[str]


class Table(NamedTuple):
    """One printed table: headers with what spans them, rows, and the text about it."""

    file: str
    name: str
    headers: list[list[str]]
    rows: list[Row]
    caption: str = ""
