"""Words of ratings in English, German, Spanish, French, Italian and Portuguese: plain text, so "ss" for "ß"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.languages import expressions
from tallybook.instruments.number_words import SMALL

if TYPE_CHECKING:
    from collections.abc import Sequence

_LISTED = expressions("tallybook.instruments.rating", "words.toml")
_WORDS = _LISTED["rating"]
WORDS = {word: float(number) for number, words in SMALL.items() for word in words.split()}
"""Number word -> number."""
OR = _WORDS["or"]
"""Words between two ratings of which neither is meant alone."""
OUT_OF = r"out of|von|sur|su|sobre"
OF = r"of|de|em"
"""Before the highest number; the latter stand elsewhere, too."""
FROM = r"from|between|of|von|zwischen|vom|de|del|desde|entre|da|dal|tra|fra|du"
TO = r"-|to|and|through|bis|und|a|al|à|au|y|e|et|até"
SCALE = rf"(?:{_WORDS['scale']})?(?:scale|skala|escala|échelle|scala)"
NOUN = rf"(?:{_WORDS['noun']})"
IS = r"(?:is|be|of|ist|lautet|wäre|es|sería|est|serait|è|sarebbe|é|seria|de|di)"
MY = r"(?:my|the|meine|die|mi|la|ma|mia|minha|a)"
DENIED = rf"\b(?:{_WORDS['denied']})\b(?: [\w']+){{0,4}} ?$"
NEGATIVE = tuple(_WORDS["negative"].split("|"))
"""The beginnings of labels that a word of denial before them strengthens."""
HEDGED = rf"\b(?:{_WORDS['hedged']}) ?$"
"""A label after it is less than the label, whatever the scale."""
GRADED = rf"\b(?:{_WORDS['graded']}) ?$"
"""A label after it is another one where the scale has degrees of it."""
OTHERS = rf"\b(?:{_WORDS['others']})\b(?: [\w']+){{0,3}} ?$"
"""Words before a label that is somebody else's."""
LEAD = frozenset([*_WORDS["lead"].split("|"), *OR.split("|")])
"""Words that may stand before a number that is a rating though nothing announces it."""
BEHIND = rf"(?=\s*(?:{_WORDS['behind']}))"
"""Text allowed after a rating: "4 in 10" is not one."""
OPT_OUTS = tuple(_WORDS["opt_outs"].split("|"))
"""Answers that give no rating and are allowed."""
BEFORE_OPT_OUT = (
    r"(?:(?:i|we|ich|je|yo|io|eu)(?:'d| would)? )?(?:(?:have|honestly|really|do|just|tengo|habe|ho|tenho) )*"
)
AFTER_OPT_OUT = r"(?: (?:on|about|of|to|for) (?:this|that|it|them)(?: \w+)?)?"
_NEUTRAL = 2
Places = tuple[tuple[str, ...], ...]
"""The labels of a scale from the lowest to the highest, with others in their place."""


def _places(scale: str) -> Places:
    return tuple(tuple(label.strip() for label in place.split("|")) for place in scale.split(","))


_AGREEMENT = tuple(_LISTED["agreement"].values())
_FINE, *_OTHERS = _LISTED["scales"].values()
SCALES: tuple[Places, ...] = tuple(map(_places, (_FINE, *_AGREEMENT, *_OTHERS)))
"""Usual scales."""


def same_labels(labels: Sequence[str]) -> dict[str, str]:
    """Get the labels of agreement in all languages that mean one of a scale's -> the one that they mean.

    >>> found = same_labels(["Strongly disagree", "Disagree", "Agree", "Strongly agree"])
    >>> found["stimme zu"], found["pas d'accord"], "neutral" in found, same_labels(["Low", "High"])
    ('Agree', 'Disagree', False, {})
    """
    scales = tuple(map(_places, _AGREEMENT))
    degrees = {label: degree for scale in scales for degree, place in enumerate(scale) for label in place}
    known = {degrees[label.lower()]: label for label in labels if label.lower() in degrees}
    if not labels or [*known.values()] != [*labels] or [*known] != sorted(known):
        return {}
    # In its own language a scale may have degrees of its own: "rather agree" is not "agree" there.
    own = next(scale for scale in scales if any(labels[0].lower() in place for place in scale))
    others = {label for degree, place in enumerate(own) if degree != _NEUTRAL for label in place}
    others |= {label.lower() for label in labels}
    return {label: known[degree] for label, degree in degrees.items() if degree in known and label not in others}
