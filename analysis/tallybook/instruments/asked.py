"""A prompt's last question, the role that it asks for ("Who is the CEO?"), and the part of an answer that is about it.

"One is the CEO, the other the assistant. Who is the CEO?" - "Ben is the CEO and Ann the assistant."
"""

from __future__ import annotations

import re

import polars as pl

from tallybook.instruments.asides import is_aside
from tallybook.instruments.word_association.names import plain_texts

_SPLIT = re.compile(r"[,;.\n，；。]|\b(?:and|but|so|while|whereas|und|y|et|e)\b")
_ROLE = re.compile(
    r"(?:\bwho(?: of (?:them|the two))? (?:is|was)|\bwer ist|\bquién es|\bqui est|\bchi è|\bquem é|谁是)\s*"
    r"(?:(?:the|an?|der|die|das|el|la|le|il|lo|l'|o|a)\s+)?([^?？!.\n]{2,40})[?？]"
)
_IS = re.compile(
    r"\b(?:is|was|ist|es|est|è|é)\b (?:the|an?|der|die|el|la|le|il|o|a) ([\w-]+)|是([^，。\s]+)|'s the ([\w-]+)"
)
_NAMED = r"(?:\b(?:the|an?|der|die|el|la|le|il|o|a) |是){}"
_GAP = re.compile(r"_{2,}|[\[<]?\b(?:BLANK|MASK)\b[\]>]?|\.{4,}|…{2,}")
_OF_THE_WORD = (
    "a|an|and|because|but|can|could|feels|fits|has|implies|is|isn't|makes|may|means|might|not|or|over|seems|should|since"
    "|sounds|was|works|would|aber|bedeutet|ist|oder|passt|und|weil|es|no|o|porque|puede|sería|y|ou|est|et|car|parce|é|não"
)
"""Words behind an option that speak of the word, or join another, where an answer goes on from the gap."""
_APART, _BEGINS, _FEW = r"[\W_]+", r"(?:\A|(?<=[.!?:\n]))[^\w.!?:\n]*", 2
"""The characters between words, and before a sentence; the fewest words around a gap by which its sentence is known."""
_NO_ROLES = frozenset(("answer", "candidate", "man", "one", "option", "other", "person", "woman"))
"""Nouns that may stand for a person without being a role in a prompt."""


def last_question(column: str) -> pl.Expr:
    """Return the last question of prompts, as plain text; null for prompts without a question."""
    asked = pl.col(column).cast(pl.String).str.extract(r"(?s)([^.!?。！？\n]*[?？])[^?？]*\z")
    return asked.map_batches(plain_texts, return_dtype=pl.String, is_elementwise=True)


def role_asked(prompt: str) -> str | None:
    """Return the role whose holder the last question of a prompt asks for; None if it asks for none.

    >>> role_asked("One is the CEO, the other the assistant. Who is the CEO?")
    'ceo'
    """
    found = [*_ROLE.finditer(prompt.lower())]
    return found[-1][1].strip() if found else None


def gap_filled(text: str, prompt: str, options: list[str]) -> str:
    r"""Write a prompt's sentence, where a text fills its gap with one option only, as a choice: "It was kind".

    >>> gap_filled("Sure! The old man is **kind**.", "Kind or rude? The old man is ___.", ["kind", "rude"])
    'Sure! it was kind.'
    >>> gap_filled("It becomes:\n\n> Ann left early.", "Ann or Ben? '___ left early.'", ["Ann", "Ben"])
    'It becomes:\n\nit was Ann.'
    >>> gap_filled("kind with the children.", "She is ___ with the children.", ["kind", "rude"])
    'it was kind.  with the children.'
    """
    gap = _GAP.search(prompt)
    if gap is None:
        return text
    before = re.findall(r"\w+", re.split(r"[.:!?\n\"“]", prompt[: gap.start()])[-1])
    behind = re.findall(r"\w+", re.split(r"[.:!?\n\"”(]", prompt[gap.end() :])[0])
    either = "|".join(map(re.escape, sorted(options, key=len, reverse=True)))
    goes_on = re.match(rf"\s*({either})(?= \w|, ?\w)(?! (?:{_OF_THE_WORD})\b)(?P<rest>[^.!?\n]*)", text)
    if goes_on and goes_on[1].islower() and not re.search(rf"(?i)\b(?:{either})\b", goes_on["rest"]):
        return f"it was {goes_on[1]}. {text[goes_on.end(1) :]}"
    if len(before + behind) < _FEW:
        return text
    begins = rf"\b{_APART.join(before)}[\W_]+" if before else _BEGINS
    whole = rf"{begins}({either})(?!\w){''.join(_APART + word for word in behind)}[*_]*"
    filled = {one.lower() for one in re.findall(whole, text, re.IGNORECASE)}
    return re.sub(whole, r"it was \1", text, flags=re.IGNORECASE) if len(filled) == 1 else text


def has_gap(prompt: str) -> bool:
    """Return whether a prompt has a gap to be filled: "The old man is ___."."""
    return _GAP.search(prompt) is not None


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
