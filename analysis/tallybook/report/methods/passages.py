"""Passages of a methods section: what several analyses have in common, and what each is applied to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.analyses.wording import sentences, series

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.study.account import Account

_MANY = 2
_PRECISION = re.compile(r"Standard errors |\S+ [\d.]+% intervals ")
_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")


def passages(accounts: Iterable[Account]) -> list[str]:
    r"""Accounts as paragraphs, one for all that are made alike; a topic's next one repeats no errors and intervals.

    >>> from tallybook.study.account import Account
    >>> made = [Account("Counts", "They have no test.", "Counts are of", "x", (), cells) for cells in ("a", "b")]
    >>> passages(made)
    ['**Counts.** They have no test. Counts are of x, by a and b.\n']
    >>> texts = (f"Scores are {name}. Standard errors are robust. Their 95% intervals are wide." for name in "ab")
    >>> passages([Account("Scores", text, "They are of", "x") for text in texts])[1]
    'Scores are b. Standard errors and intervals are as above. They are of x, over all responses together.\n'
    """
    topics: dict[str, dict[str, dict[tuple[str, str], list[Account]]]] = {}
    for one in accounts:
        topics.setdefault(one.topic, {}).setdefault(one.text, {}).setdefault((one.detail, one.lead), []).append(one)
    made: list[str] = []
    for topic, by_text in topics.items():
        begun, before = f"**{topic}.**", list[str]()
        for text, alike in by_text.items():
            first, *others = (_paragraph(accounts) for accounts in alike.values())
            said = _SENTENCES.split(text)
            again = [sentence for sentence in said if sentence in before and _PRECISION.match(sentence)]
            short = "Standard errors and intervals are as above." if len(again) > 1 else sentences(*again)
            new = [sentence for sentence in said if sentence not in again]
            made += [sentences(begun, *new[:1], short, *new[1:], first), *others]
            begun, before = "", said
    return made


def _paragraph(accounts: Sequence[Account]) -> str:
    """Paragraphs about analyses that are made alike."""
    common = [clause for clause in accounts[0].where if all(clause in one.where for one in accounts)]
    applied: dict[str, dict[tuple[str, ...], list[Account]]] = {}
    for one in accounts:
        own = tuple(clause for clause in one.where if clause not in common)
        applied.setdefault(one.what, {}).setdefault(own, []).append(one)
    told = [_applied(what, by_condition) for what, by_condition in applied.items()]
    shared = f"Only responses enter where {' and '.join(common)}." if common else ""
    begun = sentences(accounts[0].detail, shared, accounts[0].lead)
    if len(told) > _MANY:
        return "\n".join([f"{begun}:\n", *(f"- {one};" for one in told[:-1]), f"- {told[-1]}.", ""])
    return f"{begun} {'; and '.join(told)}.\n"


def _applied(what: str, by_condition: dict[tuple[str, ...], list[Account]]) -> str:
    parts: list[str] = []
    for clauses, accounts in sorted(by_condition.items(), key=lambda item: bool(item[0])):
        where = [f"where {' and '.join(clauses)}"] if clauses else []
        parts.append(", ".join([*where, _cells(accounts)]))
    return f"{what}, {', and '.join(parts)}"


def _cells(accounts: Sequence[Account]) -> str:
    splits = list(dict.fromkeys(one.cells for one in accounts if one.cells))
    together = [accounts[0].everything] if any(not one.cells for one in accounts) else []
    by = [f"{accounts[0].within} {series(splits)}"] if splits else []
    return " and ".join([*together, *by])
