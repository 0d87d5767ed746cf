"""Sets of tables as declared in a study: their tables, the analyses shown, and the responses that they depend on."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.study.model import Study
    from tallybook.study.presentation import TableSet
    from tallybook.tables.content import Table

# Nothing here needs estimates, and the checks of data use this module: no statistics are imported.


def numbered(study: Study, declared: TableSet) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the identifier of each table of a set, with the levels that the table's cells share."""

    def levels(axis: str) -> list[str]:
        return list(declared.outcomes if axis == "outcome" else declared.levels.get(axis) or study.factors[axis].levels)

    single = {"outcome": declared.outcomes[0]} if len(declared.outcomes) == 1 else {}
    combinations = itertools.product(*(levels(axis) for axis in declared.for_each))
    for number, combination in zip(itertools.count(declared.first, declared.step), combinations, strict=False):
        context = single | declared.where | dict(zip(declared.for_each, combination, strict=True))
        name = declared.id.replace("{number}", str(number))
        for axis, level in context.items():
            name = name.replace(f"{{{axis}}}", level)
        yield name, context


def note_bearers(study: Study, tables: Sequence[Table]) -> dict[str, str]:
    """Map each table whose notes repeat those of its group's first table to that table.

    A group is all tables that `for_each` makes of one declaration; with several axes, those of one level of the first.
    """
    groups = {
        name: (number, context[declared.for_each[0]] if len(declared.for_each) > 1 else "")
        for number, declared in enumerate(study.tables)
        for name, context in numbered(study, declared)
    }
    first: dict[tuple[object, ...], str] = {}
    every = [table for table in tables if table.id in groups and table.notes]
    bearers = {table.id: first.setdefault((groups[table.id], table.notes), table.id) for table in every}
    return {name: bearer for name, bearer in bearers.items() if name != bearer}


def shown_analyses(declared: TableSet) -> list[str]:
    """Return the analyses that a table shows, without repetition."""
    own = [block.analysis for block in declared.blocks]
    shown = own or [part.analysis for measure in declared.measures for part in measure.parts]
    shown += [margin.analysis for margin in (declared.row_margin, declared.column_margin) if margin is not None]
    return list(dict.fromkeys([*shown, *([declared.corner] if declared.corner else [])]))


def natural_order(number: str) -> list[tuple[str, int]]:
    """Return a sort key for table numbers: table 9 before table 10, both before table A1.

    >>> sorted(["A10", "10", "A9", "9"], key=natural_order)
    ['9', '10', 'A9', 'A10']
    """
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", number) if text or digits]


def affected(study: Study, levels: Mapping[str, str]) -> list[str]:
    """List the tables that show numbers of responses with the given levels."""
    found: list[str] = []
    for table in study.tables:
        own = {number for number, context in numbered(study, table) if _shows(study, table, context, levels)}
        found += [*own, *(new for new, old in table.repeats.items() if old in own)]
    return sorted(found, key=natural_order)


def _shows(study: Study, table: TableSet, context: Mapping[str, str], levels: Mapping[str, str]) -> bool:
    if any(levels.get(axis, level) != level for axis, level in context.items()):
        return False
    pools = table.row_margin is not None or table.column_margin is not None  # margins are over all levels, shown or not
    axes = {*table.rows, *table.columns, *(axis for block in table.blocks for axis in block.rows)} - set(context)
    if not pools and any(axis in levels and levels[axis] not in table.levels.get(axis, levels[axis]) for axis in axes):
        return False
    return any(study.analyses[name].uses_responses_of(study, levels) for name in shown_analyses(table))
