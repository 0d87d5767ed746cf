"""What a sentence says of the places of options: which word belongs to which of them, and which is ahead of which.

A word of a place belongs to the option before or behind it, whichever "and" or a comma does not part from it. Where it
may belong to both, only one way may give every word a place.
"""

from __future__ import annotations

import re
from itertools import pairwise, product
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.languages import expressions
from tallybook.instruments.number_words import english_numbers
from tallybook.instruments.ranking.lists import number
from tallybook.instruments.ranking.mentions import MARK, number_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

LISTED = {
    section: {name: words.replace("MARK", MARK) for name, words in own.items()}
    for section, own in expressions("tallybook.instruments.ranking", "words.toml").items()
}
"""Section of `words.toml` -> name -> regular expression of marked texts."""
_CLAUSE = r"\b(?:and|but|while|whereas|with|und|während|y|mientras|et|tandis|e|mentre|enquanto)\b"
CUES = re.compile(
    rf"(?P<option>{MARK})|"
    + "|".join(rf"\b(?P<{kind}>{words})\b" for kind, words in LISTED["places"].items())
    + rf"|(?P<clause>{_CLAUSE})|(?P<comma>[,/|–—]| - )"
)
"""Options, the words that place them, and what parts one from the next."""
PARTS, RELATIONS = {"clause", "comma"}, {"over", "under"}
"""Kinds of words that part one option from the next, and that compare both."""
MIDDLE = 10**6
"""The place of the only option between those at both ends."""
_PLACES = {"middle": MIDDLE, "first": 1, "gold": 1, "silver": 2, "bronze": 3, "runner-up": 2, "last": -1, "late": -2}
_MOST_WAYS = 8
"""The most words that may belong to either of two options."""
_AND = re.compile(r"\b(?:and|und|y|e|et)\b")
_BESIDE = re.compile(rf"\W*(?:{_AND.pattern})?\W*")
"""What stands between options that are named together."""
_ORDER = re.compile(LISTED["sentences"]["order"])


class Unclear(Exception):  # noqa: N818
    """What a text says of places may mean several orders, or contradicts itself."""


class Cue(NamedTuple):
    """A word of a sentence: an option, a place, or what relates or parts options."""

    kind: str
    value: int  # an option, or a place: from 1 for the first, from -1 for the last; 0 for the next one
    start: int
    end: int


class Said(NamedTuple):
    """What a sentence says of the options that it names."""

    mentions: Sequence[tuple[int, Cue | None]]  # each option, and the word that places it, if there is one
    ahead: Sequence[tuple[int, int]]  # an option, and one behind it


def cues_of(sentence: str) -> list[Cue]:
    """List the options of a sentence, the words that place them, and what parts them."""
    return [Cue(*_meant(match), match.start(), match.end()) for match in CUES.finditer(sentence)]


def _meant(match: re.Match[str]) -> tuple[str, int]:
    """Return the kind of a word, and the option or the place that it means."""
    kind, said = str(match.lastgroup), match[0].strip()
    match kind:
        case "option":
            return kind, number_of(said)
        case "number":
            said = re.split(r"[ (]", said)[-1]
            return "place", int(english_numbers().get(said, said))
        case "ordinal":
            return "place", _PLACES.get(said) or number(said)
        case "first" | "last" | "late" | "middle":
            return "place", _PLACES[kind]
        case _:
            return kind, 0


def said_by(sentence: str, cues: Sequence[Cue]) -> Said:
    """Return what a sentence says of the options that it names; raise Unclear if it may mean several things."""
    at = [place for place, cue in enumerate(cues) if cue.kind == "option"]
    options = [cues[place] for place in at]
    gaps = [cues[one + 1 : other] for one, other in pairwise([-1, *at, len(cues)])]
    runs = _runs(sentence, options)
    respectively = dict(_respectively(gaps, runs))
    compared = {gap: _pair(gap, words, len(options)) for gap, words in enumerate(gaps) if _relation(words)}
    own: list[set[Cue]] = [set() for _ in options]
    either: list[tuple[Cue, int]] = []
    for behind, gap in enumerate(gaps):
        if behind in respectively:
            for one, cue in zip(respectively[behind], _told(gap), strict=True):
                own[one].add(cue)
            continue
        # a comma parts options where no "and" does
        parts = [cue for cue in gap if cue.kind in {"clause", *RELATIONS}] or [c for c in gap if c.kind == "comma"]
        for cue in gap:
            if cue.kind not in PARTS | RELATIONS:
                sides = _sides(cue.kind, behind, len(options), [part.start < cue.start for part in parts])
                if len(sides) == 1:
                    own[sides[0]].add(cue)
                else:
                    either.append((cue, behind))
    chosen = _one_way(own, either)
    are_compared = {one for pair in compared.values() for one in pair}
    for run in runs:
        if len(run) > 1:
            _place_together(sentence, options, chosen, run, are_compared)
    mentions = [(option.value, cue) for option, cue in zip(options, chosen, strict=True)]
    return Said(mentions, [(options[one].value, options[other].value) for one, other in compared.values()])


def _runs(sentence: str, options: Sequence[Cue]) -> list[range]:
    """Return the options that are named together, with nothing but a comma or "and" between them."""
    starts = [
        place
        for place, option in enumerate(options)
        if not place
        or option.value == options[place - 1].value
        or not _BESIDE.fullmatch(sentence, options[place - 1].end, option.start)
    ]
    return [range(start, end) for start, end in pairwise([*starts, len(options)])]


def _respectively(gaps: Sequence[Sequence[Cue]], runs: Sequence[range]) -> Iterator[tuple[int, range]]:
    """Yield the places of words that give as many options a place each: "second and third are Ann and Bo"."""
    for run in runs:
        for gap in {0, run.stop} if not run.start else {run.stop}:
            if 1 < len(run) == len(_told(gaps[gap])):
                yield gap, run


def _told(gap: Sequence[Cue]) -> list[Cue]:
    """Return the places that words tell, the last one only if they tell no other: "at the end, third and fourth"."""
    places = [cue for cue in gap if cue.kind == "place"]
    return [cue for cue in places if cue.value != -1] or places


def _relation(gap: Sequence[Cue]) -> str | None:
    return next((cue.kind for cue in gap if cue.kind in RELATIONS), None)


def _pair(behind: int, gap: Sequence[Cue], count: int) -> tuple[int, int]:
    """Return the option that is ahead and the other one: "Ann beats Bo", "behind Ann is Bo"."""
    one, other = (behind - 1, behind) if behind else (0, 1)
    if other >= count:
        raise Unclear
    return (one, other) if (_relation(gap) == "over") == (behind > 0) else (other, one)


def _sides(kind: str, behind: int, count: int, is_before: Sequence[bool]) -> list[int]:
    """Return the options beside a word that it may place; `is_before`: whether it has before it what parts options."""
    sides = [side for side in (behind - 1, behind) if 0 <= side < count]
    if len(sides) > 1 and kind == "then":
        return sides[1:]
    if len(sides) == 1 or not is_before or len({*is_before}) > 1:
        return sides
    return sides[1:] if is_before[0] else sides[:1]


def _one_way(own: Sequence[set[Cue]], either: Sequence[tuple[Cue, int]]) -> list[Cue | None]:
    """Return the word that places each option in the only way that gives most options one."""
    ways: list[list[Cue | None]] = []
    for sides in product((-1, 0), repeat=len(either)) if len(either) <= _MOST_WAYS else ():
        tried = [{*cues} for cues in own]
        for side, (cue, behind) in zip(sides, either, strict=True):
            tried[behind + side].add(cue)
        if all(map(_is_one_place, tried)):
            ways.append([max(cues, key=lambda cue: (cue.kind == "place", cue.value), default=None) for cues in tried])
    fewest = min((way.count(None) for way in ways), default=0)
    best = [way for way in ways if way.count(None) == fewest]
    if len({tuple(cue and (cue.kind, cue.value) for cue in way) for way in best}) != 1:
        raise Unclear
    return best[0]


def _is_one_place(cues: Collection[Cue]) -> bool:
    """Return whether words mean one place: "last, in fourth" does."""
    places = {cue.value for cue in cues if cue.kind == "place"}
    return len(places) < 2 or (-1 in places and len(places) == 2 and max(places) > 1)  # noqa: PLR2004


def _place_together(
    sentence: str, options: Sequence[Cue], chosen: list[Cue | None], run: range, compared: set[int]
) -> None:
    """Place options that are named together one behind the other: "then Ann and Bo", "my order: Ann, Bo, last Cy"."""
    open_ones = {one for one in run if chosen[one] is None}
    last, behind = chosen[run[-1]], chosen[run.stop] if run.stop < len(chosen) else None
    if compared & {*run} and not open_ones <= compared:
        raise Unclear  # "Ann and Bo are ahead of Cy" does not say which of the two is
    goes_on = behind is not None and (behind.kind == "then" or (behind.value == -1 and bool(_ORDER.search(sentence))))
    is_list = goes_on and not _AND.search(sentence, options[run[0]].end, options[run[-1]].start)
    if open_ones >= {*run[1:]} and (chosen[run[0]] is not None or is_list):
        for one in run[1:]:
            chosen[one] = Cue("then", 0, options[one].start, options[one].start)
    elif last is not None and last.start > options[run[-1]].start and not open_ones <= compared:
        raise Unclear  # "Ann and Bo are last"
