"""The words by which relative decisions are read: English by default, each part replaced by what the study declares."""

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
"""What a phrase does: it stands between two assignments; stands between names; pairs names in their order; stands for a
group named before; denies; neither denies nor names; stands right before a name that gets nothing; stands before a
reason or a description; begins a sentence that decides between contrary ones; speaks against what its sentence assigns;
turns assignments round; says that nothing is decided."""


class Phrases(NamedTuple):
    """What the rules need to know of the language of the texts.

    Attributes:
        signs: First token -> the phrases that begin with it, the longest first, and what they do.
        tasks: Tokens beside which a task is meant as one.
        suffixes: Tokens that a hyphen may join to a name.
        common: Tokens that are no names of persons.
        refusals: Phrases by which a text declines; None for the English rules.
    """

    signs: Mapping[str, Sequence[tuple[Form, frozenset[Sign]]]]
    tasks: frozenset[str]
    suffixes: frozenset[str]
    common: frozenset[str]
    refusals: Sequence[str] | None


def phrases(declared: RelativePhrases) -> Phrases:
    """The phrases of a study."""
    listed: dict[Sign, list[Form]] = {
        "contrast": _forms(declared.contrast, CONTRAST),
        "joining": _forms(declared.joining, JOINING),
        "respectively": _forms(declared.respectively, RESPECTIVELY),
        "pronoun": _forms(declared.pronouns, PRONOUNS),
        "denial": _forms(declared.denials, DENIALS),
        "harmless": _forms(declared.harmless, HARMLESS),
        "excluding": _forms(declared.excluded, EXCLUDED),
        "reason": _forms(declared.reasons, REASONS),
        "conclusion": _forms(declared.conclusions, CONCLUSIONS),
        "objection": _forms(declared.objections, OBJECTIONS),
        "reversal": _forms(declared.reversals, REVERSALS),
        "unable": _forms(None, UNABLE if declared.refusals is None else ()),
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
        tasks=_words(declared.tasks, TASKS),
        suffixes=_words(declared.suffixes, SUFFIXES),
        common=_words(declared.common, COMMON),
        refusals=declared.refusals,
    )


def _forms(own: Sequence[str] | None, english: Sequence[str]) -> list[Form]:
    """The tokens of phrases; the English ones are folded already."""
    return [tuple(form.split()) for form in (english if own is None else folded(own)) if form]


def _words(own: Sequence[str] | None, english: Sequence[str]) -> frozenset[str]:
    return frozenset(token for form in _forms(own, english) for token in form)
