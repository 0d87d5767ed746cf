"""Numbers of tables where sets of them have grown: each is given once, the published ones kept where they are free."""

from __future__ import annotations

import re
from math import prod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.drafting.reuse.models import Settings

_NUMBER = "{number}"


def renumbered(tables: Sequence[Settings], levels: dict[str, int]) -> tuple[list[Settings], list[str]]:
    """Give sets of tables numbers that no other table has.

    The tables, and what was numbered anew, for people to read. A set begins where it did if all its numbers are free
    there, and otherwise at the first later number from which they are.

    >>> tables = [{"id": "9"}, {"id": "{number}", "first": 7, "for_each": ["model"]}]
    >>> renumbered(tables, {"model": 3})
    ([{'id': '9'}, {'id': '{number}', 'first': 10, 'for_each': ['model']}], ['the tables from 7 on are 10 to 12 here'])
    """
    taken = {table["id"] for table in tables if _NUMBER not in table["id"]}
    made: list[Settings] = []
    said: list[str] = []
    for table in tables:
        if _NUMBER not in table["id"]:
            made.append(table)
            continue
        first, step, size = table.get("first", 1), table.get("step", 1), _size(table, levels)
        start = first
        while taken & set(_ids(table["id"], start, step, size)):
            start += 1
        taken |= set(_ids(table["id"], start, step, size))
        made.append(table | {"first": start})
        if start != first:
            said.append(_said(table["id"], (first, start), step, size))
    return made, said


def _size(table: Settings, levels: dict[str, int]) -> int:
    """How many tables a set has."""
    own = {"outcome": len(table.get("outcomes", ()))} | {name: len(of) for name, of in table.get("levels", {}).items()}
    return prod(own.get(factor) or levels[factor] for factor in table.get("for_each", ()))


def _ids(form: str, first: int, step: int, size: int) -> list[str]:
    return [form.replace(_NUMBER, str(first + step * place)) for place in range(size)]


def _said(form: str, starts: tuple[int, int], step: int, size: int) -> str:
    shown = re.sub(r"\{(?!number\}).*?\}", "", form)
    then, now = (_ids(shown, start, step, size) for start in starts)
    by = "" if step == 1 else f" by {step}s"
    return f"the tables from {then[0]} on{by} are {now[0]} to {now[-1]} here"
