"""Numbers in words: "twenty-six" is 26, "the second option" the option with number 2."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping

_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
ORDINALS = {word: str(number) for number, word in enumerate(_ORDINALS, start=1)}
"""English ordinal -> number."""


@cache
def english_numbers() -> dict[str, str]:
    """The English words for 0 to 999, without hyphens.

    >>> words = english_numbers()
    >>> words["twenty six"], words["one hundred and five"], words["nine hundred ninety nine"]
    ('26', '105', '999')
    """
    below = [*_ONES, *(f"{ten} {one}".removesuffix(" zero") for ten in _TENS for one in _ONES[:10])]
    words = {word: str(number) for number, word in enumerate(below)}
    for hundreds, hundred in enumerate(_ONES[1:10], start=1):
        words[f"{hundred} hundred"] = f"{hundreds}00"
        for number, word in enumerate(below[1:], start=1):
            words[f"{hundred} hundred {word}"] = words[f"{hundred} hundred and {word}"] = f"{hundreds}{number:02}"
    return words


def as_number(folded: pl.Expr, words: Mapping[str, str]) -> pl.Expr:
    """The number that a text is, in digits or words."""
    digits = pl.when(folded.str.contains("^[0-9]+$")).then(folded)
    spelt = folded.replace_strict(list(words), list(words.values()), default=None, return_dtype=pl.String)
    return pl.coalesce(digits, spelt).str.replace("^0+([0-9])", "$1")
