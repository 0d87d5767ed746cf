"""Checks of single printed numbers and single printed intervals."""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import Field

from tallybook.published.audit.numbers import Printed, exact, shown
from tallybook.published.consistency.listing import (
    Finding,
    Interval,
    Key,
    Listing,
    UntestedError,
    implied_size,
    largest_variance,
    named,
)
from tallybook.study.base import Declaration
from tallybook.study.printed import PrintedCheck
from tallybook.study.publication import Selector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from fractions import Fraction

Judged = tuple[str, str]
"""The expected number, and a description of the fault; an empty description if the numbers agree."""


_Printed = TypeVar("_Printed", Printed, Interval)


def _judged(
    key: Key, found: _Printed | None, judge: Callable[[_Printed], Judged], printed: str, absent: str
) -> Finding:
    """Return the finding for a number or interval, untested if it, or another number needed, is not printed."""
    if found is None:
        return Finding(*key, printed, "", absent, is_tested=False)
    try:
        return Finding(*key, found.text, *judge(found))
    except UntestedError as untested:
        return Finding(*key, found.text, "", str(untested), is_tested=False)


class NumberCheck(PrintedCheck, Selector):
    """A check of single numbers."""

    statistics: tuple[str, ...] = Field(min_length=1)
    """The numbers that are checked, by their names in the list of published numbers."""

    def findings(self, listing: Listing) -> Iterator[Finding]:
        """Yield a finding for every number that the check applies to."""
        for key in listing.numbers(self):
            number = listing.number(self, key)
            judge = partial(self.judge, listing=listing, key=key)
            yield _judged(key, number, judge, listing.text(key), "No number is printed.")

    def judge(self, number: Printed, listing: Listing, key: Key) -> Judged:
        """Return the expected number, and the fault if there is one."""
        raise NotImplementedError


class RangeCheck(NumberCheck):
    """The numbers are between two limits."""

    kind: Literal["range"]
    lowest: float = 0
    """The smallest number allowed."""
    highest: float = 1
    """The largest number allowed."""

    def judge(self, number: Printed, listing: Listing, key: Key) -> Judged:
        expected = f"{self.lowest:g} to {self.highest:g}"
        is_inside = number.high >= exact(self.lowest) and number.low <= exact(self.highest)
        return expected, "" if is_inside else f"{number.text} is not within {expected}."


class WholeCheck(NumberCheck):
    """The numbers are shares of a whole number of responses: share times n is whole."""

    kind: Literal["whole"]
    n: tuple[Annotated[int, Field(ge=1)], ...] = Field(min_length=1)
    """The number of responses, or several possible ones."""

    def judge(self, number: Printed, listing: Listing, key: Key) -> Judged:
        nearest: list[str] = []
        for n in self.n:
            first, last = math.ceil(number.low * n), math.floor(number.high * n)
            if first <= last and first <= n and last >= 0:
                return f"{min(max(round(number.value * n), first, 0), last, n)}/{n}", ""
            nearest.append(f"{min(max(round(number.value * n), 0), n)}/{n}")
        expected = " or ".join(nearest)
        return expected, f"{number.text} is not a share of a whole number of responses; the nearest is {expected}."


class Source(Declaration):
    """The place where a number is printed first; empty settings are those of the place where it is printed again."""

    table: str
    """The table."""
    row: str = ""
    """The row."""
    column: str = ""
    """The column."""
    statistic: str = ""
    """The number of the cell."""

    def of(self, key: Key) -> Key:
        """Return the key under which a number is printed first."""
        return self.table, self.row or key[1], self.column or key[2], self.statistic or key[3]


class RestatedCheck(NumberCheck):
    """Numbers that are printed elsewhere with more digits are the same, rounded."""

    kind: Literal["restated"]
    source: Source
    """The places where they are printed with more digits."""

    def judge(self, number: Printed, listing: Listing, key: Key) -> Judged:
        place = self.source.of(key)
        first = listing.number(self, place)
        if first is None:
            raise UntestedError(f"No such number is listed: {named(place)}.")
        expected = shown(first.value, number.digits)
        note = f"{number.text} is printed here and {first.text} in {named(place)}"
        if number.digits == first.digits:
            return expected, "" if number.value == first.value else f"{note}."
        is_same = number.low <= first.high and first.low <= number.high
        return expected, "" if is_same else f"{note}, which is {expected} at as many digits."


class IntervalCheck(PrintedCheck):
    """A check of estimates and their intervals."""

    value: str = "mean"
    """The name of the estimate in the list of published numbers."""
    low: str = "ci_low"
    """The name of the lower limit of its interval."""
    high: str = "ci_high"
    """The name of the upper limit."""

    def cells(self, listing: Listing) -> list[Key]:
        """Return the cells that the check applies to, in order: keys with an estimate or limit, without statistic."""
        names = {self.value, self.low, self.high}
        return list(dict.fromkeys((*key[:3], "") for key in listing.numbers(self) if key[3] in names))

    def interval(self, listing: Listing, cell: Key) -> Interval | None:
        """Return an estimate with its limits; None if one of the three is not listed, or not a number."""
        keys = ((*cell[:3], name) for name in (self.value, self.low, self.high))
        value, low, high = (listing.number(self, key) for key in keys)
        return None if value is None or low is None or high is None else Interval(value, low, high)

    def findings(self, listing: Listing) -> Iterator[Finding]:
        """Yield a finding for every interval that the check applies to."""
        for cell in self.cells(listing):
            texts = (listing.text((*cell[:3], name)) for name in (self.value, self.low, self.high))
            printed, note = " ".join(filter(None, texts)), "No estimate with two limits is printed."
            yield _judged(cell, self.interval(listing, cell), partial(self.judge, cell=cell), printed, note)

    def judge(self, interval: Interval, cell: Key) -> Judged:
        """Return the expectation for an interval, and the fault if there is one."""
        raise NotImplementedError


class OrderedCheck(IntervalCheck):
    """The estimate is not below its lower limit and not above its upper one."""

    kind: Literal["ordered"]

    def judge(self, interval: Interval, cell: Key) -> Judged:
        value, low, high = interval
        note = ""
        if low.value > high.value:
            note = f"The lower limit {low.text} is above the upper limit {high.text}."
        elif not low.value <= value.value <= high.value:
            note = f"{value.text} is not within its limits {interval.limits}."
        return "lower limit ≤ estimate ≤ upper limit", note


class CentredCheck(IntervalCheck):
    """The estimate is the middle of its interval: for intervals estimate ± z standard errors."""

    kind: Literal["centred"]

    def judge(self, interval: Interval, cell: Key) -> Judged:
        value, low, high = interval
        middle = (low.value + high.value) / 2
        centre = shown(middle, max(low.digits, high.digits) + 1)
        if (low.low + high.low) / 2 <= value.high and value.low <= (low.high + high.high) / 2:
            return centre, ""
        off = shown(abs(value.value - middle), max(low.digits, value.digits, high.digits) + 1)
        apart = f"{off} apart is more than rounding explains"
        return centre, f"The middle of {interval.limits} is {centre}, not {value.text}: {apart}."


class WidthCheck(IntervalCheck):
    """The limits differ: an interval has no width only where all values are the same."""

    kind: Literal["width"]
    alike: tuple[float, ...] = ()
    """The estimates at which all values are the same, for instance the largest possible score."""

    def judge(self, interval: Interval, cell: Key) -> Judged:
        value, low, high = interval
        is_alike = any(value.low <= exact(alike) <= value.high for alike in self.alike)
        note = f"Both limits are printed as {low.text}: an interval without width."
        return "limits that differ", "" if low.value != high.value or is_alike else note


class Places(Declaration):
    """The number of responses behind the cells of some rows and columns."""

    rows: tuple[str, ...] = ()
    """The rows; all if left empty."""
    columns: tuple[str, ...] = ()
    """The columns; all if left empty."""
    n: int = Field(ge=2)
    """The number of responses of each cell."""


class SizedCheck(IntervalCheck):
    """A check of intervals that knows how many responses they rest on."""

    lowest: float = 0
    """The smallest possible value of a response."""
    highest: float = 1
    """The largest possible value of a response."""
    n: tuple[Places, ...] = Field(min_length=1)
    """The number of responses of a cell; the first entry that holds the cell counts."""
    z: float = Field(default=1.96, gt=0)
    """How many standard errors the limits are from the estimate."""

    def _check_itself(self) -> None:
        if self.lowest >= self.highest:
            raise ValueError("'lowest' must be below 'highest'")

    def size(self, cell: Key) -> int:
        """Return the declared number of responses of a cell."""
        for one in self.n:
            if (not one.rows or cell[1] in one.rows) and (not one.columns or cell[2] in one.columns):
                return one.n
        raise UntestedError("The check declares no number of responses for this cell.")

    def implied(self, interval: Interval) -> tuple[Fraction, Fraction | None]:
        """Return bounds for the number of responses that the width of an interval implies."""
        return implied_size(interval, exact(self.lowest), exact(self.highest), exact(self.z))


class SpreadCheck(SizedCheck):
    """The interval is not wider than n values between `lowest` and `highest` can make it."""

    kind: Literal["spread"]

    def judge(self, interval: Interval, cell: Key) -> Judged:
        n, (_, most) = self.size(cell), self.implied(interval)
        _, variance = largest_variance(interval.value, exact(self.lowest), exact(self.highest))
        digits = interval.value.digits + 1
        widest = shown(exact(self.z * math.sqrt(variance / (n - 1))), digits)
        half = shown((interval.high.value - interval.low.value) / 2, digits)
        note = f"Half the width is {half}; {n:,} responses with this mean make it {widest} at most."
        return f"half width ≤ {widest}", note if most is not None and most < n else ""


class SizeCheck(SizedCheck):
    """The n that the interval of a share implies, (value - lowest)(highest - value)(z / half width)² + 1, is at most n.

    The responses have one of two values, `lowest` or `highest`.
    """

    kind: Literal["size"]

    def judge(self, interval: Interval, cell: Key) -> Judged:
        n, (least, _) = self.size(cell), self.implied(interval)
        note = f"An interval so narrow takes at least {math.ceil(least):,} responses; there are at most {n:,}."
        return f"n ≤ {n:,}", note if least > n else ""
