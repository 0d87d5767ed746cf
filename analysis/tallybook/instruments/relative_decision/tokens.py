"""The tokens of a text, as those of word associations, in a form that is quick to search."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments.word_association import tokens as word_tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

_TOKEN = re.compile(r"([^\W_]++(?:'[^\W_]++)*+)")
_FIRST_MARK = "\u0300"


class Tokens(NamedTuple):
    """The tokens of a text."""

    texts: tuple[str, ...]  # the tokens, without apostrophes
    gaps: tuple[str, ...]  # what stands before each, and behind the last


def tokens_of(text: str) -> Tokens:
    """Take a text apart.

    >>> tokens_of("Al-Sheikh's: 7.")
    Tokens(texts=('Al', 'Sheikhs', '7'), gaps=('', '-', ': ', '.'))
    """
    if not text.isascii() and any(mark >= _FIRST_MARK and unicodedata.category(mark)[0] == "M" for mark in set(text)):
        found, rest = word_tokens.tokens(text)
        return Tokens(tuple(token.text for token in found), (*(token.gap for token in found), rest))
    split = _TOKEN.split(text)
    return Tokens(tuple(token.replace("'", "") for token in split[1::2]), tuple(split[::2]))


def folded(listed: Iterable[str]) -> list[str]:
    """Names in the form in which they are compared: their tokens, with blanks between them."""
    texts = word_tokens.plain_texts(pl.Series(list(listed), dtype=pl.String))
    return [" ".join(tokens_of(text).texts) for text in texts]
