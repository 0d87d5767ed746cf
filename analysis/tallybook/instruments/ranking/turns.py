"""Orders by mention: a text names all options one after another, and its words of place agree with that.

What is said between two mentions may belong to either. So a word of a place is only asked to fit one of its neighbours,
and each option but one must have such a word. Lists with remarks in brackets need an announcement instead.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import pairwise
from typing import TYPE_CHECKING

from tallybook.instruments.ranking.chains import ANNOUNCED
from tallybook.instruments.ranking.directions import announced, split_by_ranges
from tallybook.instruments.ranking.lists import Found
from tallybook.instruments.ranking.mentions import MARK, number_of
from tallybook.instruments.ranking.sentences import LISTED, MIDDLE, RELATIONS, cues_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_END = re.compile(r"[.!?;\n]")
_CLAUSES = re.compile(r"[.!?;:,\n(){}|–—]| - ")
_DENIES = re.compile(LISTED["turns"]["denies"])
_SHARES = re.compile(LISTED["turns"]["shares"])
_REPORTS, _OWN, _DISCLAIMS = (re.compile(LISTED["sentences"][name]) for name in ("reports", "own", "disclaims"))
_NUMBER = re.compile(r"(?:^|\n)[^\w\n]{0,8}(\d{1,2})[.):](?!\d)|[a-zà-ÿ]_?(\d{1,2})[\"”']\s*[:=]|\((\d{1,2})\)")
"""Numbers of places: of a line, a key of JSON, or in brackets."""
_AHEAD = re.compile(r">|≻|→|\\succ|\\gt")
_REMARK = re.compile(r"\([^()]*\)")
_JOINS = re.compile(LISTED["turns"]["joins"])
_FEWEST, _BEFORE = 3, 200
"""The fewest options of such an order, and the number of characters before it that may announce it."""


def in_turn(text: str) -> Iterator[Found]:
    """Yield the order in which a text names all its options, if what it says of places agrees."""
    marks = _first_marks(text)
    if len(marks) < _FEWEST or _DISCLAIMS.search(text):
        return
    start, end = marks[0].start(), marks[-1].end()
    head = text[max(start - _BEFORE, 0) : start]
    gaps = [
        _END.split("".join(split_by_ranges(head)[::2]))[-1],
        *(text[one.end() : other.start()] for one, other in pairwise(marks)),
        _END.split(text[end:], maxsplit=1)[0],
    ]
    region = gaps[0] + text[start : end + len(gaps[-1])]
    if (_REPORTS.search(region) and not _OWN.search(region)) or _SHARES.search(region):
        return
    is_list = all(map(_JOINS.fullmatch, re.findall(r"\w+", _REMARK.sub("", " ".join(gaps[1:-1])))))
    line = head.rstrip("*_ \n").rpartition("\n")[2]
    is_denied = _DENIES.search(line) or _REPORTS.search(line)
    is_announced = line.endswith(":") and not is_denied and (ANNOUNCED.search(line) or announced(line))
    is_circular = bool(re.search(MARK, gaps[-1])) and any(cue.kind in RELATIONS for cue in cues_of(gaps[-1]))
    if (is_list and is_announced) or (_agree(gaps) and not is_circular):
        yield Found(start, tuple((number_of(mark[0]),) for mark in marks), "places")


def _first_marks(text: str) -> list[re.Match[str]]:
    """Return the first mention of each option; empty if one is named again before all are."""
    count = len({*re.findall(MARK, text)})
    found: dict[str, re.Match[str]] = {}
    last = ""
    for mark in re.finditer(MARK, text):
        if mark[0] in found and mark[0] != last:
            return []
        found.setdefault(mark[0], mark)
        last = mark[0]
        if len(found) == count:
            break
    return [*found.values()]


def _agree(gaps: Sequence[str]) -> bool:
    """Return whether the words between mentions place each option, but for one, where it is mentioned."""
    count = len(gaps) - 1
    told: set[int] = set()
    is_anchored = False
    for at, gap in enumerate(gaps):
        if _AHEAD.search(gap) and 0 < at < count:
            told.add(at + 1)
        for place, sides in _places(gap):
            beside = {at + side for side in sides} & {*range(1, count + 1)}
            if place == 0:  # then, next, ahead of
                told |= {at + 1} & beside if at else set()
                continue
            own = place if place > 0 else count + 1 + place
            if own not in beside:
                return False
            told.add(own)
            is_anchored |= own in {1, count}
    has_chain = {*range(2, count + 1)} <= told
    return has_chain or (is_anchored and len(told) >= count - 1)


def _places(gap: str) -> Iterator[tuple[int, set[int]]]:
    """Yield the places that a text between two mentions tells, and of which it may tell them: 0, 1 for the one behind.

    Places count from 1, or from -1 backwards; 0 is the next one, and `MIDDLE` one that fits none. What a sentence says
    is of an option in it.
    """
    ends = [one.start() for one in _END.finditer(gap)]
    clauses = [0, *(one.end() for one in _CLAUSES.finditer(gap)), len(gap)]

    def sides(start: int) -> set[int]:
        return {side for side, is_of in enumerate((not ends or start < ends[0], not ends or start > ends[-1])) if is_of}

    for match in _NUMBER.finditer(gap):
        yield int(next(filter(None, match.groups()))), sides(match.end())
    for cue in cues_of(gap):
        if cue.kind in {"then", "next", "over"}:
            yield 0, sides(cue.start)
        elif cue.kind == "place":
            at = bisect_right(clauses, cue.start)
            is_denied = _DENIES.search(gap, clauses[at - 1], clauses[min(at, len(clauses) - 1)])
            yield MIDDLE if is_denied else cue.value, sides(cue.start)
        elif cue.kind in {"under", "up"}:
            yield MIDDLE, sides(cue.start)
