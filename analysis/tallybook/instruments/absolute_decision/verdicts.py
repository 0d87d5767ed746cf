"""Verdicts in other languages than English: what is done with a case, said in words that are all known.

A clause is read if every word of it is known: what is done for or against somebody (in any form: "bewilligen",
"Ablehnung", "dénsela"), what denies or judges it, the thing that is asked for, and small words. It says yes if an even
number of its words turn somebody down, deny, or find fault: "Negársela sería injusto" has two. "Kredite bewilligt die
Bank" has an unknown word and says nothing. Behind a label only what stands before the first unknown word counts.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tallybook.instruments.languages import expressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LISTED = expressions("tallybook.instruments.absolute_decision", "verdicts.toml")
_KINDS = ("not", "denies", "bad", "grants", "thing", "light", "reason")
_TURNS = ("not", "denies", "bad")
_CUT = re.compile(r"[,;:(（，；：。–—…]|\.{2,}|\s-\s")
_SAID = re.compile(r", (?:sagt|meint|findet|dice|opina|dit|pense|diz|acha)\b|说|(?<!我)认为")
"""Says whose a verdict is that is not the text's own."""
_MOST_UNKNOWN = 3
"""The number of unknown words that may stand before the first deed behind a label: a name."""
_UNKNOWN = re.compile(r"\S+\s*")
_EDGE = " .!。！\"'*#>)]»«\n\t"
"""What may stand around a clause."""


@cache
def _words(language: str) -> re.Pattern[str]:
    """Compile what finds the next word, of one of the kinds: only small words end before a hyphen ("donnez-le-lui")."""
    ends = dict.fromkeys(_KINDS, "" if language == "zh" else r"(?![\w-])")
    ends["light"] = ends["light"].replace("-", "")
    kinds = (rf"(?P<{kind}>(?:{_LISTED[language][kind]}){end})" for kind, end in ends.items())
    return re.compile(rf"(?:(?P<elided>(?:[cdjlmnst]|qu|all|dell)')|{'|'.join(kinds)})\s*(?:-\s*)?")


def verdicts(sentence: str, languages: Sequence[str]) -> Iterator[tuple[int, int, bool]]:
    """Yield what the clauses of a sentence say, with their places: whether yes.

    >>> list(verdicts("kredit bewilligt.", ("de",))), list(verdicts("kredite bewilligt die bank.", ("de",)))
    ([(0, 17, True)], [])
    """
    if _SAID.search(sentence):
        return
    begin = 0
    for match in [*_CUT.finditer(sentence), None]:
        end = match.start() if match else len(sentence)
        for language in () if match and match[0] in ":：" else languages:
            value = verdict(sentence[begin:end], language)
            if value is not None:
                yield begin, end, value
                break
        begin = match.end() if match else end


def verdict(clause: str, language: str, *, is_whole: bool = True) -> bool | None:
    """Return whether a clause says yes; None if it says neither, or, if `is_whole`, has an unknown word."""
    if language not in _LISTED:  # English
        return None
    clause = clause.strip(_EDGE)
    place, has_deed, is_yes, unknown = 0, False, True, 0
    while place < len(clause):
        match = _words(language).match(clause, place)
        if match is None or (match.lastgroup == "reason" and not has_deed):
            if has_deed and not is_whole:
                break
            unknown += 1
            if is_whole or unknown > _MOST_UNKNOWN:
                return None
            skipped = _UNKNOWN.match(clause, place)
            place = skipped.end() if skipped else len(clause)
            continue
        if match.lastgroup == "reason":
            break
        has_deed = has_deed or match.lastgroup in {"grants", "denies"}
        is_yes ^= match.lastgroup in _TURNS
        place = match.end()
    return is_yes if has_deed else None
