"""Headers in two rows: above, over several columns each, what a group of columns is about; below, what each holds."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HeaderRows = int | tuple[int, int]
"""The row of the headers, counted from 1, or the two rows."""


def first_and_last(rows: HeaderRows) -> tuple[int, int]:
    """Return the first and the last row of headers."""
    return (rows, rows) if isinstance(rows, int) else (rows[0], rows[1])


def as_one(above: Sequence[str | None], below: Sequence[str | None]) -> list[str]:
    """Put the name of its group before each header that several groups have; a blank belongs to the group left of it.

    >>> as_one(["", "gpt-4o", "", "claude", ""], ["item", "answer", "time", "answer", "time"])
    ['item', 'gpt-4o answer', 'gpt-4o time', 'claude answer', 'claude time']
    """
    groups, names = _groups(above, len(below)), [(name or "").strip() for name in below]
    times = Counter(names)
    return [f"{group} {name}".strip() if times[name] > 1 else name for group, name in zip(groups, names, strict=True)]


def are_two(above: Sequence[str | None], below: Sequence[str | None], later: Sequence[Sequence[str | None]]) -> bool:
    """Return whether two rows are headers: groups above, and below the same headers, none a value, in each group.

    >>> are_two(["", "gpt-4o", "claude"], ["item", "answer", "answer"], [["1", "Yes", "No"]])
    True
    >>> are_two(["", "gpt-4o", "claude"], ["1", "Yes", "Yes"], [["2", "Yes", "No"]])
    False
    """
    names = [(name or "").strip() for name in below]
    times = Counter(names)
    parts = [(group, name) for group, name in zip(_groups(above, len(below)), names, strict=True) if times[name] > 1]
    blocks = [(group, [name for _, name in block]) for group, block in groupby(parts, key=lambda part: part[0])]
    is_regular = len(blocks) > 1 and all(block == blocks[0][1] for _, block in blocks)
    is_named = all(names) and len({group for group, _ in blocks}) == len(blocks) and all(group for group, _ in blocks)
    values = [{(row[place] or "").strip() for row in later if place < len(row)} for place in range(len(names))]
    is_header = not any(name.isdecimal() or name in values[place] for place, name in enumerate(names))
    return is_regular and is_named and is_header and len(later) > 0


def _groups(above: Sequence[str | None], width: int) -> list[str]:
    """Return the group of each column: the last one that is named up to there."""
    groups: list[str] = []
    for place in range(width):
        name = (above[place] or "").strip() if place < len(above) else ""
        groups.append(name or (groups[-1] if groups else ""))
    return groups
