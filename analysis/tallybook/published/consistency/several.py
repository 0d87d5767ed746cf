"""Checks of printed numbers that are composed of others: sums, means in a table's margins, means of several tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from pydantic import Field

from tallybook.core.errors import UsageError
from tallybook.published.audit.numbers import exact, shown
from tallybook.published.consistency.listing import Finding, Key, Listing, UntestedError, mean_of, named, weighted_mean
from tallybook.published.consistency.single import NumberCheck, SizedCheck, Source
from tallybook.study.base import Declaration, Identifier, require_declared

if TYPE_CHECKING:
    from collections.abc import Iterator
    from fractions import Fraction

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.consistency.listing import Bounds, Interval
    from tallybook.study.model import Study


class Line(Declaration):
    """Rows or columns whose numbers make up another one."""

    over: Identifier
    """The axis (of `printed.axes`) whose entries make up the number."""
    along: Literal["columns", "rows"] = "rows"
    """Whether these are rows, in the column of each number that is checked, or columns, in its row."""

    def check(self, study: Study, place: str) -> None:
        """Refuse an axis that the study does not declare."""
        require_declared([self.over], study.printed.axes, f"{place}.over", "axis")

    def at(self, key: Key, entry: str) -> Key:
        """Return the key of the number in the same row and another column, or in the same column and another row."""
        table, row, column, statistic = key
        return (table, row, entry, statistic) if self.along == "columns" else (table, entry, column, statistic)

    def is_among(self, key: Key, over: list[str]) -> bool:
        """Return whether a number is one of the components of another."""
        return (key[2] if self.along == "columns" else key[1]) in over


def _incomplete(key: Key, printed: str, expected: str, over: list[str]) -> Finding:
    note = f"Not all of the {len(over)} numbers that it rests on are listed."
    return Finding(*key, printed, expected, note, is_tested=False)


class SumCheck(Line, NumberCheck):
    """Numbers of a row (or column) add up."""

    kind: Literal["sum"]
    along: Literal["columns", "rows"] = "columns"
    """Whether these are columns, added up in each row, or rows."""
    total: float = 1
    """The sum that they add up to."""

    def findings(self, listing: Listing) -> Iterator[Finding]:
        over, total = listing.entries(self.over), f"{self.total:g}"
        for line in dict.fromkeys(self.at(key, "") for key in listing.numbers(self) if self.is_among(key, over)):
            parts = [one for entry in over if (one := listing.number(self, self.at(line, entry))) is not None]
            if len(parts) < len(over):
                yield _incomplete(line, "", total, over)
                continue
            low, high = sum(part.low for part in parts), sum(part.high for part in parts)
            found = shown(mean_of([part.value for part in parts]) * len(parts), max(part.digits for part in parts))
            note = f"The {len(parts)} numbers add up to {found}, not to {total}: more than rounding explains."
            yield Finding(*line, found, total, "" if low <= exact(self.total) <= high else note)


class MarginCheck(Line, NumberCheck):
    """The numbers are the unweighted means of the others in their column (or row)."""

    kind: Literal["margin"]
    source: Source | None = None
    """The place where the others are printed, if not beside the number."""

    def findings(self, listing: Listing) -> Iterator[Finding]:
        over = listing.entries(self.over)
        for key in listing.numbers(self):
            if self.is_among(key, over):
                continue
            number, first = listing.number(self, key), key if self.source is None else self.source.of(key)
            parts = [one for entry in over if (one := listing.number(self, self.at(first, entry))) is not None]
            if number is None or len(parts) < len(over):
                yield _incomplete(key, listing.text(key), "", over)
                continue
            bounds = (mean_of([part.low for part in parts]), mean_of([part.high for part in parts]))
            mean = shown(mean_of([part.value for part in parts]), number.digits + 1)
            yield _of_margin(key, number, bounds, f"The mean of the {len(parts)} numbers is {mean}")


class WeightedMarginCheck(Line, SizedCheck):
    """The estimates are the means of the others in their column (or row), weighted by the n that intervals imply.

    An interval whose width implies no n counts with any n up to the declared one.
    """

    kind: Literal["weighted-margin"]

    def findings(self, listing: Listing) -> Iterator[Finding]:
        over = listing.entries(self.over)
        for cell in self.cells(listing):
            if self.is_among(cell, over):
                continue
            key = (*cell[:3], self.value)
            number = listing.number(self, key)
            parts: list[tuple[Bounds, Bounds]] = []
            for other in (self.at(cell, entry) for entry in over):
                interval = self.interval(listing, other)
                if interval is not None and (weight := self._weight(interval, other)) is not None:
                    parts.append(((interval.value.low, interval.value.high), weight))
            if number is None or len(parts) < len(over):
                yield _incomplete(key, listing.text(key), "", over)
                continue
            bounds = weighted_mean([value for value, _ in parts], [weight for _, weight in parts])
            words = f"The mean of the {len(parts)} numbers, weighted by the n that their intervals imply, is another"
            yield _of_margin(key, number, bounds, words)

    def _weight(self, interval: Interval, cell: Key) -> Bounds | None:
        """Return bounds for the n of an interval, at most the declared one; None if no number is declared."""
        try:
            most = exact(self.size(cell))
        except UntestedError:
            return None
        try:
            low, high = self.implied(interval)
        except UntestedError:
            return exact(0), most
        return min(low, most), most if high is None else min(high, most)


def _of_margin(key: Key, number: Printed, bounds: Bounds, words: str) -> Finding:
    """Compare a printed number with the bounds of a mean, which are printed rounded outwards."""
    low, high = (_outwards(bound, number.digits + 1, up=up) for bound, up in zip(bounds, (False, True), strict=True))
    expected = f"{low} to {high}"
    note = f"{words} ({expected}, as far as rounding leaves it open), not {number.text}."
    return Finding(*key, number.text, expected, "" if bounds[0] <= number.high and number.low <= bounds[1] else note)


def _outwards(bound: Fraction, digits: int, *, up: bool) -> str:
    unit = exact(10) ** digits
    return shown(-(-bound * unit // 1) / unit if up else (bound * unit // 1) / unit, digits)


class PooledCheck(NumberCheck):
    """The unweighted mean of the same number of several tables is a regenerated number of another table."""

    kind: Literal["pooled"]
    against: Source
    """The regenerated number."""
    error: float = Field(default=0, ge=0)
    """How far the regenerated number may be off itself, where its data are approximate."""

    def findings(self, listing: Listing) -> Iterator[Finding]:
        if not any(table == self.against.table for table, *_ in listing.regenerated):
            raise UsageError(f"check {self.id!r}: no table {self.against.table!r} is regenerated")
        for key in dict.fromkeys((", ".join(self.tables), *key[1:]) for key in listing.numbers(self)):
            numbers = [listing.number(self, (table, *key[1:])) for table in self.tables]
            parts = [number for number in numbers if number is not None]
            place = self.against.of(key)
            value = listing.regenerated.get(place)
            if value is None or len(parts) < len(numbers):
                note = f"Nothing regenerated in {named(place)}." if value is None else "Not all tables list the number."
                yield Finding(*key, "", "", note, is_tested=False)
                continue
            digits, off = max(part.digits for part in parts) + 2, exact(self.error)
            mean, expected = shown(mean_of([part.value for part in parts]), digits), shown(exact(value), digits)
            low, high = mean_of([part.low for part in parts]), mean_of([part.high for part in parts])
            is_same = low <= exact(value) + off and exact(value) - off <= high
            of = f"The mean of the {len(parts)} tables is {mean}"
            note = f"{of}; regenerated is {expected}: more than rounding explains."
            yield Finding(*key, mean, expected, "" if is_same else note)
