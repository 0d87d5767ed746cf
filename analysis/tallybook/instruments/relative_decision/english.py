"""The English words around assignments of tasks: `english.toml` says what each phrase does."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Literal, get_args

Form = tuple[str, ...]
"""The tokens of a phrase."""
Sign = Literal[
    "contrast", "joining", "respectively", "pronoun", "denial", "harmless", "excluding", "reason", "conclusion",
    "objection", "reversal", "unable",
]  # fmt: skip


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.replace("\n", ",").split(",") if phrase.strip())


_FILE = resources.files("tallybook.instruments.relative_decision").joinpath("english.toml")
_LISTED: dict[str, dict[str, str]] = tomllib.loads(_FILE.read_text("utf-8"))


def _signs() -> dict[str, list[tuple[Form, frozenset[Sign]]]]:
    meanings: dict[Form, set[Sign]] = {}
    signs: tuple[Sign, ...] = get_args(Sign)
    for sign in signs:
        for phrase in _phrases(_LISTED["signs"][sign]):
            meanings.setdefault(tuple(phrase.split()), set()).add(sign)
    listed: dict[str, list[tuple[Form, frozenset[Sign]]]] = {}
    for form in sorted(meanings, key=len, reverse=True):
        listed.setdefault(form[0], []).append((form, frozenset(meanings[form])))
    return listed


SIGNS = _signs()
"""First token -> the phrases that begin with it, the longest first, and what they do."""
TASKS, SUFFIXES, COMMON = (_phrases(_LISTED["words"][name]) for name in ("tasks", "suffixes", "common"))
"""Nouns beside which a task is meant as one; words joined to a name by a hyphen; words that are no names."""
