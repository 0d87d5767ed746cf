"""Runs of all declared checks of printed numbers, with the errata that cover their findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.published.consistency.listing import Finding, Listing
from tallybook.study.publication import KEY, selects

if TYPE_CHECKING:
    from tallybook.study.model import Study
    from tallybook.study.printed import PrintedCheck
    from tallybook.study.publication import Violation

CHECKED_SCHEMA: dict[str, pl.DataType | type[pl.DataType]] = dict.fromkeys(
    (*KEY, "check", "printed", "expected", "verdict", "note", "erratum"), pl.String
)
"""The columns of the frame of checked numbers."""

VERDICTS = ("holds", "erratum", "violated", "untested")
"""The verdicts on a printed number; `erratum` is a violation that the study declares as known."""


def check_printed(study: Study, published: pl.DataFrame, cells: pl.DataFrame) -> pl.DataFrame:
    """Check printed numbers for internal consistency, in exact arithmetic: a violation is not explained by rounding.

    A printed number is known up to its rounding: a check fails only if no value within the rounding would satisfy it.

    `cells`: The cells of the regenerated tables, as in `tables.layout`; only checks of kind `pooled` need them.

    Return one row per number (or cell, row or column) and check, in the order of the checks: key, `check`, `printed`,
    `expected`, `verdict` (one of `VERDICTS`), `note` (the fault, or why it is not tested) and `erratum` (identifier
    and title of the erratum that covers it).
    """
    listing = Listing(study, published, cells)
    violations = [(erratum, violation) for erratum in study.errata for violation in erratum.violations]
    used: set[int] = set()
    rows: list[tuple[str, ...]] = []
    for check in study.printed.checks:
        found = list(check.findings(listing))
        if not found:
            raise UsageError(f"check {check.id!r} applies to no published number")
        for one in found:
            verdict, covering = "holds" if not one.note else "violated" if one.is_tested else "untested", ""
            fitting = [place for place, (_, known) in enumerate(violations) if _covers(known, check, one)]
            if verdict == "violated" and fitting:
                used.update(fitting)
                erratum, _ = violations[fitting[0]]
                verdict, covering = "erratum", f"{erratum.id}: {erratum.title}"
            rows.append((*one[:4], check.id, one.printed, one.expected, verdict, one.note, covering))
    if stale := [erratum.id for place, (erratum, _) in enumerate(violations) if place not in used]:
        raise UsageError(f"errata whose violations no check finds: {', '.join(dict.fromkeys(stale))}")
    return pl.DataFrame(rows, schema=CHECKED_SCHEMA, orient="row")


def _covers(violation: Violation, check: PrintedCheck, found: Finding) -> bool:
    is_meant = found.printed == violation.printed and (not violation.checks or check.id in violation.checks)
    return is_meant and any(selects(violation, found._asdict() | {"table": one}) for one in found.table.split(", "))


def counts(checked: pl.DataFrame) -> dict[str, int]:
    """Return the number of checked numbers by verdict."""
    verdicts = checked.get_column("verdict").to_list()
    return {verdict: verdicts.count(verdict) for verdict in VERDICTS}
