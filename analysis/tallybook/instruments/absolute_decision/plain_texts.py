"""Most texts say yes or no at once, and then why: what they say is found without asking every rule.

Texts that differ in nothing but their numbers are read alike, too: no rule tells one digit from another.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.absolute_decision.answer import Answer
from tallybook.instruments.absolute_decision.clauses import ANSWERS, DECIDES
from tallybook.instruments.languages import everywhere

if TYPE_CHECKING:
    from tallybook.instruments.languages import Words


def wider(pattern: str) -> str:
    r"""Remove lookarounds and anchors from a regular expression, so that it finds the same and more.

    >>> wider(r"(?<!no )\bfit\b(?! for (?:us|me))|^a[^(?!]$")
    '\\bfit\\b|a[^(?!]'
    """
    made, depth, begun = "", 0, 0
    for piece in re.findall(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?<?[=!]|\(|\)|.", pattern, re.DOTALL):
        depth += piece.startswith("(")
        begun = depth if not begun and re.fullmatch(r"\(\?<?[=!]", piece) else begun
        made += "" if begun or piece in {"^", "$"} else piece
        depth -= piece == ")"
        begun = 0 if depth < begun else begun
    return made


_PLAIN = r"^(?i:yes|no)(?:[,.;!]| ?[–—])(?: [A-Za-z0-9 ,.;!()'’–—-]{1,900})?$"
"""Yes or no, a pause and then words: neither a second line nor a question, a quotation, a heading or a mark."""
_ELSE = (
    r"[^a-z0-9]['-]|['-][^a-z0-9]|![a-z0-9(]|[.!][')]+[a-z0-9(]|^\. ?[0-9]|^, (?:is|it is|would be)\b|\bbut (?:i|we)\b"
    r"|^(?:[,.!]| ?[–—]) (?:(?:it|that|this)(?:'s| is) an?|i (?:can )?(?:see|understand))\b"
    rf"|^(?:[,.;!]| ?[–—]) (?:\w+ )?(?:{everywhere('depends')})"
)
"""Marks and words that may be a dash, a quotation, a number ("No. 1") or an answer ("Yes, it is") after all."""
_DECIDES = rf"\b(?:pass|i'm out|{wider(DECIDES)})\b|{wider(ANSWERS['another'])}"


def without_numbers(text: pl.Expr) -> pl.Expr:
    """Replace all digits by 1 in one-line texts that are neither JSON nor a table, and hold no "50/50"."""
    return pl.when(text.str.contains(r"^[ -.0-Z^-z’—–]*$")).then(text.str.replace_all("[0-9]", "1")).otherwise(text)


def is_plain(text: pl.Expr, words: Words) -> pl.Expr:
    """Return whether texts begin with yes or no and, as far as can be seen, no rule depends on the rest.

    The rest holds no other yes or no and no correction, and its later sentences hold nothing that decides.
    """
    rest = text.str.extract(r"^\w+(.*)$").str.replace_all("’", "'").str.to_lowercase()
    later = rest.str.extract(r"[.!](.*)$").fill_null("")
    again = "|".join(f"(?:{wider(rule.pattern)})" for rule in (words.yes, words.no, words.correction))
    is_else = rest.str.contains(_ELSE) | rest.str.contains(again) | later.str.contains(_DECIDES)
    return text.str.contains(_PLAIN) & ~is_else


def answer(text: str, words: Words) -> Answer | None:
    """Return the answer of a plain text; None if its first word is not an answer: "Yes, I can help"."""
    lower = text.lower().replace("’", "'")
    is_yes = lower.startswith("yes")
    said = (words.yes if is_yes else words.no).match(lower)
    return Answer(is_yes, "word", 0, said.end()) if said else None
