"""Tables that no released data can give: they are printed from the list of published numbers, and checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, model_validator

from tallybook.study.base import Characters, Declaration, Identifier, all_faults
from tallybook.study.printed_checks import PrintedCheck

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.coding import Factor

_STATISTIC = re.compile(r"\{([A-Za-z][A-Za-z0-9_.-]*)\}")


class CellForm(Declaration):
    """How a cell puts its numbers together."""

    cell: Characters
    """The text of a cell; `{statistic}` stands for the number of that name, exactly as published."""

    @model_validator(mode="after")
    @all_faults
    def _names_statistics(self) -> CellForm:
        rest = _STATISTIC.sub("", self.cell)
        if not self.statistics or "{" in rest or "}" in rest:
            raise ValueError(f"cell: {self.cell!r} must name statistics as {{name}}, and have no other braces")
        if len(set(self.statistics)) < len(self.statistics):
            raise ValueError(f"cell: {self.cell!r} names a statistic twice")
        return self

    @property
    def statistics(self) -> tuple[str, ...]:
        """The numbers of a cell, in order."""
        return tuple(_STATISTIC.findall(self.cell))

    def filled(self, texts: Mapping[str, str]) -> str:
        """The text of a cell.

        >>> CellForm(cell="{mean} [{low}, {high}]").filled({"mean": "0.4", "low": "0.283", "high": "0.513"})
        '0.4 [0.283, 0.513]'
        """
        return _STATISTIC.sub(lambda found: texts[found[1]], self.cell)


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

    @model_validator(mode="after")
    @all_faults
    def _one_kind(self) -> Span:
        if (self.factor is None) == (not self.entries):
            raise ValueError("exactly one of 'factor' and 'entries'")
        if self.entries and (self.levels or self.labels):
            raise ValueError("'levels' and 'labels' belong to 'factor'")
        return self

    def named(self, factors: Mapping[str, Factor]) -> dict[str, str]:
        """Its rows or columns."""
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
    """What stands in a cell that the publication has and the list of published numbers has not."""
    repeats: tuple[str, ...] = ()
    """Further numbers under which the publication prints the same table."""
    notes: tuple[str, ...] = ()
    """Notes beside the one that says where the numbers come from."""


class Printed(Declaration):
    """What is printed as published, because no data were released, and what is checked of it."""

    missing: str = "-"
    """The sign that the publication prints for a number that does not exist."""
    axes: dict[Identifier, Annotated[tuple[Span, ...], Field(min_length=1)]] = {}
    """What rows and columns can be."""
    tables: tuple[PrintedTable, ...] = ()
    """The tables that are printed as published."""
    checks: tuple[PrintedCheck, ...] = ()
    """What must hold of printed numbers, of these tables and of any other, whatever the data."""

    @property
    def numbers(self) -> frozenset[str]:
        """The numbers of the tables."""
        return frozenset(name for table in self.tables for name in (table.id, *table.repeats))
