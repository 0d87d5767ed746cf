"""Checks of one printed number, or of one printed interval: what is expected, and what is wrong."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallybook.published.audit.numbers import exact, shown
from tallybook.published.consistency.listing import (
    Finding,
    UntestedError,
    implied_size,
    largest_variance,
    size_of,
    source_of,
)
from tallybook.study.printed_checks import IntervalCheck

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.consistency.listing import Interval, Key, Listing
    from tallybook.study.printed_checks import (
        Check,
        RangeCheck,
        RestatedCheck,
        SizeCheck,
        SpreadCheck,
        WholeCheck,
        WidthCheck,
    )

Judged = tuple[str, str]
"""What is expected, and what is wrong; the latter is empty if nothing is."""


def check_each(check: Check, kind: str, listing: Listing) -> Iterator[Finding]:
    """Check every number, or every interval, that a check is about, each by itself."""
    is_interval = isinstance(check, IntervalCheck)
    for key in [(*cell, "") for cell in listing.cells(check)] if is_interval else listing.numbers(check):
        found = listing.interval(check, *key[:3]) if is_interval else listing.number(check, *key)
        if found is None:
            names = (check.value, check.low, check.high) if is_interval else key[3:]
            printed = " ".join(text for name in names if (text := listing.text(*key[:3], name)))
            note = "No estimate with two limits is printed." if is_interval else "No number is printed."
            yield Finding(*key, printed, "", note, is_tested=False)
            continue
        try:
            yield Finding(*key, found.text, *JUDGES[kind](check, found, listing, key))
        except UntestedError as untested:
            yield Finding(*key, found.text, "", str(untested), is_tested=False)


def _range(check: RangeCheck, number: Printed, *_: object) -> Judged:
    lowest, highest = exact(check.lowest), exact(check.highest)
    expected = f"{check.lowest:g} to {check.highest:g}"
    is_inside = number.high >= lowest and number.low <= highest
    return expected, "" if is_inside else f"{number.text} is not within {expected}."


def _whole(check: WholeCheck, number: Printed, *_: object) -> Judged:
    nearest: list[str] = []
    for n in check.n:
        first, last = math.ceil(number.low * n), math.floor(number.high * n)
        if first <= last and first <= n and last >= 0:
            return f"{min(max(round(number.value * n), first, 0), last, n)}/{n}", ""
        nearest.append(f"{min(max(round(number.value * n), 0), n)}/{n}")
    expected = " or ".join(nearest)
    return expected, f"{number.text} is not a share of a whole number of responses; the nearest is {expected}."


def _restated(check: RestatedCheck, number: Printed, listing: Listing, key: Key) -> Judged:
    place = source_of(check.source, key)
    first = listing.number(check, *place)
    if first is None:
        raise UntestedError(f"No such number is listed: {named(place)}.")
    expected = shown(first.value, number.digits)
    note = f"{number.text} is printed here and {first.text} in {named(place)}"
    if number.digits == first.digits:
        return expected, "" if number.value == first.value else f"{note}."
    is_same = number.low <= first.high and first.low <= number.high
    return expected, "" if is_same else f"{note}, which is {expected} at as many digits."


def named(key: Key) -> str:
    """Name the place of a number in a sentence."""
    return f"table {key[0]} ({', '.join(part for part in key[1:] if part)})"


def _ordered(_: IntervalCheck, interval: Interval, *__: object) -> Judged:
    value, low, high = interval
    note = ""
    if low.value > high.value:
        note = f"The lower limit {low.text} is above the upper limit {high.text}."
    elif not low.value <= value.value <= high.value:
        note = f"{value.text} is not within its limits {interval.limits}."
    return "lower limit ≤ estimate ≤ upper limit", note


def _centred(_: IntervalCheck, interval: Interval, *__: object) -> Judged:
    value, low, high = interval
    middle = (low.value + high.value) / 2
    centre = shown(middle, max(low.digits, high.digits) + 1)
    if (low.low + high.low) / 2 <= value.high and value.low <= (low.high + high.high) / 2:
        return centre, ""
    off = shown(abs(value.value - middle), max(low.digits, value.digits, high.digits) + 1)
    return centre, (
        f"The middle of {interval.limits} is {centre}, not {value.text}: {off} apart is more than rounding explains."
    )


def _width(check: WidthCheck, interval: Interval, *_: object) -> Judged:
    value, low, high = interval
    is_alike = any(value.low <= exact(alike) <= value.high for alike in check.alike)
    note = f"Both limits are printed as {low.text}: an interval without width."
    return "limits that differ", "" if low.value != high.value or is_alike else note


def _size(check: SizeCheck, interval: Interval, __: Listing, key: Key) -> Judged:
    n = _declared_size(check, key)
    least, _ = implied_size(interval, exact(check.lowest), exact(check.highest), exact(check.z))
    note = f"An interval so narrow takes at least {math.ceil(least):,} responses; there are at most {n:,}."
    return f"n ≤ {n:,}", note if least > n else ""


def _spread(check: SpreadCheck, interval: Interval, __: Listing, key: Key) -> Judged:
    n, lowest, highest = _declared_size(check, key), exact(check.lowest), exact(check.highest)
    _, most = implied_size(interval, lowest, highest, exact(check.z))
    _, variance = largest_variance(interval.value, lowest, highest)
    digits = interval.value.digits + 1
    widest = shown(exact(check.z * math.sqrt(variance / (n - 1))), digits)
    half = shown((interval.high.value - interval.low.value) / 2, digits)
    note = f"Half the width is {half}; {n:,} responses with this mean make it {widest} at most."
    return f"half width ≤ {widest}", note if most is not None and most < n else ""


def _declared_size(check: SizeCheck | SpreadCheck, key: Key) -> int:
    n = size_of(check, key[1], key[2])
    if n is None:
        raise UntestedError("The check declares no number of responses for this cell.")
    return n


JUDGES: dict[str, Callable[..., Judged]] = {
    "range": _range,
    "whole": _whole,
    "restated": _restated,
    "ordered": _ordered,
    "centred": _centred,
    "width": _width,
    "size": _size,
    "spread": _spread,
}
"""Kind of check -> what judges one number or interval."""
