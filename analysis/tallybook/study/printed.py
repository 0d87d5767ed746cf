"""Declarations of tables that are printed from published numbers because no data were released, and of their checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import Field

from tallybook.core.registry import Registry
from tallybook.study.base import BRACED, Characters, Declaration, Identifier, must_differ, require_declared
from tallybook.study.one_of import OneOf
from tallybook.study.publication import Place

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tallybook.published.consistency.listing import Finding, Listing
    from tallybook.study.coding import Factor
    from tallybook.study.model import Study


def check_printed(study: Study, place: str) -> None:
    """Raise an error for tables, checks and errata of printed numbers that refer to something undeclared."""
    printed = study.printed
    if (printed.tables or printed.checks) and study.published is None:
        raise ValueError(f"{place}: numbers printed as published need 'published', the list of published numbers")
    for name, spans in printed.axes.items():
        for number, span in enumerate(spans, start=1):
            _check_span(study, span, f"{place}.axes.{name}[{number}]")
        must_differ(_entries(study, (name,)), f"{place}.axes.{name}")
    for number, table in enumerate(printed.tables, start=1):
        _check_table(study, table, f"{place}.tables[{number}]")
    numbers = [name for table in printed.tables for name in (table.id, *table.repeats)]
    must_differ(numbers, f"{place}.tables")
    must_differ([check.id for check in printed.checks], f"{place}.checks")
    for number, check in enumerate(printed.checks, start=1):
        check.check(study, f"{place}.checks[{number}]")
    for number, erratum in enumerate(study.errata, start=1):
        for violation in erratum.violations:
            known = [check.id for check in printed.checks]
            require_declared(violation.checks, known, f"errata[{number}].violations.checks", "check")


def _check_span(study: Study, span: Span, place: str) -> None:
    if span.factor is None:
        return
    require_declared([span.factor], study.factors, f"{place}.factor", "factor")
    levels = study.factors[span.factor].levels
    if not levels:
        raise ValueError(f"{place}.factor: {span.factor!r} has no levels")
    require_declared(span.levels, levels, f"{place}.levels", "level")
    must_differ(span.levels, f"{place}.levels")
    require_declared(span.labels, span.levels or levels, f"{place}.labels", "level")


def _check_table(study: Study, table: PrintedTable, place: str) -> None:
    for setting, axes in (("rows", table.rows), ("columns", table.columns)):
        require_declared(axes, study.printed.axes, f"{place}.{setting}", "axis")
        must_differ(_entries(study, axes), f"{place}.{setting}")
    if any(span.form for axis in table.rows for span in study.printed.axes[axis]):
        raise ValueError(f"{place}.rows: 'form' belongs to columns")


def _entries(study: Study, axes: Iterable[str]) -> list[str]:
    return [entry for axis in axes for span in study.printed.axes[axis] for entry in span.named(study.factors)]


class CellForm(Declaration):
    """The form in which a cell puts its numbers together."""

    cell: Characters
    """The text of a cell; `{statistic}` stands for the number of that name, exactly as published."""

    def _check_itself(self) -> None:
        rest = BRACED.sub("", self.cell)
        if not self.statistics or "{" in rest or "}" in rest:
            raise ValueError(f"cell: {self.cell!r} must name statistics as {{name}}, and have no other braces")
        if len(set(self.statistics)) < len(self.statistics):
            raise ValueError(f"cell: {self.cell!r} names a statistic twice")

    @property
    def statistics(self) -> tuple[str, ...]:
        """The statistics that a cell shows, in order."""
        return tuple(BRACED.findall(self.cell))

    def filled(self, texts: Mapping[str, str]) -> str:
        """Fill the numbers into the text of a cell.

        >>> CellForm(cell="{mean} [{low}, {high}]").filled({"mean": "0.4", "low": "0.283", "high": "0.513"})
        '0.4 [0.283, 0.513]'
        """
        return BRACED.sub(lambda found: texts[found[1]], self.cell)


class Span(Declaration):
    """Neighbouring rows or columns: levels of a factor, or entries of their own."""

    label: str = ""
    """The heading over them; none if empty."""
    factor: Identifier | None = None
    """The factor whose levels they are."""
    levels: tuple[str, ...] = ()
    """Some of its levels, in their order; all levels otherwise."""
    labels: dict[str, str] = {}
    """Level -> how it is called here, instead of its own label."""
    entries: dict[str, str] = {}
    """Instead of a factor: row or column of the list of published numbers -> how it is called."""
    form: CellForm | None = None
    """How the cells of these columns are made up, if otherwise than the table's."""

    def _check_itself(self) -> None:
        if (self.factor is None) == (not self.entries):
            raise ValueError("exactly one of 'factor' and 'entries'")
        if self.entries and (self.levels or self.labels):
            raise ValueError("'levels' and 'labels' belong to 'factor'")

    def named(self, factors: Mapping[str, Factor]) -> dict[str, str]:
        """Map the rows or columns of the span to their labels."""
        if self.factor is None:
            return self.entries
        own = factors[self.factor].levels
        return {level: self.labels.get(level, own[level]) for level in self.levels or own}


class PrintedTable(CellForm):
    """A table as published."""

    id: str
    """The table's number."""
    title: str
    """The caption."""
    stub: str = ""
    """The heading over the row labels."""
    rows: tuple[Identifier, ...] = Field(min_length=1)
    """The axes whose entries are the rows, one after the other."""
    columns: tuple[Identifier, ...] = Field(min_length=1)
    """The axes whose entries are the columns, one after the other."""
    unlisted: Characters = "n/a"
    """The text of a cell that the publication has and the list of published numbers lacks."""
    repeats: tuple[str, ...] = ()
    """Further numbers under which the publication prints the same table."""
    notes: tuple[str, ...] = ()
    """Notes beside the one that says where the numbers come from."""


class PrintedCheck(Place):
    """A condition on printed numbers whatever the data; a subclass is named by the literal type of its `kind`."""

    id: Identifier
    """How the check is called in the findings, and by errata."""
    digits: int | None = Field(default=None, ge=0, le=17)
    """Digits after the point that numbers are rounded to, where zeros at the end are not printed; by default those
    that are printed."""

    def check(self, study: Study, place: str) -> None:
        """Raise a ValueError for names that are not declared."""

    def findings(self, listing: Listing) -> Iterable[Finding]:
        """Yield the findings of the check."""
        raise NotImplementedError


PRINTED_CHECKS = Registry(
    "tallybook.published.consistency",
    PrintedCheck,
    "kind",
    "check of printed numbers",
    group="tallybook.printed_checks",
)
"""The available checks: the built-in ones, and those of the entry point group `tallybook.printed_checks`."""


class Printed(Declaration):
    """Tables printed as published, because no data were released, and checks of them."""

    missing: str = "-"
    """The sign that the publication prints for a number that does not exist."""
    axes: dict[Identifier, Annotated[tuple[Span, ...], Field(min_length=1)]] = {}
    """The things that rows and columns can stand for."""
    tables: tuple[PrintedTable, ...] = ()
    """The tables that are printed as published."""
    checks: tuple[Annotated[PrintedCheck, OneOf(PRINTED_CHECKS)], ...] = ()
    """Rules that printed numbers must obey whatever the data, of these tables and of any other."""

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers of the printed tables."""
        return frozenset(name for table in self.tables for name in (table.id, *table.repeats))
