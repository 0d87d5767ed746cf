"""A validation told to people on a terminal or in a log."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.wording import counted
from tallybook.validation.severity import SEVERITIES, graver

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.validation.grouping import Group
    from tallybook.validation.model import Check, Report

MOST = 5
"""How many groups of a check are told."""


def render(report: Report) -> str:
    """List groups of equal failures, the gravest first, those of a check capped; then the verdict and notes."""
    return "\n".join([*lines(report), verdict(report), *report.notes])


def lines(report: Report, *, only_failing: bool = False) -> list[str]:
    """Get the failures in words."""
    told: list[tuple[int, str]] = []
    left: dict[str, int] = {}
    failing = graver(report.fail_on)
    for group in report.failures.groups(MOST):
        if (group.check == "labels" and report.notes) or (only_failing and group.severity not in failing):
            continue
        told.append((SEVERITIES.index(group.severity), line(group)))
        left[group.check] = left.get(group.check, 0) - group.times
    found = [text for _, text in sorted(told, key=lambda one: one[0])]
    for check in report.checks:
        rest = sum(check.counts.values()) + left.get(check.name, 0)
        if check.name in left and rest > 0:
            found.append(f"... and {rest:,} more of {check.name}; --failures FILE lists each")
    return found


def check_lines(check: Check, groups: Iterable[Group]) -> list[str]:
    """Get the failures of one check in words."""
    told = [group for group in groups if group.check == check.name]
    return [*map(line, told), *left_out(check, told)]


def left_out(check: Check, told: Iterable[Group]) -> list[str]:
    """Write how many failures of a check are not listed."""
    rest = sum(check.counts.values()) - sum(group.times for group in told)
    return [f"... and {rest:,} more"] if rest > 0 else []


def line(group: Group) -> str:
    """Describe a group."""
    number, key = group.first[0]
    parts = [group.place, "" if group.times > 1 else short_key(number, key)]
    parts += [f"column {group.column}" if group.column else "", found_and_expected(group)]
    return f"{group.severity}: {': '.join(part for part in parts if part)}{_where(group)} [{group.check}]"


def short_key(number: int | None, key: str) -> str:
    """Write a record's key without the line, where that is shown already.

    >>> short_key(7, "row 3, line 7"), short_key(7, "row 7"), short_key(7, "line 7, byte 2"), short_key(None, "row 3")
    ('row 3', '', 'byte 2', 'row 3')
    """
    left = key.removesuffix(f"line {number}").removesuffix(", ").removeprefix(f"line {number}, ")
    return "" if left == f"row {number}" else left


def found_and_expected(group: Group) -> str:
    """Write what was found and what was expected."""
    found = f"found {group.value}; " if group.value else ""
    return f"{found}expected {group.expectation}"


def verdict(report: Report) -> str:
    """Write whether the data are valid, and what they hold."""
    numbers = [(report.count(severity), severity) for severity in ("error", "warning")]
    told = ", ".join(counted(number, severity) for number, severity in numbers if number)
    passed, failed = report.words
    return f"{passed}: {report.summary}" if report.is_valid else f"{failed}: {told}; {report.summary}"


def _where(group: Group) -> str:
    if group.times == 1:
        return ""
    named = [key for _, key in group.first if key]
    named += [f"and {group.times - len(named):,} more"] if named and group.times > len(named) else []
    return f" ({group.times:,} times{': ' if named else ''}{'; '.join(named)})"
