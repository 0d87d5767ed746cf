"""How many responses a printed interval implies, and what that leaves open of weighted means."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.published.audit.numbers import Printed

Bounds = tuple[Fraction, Fraction]
"""The smallest and the largest possible number."""


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

    @property
    def half_width(self) -> Bounds:
        """Half the width of the interval; negative where the limits are the wrong way round."""
        return (self.high.low - self.low.high) / 2, (self.high.high - self.low.low) / 2


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
    narrow, wide = interval.half_width
    if wide <= 0:
        raise ValueError("the limits are the wrong way round")
    least, most = largest_variance(interval.value, lowest, highest)
    return 1 + least * (z / wide) ** 2, (1 + most * (z / narrow) ** 2 if narrow > 0 else None)


def mean_of(numbers: Sequence[Fraction]) -> Fraction:
    """Get the unweighted mean of one or more numbers."""
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
