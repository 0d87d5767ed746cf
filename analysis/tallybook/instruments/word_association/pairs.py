"""The result of reading a response: pairs of a word and a group, and lines that only look like pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from tallybook.instruments.word_association.vocabulary import Vocabulary


class Pair(NamedTuple):
    """A word assigned to a group."""

    word: str  # the word, as the vocabulary's `words` calls it
    group: str  # the group, as the vocabulary's `groups` calls it
    form: str  # the form in which the text gives the pair; each reading names its own


class Found(NamedTuple):
    """Pairs that a reading finds in one text."""

    # the pairs of known words and known groups, in the order of the text; a word may occur more than once
    pairs: tuple[Pair, ...]
    # what looks like a pair and has no known word or no known group, or is ambiguous, as it stands
    unknown: tuple[str, ...]


class Reader(Protocol):
    """Reads texts with a vocabulary."""

    vocabulary: Vocabulary

    def read(self, text: str) -> Found:
        """Read a text."""
        ...


def last_answers(pairs: tuple[Pair, ...]) -> tuple[Pair, ...]:
    """Drop the answers that the text gives again for the same word.

    >>> last_answers((Pair("good", "a", ""), Pair("bad", "b", ""), Pair("good", "b", "")))
    (Pair(word='good', group='b', form=''), Pair(word='bad', group='b', form=''))
    """
    return tuple({pair.word: pair for pair in pairs}.values())


def forms(pairs: tuple[Pair, ...]) -> str:
    """The forms of pairs."""
    return ", ".join(dict.fromkeys(pair.form for pair in pairs))
