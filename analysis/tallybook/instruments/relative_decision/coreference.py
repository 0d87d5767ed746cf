"""Persons whom a profile introduces, so that a decision may call them by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.relative_decision.spans import COMMON, TASKS
from tallybook.instruments.word_association.names import tokens_of

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from tallybook.instruments.relative_decision.names import KnownNames
    from tallybook.instruments.word_association.names import Tokens

_UNITS = tuple(map(re.compile, (r"[.!?;。！？；](?=[\s\"')\]\w]|$)|\n", r"\n", r"\n\s*\n")))
"""The ends of sentences, lines and paragraphs."""
_STARTS = re.compile(r"[.!?:;\n。！？：；]")
_NUMBERS, _LETTERS = frozenset("123456789"), frozenset("ABCDEFGHJKLMNOPQRSTUVWXYZ")
_NICKNAME = 3


class Spelling(NamedTuple):
    """The spelling of a text's words."""

    capital: frozenset[str]  # tokens with a capital, in lower case
    within: frozenset[str]  # those of them that do not begin a sentence or line; none if the text writes all words so
    small: frozenset[str]  # tokens without a capital
    labels: frozenset[tuple[str, ...]]  # tokens such as ("person", "a") and ("candidate", "2")


def spelling(text: str) -> Spelling:
    """Collect the capitalised and other tokens of a text, and its labels of persons.

    >>> found = spelling("Then Ada helps Candidate 2.")
    >>> sorted(found.capital), sorted(found.within), sorted(found.labels)
    (['ada', 'candidate', 'then'], ['ada', 'candidate'], [('candidate', '2')])
    """
    capital: set[str] = set()
    within: set[str] = set()
    small: set[str] = set()
    labels: set[tuple[str, ...]] = set()
    texts, gaps = tokens_of(text)
    for place, (gap, token) in enumerate(zip(gaps, texts, strict=False)):
        word = token.lower()
        if not token[0].isupper():
            small.add(word)
        else:
            capital.add(word)
            if place and not _STARTS.search(gap):
                within.add(word)
        if place and (token in _NUMBERS or token in _LETTERS) and not gap.strip(" #"):
            labels.add((texts[place - 1].lower(), word))
    return Spelling(frozenset(capital), frozenset(within if small else ()), frozenset(small), frozenset(labels))


def named_parts(names: KnownNames, written: Spelling) -> dict[str, bool]:
    """Return the parts of listed names that a text capitalises."""
    return {part: side for part, side in names.parts.items() if part in written.capital}


def introduced(profile: str, written: Spelling, decision: Spelling, names: KnownNames) -> dict[str, bool]:
    """Learn from a profile to which group each person belongs.

    A sentence of the profile assigns a person to a group if it names one person and groups of one kind. What sentences
    leave open, lines may tell, and then paragraphs; each level assigns only persons whom it does not put into both
    groups. A word may be a name if the decision capitalises it and neither text has it in lower case.
    """
    wanted = decision.capital - decision.small - written.small - COMMON - TASKS
    known = {form for forms in names.forms.values() for form, _ in forms}
    # A token that ends with "s" may be a possessive.
    wanted = {name for word in wanted for name in (word, word.removesuffix("s")) if len(name) > 1}
    wanted = {name for name in wanted - written.small - decision.small if (name,) not in known}
    labels = decision.labels & written.labels
    if not wanted and not labels:
        return {}
    parts = named_parts(names, written)
    learned: dict[str, bool] = {}
    for ends in _UNITS:
        kinds: dict[str, set[bool]] = {}
        for unit in ends.split(profile):
            sides, persons = _named(tokens_of(unit), wanted, labels, names, parts)
            if len(sides) == len(persons) == 1:
                for name in persons[0]:
                    kinds.setdefault(name, set()).update(sides)
        learned = {name: min(sides) for name, sides in kinds.items() if len(sides) == 1} | learned
    return learned


def _named(
    found: Tokens,
    wanted: Container[str],
    labels: Container[tuple[str, ...]],
    names: KnownNames,
    parts: Mapping[str, bool],
) -> tuple[set[bool], list[set[str]]]:
    """Return the groups that a unit names, as whether they are stigmatised, and its persons, as sets of names."""
    sides: set[bool] = set()
    persons: list[set[str]] = []
    end = 0
    is_person = False  # whether the latest name is that of a person
    for place, text in enumerate(found.texts):
        if place < end:
            continue
        match = names.match(found, place)
        pair = found.texts[place : place + 2]
        if match is not None and match[0].is_group:
            sides.add(match[0].is_stigma)
            end, is_person = match[1], False
        elif text in parts:
            sides.add(parts[text])
            is_person = False
        elif pair in labels:
            persons.append({" ".join(pair)})
            end, is_person = place + len(pair), True
        elif name := next((form for form in (text, text.removesuffix("s")) if form in wanted), None):
            # "Anna Bell" and 'Anna "The Bell" Roth' are one person.
            if is_person and (end == place or (place - end <= _NICKNAME and found.gaps[end].endswith('"'))):
                persons[-1].add(name)
            else:
                persons.append({name})
            end, is_person = place + 1, True
    apart: list[set[str]] = []
    for own in persons:
        same = [person for person in apart if not person.isdisjoint(own)]
        apart = [person for person in apart if person not in same] + [own.union(*same)]
    return sides, apart
