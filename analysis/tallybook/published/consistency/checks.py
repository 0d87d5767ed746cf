"""Every declared check of printed numbers, and the errata that cover what the checks find."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.published.audit.numbers import exact, shown
from tallybook.published.consistency.judging import check_each, named
from tallybook.published.consistency.listing import Finding, Listing, mean_of
from tallybook.published.consistency.margins import check_margins, check_sums, check_weighted_margins
from tallybook.study.printed_checks import MarginCheck, PooledCheck, SumCheck, WeightedMarginCheck

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tallybook.published.consistency.listing import Key
    from tallybook.study.model import Study
    from tallybook.study.printed_checks import PrintedCheck
    from tallybook.study.publication import Violation


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
            note = f"Nothing regenerated in {named(place)}." if value is None else "Not all tables list the number."
            yield Finding(tables, row, column, statistic, "", "", note, is_tested=False)
            continue
        digits = max(part.digits for part in parts) + 2
        mean, expected = shown(mean_of([part.value for part in parts]), digits), shown(exact(value), digits)
        low, high = mean_of([part.low for part in parts]), mean_of([part.high for part in parts])
        is_same = low <= exact(value) + exact(check.error) and exact(value) - exact(check.error) <= high
        note = f"The mean of the {len(parts)} tables is {mean}; regenerated is {expected}: more than rounding explains."
        yield Finding(tables, row, column, statistic, mean, expected, "" if is_same else note)


CHECKED_SCHEMA = {
    "table": pl.String,
    "row": pl.String,
    "column": pl.String,
    "statistic": pl.String,
    "check": pl.String,
    "printed": pl.String,
    "expected": pl.String,
    "verdict": pl.String,
    "note": pl.String,
    "erratum": pl.String,
}
"""The columns of a frame of checked numbers."""

VERDICTS = ("holds", "erratum", "violated", "untested")
"""What a check makes of a printed number; `erratum` is a violation that the study declares as known."""


def check_printed(study: Study, published: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Check printed numbers for inner consistency, in exact arithmetic: a violation is what no rounding explains.

    Arithmetic is exact: a number is violated only if nothing that is printed so would satisfy the check.

    `cells`: The cells of the regenerated tables, as `tables.layout` gives them; only checks of kind `pooled` need any.

    One row a number (or a cell, a row or a column) and check, in the order of the checks: key, `check`, `printed`,
    `expected`, `verdict` (one of `VERDICTS`), `note` (what is wrong, or why it is not tested) and `erratum` (identifier
    and title of the one that covers it).
    """
    listing = Listing(study, published)
    regenerated: dict[Key, float | None] = {
        (cell["table"], cell["row"], cell["column"], cell["statistic"]): cell["value"]
        for cell in cells.iter_rows(named=True)
    }
    violations = [(erratum, violation) for erratum in study.errata for violation in erratum.violations]
    used: set[int] = set()
    rows: list[tuple[str, ...]] = []
    for check in study.printed.checks:
        findings = list(_findings(study, check, listing, regenerated))
        if not findings:
            raise UsageError(f"check {check.id!r} applies to no published number")
        for found in findings:
            verdict, covering = "holds" if not found.note else "violated" if found.is_tested else "untested", ""
            if verdict == "violated":
                fitting = [place for place, (_, one) in enumerate(violations) if _covers(one, check, found)]
                used.update(fitting)
                if fitting:
                    erratum, _ = violations[fitting[0]]
                    verdict, covering = "erratum", f"{erratum.id}: {erratum.title}"
            rows.append((*found[:4], check.id, found.printed, found.expected, verdict, found.note, covering))
    if stale := [erratum.id for place, (erratum, _) in enumerate(violations) if place not in used]:
        raise UsageError(f"errata whose violations no check finds: {', '.join(dict.fromkeys(stale))}")
    return pl.DataFrame(rows, schema=CHECKED_SCHEMA, orient="row")


def _findings(
    study: Study, check: PrintedCheck, listing: Listing, regenerated: Mapping[Key, float | None]
) -> Iterator[Finding]:
    match check:
        case SumCheck():
            return check_sums(check, listing, _entries(study, check.over))
        case MarginCheck():
            return check_margins(check, listing, _entries(study, check.over))
        case WeightedMarginCheck():
            return check_weighted_margins(check, listing, _entries(study, check.over))
        case PooledCheck():
            return check_pooled(check, listing, regenerated)
        case _:
            return check_each(check, check.kind, listing)


def _entries(study: Study, axis: str) -> list[str]:
    return [entry for span in study.printed.axes[axis] for entry in span.named(study.factors)]


def _covers(violation: Violation, check: PrintedCheck, found: Finding) -> bool:
    return (
        found.printed == violation.printed
        and (not violation.checks or check.id in violation.checks)
        and any(table in violation.tables for table in found.table.split(", "))
        and (not violation.rows or found.row in violation.rows)
        and (not violation.columns or found.column in violation.columns)
    )


def counts(checked: pl.DataFrame) -> dict[str, int]:
    """Count the checked numbers of each verdict."""
    verdicts = checked.get_column("verdict").to_list()
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}
