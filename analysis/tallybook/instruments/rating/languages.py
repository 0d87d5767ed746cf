"""Words of ratings in English, German, Spanish, French, Italian and Portuguese: plain text, so "ss" for "ß"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.languages import expressions
from tallybook.instruments.number_words import SMALL

if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTED = expressions("tallybook.instruments.rating", "words.toml")
SAID = _LISTED["rating"]
"""Expressions for the words around ratings, by their names in `words.toml`."""
PHRASES = _LISTED["phrases"]
"""What a phrase says -> the phrase."""
WORDS = {word: float(number) for number, words in SMALL.items() for word in words.split()}
"""Number word -> number."""
OPT_OUTS = tuple(SAID["opt_outs"].split("|"))
"""Answers that give no rating and are allowed."""
EQUAL = tuple(tuple(label.strip() for label in group.split("|")) for group in _LISTED["equals"].values())
"""Labels that say the same."""
_NEUTRAL = 2
Places = tuple[tuple[str, ...], ...]
"""The labels of a scale from the lowest to the highest, each with its synonyms."""


def _places(scale: str) -> Places:
    return tuple(tuple(label.strip() for label in place.split("|")) for place in scale.split(","))


_AGREEMENT = tuple(_LISTED["agreement"].values())
SCALES: tuple[Places, ...] = tuple(map(_places, (*_LISTED["scales"].values(), *_AGREEMENT[1:])))
"""Usual scales; the first has agreement in English."""
_USUAL = {label for places in SCALES for place in places for label in place}
_DEGREE = re.compile(rf"(?<!\w)(?:{SAID['degrees']})(?!\w)")
"""Words of degrees in labels: "very", "selten", "poco"."""


def is_degree(label: str) -> bool:
    """Return whether a label is one of a usual scale, or has a word of degrees.

    >>> is_degree("strongly agree"), is_degree("kind")
    (True, False)
    """
    return label.lower() in _USUAL or _DEGREE.search(label.lower()) is not None


def synonyms_of_labels(labels: Sequence[str]) -> dict[str, str]:
    """Return the labels of agreement, in all languages, that mean a label of a scale -> that label.

    >>> found = synonyms_of_labels(["Strongly disagree", "Disagree", "Agree", "Strongly agree"])
    >>> found["stimme zu"], found["pas d'accord"], "neutral" in found, synonyms_of_labels(["Low", "High"])
    ('Agree', 'Disagree', False, {})
    """
    scales = tuple(map(_places, _AGREEMENT))
    degrees = {label: degree for scale in scales for degree, place in enumerate(scale) for label in place}
    known = {degrees[label.lower()]: label for label in labels if label.lower() in degrees}
    if not labels or [*known.values()] != [*labels] or [*known] != sorted(known):
        return {}
    # In its own language a scale may have further degrees: "rather agree" is not "agree" there.
    own = next(scale for scale in scales if any(labels[0].lower() in place for place in scale))
    others = {label for degree, place in enumerate(own) if degree != _NEUTRAL for label in place}
    others |= {label.lower() for label in labels}
    return {label: known[degree] for label, degree in degrees.items() if degree in known and label not in others}
