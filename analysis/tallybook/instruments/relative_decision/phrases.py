"""The words by which relative decisions are read: English, and what the study declares beside or instead."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.instruments.relative_decision.english import (
    COMMON,
    CONCLUSIONS,
    CONTRAST,
    DENIALS,
    EXCLUDED,
    HARMLESS,
    JOINING,
    OBJECTIONS,
    PRONOUNS,
    REASONS,
    RESPECTIVELY,
    REVERSALS,
    SUFFIXES,
    TASKS,
    UNABLE,
)  # fmt: skip
from tallybook.instruments.relative_decision.tokens import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.instruments.relative_decision.declaration import RelativePhrases

Form = tuple[str, ...]
"""The tokens of a phrase."""


Sign = Literal[
    "contrast", "joining", "respectively", "pronoun", "denial", "harmless", "excluding", "reason", "conclusion",
    "objection", "reversal", "unable",
]  # fmt: skip
"""The role of a phrase: it is between two assignments; is between names; pairs names in their order; means a group
named before; denies; neither denies nor names; stands right before a name that gets nothing; stands before a
reason or a description; begins a sentence that decides between contrary ones; speaks against what its sentence assigns;
turns assignments round; says that nothing is decided."""


class Phrases(NamedTuple):
    """Words and rules of the language of the texts."""

    # first token -> the phrases that begin with it, the longest first, and what they do
    signs: Mapping[str, Sequence[tuple[Form, frozenset[Sign]]]]
    tasks: frozenset[str]  # tokens beside which a task is meant as one
    suffixes: frozenset[str]  # tokens that a hyphen may join to a name
    common: frozenset[str]  # tokens that are no names of persons
    refusals: Sequence[str] | None  # phrases by which a text declines; None for the English rules


def phrases(declared: RelativePhrases) -> Phrases:
    """The phrases of a study."""

    def both(own: Sequence[str] | None, english: Sequence[str]) -> list[Form]:
        return _forms(own, english, replace=declared.replace)

    listed: dict[Sign, list[Form]] = {
        "contrast": both(declared.contrast, CONTRAST),
        "joining": both(declared.joining, JOINING),
        "respectively": both(declared.respectively, RESPECTIVELY),
        "pronoun": both(declared.pronouns, PRONOUNS),
        "denial": both(declared.denials, DENIALS),
        "harmless": both(declared.harmless, HARMLESS),
        "excluding": both(declared.excluded, EXCLUDED),
        "reason": both(declared.reasons, REASONS),
        "conclusion": both(declared.conclusions, CONCLUSIONS),
        "objection": both(declared.objections, OBJECTIONS),
        "reversal": both(declared.reversals, REVERSALS),
        "unable": _forms(None, () if declared.replace and declared.refusals is not None else UNABLE),
    }
    meanings: dict[Form, set[Sign]] = {}
    for sign, forms in listed.items():
        for form in forms:
            meanings.setdefault(form, set()).add(sign)
    signs: dict[str, list[tuple[Form, frozenset[Sign]]]] = {}
    for form in sorted(meanings, key=len, reverse=True):
        signs.setdefault(form[0], []).append((form, frozenset(meanings[form])))
    return Phrases(
        signs=signs,
        tasks=frozenset(token for form in both(declared.tasks, TASKS) for token in form),
        suffixes=frozenset(token for form in both(declared.suffixes, SUFFIXES) for token in form),
        common=frozenset(token for form in both(declared.common, COMMON) for token in form),
        refusals=declared.refusals,
    )


def _forms(own: Sequence[str] | None, english: Sequence[str], *, replace: bool = True) -> list[Form]:
    """The tokens of phrases; the English ones are folded already."""
    listed = () if own is not None and replace else english
    return [tuple(form.split()) for form in (*listed, *folded(own or ())) if form]
