"""Orders in prose: sentences name options one after another, with words that say which place each of them has.

The mentions of options are a sequence. A place that a sentence gives an option is its place; words of sequence ("then",
"followed by") give the place next to that of the option before, words of comparison ("beats") put an option ahead of
another, and an option of which nothing is said has the place that is left, if that is where it is mentioned.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.ranking.directions import split_by_ranges
from tallybook.instruments.ranking.lists import Found, Order
from tallybook.instruments.ranking.mentions import MARK, number_of
from tallybook.instruments.ranking.sentences import (
    CUES,
    LISTED,
    MIDDLE,
    PARTS,
    RELATIONS,
    Cue,
    Unclear,
    cues_of,
    said_by,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

_PHRASES = [(re.compile(words), said) for said, words in LISTED["phrases"].items()]
_LEFT_OUT, _REASON, _DENIES, _REPORTS, _OWN, _DISCLAIMS = (
    re.compile(LISTED["sentences"][name]) for name in ("left_out", "reason", "denies", "reports", "own", "disclaims")
)
_FOR_A_PLACE = re.compile(
    rf"({MARK}) (?:(?:just|narrowly|barely|slightly) )?(?:edges? out|beats?|outranks?|(?:is|comes) (?:just )?ahead of)"
    rf" ({MARK}) (?:for|to) ((?:the )?(?:first|second|third|fourth|fifth|top)\b(?: (?:place|spot|position|rank))?)"
)
"""Two options of which the first has a place: "Ann edges out Bo for second place"."""
_SENTENCE = re.compile(rf"[.;!?\n]+|, so (?={MARK})")
_MOST_CUES = 200
"""The most words of a sentence that are read."""


def placed(text: str) -> Iterator[Found]:
    """Yield the order of all options of a text whose sentences say which places they have."""
    named = [*dict.fromkeys(map(number_of, re.findall(MARK, text)))]
    if len(named) > 1 and not _DISCLAIMS.search(text):
        try:
            order = _merged(named, *_told(text))
        except Unclear:
            return
        yield Found(text.index(re.findall(MARK, text)[0]), order, "places")


def _told(text: str) -> tuple[dict[int, int], list[tuple[int, int]]]:
    """Return the place of each option that has one, and which options are ahead of which."""
    text = _FOR_A_PLACE.sub(r"\1 is \3, then \2", _LEFT_OUT.sub(" ", "".join(split_by_ranges(text)[::2])))
    for pattern, said in _PHRASES:
        text = pattern.sub(f" {said} ", text)
    places: dict[int, int] = {}
    ahead: list[tuple[int, int]] = []
    before: int | None = None
    for part in _SENTENCE.split(text):
        if not (places or ahead or re.search(MARK, part)):
            continue
        sentence = _REASON.sub(_without_options, part)
        cues = cues_of(sentence)
        if not _tells(sentence, cues, is_first=not places and not ahead and before is None):
            named = [cue.value for cue in cues if cue.kind == "option"]
            before = named[0] if before is None and len(named) == 1 and _OWN.search(sentence) else before
            continue
        mentions, pairs = said_by(sentence, cues)
        ahead += [pair for pair in pairs if pair[0] != pair[1]]
        for option, cue in mentions:
            if cue is not None and cue.value:
                if places.setdefault(option, cue.value) != cue.value:
                    raise Unclear
            elif cue is not None and option not in places and option != before:
                _place_next(option, before, places, ahead, goes_up=cue.kind == "up")
            before = option
    return places, ahead


def _tells(sentence: str, cues: Sequence[Cue], *, is_first: bool) -> bool:
    """Return whether a sentence tells places; raise Unclear if it denies them or reports what was so elsewhere."""
    kinds = {cue.kind for cue in cues} - PARTS
    option = re.search(MARK, sentence)
    if kinds <= {"option"} or (option is None and (is_first or "place" not in kinds)):
        return False
    is_own = bool(_OWN.search(sentence)) or not re.search(r"\w", CUES.sub("", sentence))
    # What is denied before a colon says nothing of the order: "I can't judge people, but: ..."
    lead = max(sentence.rfind(": ", 0, option.start()), 0) if option else 0
    if option is None or _DENIES.search(sentence, lead) or (_REPORTS.search(sentence) and not is_own):
        raise Unclear
    if len(cues) > _MOST_CUES:
        raise Unclear
    return is_own or not is_first or bool(kinds & {"place", *RELATIONS})


def _place_next(
    option: int, before: int | None, places: dict[int, int], ahead: list[tuple[int, int]], *, goes_up: bool
) -> None:
    """Place an option next to the one before it, or behind it if that has no place itself."""
    if before is None or (goes_up and places.get(before, 0) >= 0):
        raise Unclear
    if before in places:
        places[option] = places[before] + _step([*places.values()])
    else:
        ahead.append((before, option))


def _step(places: Sequence[int]) -> int:
    """Return whether the place next to the last one is above or below it."""
    is_falling = places[-1] < 0 or (len(places) > 1 and 0 < places[-1] < places[-2])
    return -1 if is_falling else 1


def _without_options(match: re.Match[str]) -> str:
    """Remove a reason; keep one that gives an option a place, unless the sentence has named it before."""
    cues = cues_of(match[0])
    options = {match[0][cue.start] for cue in cues if cue.kind == "option"}
    is_kept = any(cue.kind == "place" for cue in cues) and options - {*match.string[: match.start()]}
    return match[0] if is_kept else " "


def _merged(named: Sequence[int], places: Mapping[int, int], ahead: Sequence[tuple[int, int]]) -> Order:
    """Return the one order of all options that agrees with their places and with what is ahead of what."""
    count = len(named)
    at = {option: place if place > 0 else count + 1 + place for option, place in places.items() if place != MIDDLE}
    vacant = sorted({*range(1, count + 1)} - {*at.values()})
    free = {option for option in named if option not in at}
    untold = free - {option for pair in ahead for option in pair}
    if len(vacant) != len(free) or not (at or ahead) or len(untold) > 1 or (untold and len(free) > 1):
        raise Unclear
    for option in untold:
        is_inside = option in places and 1 < vacant[0] < count
        if not is_inside and not _is_in_sequence(named, at | {option: vacant[0]}, option):
            raise Unclear
    for place in vacant:
        leading = [one for one in free if not any(later == one and earlier in free for earlier, later in ahead)]
        if len(leading) != 1:
            raise Unclear
        at[leading[0]] = place
        free -= {*leading}
    if not all(at[earlier] < at[later] for earlier, later in ahead):
        raise Unclear
    return tuple((option,) for option in sorted(at, key=lambda option: at[option]))


def _is_in_sequence(named: Sequence[int], at: Mapping[int, int], option: int) -> bool:
    """Return whether an option is mentioned behind the one with the place before its own, or ahead of the next one.

    All may also be mentioned from the last to the first.
    """
    mentioned = [at[one] for one in named]
    place, own = named.index(option), at[option]
    is_rising = mentioned[place - 1 : place] == [own - 1] or mentioned[place + 1 : place + 2] == [own + 1]
    return is_rising or mentioned == sorted(mentioned, reverse=True)
