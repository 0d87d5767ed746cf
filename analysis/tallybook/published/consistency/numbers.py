"""Checks of single printed numbers: range, whole counts, what is printed twice, means of tables."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.published.audit.rounding import exact, shown
from tallybook.published.consistency.listing import Finding, source_of
from tallybook.published.consistency.sizes import mean_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tallybook.published.audit.rounding import Rounded
    from tallybook.published.consistency.listing import Key, Listing
    from tallybook.study.printed_checks import PooledCheck, RangeCheck, RestatedCheck, WholeCheck


def check_numbers(check: RangeCheck | WholeCheck | RestatedCheck, listing: Listing) -> Iterator[Finding]:
    """Check every number that a check is about, each by itself."""
    for key in listing.numbers(check):
        number = listing.number(check, *key)
        if number is None:
            note = "No number is printed."
            yield Finding(*key, listing.text(*key) or "", "", note, is_tested=False)
            continue
        match check.kind:
            case "range":
                expected, note = _in_range(check, number)
            case "whole":
                expected, note = _is_whole(check, number)
            case "restated":
                yield _restated(check, listing, key, number)
                continue
        yield Finding(*key, number.text, expected, note)


def _in_range(check: RangeCheck, number: Rounded) -> tuple[str, str]:
    lowest, highest = exact(check.lowest), exact(check.highest)
    expected = f"{check.lowest:g} to {check.highest:g}"
    is_inside = number.high >= lowest and number.low <= highest
    return expected, "" if is_inside else f"{number.text} is not within {expected}."


def _is_whole(check: WholeCheck, number: Rounded) -> tuple[str, str]:
    nearest: list[str] = []
    for n in check.n:
        first, last = math.ceil(number.low * n), math.floor(number.high * n)
        if first <= last and first <= n and last >= 0:
            return f"{min(max(round(number.value * n), first, 0), last, n)}/{n}", ""
        nearest.append(f"{min(max(round(number.value * n), 0), n)}/{n}")
    expected = " or ".join(nearest)
    return expected, f"{number.text} is not a share of a whole number of responses; the nearest is {expected}."


def _restated(check: RestatedCheck, listing: Listing, key: Key, number: Rounded) -> Finding:
    place = source_of(check.source, key)
    first = listing.number(check, *place)
    if first is None:
        note = f"No such number is listed: {_place(place)}."
        return Finding(*key, number.text, "", note, is_tested=False)
    expected = shown(first.value, number.digits)
    note = f"{number.text} is printed here and {first.text} in {_place(place)}"
    if number.digits == first.digits:
        is_same = number.value == first.value
        note += "."
    else:
        is_same = number.low <= first.high and first.low <= number.high
        note += f", which is {expected} at as many digits."
    return Finding(*key, number.text, expected, "" if is_same else note)


def check_pooled(check: PooledCheck, listing: Listing, regenerated: Mapping[Key, float | None]) -> Iterator[Finding]:
    """Check that the mean of the same number of several tables is a regenerated one."""
    against = check.against
    if not any(table == against.table for table, *_ in regenerated):
        raise UsageError(f"check {check.id!r}: no table {against.table!r} is regenerated")
    tables = ", ".join(check.tables)
    for row, column, statistic in dict.fromkeys(key[1:] for key in listing.numbers(check)):
        numbers = [listing.number(check, table, row, column, statistic) for table in check.tables]
        parts = [number for number in numbers if number is not None]
        place = (against.table, against.row or row, against.column or column, against.statistic or statistic)
        value = regenerated.get(place)
        if value is None or len(parts) < len(numbers):
            note = f"Nothing regenerated in {_place(place)}." if value is None else "Not all tables list the number."
            yield Finding(tables, row, column, statistic, "", "", note, is_tested=False)
            continue
        digits = max(part.digits for part in parts) + 2
        mean, expected = shown(mean_of([part.value for part in parts]), digits), shown(exact(value), digits)
        low, high = mean_of([part.low for part in parts]), mean_of([part.high for part in parts])
        is_same = low <= exact(value) + exact(check.error) and exact(value) - exact(check.error) <= high
        note = f"The mean of the {len(parts)} tables is {mean}; regenerated is {expected}: more than rounding explains."
        yield Finding(tables, row, column, statistic, mean, expected, "" if is_same else note)


def _place(key: Key) -> str:
    return f"table {key[0]} ({', '.join(part for part in key[1:] if part)})"
