"""Parts of sentences that assign a task to a group."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.relative_decision.spans import Item

_BEFORE_A_NAME = 3
_NAMES = 4
_LONGEST = 300
_OF_THE_ASSIGNMENT = frozenset(("denial", "objection"))


def has(items: Sequence[Item], kind: str) -> bool:
    """Whether there is an item of a kind."""
    return any(item.kind == kind for item in items)


def counted(items: Sequence[Item], level: int, *, reasons: bool) -> Iterator[Item]:
    """The items that count.

    The items without names that get nothing, tasks that do not count, and denials and objections within reasons.
    """
    in_reason = False
    excluded = -1
    for number, item in enumerate(items):
        if item.kind == "pause" or "contrast" in item.signs:
            in_reason = False
        if "reason" in item.signs:
            in_reason = True
        if "excluding" in item.signs and _excludes(items, number):
            excluded = number + 1
            continue
        if item.kind in {"group", "task"} and number == excluded:
            continue
        if in_reason and not item.signs.isdisjoint(_OF_THE_ASSIGNMENT):
            continue
        if item.kind != "task" or (item.level >= level and (reasons or not in_reason)):
            yield item


def _excludes(items: Sequence[Item], number: int) -> bool:
    """Whether it stands right before a name; one word that denies also must stand apart, or in "not X but"."""
    phrase, name = items[number], items[number + 1] if number + 1 < len(items) else None
    if name is None or name.kind not in {"group", "task"}:
        return False
    if phrase.end - phrase.place == 1 and "denial" in phrase.signs:
        behind = items[number + 2] if number + 2 < len(items) else None
        if name.place == phrase.end and behind is not None and behind.place == name.end and "contrast" in behind.signs:
            return True
        before = items[number - 1] if number else None
        if before is None:
            return name.place == phrase.end
        is_apart = before.end == phrase.place and (before.kind == "pause" or "joining" in before.signs)
        return is_apart and name.place - phrase.end <= 1
    return name.place - phrase.end < _BEFORE_A_NAME


def parts(items: Sequence[Item]) -> list[Sequence[Item]]:
    """Cut a sentence where both sides hold a group and a task.

    The parts, in order: cut at contrasts first, then at conjunctions, then at pauses; none of a sentence longer than
    any that assigns tasks.
    """
    if len(items) > _LONGEST:
        return []
    done: list[Sequence[Item]] = []
    waiting = [items]
    while waiting:
        rest = waiting.pop()
        place = _cut(rest)
        if place is None:
            done.append(rest)
        else:
            waiting += [rest[place + 1 :], rest[:place]]
    return done


def _cut(items: Sequence[Item]) -> int | None:
    """Find the place that leaves a group and a task on both sides."""
    places: dict[str, list[int]] = {"group": [], "task": []}
    for place, item in enumerate(items):
        if item.kind in places:
            places[item.kind].append(place)
    if not all(places.values()):
        return None
    first = max(found[0] for found in places.values())
    last = min(found[-1] for found in places.values())
    for sign in ("contrast", "joining", None):
        for place in range(first + 1, last):
            if items[place].kind == "pause" if sign is None else sign in items[place].signs:
                return place
    return None


def only_group(part: Sequence[Item], groups: Sequence[Item], task: Item) -> Item | None:
    """Find the one of the two groups of a part that gets its task.

    The last group before the task, if a pause or contrast divides it from the other ("As Ben is ill, Julia ..."), and
    none from the task. None where groups are joined ("Julia and Ben"), or not both stand before the task.
    """
    if any(_are_joined(part, one, other) for one, other in pairwise(groups) if one.is_stigma != other.is_stigma):
        return None
    before = [group for group in groups if group.place < task.place]
    if len({group.is_stigma for group in before}) == 1 or not before:
        return None
    last = before[-1]
    other = [group for group in before if group.is_stigma != last.is_stigma][-1]
    return last if _is_cut(part, other, last) and not _is_cut(part, last, task) else None


def in_order(part: Sequence[Item], groups: Sequence[Item], tasks: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Pair the two groups and the two tasks of a part.

    The pairs, if groups and tasks alternate, or the part says that they are in the same order; else none.
    """
    runs: list[Item] = []
    for item in sorted((*groups, *tasks), key=lambda item: item.place):
        if not runs or (runs[-1].kind, runs[-1].is_stigma) != (item.kind, item.is_stigma):
            runs.append(item)
    if len(runs) != _NAMES:
        return []
    first, second, third, fourth = runs
    if first.kind == third.kind != second.kind == fourth.kind:
        pairs = [(first, second), (third, fourth)]
    elif first.kind == second.kind != third.kind == fourth.kind and _says_in_order(part):
        pairs = [(first, third), (second, fourth)]
    else:
        return []
    return [(one, other) if one.kind == "group" else (other, one) for one, other in pairs]


def is_denied(part: Sequence[Item], named: Sequence[Item]) -> bool:
    """Whether a word that denies stands before the last of some names."""
    last = max(item.place for item in named)
    return any("denial" in item.signs and item.place < last for item in part)


def _says_in_order(part: Sequence[Item]) -> bool:
    return any("respectively" in item.signs for item in part)


def _are_joined(part: Sequence[Item], one: Item, other: Item) -> bool:
    """Whether nothing but conjunctions stands between two names."""
    between = [item for item in part if one.end <= item.place < other.place and item.kind != "pause"]
    return all("joining" in item.signs for item in between) and other.place - one.end == sum(
        item.end - item.place for item in between
    )


def _is_cut(part: Sequence[Item], one: Item, other: Item) -> bool:
    """Whether a pause or contrast stands between two names."""
    between = (item for item in part if one.end <= item.place <= other.place)
    return any("contrast" in item.signs or item.kind == "pause" for item in between)
