"""The types of an audit's input and output: tables, assumptions and results."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from fractions import Fraction

Severity = Literal["", "rounding", "unlikely", "impossible"]
"""The severity of a finding; empty if the numbers are consistent."""
SEVERITIES: tuple[Severity, ...] = ("impossible", "unlikely", "rounding")
Values = Literal["whole", "binary", "continuous"]

STARS = {1: 0.05, 2: 0.01, 3: 0.001}
"""Number of stars -> the level that p is below, unless the table's caption defines it."""


@dataclass(frozen=True)
class Settings:
    """Assumptions about the data behind a table."""

    # the values of single responses: `whole` numbers (ratings), `binary` (0 or 1), `continuous`; None assumes whole
    # numbers, and binary ones where means and deviations fit
    values: Values | None = None
    items: int = 1  # the number of items that each response's value is the mean of
    scale: tuple[int, int] | None = None  # the smallest and the largest possible value
    truncated: bool = False  # whether numbers were truncated instead of rounded
    level: float = 0.95  # the confidence level of intervals
    one_sided: bool = False  # whether p-values may be one-sided


class Result(NamedTuple):
    """The result of one check of a record."""

    check: str
    severity: Severity  # empty if the numbers are consistent
    roles: tuple[str, ...]  # the roles of the numbers checked
    expected: str = ""  # the consistent value or range
    note: str = ""  # the inconsistency in a sentence


def judged(
    check: str,
    ok: bool,  # noqa: FBT001
    roles: tuple[str, ...],
    expected: str,
    note: str,
    *,
    wrong: Severity = "impossible",
) -> Result:
    """Return the result of a check, without severity and note if it holds."""
    return Result(check, "" if ok else wrong, roles, expected, "" if ok else note)


def between(low: Fraction, high: Fraction) -> range:
    """Return the whole numbers in a closed interval."""
    return range(-(-low.numerator // low.denominator), high.numerator // high.denominator + 1)


class Row(NamedTuple):
    """One row of a printed table, with its place."""

    place: str
    cells: list[str]


class Table(NamedTuple):
    """One printed table: headers with their spanners, rows, and caption."""

    file: str
    name: str
    headers: list[list[str]]
    rows: list[Row]
    caption: str = ""
