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
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments.option_text import plain, replaced, safe
from tallybook.instruments.word_association.english import POINTING

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARKUP = (
    ("</?tr[^<>\n]*>", "\n"),
    ("</?t[dh][^<>\n]*>", "|"),
    (f"</[a-z][a-z0-9_]*>|<(?:{'|'.join(sorted(POINTING))})>", " "),
)
_STRUCK = r"~~[^~\s](?:[^~\n]*[^~\s])?~~|<(?:s|del|strike)>[^<\n]*</(?:s|del|strike)>"
_VARIATION = {*map(chr, range(0xFE00, 0xFE10)), *map(chr, range(0x20DD, 0x20E4))}
"""Marks that turn a digit or a symbol into a picture, and do not belong to a word."""
_BEYOND_MARKS = 0x20000


class Token(NamedTuple):
    """A token and what stands between it and the one before, or the start of the line."""

    gap: str
    text: str


def plain_texts(texts: pl.Series) -> pl.Series:
    """Write texts with one kind of quote, dash, blank and line end, without markup and in lower case."""
    if texts.str.contains("&(?:#|[A-Za-z])").any():
        texts = pl.Series([None if text is None else html.unescape(text) for text in texts], dtype=pl.String)
    text = pl.col("text").str.replace_all(_STRUCK, " ")
    # One line that holds "\\n" was written by a program that escaped line ends; JSON says itself what it escapes.
    is_escaped = ~text.str.contains(r"\n|^\s*[\[{]")
    unescaped = pl.when(is_escaped).then(text.str.replace_all(r"(?:\\r)?\\n", "\n")).otherwise(text)
    return pl.DataFrame({"text": texts}).select(replaced(plain(safe(unescaped)), _MARKUP)).to_series()


def tokens(line: str) -> tuple[list[Token], str]:
    """Take a line apart.

    >>> tokens("al-sheikh - didn't do it.")[0][2:]
    [Token(gap=' - ', text='didnt'), Token(gap=' ', text='do'), Token(gap=' ', text='it')]
    """
    found: list[Token] = []
    end = 0
    for match in _token().finditer(line):
        found.append(Token(line[end : match.start()], match.group().replace("'", "")))
        end = match.end()
    return found, line[end:]


def folded(names: Iterable[str]) -> list[str]:
    """Names in the form in which they are compared: their tokens, with blanks between them.

    >>> folded(["Mohammed Al‐Sheikh", "didn’t do it", "Red-Handed!"])
    ['mohammed al sheikh', 'didnt do it', 'red handed']
    """
    return [_folded(name) for name in names]


@lru_cache(maxsize=2**16)
def _folded(name: str) -> str:
    return " ".join(token.text for token in tokens(plain_texts(pl.Series([name], dtype=pl.String)).item())[0])


@cache
def _token() -> re.Pattern[str]:
    run = rf"(?:[^\W_]++|[{_marks()}]++)++"
    return re.compile(rf"{run}(?:'{run})*+")


def _marks() -> str:
    """The marks of all scripts as ranges of a character class: `re` has no class for them."""
    ranges: list[str] = []
    start = None
    for code in range(0x300, _BEYOND_MARKS):
        character = chr(code)
        is_mark = unicodedata.category(character)[0] == "M" and character not in _VARIATION
        if is_mark and start is None:
            start = character
        elif not is_mark and start is not None:
            ranges.append(f"{start}-{chr(code - 1)}")
            start = None
    return "".join(ranges)
