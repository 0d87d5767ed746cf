"""Headers in several rows: above, over several columns each, what a group is about; below, what each column holds."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

HeaderRows = int | tuple[int, int]
"""The row of the headers, counted from 1, or the first and the last row."""


def first_and_last(rows: HeaderRows) -> tuple[int, int]:
    """Return the first and the last row of headers."""
    return (rows, rows) if isinstance(rows, int) else (rows[0], rows[1])


def as_one(*rows: Sequence[str | None]) -> list[str]:
    """Put the names of its groups before each header that is blank or that several groups have.

    A blank belongs to the group left of it.

    >>> as_one(["", "gpt-4o", "", "claude", ""], ["item", "answer", "time", "answer", "time"])
    ['item', 'gpt-4o answer', 'gpt-4o time', 'claude answer', 'claude time']
    """
    *above, below = rows
    groups, names = _groups(above, len(below)), [(name or "").strip() for name in below]
    times = Counter(names)
    is_own = [bool(name) and times[name] == 1 for name in names]
    joined = zip(is_own, groups, names, strict=True)
    return [name if is_whole else f"{group} {name}".strip() for is_whole, group, name in joined]


def are_headers(
    above: Sequence[Sequence[str | None]], below: Sequence[str | None], later: Sequence[Sequence[str | None]]
) -> bool:
    """Return whether rows are headers: groups above, and below the same headers, none a value, in each group.

    >>> are_headers([["", "gpt-4o", "claude"]], ["item", "answer", "answer"], [["1", "Yes", "No"]])
    True
    >>> are_headers([["", "gpt-4o", "claude"]], ["1", "Yes", "Yes"], [["2", "Yes", "No"]])
    False
    """
    names = [(name or "").strip() for name in below]
    times = Counter(names)
    parts = [(group, name) for group, name in zip(_groups(above, len(below)), names, strict=True) if times[name] > 1]
    blocks = [(group, [name for _, name in block]) for group, block in groupby(parts, key=lambda part: part[0])]
    is_regular = len(blocks) > 1 and all(block == blocks[0][1] for _, block in blocks)
    is_named = (all(names) or _names_index(above, names)) and all(group for group, _ in blocks)
    values = [{(row[place] or "").strip() for row in later if place < len(row)} for place in range(len(names))]
    is_header = not any(name and (name.isdecimal() or name in values[place]) for place, name in enumerate(names))
    return is_regular and is_named and is_header and len({*dict(blocks)}) == len(blocks) and len(later) > 0


def _names_index(above: Sequence[Sequence[str | None]], names: Sequence[str]) -> bool:
    """Return whether a row names the index alone, as pandas writes it below several levels of columns."""
    size = sum(map(bool, names))
    return len(above) > 1 and size > 0 and all(names[:size]) and len({bool(row[0]) for row in above}) == 1


def _groups(above: Sequence[Sequence[str | None]], width: int) -> list[str]:
    """Return the group of each column: in each row the last one that is named up to there."""
    groups = [""] * width
    for row in above:
        last = ""
        for place in range(width):
            last = ((row[place] or "").strip() if place < len(row) else "") or last
            groups[place] = f"{groups[place]} {last}".strip()
    return groups
