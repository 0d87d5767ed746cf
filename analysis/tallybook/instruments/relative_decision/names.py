"""The groups and tasks that a decision may name, and the forms in which it names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.relative_decision.tokens import folded

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.tokens import Tokens

_SHORT = 3
_NO_PLURALS = frozenset(("news",))
# What may stand between the tokens of one name; a dash between blanks divides a name from another.
_WITHIN = frozenset((" ", "-", "'", "' ", ".", ". ", "/", "&", " & "))


class Listed(NamedTuple):
    """The names that are listed for the prompts of a dataset."""

    default: Sequence[str]  # default groups
    stigma: Sequence[str]  # stigmatised groups
    positive: Sequence[str]  # positive tasks
    negative: Sequence[str]  # negative tasks


class Meaning(NamedTuple):
    """The group or task that a name means."""

    is_group: bool  # whether it is a group, not a task
    is_stigma: bool  # whether the group is stigmatised, or the task negative


class Names(NamedTuple):
    """Patterns that find the groups and tasks of a dataset in texts."""

    # first token -> the forms that begin with it, the longest first, and what they name
    forms: Mapping[str, Sequence[tuple[tuple[str, ...], Meaning]]]
    # part of a person's name, where the text writes it with a capital -> whether the person is of a stigmatised group
    parts: Mapping[str, bool]
    is_exact: bool  # whether there is one task of each kind, so that every mention is one of the prompt's task

    def match(self, found: Tokens, place: int) -> tuple[Meaning, int] | None:
        """The longest name that begins with a token."""
        for form, meaning in self.forms.get(found.texts[place], ()):
            end = place + len(form)
            if found.texts[place:end] == form and _WITHIN.issuperset(found.gaps[place + 1 : end]):
                return meaning, end
        return None


def names(listed: Listed, spellings: Mapping[str, str], *, plurals: bool) -> Names:
    """Make listed names ready for the search.

    `spellings`: Another spelling -> the listed name; those of names that are not listed here are left out.

    `plurals`: Whether English names are also found in the other number, with the "s" of the possessive, and, if their
    first of several words is a verb, in its form with "ing".

    >>> found = names(Listed(["Carl Roth"], ["Ada Lind"], ["cooks"], ["study law"]), {}, plurals=True)
    >>> from tallybook.instruments.relative_decision.tokens import tokens_of
    >>> [found.match(tokens_of(text), 0)[0].is_group for text in ("cook", "cook's", "studying law", "carl roth's")]
    [False, False, False, True]
    >>> found.parts["lind"], found.is_exact
    (True, True)
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
        for other in _forms(form, is_english=plurals):
            meanings.setdefault(other, set()).add(meaning)
    every = {form: min(of) for form, of in meanings.items() if len(of) == 1} | spelled | known
    forms: dict[str, list[tuple[tuple[str, ...], Meaning]]] = {}
    for form, meaning in sorted(every.items(), key=lambda entry: entry[0].count(" "), reverse=True):
        own = tuple(form.split())
        forms.setdefault(own[0], []).append((own, meaning))
    groups = [
        (name, form, is_stigma)
        for is_stigma, own, forms_of_own in ((False, listed.default, folds[0]), (True, listed.stigma, folds[1]))
        for name, form in zip(own, forms_of_own, strict=True)
    ]
    return Names(forms, _parts(groups, every), len(set(folds[2])) == len(set(folds[3])) == 1)


def _forms(name: str, *, is_english: bool) -> Iterator[str]:
    """Other forms of a folded name."""
    *first, last = name.split()
    if first:
        yield name.replace(" ", "")
    if not is_english:
        return
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
