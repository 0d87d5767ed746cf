"""A line as items: the words and groups that it names, what else it says, and what joins them.

Words of no weight are no items: numbers; words that point ("the answer", "for group"), which belong to what stands
behind them; remarks in brackets, and reasons behind "because". Words that assign ("goes with") and conjunctions join
items as a colon and "&" do.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.instruments.word_association.names import ASSIGNING, DENYING, JOINING, POINTING, REASONING, tokens_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.word_association.names import Tokens, Vocabulary

Joint = Literal["break", "and", "list", "link", "blank"]
Kind = Literal["W", "G", "B", "X"]

_HARD = re.compile("[-=~<>\u2190-\u21ff\u2794-\u27bf\u27f0-\u27ff\u2900-\u297f\u2b00-\u2b11]")
_ASSIGNS, _POINTS = "\ue010\ue011"
"""Marker characters in a gap for words that assign or point; no plain text contains them."""
_LINK = re.compile(rf"{_HARD.pattern}|[:(\[{{{_ASSIGNS}]|\.{{2,}}")
_BREAK = re.compile(r"[\])}]\s*[,;]?\s*[(\[{]")
_SENTENCE_END = re.compile(r"[.!]\s")
_LIST = re.compile(r"[,;/+|\u00b7\u2022\u3001\u3002]|(?<!\.)\.(?!\.)")
_BLANK = re.compile(r"[\s\"'_]*")
_DENYING_SIGN = re.compile("[?%∉∌⊄≠≢↛✗✘❌]|!=|=/=")
"""Signs in lines that assign nothing, such as an answer in shares."""
_LABEL = re.compile("[a-z]|[ivxlc]+")
_BRACKETS = re.compile(r"[(\[{]([^()\[\]{}]*)[)\]}]")
_KINDS: dict[str, Kind] = {"word": "W", "group": "G", "both": "B"}


class Item(NamedTuple):
    """A part of a line."""

    kind: Kind  # "W" for a word, "G" for a group, "B" for a name that is both, "X" for anything else
    name: str  # the folded name, or the token
    gap: str  # what stands between it and the item before, or the start of the line


class Items(NamedTuple):
    """A line split into items."""

    items: tuple[Item, ...]
    is_denied: bool  # whether the line denies, compares, quotes an example or asks: nothing is assigned by it


def items(line: str, vocabulary: Vocabulary) -> Items:
    """Split a line into items."""
    found = tokens_of(_without_remarks(line, vocabulary))
    parts, tail = _without_reason(_named(found, vocabulary), found.gaps[-1])
    is_denied = any(part.kind == "X" and part.name in DENYING for part in parts)
    has_sign = any(_DENYING_SIGN.search(gap) for gap in (*(part.gap for part in parts), tail))
    return Items(_weighed(parts, tail), is_denied or has_sign)


def joint(gap: str) -> Joint:
    """Return how a gap joins the items on both sides.

    "break" where a bracket closes and another opens; "and", also for a sentence that begins or ends with more than
    names; "list" for a comma and the like; "link" for a dash, a colon, an arrow, an opening bracket and the like;
    "blank" for anything else.
    """
    if _BREAK.search(gap):
        return "break"
    has_words = _ASSIGNS in gap or _POINTS in gap
    if "&" in gap or (has_words and _SENTENCE_END.search(gap)):
        return "and"
    if _LIST.search(gap):
        return "list"
    return "link" if _LINK.search(gap) else "blank"


def is_assigned(gap: str) -> bool:
    """Return whether a gap contains words that assign."""
    return _ASSIGNS in gap


def is_hard(gap: str) -> bool:
    """Return whether a gap contains a dash, an arrow or an equals sign."""
    return _HARD.search(gap) is not None


def _named(found: Tokens, vocabulary: Vocabulary) -> list[Item]:
    """Return the names in a line as items, and each of its other tokens as an item."""
    return [
        Item(_KINDS[meaning[0]], meaning[1], found.gaps[place])
        if meaning
        else Item("X", found.texts[place], found.gaps[place])
        for meaning, place, _ in vocabulary.walk(found)
    ]


def _without_remarks(line: str, vocabulary: Vocabulary) -> str:
    """Drop remarks in brackets that contain no names, no conjunction and no denial: "(no reason)" denies nothing."""

    def kept(match: re.Match[str]) -> str:
        found = tokens_of(match[1]).texts
        says_more = vocabulary.has_name(match[1]) or not (DENYING | JOINING).isdisjoint(found)
        is_bare = found[:1] == ("no",) and len(found) > 1 and not vocabulary.has_name(match[1])
        return match[0] if (says_more and not is_bare) or not found else ""

    return _BRACKETS.sub(kept, _BRACKETS.sub(kept, line))


def _without_reason(parts: list[Item], tail: str) -> tuple[list[Item], str]:
    """Drop a reason that follows a word and a group."""
    for place, part in enumerate(parts):
        if part.kind == "X" and part.name in REASONING:
            is_behind = {"W", "G"} <= {one.kind for one in parts[:place]}
            return (parts[:place], "") if is_behind else (parts, tail)
    return parts, tail


def _weighed(parts: Sequence[Item], tail: str) -> tuple[Item, ...]:
    """Merge words of no weight into the gaps between the other items."""
    kept: list[Item] = []
    gap = ""
    last_name = max((place for place, part in enumerate(parts) if part.kind != "X"), default=-1)
    for place, part in enumerate(parts):
        gap += part.gap
        behind = parts[place + 1].gap if place + 1 < len(parts) else tail
        if part.kind == "X" and _is_numbering(part, behind, is_first=not kept):
            gap += " "
        elif part.kind == "X" and part.name in JOINING and 0 < place < last_name:
            gap += "&"
        elif part.kind == "X" and _belongs(parts, place, tail):
            gap += _ASSIGNS if part.name in ASSIGNING else _POINTS
        else:
            kept.append(part._replace(gap=gap))
            gap = ""
    return tuple(kept)


def _is_numbering(part: Item, behind: str, *, is_first: bool) -> bool:
    """Return whether a number or letter counts what follows; after a dash or colon, a number is what is paired."""
    if part.name.isnumeric():
        return is_first or behind[:1] in {".", ")"} or joint(part.gap) != "link"
    return _LABEL.fullmatch(part.name) is not None and (behind[:1] == ")" or (is_first and behind[:1] == "."))


def _belongs(parts: Sequence[Item], place: int, tail: str) -> bool:
    """Return whether a word that points or assigns belongs to its neighbour rather than being paired itself."""
    name, is_last = parts[place].name, place + 1 == len(parts)
    if name not in POINTING and name not in ASSIGNING:
        return False
    behind = tail if is_last else parts[place + 1].gap
    to_the_right = not is_last and not is_hard(behind)
    to_the_left = place > 0 and _BLANK.fullmatch(parts[place].gap) is not None
    return to_the_right or to_the_left
