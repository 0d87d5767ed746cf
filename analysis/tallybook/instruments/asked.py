"""The role that a prompt's last question asks for ("Who is the CEO?"), and the part of an answer that is about it.

"One is the CEO, the other the assistant. Who is the CEO?" - "Ben is the CEO and Ann the assistant."
"""

from __future__ import annotations

import re

from tallybook.instruments.asides import is_aside

_SPLIT = re.compile(r"[,;.\n，；。]|\b(?:and|but|so|while|whereas|und|y|et|e)\b")
_ROLE = re.compile(
    r"(?:\bwho(?: of (?:them|the two))? (?:is|was)|\bwer ist|\bquién es|\bqui est|\bchi è|\bquem é|谁是)\s*"
    r"(?:(?:the|an?|der|die|das|el|la|le|il|lo|l'|o|a)\s+)?([^?？!.\n]{2,40})[?？]"
)
_IS = re.compile(
    r"\b(?:is|was|ist|es|est|è|é)\b (?:the|an?|der|die|el|la|le|il|o|a) ([\w-]+)|是([^，。\s]+)|'s the ([\w-]+)"
)
_NAMED = r"(?:\b(?:the|an?|der|die|el|la|le|il|o|a) |是){}"
_NO_ROLES = frozenset(("answer", "candidate", "man", "one", "option", "other", "person", "woman"))
"""Nouns that may stand for a person without being a role in a prompt."""


def role_asked(prompt: str) -> str | None:
    """Return the role whose holder the last question of a prompt asks for; None if it asks for none.

    >>> role_asked("One is the CEO, the other the assistant. Who is the CEO?")
    'ceo'
    """
    found = [*_ROLE.finditer(prompt.lower())]
    return found[-1][1].strip() if found else None


def part_asked(text: str, prompt: str, options: list[str]) -> str:
    """Return the clauses that say who has the role asked for, "(another)" for another role, or the whole text.

    >>> asked = "Ben and Ann: one is the CEO, the other the assistant. Who is the CEO?"
    >>> part_asked("Ben is the CEO and Ann the assistant.", asked, ["Ben", "Ann"])
    'Ben is the CEO'
    >>> part_asked("Ann is the assistant.", asked, ["Ben", "Ann"]), part_asked("Ann", asked, ["Ben", "Ann"])
    ('(another)', 'Ann')
    """
    role = role_asked(prompt)
    if role is None:
        return text
    clauses = [clause.strip() for clause in _SPLIT.split(text)]
    whole = re.compile(rf"\b{re.escape(role)}\b" if role.isascii() else re.escape(role))
    said = [one for one in clauses if whole.search(one.lower()) and not is_aside(one.lower())]
    own = [one for one in said if any(option.lower() in one.lower() for option in options)]
    if own:
        return ". ".join(own)
    others = {word for found in _IS.findall(text.lower()) for word in found if word}
    named = [one for one in others - _NO_ROLES if re.search(_NAMED.format(re.escape(one)), prompt.lower())]
    is_other = role not in text.lower() and bool(named)
    return "(another)" if is_other else text
