"""Answers that repeat the question: to "Who left early?" the one in "Ann left early, and Ben locked up" is Ann.

Texts have marker characters for the options. What stands behind an option up to the next one, or before it where the
question asks for an object ("Whom should they hire?"), is its own part; the part that has most of the words of the
question's predicate, inflected or not, is the answer's. Where no part has them, as in a translated answer, the only
option that gets something does.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tallybook.instruments.asides import own_words
from tallybook.instruments.committed import sentences_of
from tallybook.instruments.languages import expressions
from tallybook.instruments.option_labels import MARK, MARKS, find

_WORDS = expressions("tallybook.instruments", "choices.toml")["predicates"]
_ASKS = re.compile(
    rf"(?:^ *|[\n.!?:,;¿] *|\b(?:say|tell me|decide) )(?P<who>{_WORDS['who']})\b(?P<predicate>[^.!?\n]*)\?"
)
_OBJECT = re.compile(_WORDS["object"])
_EMPTY, _GETS, _DENIES, _ONE_WHO = (
    re.compile(rf"\b(?:{_WORDS[one]})\b{behind}")
    for one, behind in (
        ("empty", ""),
        ("gets", r"(?! (?:an?|ein\w*|une?|un[ao]?|uma?) )"),
        ("denies", ""),
        ("one_who", ""),
    )
)
_CUTS = re.compile(rf"[.,;:!?()\n—–]|(?<!\w){_WORDS['cuts']}(?!\w)")
_IS = re.compile(rf"\b(?:{_WORDS['is']})[ \"'*(]*$")
_KEY = re.compile(rf"[\"'](\w+)[\"']\s*:\s*[\"']({MARK})[\"']")
_ASKS_FIRST = re.compile(rf"{_WORDS['first']}|先")
_NEAR = rf"[^.!?\n{MARK[1:-1]}]"
_ORDERS = tuple(
    re.compile(form)
    for form in (
        rf"({MARK}){_NEAR}{{0,20}}?(?:\b{_WORDS['then']}\b|→|->|然后|再){_NEAR}{{0,30}}?{MARK}",
        rf"\b{_WORDS['first']}\W{{0,4}}({MARK})\W{{0,5}}(?:and |und |y |et |e )?\b{_WORDS['second']}\W{{0,4}}{MARK}",
        rf"({MARK}){_NEAR}{{0,20}}? {_WORDS['first']}\b{_NEAR}{{0,20}}{MARK}(?=(?: \w+)? {_WORDS['second']}\b)",
        rf"\b{_WORDS['begins']} (?:a |[oa] )?({MARK})",
    )
)
"""Who comes first: "A, then B", "First: A. Second: B", "A first, B second", "I'd start with A"."""
_SHORTEST, _SHARE = 4, 0.6
"""The fewest letters by which a word is known in another form, and the share of its letters."""


class Predicate(NamedTuple):
    """What a question asks of somebody."""

    stems: tuple[str, ...]
    """The beginnings of its words."""
    is_object: bool
    """Whether it asks for an object: "Whom should they hire?"."""


@lru_cache(maxsize=4096)
def predicate_asked(prompt: str) -> Predicate | None:
    """Return the predicate of the last question of a prompt that asks who; None if it has none.

    >>> predicate_asked("Ann and Ben share a flat. Who forgot to pay the rent?")
    Predicate(stems=('forg', 'rent'), is_object=False)
    """
    asked = [*_ASKS.finditer(prompt.lower().replace("’", "'"))]
    if not asked:
        return None
    words = re.findall(r"[^\W\d_]{4,}", _EMPTY.sub(" ", asked[-1]["predicate"]))
    stems = tuple(dict.fromkeys(one[: max(_SHORTEST, round(_SHARE * len(one)))] for one in words))
    return Predicate(stems, _OBJECT.match(asked[-1]["who"] + asked[-1]["predicate"]) is not None) if stems else None


def answered(text: str, prompt: str, *, in_full: bool = False) -> int | None:
    r"""Return the option to which a marked text gives the predicate of a prompt's question; None if it does not.

    `in_full`: whether all words of the predicate must be there.

    >>> from tallybook.instruments.option_labels import mark
    >>> asked = "Ann and Ben share a flat. Who forgot to pay the rent?"
    >>> answered(f"{mark(1)} had forgotten the rent, so {mark(2)} had to call.", asked)
    1
    """
    predicate = predicate_asked(prompt)
    if predicate is None:
        return None
    keyed = {find(value)[0].value for key, value in _KEY.findall(text) if _shared(key.replace("_", " "), predicate)}
    if keyed or _KEY.search(text):
        return keyed.pop() if len(keyed) == 1 else None
    parts = [part for one in sentences_of(own_words(text)) for part in _parts(one, predicate)]
    least = len(predicate.stems) / (1 if in_full else 2)
    told = {place for place, part in parts if _shared(part, predicate) >= least}
    told = told or {place for place, part in parts if _GETS.search(part) and not in_full}
    return told.pop() if len(told) == 1 else None


@lru_cache(maxsize=4096)
def asks_first(prompt: str) -> bool:
    """Return whether the last question of a prompt that asks who asks who is first."""
    asked = [*_ASKS.finditer(prompt.lower())]
    return bool(asked) and _ASKS_FIRST.search(asked[-1]["predicate"]) is not None


def first_named(text: str) -> int | None:
    """Return the option that comes first in the order of a marked text; None if it states no order, or asks."""
    if "?" in text:
        return None
    told = [match for form in _ORDERS for match in form.finditer(text)]
    heads = (sentences_of(text[: match.start()] + "\0")[-1] + match[0] for match in told)
    found = {find(match[1])[0].value for match in told}
    return found.pop() if len(found) == 1 and not any(map(_DENIES.search, heads)) else None


def _shared(part: str, predicate: Predicate) -> int:
    """Return how many words of the predicate a part has, inflected or not."""
    words = re.findall(r"[^\W\d_]+", part)
    return sum(any(word.startswith(stem) for word in words) for stem in predicate.stems)


def _parts(sentence: str, predicate: Predicate) -> list[tuple[int, str]]:
    """Return the options of a sentence, each with its own part of a clause that denies nothing."""
    if "?" in sentence:
        return []
    parts: list[tuple[int, str]] = []
    for clause in _CUTS.split(sentence):
        found = find(clause)
        if not found or _DENIES.search(clause) or "'" in {clause[one.end : one.end + 1] for one in found}:
            continue
        for at, one in enumerate(found):
            begin = found[at - 1].end if at else 0
            end = found[at + 1].start if at + 1 < len(found) else len(clause)
            before, behind = clause[begin : one.start], clause[one.end : end]
            is_led = predicate.is_object or (_IS.search(before) and _ONE_WHO.search(before))
            parts.append((one.value, f"{before} {behind}" if is_led and len(found) == 1 else behind))
    return [] if len({*MARKS.findall(sentence)}) > 1 and len(parts) < len(MARKS.findall(sentence)) else parts
