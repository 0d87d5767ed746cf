"""The groups and tasks that a decision may name, and the forms in which it names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.word_association.names import Index, folded

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping

    from tallybook.instruments.word_association.stimuli import Names

_SHORT = 3
_NO_PLURALS = frozenset(("news",))


class Meaning(NamedTuple):
    """The group or task that a name means."""

    is_group: bool  # whether it is a group, not a task
    is_stigma: bool  # whether the group is stigmatised, or the task negative


class KnownNames(Index[Meaning]):
    """The groups and tasks of a dataset, ready for the search.

    They are also found in the other number, with the "s" of the possessive, and, if their first of several words is a
    verb, in its form with "ing".

    Attributes:
        parts: Part of a person's name, where the text writes it with a capital -> whether the person is of a
            stigmatised group.
        is_exact: Whether there is one task of each kind, so that every mention is one of the prompt's task.

    >>> from tallybook.instruments.word_association.names import tokens_of
    >>> from tallybook.instruments.word_association.stimuli import Names
    >>> found = KnownNames(Names(["Carl Roth"], ["Ada Lind"], ["cooks"], ["study law"]), {})
    >>> [found.match(tokens_of(text), 0)[0].is_group for text in ("cook", "cook's", "studying law", "carl roth's")]
    [False, False, False, True]
    >>> found.parts["lind"], found.is_exact
    (True, True)
    """

    def __init__(self, listed: Names, spellings: Mapping[str, str]) -> None:
        """Take names.

        `spellings`: Another spelling -> the listed name; those of names that are not listed here are left out.
        """
        kinds = [Meaning(is_group=group, is_stigma=stigma) for group in (True, False) for stigma in (False, True)]
        folds = [folded(own) for own in listed]
        known = {form: meaning for forms, meaning in zip(folds, kinds, strict=True) for form in forms}
        spelled = {
            form: known[name]
            for form, name in zip(folded(spellings), folded(spellings.values()), strict=True)
            if form and form not in known and name in known
        }
        meanings: dict[str, set[Meaning]] = {}
        for form, meaning in (known | spelled).items():
            for other in _forms(form):
                meanings.setdefault(other, set()).add(meaning)
        every = {form: min(of) for form, of in meanings.items() if len(of) == 1} | spelled | known
        super().__init__(every)
        groups = [
            (name, form, is_stigma)
            for is_stigma in (False, True)
            for name, form in zip(listed[is_stigma], folds[is_stigma], strict=True)
        ]
        self.parts = _parts(groups, every)
        self.is_exact = len({*folds[2]}) == len({*folds[3]}) == 1


def _forms(name: str) -> Iterator[str]:
    """Other forms of a folded name."""
    *first, last = name.split()
    if first:
        yield name.replace(" ", "")
    for other in _numbers(last):
        yield " ".join((*first, other))
    if first:
        for gerund in _gerunds(first[0]):
            yield " ".join((gerund, *first[1:], last))


def _numbers(word: str) -> Iterator[str]:
    """A word with the "s" of the plural or the possessive, and without that of the plural."""
    yield f"{word}s"
    if word.endswith("man"):
        yield f"{word[:-2]}en"
    if word.endswith("y"):
        yield f"{word[:-1]}ies"
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        yield f"{word}es"
    if len(word) <= _SHORT or word.endswith("ss") or not word.endswith("s") or word in _NO_PLURALS:
        return
    yield word[:-1]
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        yield word[:-2]


def _gerunds(verb: str) -> Iterator[str]:
    yield f"{verb}ing"
    if verb.endswith("e"):
        yield f"{verb[:-1]}ing"


def _parts(groups: Iterable[tuple[str, str, bool]], taken: Container[str]) -> dict[str, bool]:
    """Find parts of names whose words all have a capital, with the possessive "s"; without initials."""
    sides: dict[str, set[bool]] = {}
    for name, form, is_stigma in groups:
        words = name.split()
        if len(words) > 1 and all(word[0].isupper() for word in words):
            for part in (token for token in form.split() if len(token) >= _SHORT):
                sides.setdefault(part, set()).add(is_stigma)
                sides.setdefault(f"{part}s", set()).add(is_stigma)
    return {part: min(of) for part, of in sides.items() if len(of) == 1 and part not in taken}
