"""How many responses a printed interval implies, and what that leaves open of weighted means."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.published.audit.rounding import Rounded

Bounds = tuple[Fraction, Fraction]
"""The smallest and the largest possible number."""


class Interval(NamedTuple):
    """A printed estimate with its printed limits."""

    value: Rounded
    low: Rounded
    high: Rounded

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


def largest_variance(value: Rounded, lowest: Fraction, highest: Fraction) -> Bounds:
    """The variance of values that are all `lowest` or `highest`, given their mean: no values between have a larger one.

    (mean - lowest)(highest - mean)

    The smallest and the largest such variance that the mean's rounding leaves open; both 0 for a mean outside.
    """
    ends = [min(max(end, lowest), highest) for end in (value.low, value.high)]
    middle = min(max((lowest + highest) / 2, ends[0]), ends[1])
    variances = [(mean - lowest) * (highest - mean) for mean in (*ends, middle)]
    return min(variances), max(variances)


def implied_size(
    interval: Interval, lowest: Fraction, highest: Fraction, z: Fraction
) -> tuple[Fraction, Fraction | None]:
    """The n of values that are all `lowest` or `highest`, given their mean and its interval.

    The limits are the mean ± z √(variance / (n - 1)), hence n = 1 + variance (z / half width)². For values that may lie
    between, the upper bound is one of their n too.
    """
    narrow, wide = interval.half_width
    if wide <= 0:
        raise ValueError("the limits are the wrong way round")
    least, most = largest_variance(interval.value, lowest, highest)
    return 1 + least * (z / wide) ** 2, (1 + most * (z / narrow) ** 2 if narrow > 0 else None)


def mean_of(numbers: Sequence[Fraction]) -> Fraction:
    """The unweighted mean of one or more numbers."""
    return sum(numbers, Fraction(0)) / len(numbers)


def weighted_mean(values: Sequence[Bounds], weights: Sequence[Bounds]) -> Bounds:
    """The smallest and the largest weighted mean of numbers that are known within bounds, as their weights are.

    The smallest has every value at its lower bound, and the largest weights at the smallest values: a threshold divides
    the sorted values into those with the largest and those with the smallest weight.
    """
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
