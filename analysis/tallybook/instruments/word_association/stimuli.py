"""From listed groups and words to the vocabularies of datasets, and of all of them together."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.word_association.tokens import folded
from tallybook.instruments.word_association.vocabulary import Valence, Vocabulary

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tallybook.instruments.word_association.instrument import WordAssociationInstrument
    from tallybook.instruments.word_association.listed_words import Listed
    from tallybook.instruments.word_association.vocabulary import Role


class Asked(NamedTuple):
    """Words that a prompt may have given."""

    words: frozenset[str]  # the folded words
    apart: frozenset[str] = frozenset()  # those that a prompt gives or leaves out, all of them

    def is_answered(self, words: set[str]) -> bool:
        """Whether these words are all that was given."""
        if not self.words:
            return self.apart <= words
        return self.words <= words and (self.apart <= words or not self.apart & words)


class Stimuli(NamedTuple):
    """Known groups and words."""

    own: Mapping[str, Vocabulary]  # dataset -> the vocabulary of its own lists
    pooled: Vocabulary  # the vocabulary of all lists together
    asked: Mapping[str, tuple[Asked, ...]]  # dataset -> what its prompts may have given


def stimuli(
    lists: Mapping[str, Listed], instrument: WordAssociationInstrument, problems: Sequence[Problem] = ()
) -> Stimuli:
    """Make vocabularies of what is listed."""
    is_own = any(scoring.labels == "own" for scoring in instrument.scorings.values())
    faults = [*problems, *(fault for listed in lists.values() for fault in _faults(listed, is_own=is_own))]
    if faults:
        raise DataError(faults)
    every = list(lists.values())
    own = {
        name: Vocabulary(_roles([listed]), _valences([listed.own]), instrument.spellings)
        for name, listed in lists.items()
    }
    pooled = Vocabulary(_roles(every), _valences([listed.pooled for listed in every]), instrument.spellings)
    asked = {
        name: tuple(Asked(frozenset(folded(words)), frozenset(folded(apart))) for words, apart in listed.asked)
        for name, listed in lists.items()
    }
    return Stimuli(own, pooled, asked)


def _roles(lists: Iterable[Listed]) -> dict[str, Role]:
    """Groups -> their role; of a group on both sides that of default."""
    ordered = list(lists)
    roles: dict[str, Role] = {group: "default" for listed in ordered for group in listed.default}
    for group in (group for listed in ordered for group in listed.stigma):
        roles.setdefault(group, "stigma")
    return roles


def _valences(lists: Sequence[Mapping[Valence, Sequence[str]]]) -> dict[str, Valence]:
    """Words -> their valence; of a word on both sides positive."""
    valences: dict[str, Valence] = {word: "positive" for listed in lists for word in listed["positive"]}
    for word in (word for listed in lists for word in listed["negative"]):
        valences.setdefault(word, "negative")
    return valences


def _faults(listed: Listed, *, is_own: bool) -> list[Problem]:
    """List the faults of a dataset's lists: no names, names without letters, names on both sides."""
    words = [*listed.own["positive"], *listed.own["negative"]]
    kinds = (("a default group", listed.default), ("a stigmatised group", listed.stigma), ("words", words))
    faults = [("", expected) for expected, names in kinds if not names]
    every = [name for _, names in kinds for name in names]
    faults += [(name, "letters or digits") for name, form in zip(every, folded(every), strict=True) if not form]
    for first, second, expected in (
        (listed.default, listed.stigma, "a group that is either default or stigmatised"),
        (listed.own["positive"], listed.own["negative"], "a word that is either positive or negative"),
    ):
        both = sorted(set(folded(first)) & set(folded(second)))
        faults += [(name, expected) for name in both if name and is_own]
    return [Problem(*listed.place, name, expected) for name, expected in faults]
