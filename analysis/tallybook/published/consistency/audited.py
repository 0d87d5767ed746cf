"""Printed numbers of one cell against each other: the checks of `tallybook audit`, declared in a study file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.published.audit.auditing import CHECKS, audit_records, shown
from tallybook.published.audit.numbers import parse
from tallybook.published.audit.records import Record
from tallybook.published.audit.roles import of_header
from tallybook.published.audit.settings import SEVERITIES, STARS, Settings
from tallybook.published.consistency.intervals import size_of
from tallybook.published.consistency.listing import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.published.audit.settings import Result
    from tallybook.published.consistency.listing import Listing
    from tallybook.study.printed_checks import AuditCheck


def check_audit(check: AuditCheck, listing: Listing) -> Iterator[Finding]:
    """Check the numbers of each cell against each other, table by table."""
    settings = Settings(check.values, check.items, check.scale, level=check.level, one_sided=check.one_sided)
    failing = SEVERITIES[: SEVERITIES.index(check.fail_on) + 1]
    tables: dict[str, dict[tuple[str, str], Record]] = {}
    for table, row, column, statistic in listing.numbers(check):
        record = tables.setdefault(table, {}).setdefault((row, column), Record("", table, "", row, column))
        named = of_header(statistic.replace("_", " "))
        role = check.roles.get(statistic, named[0] if len(named) == 1 else "ignore")
        number = listing.number(check, table, row, column, statistic)
        printed = parse(listing.text(table, row, column, statistic) or "")
        if role in {"ignore", "name", "value", "label"} or printed is None or role in record.numbers:
            continue
        if number is not None:  # what the check says of digits and the study of rounding
            printed = printed._replace(low=number.low, high=number.high, digits=number.digits)
        record.numbers[role] = printed
        record.columns[role] = statistic
    for cells in tables.values():
        for (row, column), record in cells.items():
            n = size_of(check, row, column)
            if n is not None and (size := parse(str(n))) is not None:
                record.numbers.setdefault("n", size)
        has_stars = any(number.stars for record in cells.values() for number in record.numbers.values())
        for record, result in audit_records(list(cells.values()), settings, STARS if has_stars else {}):
            yield _finding(record, result, is_violated=result.severity in failing)


def _finding(record: Record, result: Result, *, is_violated: bool) -> Finding:
    """Say what a check of one cell found; what is not strong enough holds."""
    names = list(dict.fromkeys(record.columns[role] for role in result.roles if role in record.columns))
    said = f"{result.note} ({result.check}, {result.severity})" if result.severity else ""
    return Finding(
        record.table,
        record.row,
        record.column,
        names[0] if len(names) == 1 else "",
        shown(record, result),
        result.expected if is_violated else CHECKS[result.check],
        said if is_violated else "",
    )
