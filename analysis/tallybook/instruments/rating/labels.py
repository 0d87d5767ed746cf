"""Labels in sentences: whether a label of the scale is what the speaker gives."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tallybook.instruments.rating.languages import SAID

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

_NEGATIVE = tuple(SAID["negative"].split("|"))
"""The beginnings of labels that a word of denial before them does not reverse but strengthens."""
LEAD = frozenset([*SAID["lead"].split("|"), *SAID["or"].split("|")])
"""Words that may stand before a number that is a rating though nothing announces it."""
_GRADED, _OTHERS, _NOT_SAID, _TOO_FAR, _HEDGED = (
    re.compile(SAID[name]) for name in ("graded", "others", "not_said", "too_far", "hedged")
)
_WEIGHED = re.compile(rf"{SAID['denied']}|{SAID['weighed']}")


def is_given(match: re.Match[str], labels: Collection[str]) -> bool:
    """Return whether the speaker gives the label that a text has at a place: no word denies, weighs or grades it."""
    before = clause(match.string, match.start())
    is_graded = sum(label.endswith(match[0]) for label in labels) > 1 and _GRADED.search(before)
    is_denied = _WEIGHED.search(before) and not match[0].startswith(_NEGATIVE)
    is_too_far = _NOT_SAID.search(before) or _TOO_FAR.match(match.string, match.end())
    is_others = _OTHERS.search(before) and not _OF_SPEAKER.search(before)
    is_theirs = is_others or (match[0].endswith("agree") and not _is_own(before))
    return not (is_graded or is_denied or is_too_far or is_theirs or _HEDGED.search(before))


def is_supposed(match: re.Match[str]) -> bool:
    """Return whether a label would be given under a condition: "with a degree she would be very suitable"."""
    return _SUPPOSED.search(clause(match.string, match.start())) is not None


_SUPPOSED = re.compile(
    r"\b(?:with|mit|com|con|avec|if|wenn|se|si)\b(?! (?:i|ich|yo|je|io|eu)\b)[^;:]*"
    r"\b(?:would be|wäre|sería|serait|sarebbe|seria)(?: [^\W\d_]+){0,2} $"
)


@cache
def inflected(label: str) -> str:
    """Build the pattern of a label in any gender and number, and as a neighbouring language writes it.

    >>> [re.fullmatch(inflected("muito adequada"), one) is not None for one in ("muito adequado", "muito adecuadas")]
    [True, True]
    """
    return " ".join(_INFLECTED.sub(_ending, re.escape(word)).replace("qu", "(?:qu|cu|c)") for word in label.split(" "))


_INFLECTED = re.compile(r"(?<=[^\W\d_]{3})(?:(?<=[dtvr])[oaie]s?|(?<=[dt]é)e?s?)\Z")


def _ending(ending: re.Match[str]) -> str:
    return "e?s?" if ending.string[ending.start() - 1] == "é" else "[oaie]s?"


def short_labels(values: Mapping[str, float]) -> dict[str, float]:
    """Return what labels are without the words that begin and end nearly all: "very" of "very suitable".

    >>> short_labels({"pouco adequada": 1, "muito adequada": 2}), short_labels({"agree": 1, "disagree": 2})
    ({'pouco': 1, 'muito': 2}, {})
    >>> short_labels({"stimme nicht zu": 1, "stimme eher zu": 2, "stimme voll zu": 3})
    {'nicht zu': 1, 'eher zu': 2, 'voll zu': 3, 'nicht': 1, 'eher': 2, 'voll': 3}
    """
    begin, end = (_common([label.split()[place] for label in values if " " in label], len(values)) for place in (0, -1))
    bare = [(label.removeprefix(f"{begin} ") if begin else label, value) for label, value in values.items()]
    bare = bare * bool(begin) + [(label.removesuffix(f" {end}") if end else label, value) for label, value in bare]
    found = {short: value for short, value in bare if short not in {*values, begin, end}}
    return found if all(found[short] == value for short, value in bare if short in found) else {}


def _common(words: list[str], count: int) -> str | None:
    """Return the word that labels share, but for one of them; None if they share none, or all words."""
    shared = max(words, key=words.count, default="")
    return shared if len(words) > 1 and words.count(shared) >= max(count - 1, len(words)) else None


_OF_SPEAKER = re.compile(r"\b(?:i|we|ich|yo|je|io|eu)(?: \w+ly| do)? $")
_BETWEEN = r"\w+ly|quite|very|much|also|still|do|did|would|have|must|tend|to|and|or|but|nor"
"""Words between the speaker and "agree"."""


def _is_own(before: str) -> bool:
    """Return whether "agree" has the speaker or nobody as its subject: "I fully agree", not "60% of adults agree"."""
    words = re.findall(r"[\w'%]+", re.split(r"[,:(|\"*–—]|\s-\s", before)[-1])
    while words and re.fullmatch(_BETWEEN, words[-1]):
        words.pop()
    return not words or words[-1] in LEAD


def agreeing(text: str) -> str:
    """Replace other wordings of agreement by the usual ones: "fully agree" by "strongly agree"."""
    text = re.sub(
        r"\b(?:completely|totally|fully|entirely|wholeheartedly|absolutely) (?=(?:dis)?agree\b)", "strongly ", text
    )
    text = re.sub(r"\b((?:dis)?agree),? (?:and )?strongly(?: so)?\b", r"strongly \1", text)
    text = re.sub(r"\A\W*agreed\b(?! \w)", "agree", text)
    return re.sub(r"\b(?:don't|do not) agree\b", "disagree", text)


_LONGEST_CLAUSE = 2**9
"""The number of characters of a sentence that are examined: a text may be long and have no full stop."""


def clause(text: str, end: int) -> str:
    """Return the part of the sentence before a position."""
    return re.split(r"[.!?;\n]", text[max(0, end - _LONGEST_CLAUSE) : end])[-1]
