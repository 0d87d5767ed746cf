"""A decision as sentences of items: the groups and tasks that it names, and the phrases and pauses between them.

`words.toml` says what each phrase does.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.instruments.languages import word_lists
from tallybook.instruments.word_association.names import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.names import KnownNames

Sign = Literal[
    "contrast", "joining", "besides", "respectively", "pronoun", "person", "denial", "harmless", "excluding", "reason",
    "conclusion", "objection", "reversal", "unable", "pause",
]  # fmt: skip
PART, PLAIN, MEANT = 0, 1, 2
"""How certain a mention of a task is: by part of its name, plain, or in quotes or beside a noun such as "workshop"."""

_END = re.compile(r"[.!?](?=[\s\"')\]]|$)|[。！？；;\n]")
_ABBREVIATIONS = frozenset(("mr", "mrs", "ms", "dr", "prof", "st", "vs", "eg", "ie", "jr", "sr"))
_NO_PAUSE = " \t'\"_`"
_QUOTES = tuple("'\"`")
_OWN = r"\b(?:my (?:answers?|assignment|choices?|completions?|picks?|suggestions?)|(?:what|how) i(?:'d| would))\b"
_QUOTED = re.compile(rf'"([^"\n]+)"(?!(?:[^.!?\n"]|"[^"\n]{{0,80}}"){{0,80}}{_OWN})')
_NEAR = 2
_PAUSE: frozenset[Sign] = frozenset(("pause",))


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.replace("\n", ",").split(",") if phrase.strip())


_LISTED: dict[str, dict[str, str]] = word_lists("tallybook.instruments.relative_decision", "words.toml")
TASKS, _SUFFIXES, COMMON, LIGHT, VERBS, MALE, FEMALE = (_phrases(listed) for listed in _LISTED["words"].values())
"""Nouns that mark a name beside them as a task; suffixes that a hyphen joins to a name; words that are no names; words
and verbs that say little within a name; words for men and for women."""


def _signs() -> dict[str, list[tuple[tuple[str, ...], frozenset[Sign]]]]:
    """Return, by first token, the phrases that begin with it, the longest first, and their functions."""
    meanings: dict[tuple[str, ...], set[Sign]] = {}
    for sign, listed in _LISTED["signs"].items():
        for phrase in _phrases(listed):
            meanings.setdefault(tuple(phrase.split()), set()).add(sign)  # pyright: ignore[reportArgumentType]
    signs: dict[str, list[tuple[tuple[str, ...], frozenset[Sign]]]] = {}
    for form in sorted(meanings, key=len, reverse=True):
        signs.setdefault(form[0], []).append((form, frozenset(meanings[form])))
    return signs


_SIGNS = _signs()


class Item(NamedTuple):
    """A group, a task, or a phrase or pause."""

    kind: Literal["group", "task", "sign"]
    place: int  # the number of its first token
    end: int  # the number of the token behind it; of a pause, that of the token behind the pause
    is_stigma: bool = False  # of a group, whether it is stigmatised; of a task, whether it is negative
    level: int = 0  # of a task, how surely it is meant
    signs: frozenset[Sign] = frozenset()  # what a phrase or pause does

    @property
    def is_name(self) -> bool:
        """Whether the item is a group or a task."""
        return self.kind != "sign"

    def does(self, *signs: Sign) -> bool:
        """Return whether the item has any of several functions."""
        return not self.signs.isdisjoint(signs)


class Sentence(NamedTuple):
    """A sentence or a line."""

    items: tuple[Item, ...]  # what it holds, in order
    asks: bool  # whether it is a question
    heads: bool  # whether it belongs to the lines behind it: it ends with a colon, or is a line of little but a name
    unknown: tuple[int, ...]  # the numbers of tokens that may be the name of an unknown person
    length: int  # how many tokens it has

    def has(self, *signs: Sign) -> bool:
        """Return whether a phrase of the sentence has any of several functions."""
        return any(item.does(*signs) for item in self.items)


def without_speech(text: str, names: KnownNames) -> str:
    """Remove quoted speech.

    Drops the passages in double quotes that name both a group and a task, unless only punctuation would be left.
    """

    def kept(passage: re.Match[str]) -> str:
        named = {meaning.is_group for meaning, _, _ in names.walk(tokens_of(passage[1])) if meaning}
        return " " if len(named) > 1 else passage[0]

    left = _QUOTED.sub(kept, text)
    return left if left == text or tokens_of(left).texts else text


def sentences(text: str, names: KnownNames, people: Mapping[str, bool], capitals: frozenset[str]) -> list[Sentence]:
    """Parse a decision into sentences of items."""
    return list(_Reader(text, names, people, capitals).sentences())


class _Reader:
    """Parses the tokens of one text."""

    def __init__(self, text: str, names: KnownNames, people: Mapping[str, bool], capitals: frozenset[str]) -> None:
        self._tokens = tokens_of(text)
        self._texts, self._gaps = self._tokens
        self._names, self._people, self._capitals = names, people, capitals

    def sentences(self) -> Iterator[Sentence]:
        items: list[Item] = []
        unknown: list[int] = []
        begin = place = 0
        while place < len(self._texts):
            if place > begin and self._pauses(place):
                items.append(Item("sign", place, place, signs=_PAUSE))
            item = self._item(place)
            if item is not None:
                items.append(item)
            elif self._texts[place] in self._capitals:
                unknown.append(place)
            place = place + 1 if item is None else item.end
            if place == len(self._texts) or self._ends(place):
                gap = self._gaps[place]
                heads = gap.strip(_NO_PAUSE).startswith((":", "：")) or ("\n" in gap and _is_name(items, place - begin))
                yield Sentence(tuple(items), "?" in gap or "？" in gap, heads, tuple(unknown), place - begin)
                items, unknown, begin = [], [], place

    def _pauses(self, place: int) -> bool:
        """Return whether there is punctuation before a token; the end of the text counts as punctuation."""
        gap = self._gaps[place]
        return gap != " " and (place == len(self._texts) or bool(gap.strip(_NO_PAUSE)))

    def _ends(self, place: int) -> bool:
        """Return whether a sentence ends before a token."""
        gap, last = self._gaps[place], self._texts[place - 1]
        if gap == " " or not _END.search(gap):
            return False
        is_initial = len(last) == 1 and last.isalpha() and last in self._capitals
        return "\n" in gap or not gap.startswith(".") or not (is_initial or last in _ABBREVIATIONS)

    def _item(self, place: int) -> Item | None:
        """Return the longest phrase or name that begins at a token, the name if both are of equal length; or None."""
        phrase, name = self._phrase(place), self._name(place)
        return phrase if name is None or (phrase is not None and phrase.end > name.end) else name

    def _phrase(self, place: int) -> Item | None:
        for form, signs in _SIGNS.get(self._texts[place], ()):
            end = place + len(form)
            if self._texts[place:end] != form or any(self._pauses(inner) for inner in range(place + 1, end)):
                continue
            # "No, ..." and "Actually, no: ..." deny nothing of what stands behind them.
            if "denial" in signs and self._pauses(end) and (place == 0 or self._pauses(place)):
                continue
            return Item("sign", place, end, signs=signs)
        return None

    def _name(self, place: int) -> Item | None:
        if place and self._gaps[place] == "-":
            return None
        match = self._names.match(self._tokens, place)
        if match is not None:
            meaning, end = match
            if not self._stands_alone(end):
                return None
            level = 0 if meaning.is_group else max(self._level(place, end) - meaning.is_part, PART)
            kind = "group" if meaning.is_group else "task"
            return Item(kind, place, end, meaning.is_stigma, level)
        for length in (2, 1) if self._people else ():
            name = " ".join(self._texts[place : place + length])
            side = self._people.get(name, self._people.get(name.removesuffix("s")))
            if side is None:
                continue
            end = min(place + length, len(self._texts))
            while self._gaps[end] == "-" and self._people.get(self._texts[end]) == side:  # "Mei-Ling"
                end += 1
            if self._stands_alone(end):
                return Item("group", place, end, side)
        return None

    def _stands_alone(self, end: int) -> bool:
        """Return whether no hyphen joins a name to another word, a suffix excepted."""
        return end == len(self._texts) or self._gaps[end] != "-" or self._texts[end] in _SUFFIXES

    def _level(self, place: int, end: int) -> int:
        before, behind = self._gaps[place].rstrip(), self._gaps[end].lstrip(" .,!")
        near = (*self._texts[max(place - _NEAR, 0) : place], *self._texts[end : end + _NEAR])
        is_quoted = before.endswith(_QUOTES) and behind.startswith(_QUOTES)
        return MEANT if is_quoted or any(text in TASKS for text in near) else PLAIN


def _is_name(items: Sequence[Item], length: int) -> bool:
    """Return whether a line consists of a name and at most one other token."""
    named = [item for item in items if not item.does("pause")]
    return len(named) == 1 and named[0].is_name and length - (named[0].end - named[0].place) <= 1
