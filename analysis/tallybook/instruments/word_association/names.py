r"""Texts and listed names as tokens: runs of letters, marks and digits, and what stands between them.

    "**Al‐Sheikh** – didn't  do it"   text
    "al-sheikh - didn't do it"        plain
    al | sheikh | didnt | do | it     tokens; the gaps between them are "-", " - ", " ", " "

An apostrophe within a word is left out, and a hyphen stands between tokens: names that differ in nothing else are the
same.
"""

from __future__ import annotations

import html
import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, TypeVar

import polars as pl

from tallybook.core.remembered import Remembered
from tallybook.instruments.languages import word_lists
from tallybook.instruments.option_text import plain, replaced, safe

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

Role = Literal["default", "stigma"]
Valence = Literal["positive", "negative"]
Kind = Literal["word", "group", "both"]
Meaning = TypeVar("Meaning")

_LISTED: dict[str, str] = word_lists("tallybook.instruments.word_association", "english.toml")
ASSIGNING, POINTING, DENYING, JOINING, REASONING = (frozenset(words.split()) for words in _LISTED.values())
"""Words around pairs, by what they do."""

_MARKUP = (
    ("</?tr[^<>\n]*>", "\n"),
    ("</?t[dh][^<>\n]*>", "|"),
    (f"</[a-z][a-z0-9_]*>|<(?:{'|'.join(sorted(POINTING))})>", " "),
)
_STRUCK = r"~~[^~\s](?:[^~\n]*[^~\s])?~~|<(?:s|del|strike)>[^<\n]*</(?:s|del|strike)>"
_PICTURES = {*range(0xFE00, 0xFE10), *range(0x20DD, 0x20E4)}
"""Marks that turn a digit or a symbol into a picture, and do not belong to a word."""
_FIRST_MARK, _BEYOND_MARKS = 0x300, 0x20000
_TOKEN = re.compile(r"([^\W_]++(?:'[^\W_]++)*+)")
WITHIN = frozenset({" ", "-", "_", "'", "' ", ".", ". ", "/", "&", " & "})
"""The gaps allowed within a name: never a dash between blanks, which separates two names."""


class Tokens(NamedTuple):
    """The tokens of a text."""

    texts: tuple[str, ...]  # the tokens, without apostrophes
    gaps: tuple[str, ...]  # the text before each token, and after the last


def plain_texts(texts: pl.Series) -> pl.Series:
    """Normalise texts: uniform quotes, dashes, blanks and line ends, no markup, lower case."""
    if texts.str.contains("&(?:#|[A-Za-z])").any():
        texts = pl.Series([None if text is None else html.unescape(text) for text in texts], dtype=pl.String)
    text = pl.col("text").str.replace_all(_STRUCK, " ")
    # A text of one line that contains "\\n" has escaped line ends; JSON is unescaped when it is parsed.
    is_escaped = ~text.str.contains(r"\n|^\s*[\[{]")
    unescaped = pl.when(is_escaped).then(text.str.replace_all(r"(?:\\r)?\\n", "\n")).otherwise(text)
    return pl.DataFrame({"text": texts}).select(replaced(plain(safe(unescaped)), _MARKUP)).to_series()


def tokens_of(text: str) -> Tokens:
    """Split a text into tokens and the gaps between them.

    >>> tokens_of("Al-Sheikh's: 7.")
    Tokens(texts=('Al', 'Sheikhs', '7'), gaps=('', '-', ': ', '.'))
    """
    has_marks = not text.isascii() and any(unicodedata.category(one)[0] == "M" for one in {*text})
    split = (_token_with_marks() if has_marks else _TOKEN).split(text)
    return Tokens(tuple(token.replace("'", "") for token in split[1::2]), tuple(split[::2]))


def folded(names: Iterable[str]) -> list[str]:
    """Return names in the form in which they are compared: their tokens, with blanks between them.

    >>> folded(["mohammed Al‐Sheikh", "didn’t do it", "Red-Handed!"])
    ['mohammed al sheikh', 'didnt do it', 'red handed']
    """
    return _folded_once(names)


@Remembered
def _folded_once(names: Sequence[str | None]) -> Iterator[str]:
    return (" ".join(tokens_of(text).texts) for text in plain_texts(pl.Series(names, dtype=pl.String)))


@cache
def _token_with_marks() -> re.Pattern[str]:
    """Compile the pattern of a token with combining marks, listed one by one as `re` has no class for them."""
    codes = (code for code in range(_FIRST_MARK, _BEYOND_MARKS) if code not in _PICTURES)
    marks = "".join(one for one in map(chr, codes) if unicodedata.category(one)[0] == "M")
    run = rf"(?:[^\W_]++|[{marks}]++)++"
    return re.compile(rf"({run}(?:'{run})*+)")


class Index(Generic[Meaning]):
    """An index of folded names and their meanings.

    Attributes:
        forms: First token -> the names that begin with it, the longest first, and what they mean.
    """

    def __init__(self, meanings: Mapping[str, Meaning]) -> None:
        self.forms: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
        for name, meaning in sorted(meanings.items(), key=lambda entry: entry[0].count(" "), reverse=True):
            if form := tuple(name.split()):
                self.forms.setdefault(form[0], []).append((form, meaning))

    def match(self, found: Tokens, place: int) -> tuple[Meaning, int] | None:
        """Return the meaning of the longest name that begins at a token, and the number of the token after it."""
        for form, meaning in self.forms.get(found.texts[place], ()):
            end = place + len(form)
            if found.texts[place:end] == form and WITHIN.issuperset(found.gaps[place + 1 : end]):
                return meaning, end
        return None

    def walk(self, found: Tokens) -> Iterator[tuple[Meaning | None, int, int]]:
        """Yield the names and other tokens of a text in turn: the meaning, the first token and the token after it."""
        place = 0
        while place < len(found.texts):
            meaning, end = self.match(found, place) or (None, place + 1)
            yield meaning, place, end
            place = end

    def is_name(self, text: str) -> bool:
        """Return whether a text is a name and nothing else."""
        return [meaning is not None for meaning, _, _ in self.walk(tokens_of(text))] == [True]

    def has_name(self, text: str) -> bool:
        """Return whether a text contains a name."""
        return any(meaning for meaning, _, _ in self.walk(tokens_of(text)))


class Vocabulary(Index["tuple[Kind, str]"]):
    """Groups and words, as they are listed and folded.

    Attributes:
        listed_groups: Group as listed, in lower case and stripped -> its folded name.
        listed_words: Word as listed, in lower case and stripped -> its folded name.
        groups: Folded group -> whether it is default or stigmatised.
        words: Folded word -> whether it is positive or negative.
    """

    def __init__(
        self, groups: Mapping[str, Role], words: Mapping[str, Valence], spellings: Mapping[str, str] | None = None
    ) -> None:
        """Build a vocabulary.

        `spellings`: Another spelling of a group or word -> the listed one; spellings of unlisted names are ignored.
        """
        self.listed_groups, self.groups = _folded(groups)
        self.listed_words, self.words = _folded(words)
        self._spellings = dict(spellings or {})
        kinds: dict[str, Kind] = dict.fromkeys(self.groups, "group")
        kinds |= {word: "both" if word in self.groups else "word" for word in self.words}
        meanings: dict[str, tuple[Kind, str]] = {name: (kind, name) for name, kind in kinds.items()}
        others = zip(folded(self._spellings), folded(self._spellings.values()), strict=True)
        spelled = {other: meanings[name] for other, name in others if name in meanings}
        super().__init__(spelled | meanings)

    def has_group(self, text: str) -> bool:
        """Return whether a text contains the name of a group."""
        return any(meaning and meaning[0] != "word" for meaning, _, _ in self.walk(tokens_of(text)))

    def offering(self, groups: Collection[str]) -> Vocabulary:
        """Return the vocabulary with only those groups that a prompt offers."""
        offered: dict[str, Role] = {
            listed: self.groups[name] for listed, name in self.listed_groups.items() if name in groups
        }
        words: dict[str, Valence] = {listed: self.words[name] for listed, name in self.listed_words.items()}
        return Vocabulary(offered, words, self._spellings)


_Side = TypeVar("_Side", bound=str)


def _folded(names: Mapping[str, _Side]) -> tuple[dict[str, str], dict[str, _Side]]:
    """Return names as listed -> folded names, and these -> their sides; of names that fold alike, the first counts."""
    lowered = [name.strip().lower() for name in names]
    listed = dict(zip(lowered, folded(lowered), strict=True))
    sides: dict[str, _Side] = {}
    for name, side in zip(lowered, names.values(), strict=True):
        sides.setdefault(listed[name], side)
    return listed, sides
