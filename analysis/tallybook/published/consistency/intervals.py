"""Checks of one printed interval: order, centre, width, and the number of responses that it implies."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallybook.published.audit.numbers import exact, shown
from tallybook.published.consistency.listing import Finding
from tallybook.published.consistency.sizes import implied_size, largest_variance
from tallybook.study.printed_checks import CentredCheck, OrderedCheck, SizeCheck, SpreadCheck, WidthCheck

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.published.consistency.listing import Listing
    from tallybook.published.consistency.sizes import Interval
    from tallybook.study.printed_checks import AuditCheck, SizedCheck

OneInterval = OrderedCheck | CentredCheck | WidthCheck | SpreadCheck | SizeCheck
"""The checks that look at one interval at a time."""


def check_intervals(check: OneInterval, listing: Listing) -> Iterator[Finding]:
    """Check every interval that a check is about."""
    for table, row, column in listing.cells(check):
        interval = listing.interval(check, table, row, column)
        if interval is None:
            texts = [listing.text(table, row, column, name) for name in (check.value, check.low, check.high)]
            printed = " ".join(text for text in texts if text)
            note = "No estimate with two limits is printed."
            yield Finding(table, row, column, "", printed, "", note, is_tested=False)
            continue
        match check:
            case OrderedCheck():
                expected, note = _ordered(interval)
            case CentredCheck():
                expected, note = _centred(interval)
            case WidthCheck():
                expected, note = _has_width(check, interval)
            case SpreadCheck() | SizeCheck():
                yield _sized(check, interval, (table, row, column))
                continue
        yield Finding(table, row, column, "", interval.text, expected, note)


def _ordered(interval: Interval) -> tuple[str, str]:
    low, value, high = interval.low, interval.value, interval.high
    if low.value > high.value:
        note = f"The lower limit {low.text} is above the upper limit {high.text}."
    elif not low.value <= value.value <= high.value:
        note = f"{value.text} is not within its limits {interval.limits}."
    else:
        note = ""
    return "lower limit ≤ estimate ≤ upper limit", note


def _centred(interval: Interval) -> tuple[str, str]:
    low, value, high = interval.low, interval.value, interval.high
    centre = shown((low.value + high.value) / 2, max(low.digits, high.digits) + 1)
    if (low.low + high.low) / 2 <= value.high and value.low <= (low.high + high.high) / 2:
        return centre, ""
    off = shown(abs(value.value - (low.value + high.value) / 2), max(low.digits, value.digits, high.digits) + 1)
    return centre, (
        f"The middle of {interval.limits} is {centre}, not {value.text}: {off} apart is more than rounding explains."
    )


def _has_width(check: WidthCheck, interval: Interval) -> tuple[str, str]:
    low, value, high = interval.low, interval.value, interval.high
    is_alike = any(value.low <= exact(alike) <= value.high for alike in check.alike)
    if low.value != high.value or is_alike:
        return "limits that differ", ""
    return "limits that differ", f"Both limits are printed as {low.text}: an interval without width."


def size_of(check: AuditCheck | SizedCheck, row: str, column: str) -> int | None:
    """Get the number of responses that a cell rests on."""
    fitting = (
        places.n
        for places in check.n
        if (not places.rows or row in places.rows) and (not places.columns or column in places.columns)
    )
    return next(fitting, None)


def _sized(check: SpreadCheck | SizeCheck, interval: Interval, cell: tuple[str, str, str]) -> Finding:
    lowest, highest, z = exact(check.lowest), exact(check.highest), exact(check.z)
    n = size_of(check, *cell[1:])
    if n is None:
        note = "The check declares no number of responses for this cell."
        return Finding(*cell, "", interval.text, "", note, is_tested=False)
    try:
        least, most = implied_size(interval, lowest, highest, z)
    except ValueError:
        note = f"The limits {interval.limits} are the wrong way round: they imply no number of responses."
        return Finding(*cell, "", interval.text, "", note, is_tested=False)
    note = ""
    if isinstance(check, SizeCheck):
        expected = f"n ≤ {n:,}"
        if least > n:
            note = f"An interval so narrow takes at least {math.ceil(least):,} responses; there are at most {n:,}."
    else:
        _, variance = largest_variance(interval.value, lowest, highest)
        widest = shown(exact(check.z * math.sqrt(variance / (n - 1))), interval.value.digits + 1)
        expected = f"half width ≤ {widest}"
        if most is not None and most < n:
            half = shown((interval.high.value - interval.low.value) / 2, interval.value.digits + 1)
            note = f"Half the width is {half}; {n:,} responses with this mean make it {widest} at most."
    return Finding(*cell, "", interval.text, expected, note)
