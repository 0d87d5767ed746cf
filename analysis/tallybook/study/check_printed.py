"""Whether tables that are printed as published, and their checks, name what is declared."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tallybook.study.base import must_exist
from tallybook.study.printed_checks import MarginCheck, SumCheck, WeightedMarginCheck

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.study.model import Study
    from tallybook.study.printed import PrintedTable, Span


def check_printed(study: Study, place: str) -> None:
    """Refuse tables, checks and errata of printed numbers that name what is not declared."""
    printed = study.printed
    if (printed.tables or printed.checks) and study.published is None:
        raise ValueError(f"{place}: numbers printed as published need 'published', the list of published numbers")
    for name, spans in printed.axes.items():
        for number, span in enumerate(spans, start=1):
            _check_span(study, span, f"{place}.axes.{name}[{number}]")
        _must_differ(_entries(study, (name,)), f"{place}.axes.{name}", "entry")
    for number, table in enumerate(printed.tables, start=1):
        _check_table(study, table, f"{place}.tables[{number}]")
    numbers = [name for table in printed.tables for name in (table.id, *table.repeats)]
    _must_differ(numbers, f"{place}.tables", "number")
    _must_differ([check.id for check in printed.checks], f"{place}.checks", "id")
    for number, check in enumerate(printed.checks, start=1):
        if isinstance(check, SumCheck | MarginCheck | WeightedMarginCheck):
            must_exist([check.over], printed.axes, f"{place}.checks[{number}].over", "axis")
    for number, erratum in enumerate(study.errata, start=1):
        for violation in erratum.violations:
            known = [check.id for check in printed.checks]
            must_exist(violation.checks, known, f"errata[{number}].violations.checks", "check")


def _check_span(study: Study, span: Span, place: str) -> None:
    if span.factor is None:
        return
    must_exist([span.factor], study.factors, f"{place}.factor", "factor")
    levels = study.factors[span.factor].levels
    if not levels:
        raise ValueError(f"{place}.factor: {span.factor!r} has no levels")
    must_exist(span.levels, levels, f"{place}.levels", "level")
    _must_differ(span.levels, f"{place}.levels", "level")
    must_exist(span.labels, span.levels or levels, f"{place}.labels", "level")


def _check_table(study: Study, table: PrintedTable, place: str) -> None:
    for setting, axes in (("rows", table.rows), ("columns", table.columns)):
        must_exist(axes, study.printed.axes, f"{place}.{setting}", "axis")
        _must_differ(_entries(study, axes), f"{place}.{setting}", "entry")
    if any(span.form for axis in table.rows for span in study.printed.axes[axis]):
        raise ValueError(f"{place}.rows: 'form' belongs to columns")


def _entries(study: Study, axes: Iterable[str]) -> list[str]:
    return [entry for axis in axes for span in study.printed.axes[axis] for entry in span.named(study.factors)]


def _must_differ(names: Iterable[str], place: str, kind: str) -> None:
    if twice := [name for name, times in Counter(names).items() if times > 1]:
        raise ValueError(f"{place}: {kind} {twice[0]!r} is declared twice")
