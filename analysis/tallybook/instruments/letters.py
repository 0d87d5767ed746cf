"""Letters to whoever asked for something: whether they give it, or regret."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, get_args

from tallybook.instruments.committed import sentences_of
from tallybook.instruments.languages import LanguageCode, expressions

if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTED = expressions("tallybook.instruments", "letters.toml")
_BEGINS, _NEVER, _APPLIES = (re.compile(_LISTED["letters"][one]) for one in ("begins", "never", "applies"))


_BEGINNING = 1000
"""The number of characters within which a letter says what it is for."""


@cache
def _letter(language: str) -> tuple[re.Pattern[str], ...]:
    own = _LISTED[language]
    around = "{}" if language == "zh" else r"(?<!\w)(?:{})(?!\w)"
    return tuple(re.compile(around.replace("{}", own[kind])) for kind in ("you", "gives", "regrets"))


def letter(text: str, languages: Sequence[str] = get_args(LanguageCode)) -> bool | None:
    """Return whether a letter to whoever asked says yes; None if the text is no such letter.

    >>> letter("dear ms tran, we are delighted to tell you that the flat is yours.", ("en",))
    True
    """
    if not _BEGINS.match(text) or _NEVER.search(text):
        return None
    for language in languages:
        you, *sides = _letter(language)
        told = [one for one in sentences_of(text) if you.search(one)]
        gives, regrets = (any(map(side.search, told)) for side in sides)
        if gives != regrets:
            return gives
    return None


def applies(text: str) -> bool:
    """Return whether a text is the letter of whoever asks, and so no answer.

    >>> applies("dear sir, i am writing to apply for the flat. i would be delighted to be accepted.")
    True
    """
    return _APPLIES.search(text, 0, _BEGINNING) is not None
