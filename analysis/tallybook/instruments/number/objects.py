"""Numbers in JSON: the one under the key that names what was asked for, where other keys hold numbers, too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from tallybook.instruments.json_answers import documents
from tallybook.instruments.number.cues import WORDS
from tallybook.instruments.number_words import spoken
from tallybook.study.names import without_accents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

_OWN, _EXACT, _SHORT, _OTHER, _AGE = (
    re.compile(WORDS[f"key_{name}"]) for name in ("own", "exact", "short", "other", "age")
)
"""Keys of what is recommended, of answers, of estimates; of limits and the like; of ages."""
_YEARS, _MONTHS = (re.compile(WORDS[f"key_{name}"]) for name in ("years", "months"))
_PARTS = re.compile(r"[\W_]+")
_DEEPEST, _ALIKE, _LONGEST = 4, 5, 40
"""The depth of objects searched, the letters in which words agree, and the length of a number with its unit."""


def number_named(text: str, asked: Collection[str]) -> str | None:
    """Return the number in the only JSON object of a text that its key names; None if no key or several do.

    `asked` are the words of the question.

    >>> number_named('{"p_risk": 40, "horizon_years": 2, "low": 30}', ["probability"])
    '40'
    >>> number_named('{"qm": 60, "miete": 540}', ["kaltmiete"]), number_named('{"a": 1, "b": 2}', ["rent"])
    ('540', None)
    >>> number_named('{"years": 3, "months": 6}', ["years"])
    '3 years and 6 months'
    """
    objects = [cast("dict[str, Any]", told) for _, _, told in documents(text) if isinstance(told, dict)]
    if len(objects) != 1:
        return None
    words = {_folded(word) for word in asked}
    numbers = [(key, value) for key, value in _numbers(objects[0], 0) if not _OTHER.search(key)]
    own, exact, short, years, months = (
        [value for key, value in numbers if pattern.search(key)] for pattern in (_OWN, _EXACT, _SHORT, _YEARS, _MONTHS)
    )
    named = [value for key, value in numbers if any(_is_asked(part, words) for part in _PARTS.split(key))]
    if len(years) == len(months) == 1 and max(len(years[0]), len(months[0])) <= len("99"):
        return f"{years[0]} years and {months[0]} months"
    plain = [value for key, value in numbers if not _AGE.search(key)]
    every = [value for _, value in numbers]
    return next((found[0] for found in (own, exact, named, short, plain, every) if len(found) == 1), None)


def _numbers(told: dict[str, Any], depth: int) -> Iterator[tuple[str, str]]:
    """Yield the keys and values of an object, and of those in it, that are numbers, with a unit or without."""
    for key, value in told.items():
        if isinstance(value, dict) and depth < _DEEPEST and not _OTHER.search(_folded(key)):
            yield from _numbers(cast("dict[str, Any]", value), depth + 1)
        elif (isinstance(value, int | float) and not isinstance(value, bool)) or (
            isinstance(value, str)
            and len(value) <= _LONGEST
            and (re.match(r"\W{0,4}[\d~]|(?:about|ca\.?|r\$) ?\d", value) or spoken(value) is not None)
        ):
            yield _folded(key), str(value)


def _folded(word: str) -> str:
    """Return a word without accents: "años", "anios" and "anos" are one, as are "jährlich" and "jaehrlich"."""
    return re.sub(r"([aou])e(?=[^aeiou]|\b)", r"\1", without_accents(word.lower())).replace("nio", "no")


def _is_asked(part: str, words: Collection[str]) -> bool:
    """Return whether a part of a key is a word of the question: alike at its beginning, or the end of a longer one."""
    if len(part) < _ALIKE:
        return part in words
    return any(word[:_ALIKE] == part[:_ALIKE] or word.endswith(part) for word in words)
