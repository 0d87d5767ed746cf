"""Persons whom a profile introduces, so that a decision may call them by name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.relative_decision.english import COMMON, TASKS
from tallybook.instruments.word_association.names import tokens_of

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.names import KnownNames
    from tallybook.instruments.word_association.names import Tokens

_SENTENCE, _LINE, _PARAGRAPH = 1, 2, 3
_SENTENCE_END = re.compile(r"[.!?;。！？；](?:[\s\"')\]]|$)")
_STARTS = re.compile(r"[.!?:;\n。！？：；]")
_NUMBERS, _LETTERS = frozenset("123456789"), frozenset("ABCDEFGHJKLMNOPQRSTUVWXYZ")
_Mark = tuple[int, bool | tuple[str, ...]]
"""The number of a token, and whether its group is stigmatised; or else the names that stand there side by side."""
_NICKNAME = 3
_PARAGRAPH_END = re.compile(r"\n\s*\n")


class Spelling(NamedTuple):
    """The spelling of a text's words."""

    capital: frozenset[str]  # tokens with a capital, in lower case
    within: frozenset[str]  # those of them that do not begin a sentence or line; none if the text writes all words so
    small: frozenset[str]  # tokens without a capital
    labels: frozenset[tuple[str, ...]]  # tokens such as ("person", "a") and ("candidate", "2")


def spelling(text: str) -> Spelling:
    """Look at the capitals of a text.

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
    """Parts of listed names that a text writes with a capital."""
    return {part: side for part, side in names.parts.items() if part in written.capital}


def introduced(profile: str, written: Spelling, decision: Spelling, names: KnownNames) -> dict[str, bool]:
    """Learn the groups of persons.

    A sentence of the profile teaches that a person is of a group if it names one person and groups of one kind. What no
    sentence teaches a line may, and then a paragraph. A person whom sentences, or else lines, or else paragraphs put
    into both groups is of none. A word may be a name if the decision writes it with a capital, and no text without.
    """
    wanted = decision.capital - decision.small - written.small - COMMON - TASKS
    known = {form for forms in names.forms.values() for form, _ in forms}
    # A token that ends with "s" may be a possessive.
    wanted = {name for word in wanted for name in (word, word.removesuffix("s")) if len(name) > 1}
    wanted = {name for name in wanted - written.small - decision.small if (name,) not in known}
    labels = decision.labels & written.labels
    if not wanted and not labels:
        return {}
    found = tokens_of(profile)
    marks = _marks(found, wanted, labels, names, named_parts(names, written))
    levels = [_level(gap) for gap in found.gaps]
    learned: dict[str, bool] = {}
    for level in (_SENTENCE, _LINE, _PARAGRAPH):
        kinds: dict[str, set[bool]] = {}
        for unit in _units(marks, levels, level):
            sides = {mark for _, mark in unit if isinstance(mark, bool)}
            if len(sides) == 1 and _is_one_person(unit):
                for name in (name for _, mark in unit if isinstance(mark, tuple) for name in mark):
                    kinds.setdefault(name, set()).update(sides)
        for name, sides in kinds.items():
            if len(sides) == 1:
                learned.setdefault(name, min(sides))
    return learned


def _marks(
    found: Tokens,
    wanted: Container[str],
    labels: Container[tuple[str, ...]],
    names: KnownNames,
    parts: Mapping[str, bool],
) -> list[_Mark]:
    """The places of groups, as whether they are stigmatised, and of wanted names."""
    marks: list[_Mark] = []
    end = 0
    for place, text in enumerate(found.texts):
        if place < end:
            continue
        match = names.match(found, place)
        pair = found.texts[place : place + 2]
        if match is not None and match[0].is_group:
            marks.append((place, match[0].is_stigma))
            end = match[1]
        elif text in parts:
            marks.append((place, parts[text]))
        elif pair in labels:
            marks.append((place, (" ".join(pair),)))
            end = place + len(pair)
        elif name := next((form for form in (text, text.removesuffix("s")) if form in wanted), None):
            # "Anna Bell" and 'Anna "The Bell" Roth' are one person.
            is_same = end == place or (place - end <= _NICKNAME and found.gaps[end].endswith('"'))
            last = marks[-1][1] if marks and is_same else None
            if isinstance(last, tuple):
                marks[-1] = (marks[-1][0], (*last, name))
            else:
                marks.append((place, (name,)))
            end = place + 1
    return marks


def _units(marks: Sequence[_Mark], levels: Sequence[int], level: int) -> Iterator[list[_Mark]]:
    """The marks of each sentence, line or paragraph."""
    unit: list[_Mark] = []
    for place, mark in marks:
        if unit and max(levels[unit[-1][0] + 1 : place + 1], default=0) >= level:
            yield unit
            unit = []
        unit.append((place, mark))
    yield unit


def _is_one_person(unit: Sequence[_Mark]) -> bool:
    """Whether all names are of one person: they stand side by side, or are among such."""
    persons: list[set[str]] = []
    for _, own in unit:
        if isinstance(own, tuple):
            same = [person for person in persons if not person.isdisjoint(own)]
            persons = [person for person in persons if person not in same] + [set(own).union(*same)]
    return len(persons) == 1


def _level(gap: str) -> int:
    """Get the kind of gap before which a span ends."""
    if gap == " ":
        return 0
    if "\n" in gap:
        return _PARAGRAPH if _PARAGRAPH_END.search(gap) else _LINE
    return _SENTENCE if _SENTENCE_END.search(gap) else 0
