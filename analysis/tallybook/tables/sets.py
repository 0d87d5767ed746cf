"""Sets of tables as a study declares them: the tables of each, their analyses, the responses that they rest on."""

from __future__ import annotations

import itertools
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.study.model import Study
    from tallybook.study.presentation import TableSet
    from tallybook.tables.content import Table

# Nothing of this needs estimates, and what checks data may ask it: no statistics are imported.


def numbered(study: Study, declared: TableSet) -> Iterator[tuple[str, dict[str, str]]]:
    """Number the tables of a set, each with the levels that its cells share."""

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
    """Map tables to the first table of their group, where its notes are theirs too.

    A group is what `for_each` makes of one declaration; where it has several axes, of each level of the first.
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
    """Get the analyses that a table shows, each once."""
    own = [block.analysis for block in declared.blocks]
    shown = own or [part.analysis for measure in declared.measures for part in measure.parts]
    shown += [margin.analysis for margin in (declared.row_margin, declared.column_margin) if margin is not None]
    return list(dict.fromkeys([*shown, *([declared.corner] if declared.corner else [])]))


def natural_order(number: str) -> list[tuple[str, int]]:
    """Get a sort key: table 9 before table 10, both before table A1.

    >>> sorted(["A10", "10", "A9", "9"], key=natural_order)
    ['9', '10', 'A9', 'A10']
    """
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", number) if text or digits]
