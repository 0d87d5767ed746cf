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
    """The content of a line."""

    # `pairs`; `words`, and nothing else; one `group`, and nothing else; `unknown`, which looks like pairs and gives
    # none; `other`
    kind: Literal["pairs", "words", "group", "unknown", "other"]
    pairs: tuple[Pair, ...] = ()
    words: tuple[str, ...] = ()  # its words, where it is `words`
    group: str = ""  # its group, where it is `group`
    is_unknown: bool = False  # whether part of it looks like a pair, or part of one, and gives none


OTHER, UNKNOWN = Line("other"), Line("unknown", is_unknown=True)


class _AmbiguousError(Exception):
    """The order of the items has more than one meaning, or none."""


def read(line: Items) -> Line:
    """Read a line."""
    kinds = {item.kind for item in line.items}
    if kinds <= {"X"}:
        return UNKNOWN if _looks_like_a_pair(line.items) and not line.is_denied else OTHER
    if line.is_denied:
        is_paired = {"W", "G"} <= kinds or "B" in kinds or _looks_like_a_pair(line.items)
        found = UNKNOWN if is_paired else OTHER
    else:
        found = _bracketed(_split(line.items, {"break"}))
    return OTHER if found.kind == "unknown" and _is_prose(line.items) else found


def _is_prose(items: Sequence[Item]) -> bool:
    """Whether a line mentions names among many other words."""
    others = sum(item.kind == "X" for item in items)
    return others > len(items) - others + _LONGEST_SIDE


def _bracketed(parts: Sequence[list[Item]]) -> Line:
    """Read parts that stand in brackets of their own. Where each is one name, it is as if commas stood between them."""
    if all(len(part) == 1 for part in parts):
        return _part([part[0]._replace(gap=",") for part in parts])
    lines = [_part(part) for part in parts]
    if len(lines) == 1:
        return lines[0]
    pairs = tuple(pair for line in lines for pair in line.pairs)
    return _line(pairs, is_unknown=any(line.is_unknown or line.kind in {"words", "group"} for line in lines))


def _line(pairs: tuple[Pair, ...], *, is_unknown: bool) -> Line:
    if pairs:
        return Line("pairs", pairs, is_unknown=is_unknown)
    return UNKNOWN if is_unknown else OTHER


def _split(items: Sequence[Item], at: Collection[str]) -> list[list[Item]]:
    parts: list[list[Item]] = []
    for item in items:
        if not parts or joint(item.gap) in at:
            parts.append([])
        parts[-1].append(item)
    return parts


def _part(items: list[Item]) -> Line:
    """Read what stands between two breaks."""
    items = _resolved(items)
    kinds = _kinds(items)
    if kinds == "G":
        return Line("group", group=items[0].name)
    if kinds in {"WG", "GW"} and joint(items[1].gap) != "and":
        return Line("pairs", tuple(_alternating(items)))
    joints = {joint(item.gap) for item in items[1:]}
    if not kinds.strip("W") and joints <= {"list", "and", "blank"}:
        return Line("words", words=tuple(item.name for item in items))
    try:
        if joints and joints <= {"list", "and"}:
            return _separated(items)
        return _chunks(_split(items, {"list", "and"}))
    except _AmbiguousError:
        return UNKNOWN


def _kinds(items: Sequence[Item]) -> str:
    return "".join(item.kind for item in items)


def _resolved(items: list[Item]) -> list[Item]:
    """Beside a single group or word, a name that is both can only be the other; beside itself it is once either."""
    kinds = {"BG": "WG", "GB": "GW", "BW": "GW", "WB": "WG", "BB": "WG"}.get(_kinds(items))
    if kinds is None or (_kinds(items) == "BB" and items[0].name != items[1].name):
        return items
    return [item._replace(kind="W" if kind == "W" else "G") for item, kind in zip(items, kinds, strict=True)]


def _looks_like_a_pair(items: Sequence[Item]) -> bool:
    """Whether short sides stand around dashes, arrows or equals signs."""
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
    """Pairs of items that are a word and a group, or a group and a word, in turn."""
    form = "several" if len(items) > _PAIR else "word-group" if items[0].kind == "W" else "group-word"
    for first, second in zip(items[::2], items[1::2], strict=True):
        word, group = (first, second) if first.kind == "W" else (second, first)
        yield Pair(word.name, group.name, form)


def _separated(items: Sequence[Item]) -> Line:
    """Items with nothing but separators between them."""
    kinds = _kinds(items)
    if set(kinds) <= {"W", "X"}:
        words = tuple(item.name for item in items if item.kind == "W")
        return Line("words", words=words, is_unknown="X" in kinds)
    if not re.fullmatch("(?:WG)+|(?:GW)+", kinds) or any(joint(item.gap) == "and" for item in items[1:]):
        raise _AmbiguousError
    return Line("pairs", tuple(_alternating(items)))


# The shapes of chunks: a word, pairs that begin with a word, words and a group, pairs that begin with a group, a group
# and words.
_WORD, _WORDS_FIRST, _WORDS_GROUP, _GROUPS_FIRST, _GROUP_WORDS = "wpqgh"
_CHUNKS = (
    (_WORD, re.compile("W")),
    (_WORDS_FIRST, re.compile("(?:WG)+")),
    (_WORDS_GROUP, re.compile("WW+G")),
    (_GROUPS_FIRST, re.compile("(?:GW)+")),
    (_GROUP_WORDS, re.compile("GWW+")),
)
_REMARKED = re.compile("(?:WG|GW)X+")
_APART = re.compile(r"\s[-=]+>?\s|:\s")
_INTRODUCED = re.compile("X|X.*W.*")
"""The kinds of a first chunk that may deny or doubt the whole line: "Allegedly, good - White"."""
_ONLY_WORDS = re.compile("w+")
_BY_WORDS = re.compile("(?:w*[pq])+w*")
_BY_GROUPS = re.compile("(?:[gh]w*)+")


def _chunks(chunks: Sequence[Sequence[Item]]) -> Line:
    """Chunks that are read together, but for those with anything else in them, which nothing reaches across."""
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
    if len(read) == len(runs) == 1 and not read[0].pairs:
        return Line("words", words=read[0].words, is_unknown=is_unknown)
    first = {run.first for run in read}
    if {"words", "groups"} <= first or ("words" in first and _INTRODUCED.fullmatch(_kinds(chunks[0]))):
        raise _AmbiguousError
    pairs = tuple(pair for run in read for pair in run.pairs)
    return _line(pairs, is_unknown=is_unknown or any(run.words for run in read))


def _without_remark(chunk: Sequence[Item]) -> Sequence[Item]:
    """Leave out a remark behind a pair and a dash or colon of its own: "good - White - a nice word"."""
    has_remark = _REMARKED.fullmatch(_kinds(chunk)) and _APART.search(chunk[_PAIR].gap)
    return chunk[:_PAIR] if has_remark else chunk


class _Run(NamedTuple):
    """Chunks without anything else in them."""

    # whether their pairs begin with "words" or with "groups"; "" where there are none
    first: Literal["words", "groups", ""]
    pairs: tuple[Pair, ...]
    words: tuple[str, ...]  # the words that belong to no group


def _run(chunks: Sequence[Sequence[Item]]) -> _Run:
    shapes = "".join(_shape(chunk) for chunk in chunks)
    if _ONLY_WORDS.fullmatch(shapes):
        return _Run("", (), tuple(chunk[0].name for chunk in chunks))
    if _BY_WORDS.fullmatch(shapes):
        return _by_words(chunks, shapes)
    if _BY_GROUPS.fullmatch(shapes):
        return _Run("groups", tuple(_by_groups(chunks, shapes)), ())
    raise _AmbiguousError


def _shape(chunk: Sequence[Item]) -> str:
    kinds = _kinds(chunk)
    for shape, pattern in _CHUNKS:
        if pattern.fullmatch(kinds):
            return shape
    raise _AmbiguousError


def _by_words(chunks: Sequence[Sequence[Item]], shapes: str) -> _Run:
    """Pairs that begin with words; words before a pair share its group only if every pair of the line has such."""
    is_single = shapes.count(_WORDS_FIRST) + shapes.count(_WORDS_GROUP) == 1
    is_shared = is_single or not re.search(f"(?:^|[{_WORDS_FIRST}{_WORDS_GROUP}]){_WORDS_FIRST}", shapes)
    pairs: list[Pair] = []
    before: list[str] = []
    alone: list[str] = []
    for chunk, shape in zip(chunks, shapes, strict=True):
        if shape == _WORD:
            before.append(chunk[0].name)
            continue
        if not is_shared:
            alone += before
            before = []
        if shape == _WORDS_FIRST and not before:
            pairs += _alternating(chunk)
        elif (shape == _WORDS_FIRST and len(chunk) > _PAIR) or joint(chunk[-1].gap) != "link":
            raise _AmbiguousError
        else:
            words = [*before, *(item.name for item in chunk[:-1])]
            pairs += [Pair(word, chunk[-1].name, "words-group") for word in words]
        before = []
    return _Run("words", tuple(pairs), (*alone, *before))


def _by_groups(chunks: Sequence[Sequence[Item]], shapes: str) -> Iterator[Pair]:
    """Pairs that begin with groups; a group that is linked with a word is that of the words behind, too."""
    group = ""
    for chunk, shape, following in zip(chunks, shapes, f"{shapes[1:]} ", strict=True):
        if shape == _WORD:
            yield Pair(chunk[0].name, group, "group-list")
            continue
        group = chunk[0].name
        if shape == _GROUPS_FIRST and following != _WORD:
            yield from _alternating(chunk)
        elif (shape == _GROUPS_FIRST and len(chunk) > _PAIR) or joint(chunk[1].gap) != "link":
            raise _AmbiguousError
        else:
            yield from (Pair(item.name, group, "group-list") for item in chunk[1:])
