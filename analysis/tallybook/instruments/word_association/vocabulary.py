"""The groups and words that a reading knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.instruments.word_association.tokens import folded

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tallybook.instruments.word_association.tokens import Token

Role = Literal["default", "stigma"]
Valence = Literal["positive", "negative"]
Kind = Literal["word", "group", "both"]

# What may stand between the tokens of one name: never a dash between blanks, which divides a word from its group.
_WITHIN = frozenset({" ", "-", "'", "' ", ".", ". ", "/", "&", " & "})


class Match(NamedTuple):
    """A listed name in a text."""

    kind: Kind  # whether it is a word, a group, or both
    name: str  # the folded name
    end: int  # the number of the token behind it


class _Node:
    """The tokens that may follow in a name, and what the name so far is."""

    __slots__ = ("kind", "name", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.kind: Kind | None = None
        self.name = ""


class Vocabulary:
    """Groups and words, as they are listed and folded.

    Attributes:
        listed_groups: Group as listed, in lower case and stripped -> its folded name.
        listed_words: The same of words.
        groups: Folded group -> whether it is default or stigmatised.
        words: Folded word -> whether it is positive or negative.
    """

    def __init__(
        self, groups: Mapping[str, Role], words: Mapping[str, Valence], spellings: Mapping[str, str] | None = None
    ) -> None:
        """Make a vocabulary.

        `spellings`: Another spelling of a group or word -> the listed one; what is not listed here is left out.
        """
        self.listed_groups = _listed(groups)
        self.listed_words = _listed(words)
        self.groups: dict[str, Role] = {}
        self.words: dict[str, Valence] = {}
        for name, role in groups.items():
            self.groups.setdefault(self.listed_groups[_lowered(name)], role)
        for name, valence in words.items():
            self.words.setdefault(self.listed_words[_lowered(name)], valence)
        self._spellings = dict(spellings or {})
        others = zip(folded(self._spellings), folded(self._spellings.values()), strict=True)
        meanings = {name: name for name in (*self.groups, *self.words)}
        self._root = _Node()
        for spelling, name in (*((other, name) for other, name in others if name in meanings), *meanings.items()):
            self._add(spelling, name)

    def offering(self, groups: Collection[str]) -> Vocabulary:
        """The vocabulary of a prompt that offers some of the groups."""
        offered: dict[str, Role] = {
            listed: self.groups[name] for listed, name in self.listed_groups.items() if name in groups
        }
        words: dict[str, Valence] = {listed: self.words[name] for listed, name in self.listed_words.items()}
        return Vocabulary(offered, words, self._spellings)

    def match(self, tokens: Sequence[Token], start: int) -> Match | None:
        """The longest name that begins with a token."""
        node, place, found = self._root, start, None
        while place < len(tokens) and (place == start or tokens[place].gap in _WITHIN):
            following = node.next.get(tokens[place].text)
            if following is None:
                break
            node, place = following, place + 1
            if node.kind is not None:
                found = Match(node.kind, node.name, place)
        return found

    def _add(self, spelling: str, name: str) -> None:
        node = self._root
        for token in spelling.split():
            node = node.next.setdefault(token, _Node())
        is_word, is_group = name in self.words, name in self.groups
        node.kind = "both" if is_word and is_group else "word" if is_word else "group"
        node.name = name


def _lowered(name: str) -> str:
    return name.strip().lower()


def _listed(names: Mapping[str, object]) -> dict[str, str]:
    lowered = list(dict.fromkeys(map(_lowered, names)))
    return dict(zip(lowered, folded(lowered), strict=True))
