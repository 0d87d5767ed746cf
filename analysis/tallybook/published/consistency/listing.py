"""The list of published numbers as checks use it, and the type of their findings."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tallybook.published.audit.numbers import Printed, rounded
from tallybook.study.publication import KEY, selects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import polars as pl

    from tallybook.study.model import Study
    from tallybook.study.presentation import Rounding
    from tallybook.study.printed import PrintedCheck

Key = tuple[str, str, str, str]
"""Table, row, column and statistic; the statistic is empty for an estimate together with its limits."""
Bounds = tuple[Fraction, Fraction]
"""The smallest and the largest possible number."""


class UntestedError(ValueError):
    """A number that a check needs is not printed; the message names it."""


class Finding(NamedTuple):
    """The result of a check for one number or one cell."""

    table: str  # the table; several are joined by ", "
    row: str
    column: str  # the column; empty if the finding is about a whole row
    statistic: str  # the number's name; empty if the finding is about an estimate and its limits
    printed: str  # the printed text
    expected: str  # the consistent value or range
    note: str = ""  # the fault, or the reason why it cannot be tested, in a sentence; empty if there is none
    is_tested: bool = True  # whether all numbers that the check needs are printed


class Interval(NamedTuple):
    """A printed estimate with its printed limits."""

    value: Printed
    low: Printed
    high: Printed

    @property
    def text(self) -> str:
        """The three numbers as printed: `0.398 [0.283, 0.513]`."""
        return f"{self.value.text} {self.limits}"

    @property
    def limits(self) -> str:
        """The limits as printed."""
        return f"[{self.low.text}, {self.high.text}]"


class Listing:
    """The published numbers of a study, and the regenerated ones of its other tables."""

    def __init__(self, study: Study, published: pl.DataFrame, cells: pl.DataFrame) -> None:
        """Index the published and the regenerated numbers."""
        self._study = study
        self._rounding: Rounding = study.style.rounding
        self._texts: dict[Key, str] = {(*key,): text for *key, text in published.select(*KEY, "printed").iter_rows()}
        self.regenerated: dict[Key, float | None] = {
            (*key,): value for *key, value in cells.select(*KEY, "value").iter_rows()
        }

    def entries(self, axis: str) -> list[str]:
        """Return the rows or columns of an axis."""
        return [entry for span in self._study.printed.axes[axis] for entry in span.named(self._study.factors)]

    def text(self, key: Key) -> str:
        """Return a number as printed; empty if it is not listed."""
        return self._texts.get(key, "")

    def number(self, check: PrintedCheck, key: Key) -> Printed | None:
        """Return a number with the bounds of its rounding; None if it is not listed, or not a number."""
        return rounded(self.text(key), check.digits, self._rounding)

    def numbers(self, check: PrintedCheck) -> Iterator[Key]:
        """Yield the keys of the numbers that a check applies to, in their order."""
        return (key for key in self._texts if selects(check, dict(zip(KEY, key, strict=True))))


def named(key: Key) -> str:
    """Return the place of a number in words, for use within a sentence."""
    return f"table {key[0]} ({', '.join(part for part in key[1:] if part)})"


def largest_variance(value: Printed, lowest: Fraction, highest: Fraction) -> Bounds:
    """Bound the variance (mean - lowest)(highest - mean) of values at the ends of a scale by the mean's rounding."""
    ends = [min(max(end, lowest), highest) for end in (value.low, value.high)]
    middle = min(max((lowest + highest) / 2, ends[0]), ends[1])
    variances = [(mean - lowest) * (highest - mean) for mean in (*ends, middle)]
    return min(variances), max(variances)


def implied_size(
    interval: Interval, lowest: Fraction, highest: Fraction, z: Fraction
) -> tuple[Fraction, Fraction | None]:
    """Bound the n that an interval mean ± z √(variance / (n - 1)) of values at the ends of a scale implies."""
    narrow = (interval.high.low - interval.low.high) / 2
    wide = (interval.high.high - interval.low.low) / 2
    if wide <= 0:
        raise UntestedError(f"The limits {interval.limits} are the wrong way round: they imply no number of responses.")
    least, most = largest_variance(interval.value, lowest, highest)
    return 1 + least * (z / wide) ** 2, (1 + most * (z / narrow) ** 2 if narrow > 0 else None)


def mean_of(numbers: Sequence[Fraction]) -> Fraction:
    """Return the unweighted mean of one or more numbers."""
    return sum(numbers, Fraction(0)) / len(numbers)


def weighted_mean(values: Sequence[Bounds], weights: Sequence[Bounds]) -> Bounds:
    """Bound the weighted mean of numbers that, like their weights, are known within bounds."""
    smallest = _least([low for low, _ in values], weights)
    largest = -_least([-high for _, high in values], weights)
    return smallest, largest


def _least(values: Sequence[Fraction], weights: Sequence[Bounds]) -> Fraction:
    ordered = sorted(zip(values, weights, strict=True))
    weight = sum((low for _, (low, _) in ordered), Fraction(0))
    total = sum((value * low for value, (low, _) in ordered), Fraction(0))
    means = [total / weight] if weight else []
    for value, (low, high) in ordered:
        weight, total = weight + high - low, total + value * (high - low)
        means += [total / weight] if weight else []
    return min(means)
