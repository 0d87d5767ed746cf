"""File formats of tables, and where they are found: a new one is a new module of `tallybook.tables`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tallybook.core.registry import installed, modules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.tables.content import Table


@dataclass(frozen=True)
class TableFormat:
    """A file format of tables; a module's object of it is found by its suffix."""

    suffix: str
    """The suffix of its files, without the dot."""
    write: Callable[[Sequence[Table]], list[bytes]]
    """What makes the contents of the files of tables."""


def one_by_one(render: Callable[[Table], str | bytes]) -> Callable[[Sequence[Table]], list[bytes]]:
    """Make tables one by one; texts are UTF-8."""

    def write(tables: Sequence[Table]) -> list[bytes]:
        made = (render(table) for table in tables)
        return [each.encode("utf-8") if isinstance(each, str) else each for each in made]

    return write


@cache
def table_formats() -> dict[str, TableFormat]:
    """Get the formats by suffix; ours, and those that entry points of the group `tallybook.tables` name."""
    every = [one for module in modules("tallybook.tables") for one in vars(module).values()]
    own = {one.suffix: one for one in every if isinstance(one, TableFormat)}
    others = installed("tallybook.tables")
    return dict(sorted(own.items())) | {name: one for name, one in others.items() if name not in own}
