"""The shapes of lines that give pairs, by the order of their items and by what joins these.

Items joined by a link or only by a blank are a chunk; commas, full stops, bars and "and" stand between chunks.

- word-group: "good - White"; group-word: "White: good".
- several: pairs one after another, all the same way round: "good: White, bad: Black", "good - White bad - Black".
- group-list: a group linked with a word, and more words behind: "White: good, nice; Black: bad".
- words-group: words, the last of them linked with a group: "good, nice: White", "good-nice - White".

What stands in no such order gives no pair, nor does a chunk with anything else in it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.instruments.word_association.items import is_assigned, is_hard, joint
from tallybook.instruments.word_association.score import Pair

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tallybook.instruments.word_association.items import Item, Items

_PAIR = 2
"""The number of items of a pair."""
_LONGEST_SIDE = 3
"""The most tokens on each side of a dash in a pair of unknown names."""


class Line(NamedTuple):
    """The content of a line: pairs, or only words, or only a group."""

    pairs: tuple[Pair, ...] = ()
    words: tuple[str, ...] = ()
    group: str = ""
    is_unknown: bool = False  # whether part of it looks like a pair, or part of one, and gives none

    @property
    def kind(self) -> Literal["pairs", "words", "group", "unknown", "other"]:
        """The kind of content; an `unknown` line looks like pairs and gives none."""
        if self.pairs:
            return "pairs"
        if self.words:
            return "words"
        return "group" if self.group else "unknown" if self.is_unknown else "other"


OTHER, UNKNOWN = Line(), Line(is_unknown=True)


class _AmbiguousError(Exception):
    """The order of the items has more than one meaning, or none."""


def read(line: Items) -> Line:
    """Return the content of a line."""
    kinds = {item.kind for item in line.items}
    if kinds <= {"X"}:
        return UNKNOWN if _looks_like_a_pair(line.items) and not line.is_denied else OTHER
    if line.is_denied:
        found = Line(is_unknown={"W", "G"} <= kinds or "B" in kinds or _looks_like_a_pair(line.items))
    else:
        found = _bracketed(_split(line.items, {"break"}))
    others = sum(item.kind == "X" for item in line.items)
    is_prose = others > len(line.items) - others + _LONGEST_SIDE  # it mentions names among many other words
    return OTHER if found.kind == "unknown" and is_prose else found


def _bracketed(parts: Sequence[list[Item]]) -> Line:
    """Read parts in brackets of their own; if each is one name, they are read as if commas separated them."""
    if all(len(part) == 1 for part in parts):
        return _part([part[0]._replace(gap=",") for part in parts])
    lines = [_part(part) for part in parts]
    if len(lines) == 1:
        return lines[0]
    pairs = tuple(pair for line in lines for pair in line.pairs)
    return Line(pairs, is_unknown=any(line.is_unknown or line.words or line.group for line in lines))


def _split(items: Sequence[Item], at: Collection[str]) -> list[list[Item]]:
    parts: list[list[Item]] = []
    for item in items:
        if not parts or joint(item.gap) in at:
            parts.append([])
        parts[-1].append(item)
    return parts


def _part(items: list[Item]) -> Line:
    """Read the items between two breaks."""
    items = _resolved(items)
    kinds = _kinds(items)
    if kinds == "G":
        return Line(group=items[0].name)
    joints = {joint(item.gap) for item in items[1:]}
    if kinds in {"WG", "GW"} and "and" not in joints:
        return Line(tuple(_alternating(items)))
    are_separated = bool(joints) and joints <= {"list", "and"}
    if (not kinds.strip("W") and joints <= {"list", "and", "blank"}) or (are_separated and set(kinds) <= {"W", "X"}):
        return Line(words=tuple(item.name for item in items if item.kind == "W"), is_unknown="X" in kinds)
    if are_separated:
        is_in_turn = re.fullmatch("(?:WG)+|(?:GW)+", kinds) and "and" not in joints
        return Line(tuple(_alternating(items))) if is_in_turn else UNKNOWN
    try:
        return _chunks(_split(items, {"list", "and"}))
    except _AmbiguousError:
        return UNKNOWN


def _kinds(items: Sequence[Item]) -> str:
    return "".join(item.kind for item in items)


def _resolved(items: list[Item]) -> list[Item]:
    """Resolve names that are both word and group in pairs: beside a group a word, beside a word a group."""
    kinds = {"BG": "WG", "GB": "GW", "BW": "GW", "WB": "WG", "BB": "WG"}.get(_kinds(items))
    if kinds is None or (_kinds(items) == "BB" and items[0].name != items[1].name):
        return items
    return [item._replace(kind="W" if kind == "W" else "G") for item, kind in zip(items, kinds, strict=True)]


def _looks_like_a_pair(items: Sequence[Item]) -> bool:
    """Return whether items form short sides around dashes, arrows or equals signs."""
    sides: list[int] = []
    for item in items:
        if sides and joint(item.gap) == "blank":
            sides[-1] += 1
        elif sides and not is_hard(item.gap):
            return False
        else:
            sides.append(1)
    return len(sides) > 1 and max(sides) <= _LONGEST_SIDE


def _alternating(items: Sequence[Item]) -> Iterator[Pair]:
    """Yield the pairs of items that alternate between word and group."""
    form = "several" if len(items) > _PAIR else "word-group" if items[0].kind == "W" else "group-word"
    for first, second in zip(items[::2], items[1::2], strict=True):
        word, group = (first, second) if first.kind == "W" else (second, first)
        yield Pair(word.name, group.name, form)


# The shapes of chunks: a word, pairs that begin with a word, words and a group, pairs that begin with a group, a group
# and words.
_CHUNKS = {"w": "W", "p": "(?:WG)+", "q": "WW+G", "g": "(?:GW)+", "h": "GWW+"}
_REMARKED = re.compile("(?:WG|GW)X+")
_APART = re.compile(r"\s[-=]+>?\s|:\s")
_INTRODUCED = re.compile("X|X.*W.*")
"""The kinds of a first chunk that may deny or doubt the whole line: "Allegedly, good - White"."""
_BY_WORDS = re.compile("(?:w*[pq])*w*")
_BY_GROUPS = re.compile("(?:[gh]w*)+")


def _chunks(chunks: Sequence[Sequence[Item]]) -> Line:
    """Read chunks together, except across a longer chunk with an unknown item, which is skipped."""
    runs: list[list[Sequence[Item]]] = [[]]
    is_unknown = False
    for whole in chunks:
        chunk = _without_remark(whole)
        kinds = _kinds(chunk)
        if "X" not in kinds:
            runs[-1].append(chunk)
        elif len(chunk) == 1:
            is_unknown = True
        elif "W" not in kinds and any(item.kind == "G" and is_assigned(item.gap) for item in chunk):
            raise _AmbiguousError  # "good - White, changed to Black"
        else:
            is_paired = len(chunk) == _PAIR or {"W", "G"} <= set(kinds) or _looks_like_a_pair(chunk)
            is_unknown = is_unknown or is_paired
            runs.append([])
    read = [_run(run) for run in runs if run]
    pairs = tuple(pair for _, line in read for pair in line.pairs)
    words = tuple(word for _, line in read for word in line.words)
    if len(read) == len(runs) == 1 and not pairs:
        return Line(words=words, is_unknown=is_unknown)
    first = {begins for begins, line in read if line.pairs}
    if len(first) > 1 or ("words" in first and _INTRODUCED.fullmatch(_kinds(chunks[0]))):
        raise _AmbiguousError
    return Line(pairs, is_unknown=is_unknown or bool(words))


def _without_remark(chunk: Sequence[Item]) -> Sequence[Item]:
    """Drop a remark after a pair and a dash or colon of its own: "good - White - a nice word"."""
    has_remark = _REMARKED.fullmatch(_kinds(chunk)) and _APART.search(chunk[_PAIR].gap)
    return chunk[:_PAIR] if has_remark else chunk


def _run(chunks: Sequence[Sequence[Item]]) -> tuple[Literal["words", "groups"], Line]:
    """Read chunks of names only; return what their pairs begin with, the pairs, and words without a group."""
    shapes = ""
    for chunk in chunks:
        kinds = _kinds(chunk)
        shapes += next((shape for shape, pattern in _CHUNKS.items() if re.fullmatch(pattern, kinds)), "?")
    if _BY_WORDS.fullmatch(shapes):
        return "words", _by_words(chunks, shapes)
    if _BY_GROUPS.fullmatch(shapes):
        return "groups", Line(tuple(_by_groups(chunks, shapes)))
    raise _AmbiguousError


def _by_words(chunks: Sequence[Sequence[Item]], shapes: str) -> Line:
    """Read pairs that begin with words; words before a pair share its group only if every pair has such words."""
    is_single = shapes.count("p") + shapes.count("q") == 1
    is_shared = is_single or not re.search("(?:^|[pq])p", shapes)
    pairs: list[Pair] = []
    before: list[str] = []
    alone: list[str] = []
    for chunk, shape in zip(chunks, shapes, strict=True):
        if shape == "w":
            before.append(chunk[0].name)
            continue
        if not is_shared:
            alone += before
            before = []
        if shape == "p" and not before:
            pairs += _alternating(chunk)
        elif (shape == "p" and len(chunk) > _PAIR) or joint(chunk[-1].gap) != "link":
            raise _AmbiguousError
        else:
            words = [*before, *(item.name for item in chunk[:-1])]
            pairs += [Pair(word, chunk[-1].name, "words-group") for word in words]
        before = []
    return Line(tuple(pairs), (*alone, *before))


def _by_groups(chunks: Sequence[Sequence[Item]], shapes: str) -> Iterator[Pair]:
    """Yield pairs that begin with groups; a group linked with a word is also that of the words after it."""
    group = ""
    for chunk, shape, following in zip(chunks, shapes, f"{shapes[1:]} ", strict=True):
        if shape == "w":
            yield Pair(chunk[0].name, group, "group-list")
            continue
        group = chunk[0].name
        if shape == "g" and following != "w":
            yield from _alternating(chunk)
        elif (shape == "g" and len(chunk) > _PAIR) or joint(chunk[1].gap) != "link":
            raise _AmbiguousError
        else:
            yield from (Pair(item.name, group, "group-list") for item in chunk[1:])
