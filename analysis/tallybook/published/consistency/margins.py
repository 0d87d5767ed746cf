"""Checks of printed numbers that others make up: sums, and means in the margins of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.published.audit.numbers import exact, shown
from tallybook.published.consistency.listing import (
    Finding,
    UntestedError,
    implied_size,
    mean_of,
    size_of,
    source_of,
    weighted_mean,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from fractions import Fraction

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.consistency.listing import Bounds, Cell, Interval, Listing
    from tallybook.study.printed_checks import MarginCheck, SumCheck, WeightedMarginCheck


def check_sums(check: SumCheck, listing: Listing, over: Sequence[str]) -> Iterator[Finding]:
    """Check that numbers of each row (or column) add up."""
    selected = [(*key[:3], key[3]) for key in listing.numbers(check) if _crossing(check.along, key[:3]) in over]
    total = f"{check.total:g}"
    for *line, statistic in dict.fromkeys((*_at(check.along, key[:3], ""), key[3]) for key in selected):
        place = (line[0], line[1], line[2])
        cells = [_at(check.along, place, entry) for entry in over]
        parts = [part for cell in cells if (part := listing.number(check, *cell, statistic)) is not None]
        if len(parts) < len(over):
            yield Finding(*place, statistic, "", total, _incomplete(len(over)), is_tested=False)
            continue
        low, high = sum(part.low for part in parts), sum(part.high for part in parts)
        found = shown(mean_of([part.value for part in parts]) * len(parts), max(part.digits for part in parts))
        note = f"The {len(parts)} numbers add up to {found}, not to {total}: more than rounding explains."
        yield Finding(*place, statistic, found, total, "" if low <= exact(check.total) <= high else note)


def check_margins(check: MarginCheck, listing: Listing, over: Sequence[str]) -> Iterator[Finding]:
    """Check that numbers are the unweighted means of others."""
    for table, row, column, statistic in listing.numbers(check):
        cell = (table, row, column)
        number = listing.number(check, *cell, statistic)
        if _crossing(check.along, cell) in over:
            continue
        *first, name = source_of(check.source, (*cell, statistic))
        cells = [_at(check.along, (first[0], first[1], first[2]), entry) for entry in over]
        parts = [part for other in cells if (part := listing.number(check, *other, name)) is not None]
        if number is None or len(parts) < len(over):
            printed = listing.text(*cell, statistic)
            yield Finding(*cell, statistic, printed, "", _incomplete(len(over)), is_tested=False)
            continue
        bounds = (mean_of([part.low for part in parts]), mean_of([part.high for part in parts]))
        mean = shown(mean_of([part.value for part in parts]), number.digits + 1)
        expected, note = _against(number, bounds, f"The mean of the {len(parts)} numbers is {mean}")
        yield Finding(*cell, statistic, number.text, expected, note)


def check_weighted_margins(check: WeightedMarginCheck, listing: Listing, over: Sequence[str]) -> Iterator[Finding]:
    """Check that estimates are means of others, weighted by the n that their intervals imply."""
    for cell in listing.cells(check):
        if _crossing(check.along, cell) in over:
            continue
        number = listing.number(check, *cell, check.value)
        parts: list[tuple[Interval, Bounds]] = []
        for entry in over:
            other = _at(check.along, cell, entry)
            interval, n = listing.interval(check, *other), size_of(check, *other[1:])
            if interval is not None and n is not None:
                parts.append((interval, _weight(check, interval, n)))
        if number is None or len(parts) < len(over):
            printed = listing.text(*cell, check.value)
            yield Finding(*cell, check.value, printed, "", _incomplete(len(over)), is_tested=False)
            continue
        values = [(interval.value.low, interval.value.high) for interval, _ in parts]
        bounds = weighted_mean(values, [weight for _, weight in parts])
        words = f"The mean of the {len(parts)} numbers, weighted by the n that their intervals imply, is another"
        expected, note = _against(number, bounds, words)
        yield Finding(*cell, check.value, number.text, expected, note)


def _weight(check: WeightedMarginCheck, interval: Interval, n: int) -> Bounds:
    """Get the n of an interval, not above the declared one; any up to it if the width implies none."""
    most = exact(n)
    try:
        low, high = implied_size(interval, exact(check.lowest), exact(check.highest), exact(check.z))
    except UntestedError:
        return exact(0), most
    return min(low, most), most if high is None else min(high, most)


def _against(number: Printed, bounds: Bounds, words: str) -> tuple[str, str]:
    """Compute a margin, and explain it if the printed one differs."""
    low, high = (_outwards(bound, number.digits + 1, up=up) for bound, up in zip(bounds, (False, True), strict=True))
    expected = f"{low} to {high}"
    if bounds[0] <= number.high and number.low <= bounds[1]:
        return expected, ""
    return expected, f"{words} ({expected}, as far as rounding leaves it open), not {number.text}."


def _outwards(bound: Fraction, digits: int, *, up: bool) -> str:
    """Round a bound outwards."""
    unit = exact(10) ** digits
    return shown(-(-bound * unit // 1) / unit if up else (bound * unit // 1) / unit, digits)


def _crossing(along: str, cell: Cell) -> str:
    """Get the column of a cell where columns are run through, else its row."""
    return cell[2] if along == "columns" else cell[1]


def _at(along: str, cell: Cell, entry: str) -> Cell:
    """Get the cell of the same row in another column, or of the same column in another row."""
    return (cell[0], cell[1], entry) if along == "columns" else (cell[0], entry, cell[2])


def _incomplete(number: int) -> str:
    return f"Not all of the {number} numbers that it rests on are listed."
