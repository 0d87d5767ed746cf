"""Verdicts in other languages than English: what is done with a case, said in words that are all known.

A clause is read if every word of it is known: what is done for or against somebody (in any form: "bewilligen",
"Ablehnung", "dénsela"), what denies or judges it, the thing that is asked for, and small words. It says yes if an even
number of its words turn somebody down, deny, or find fault: "Negársela sería injusto" has two. "Kredite bewilligt die
Bank" has an unknown word and says nothing. Behind a label only what stands before the first unknown word counts.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.languages import expressions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_LISTED = expressions("tallybook.instruments.absolute_decision", "verdicts.toml")
_KINDS = ("not", "denies", "bad", "grants", "thing", "light", "reason")
_TURNS = ("not", "denies", "bad")
_PART = re.compile(
    r"(?:(?!, (?:also|daher|deshalb|darum|por (?:lo )?tanto|donc|quindi|perciò|portanto|logo)\b|[，,](?:所以|因此))"
    r"[^;:(；：。！!?？–—…])+([:：]?)"
)
"""A part of a sentence that stands by itself, and heads nothing: clauses behind commas depend on those before."""
_SAID = re.compile(r", (?:sagt|meint|findet|dice|opina|dit|pense|diz|acha)\b|说|(?<!我)认为")
"""Says whose a verdict is that is not the text's own."""
_MOST_UNKNOWN = 3
"""The number of unknown words that may stand before the first deed behind a label: a name."""
_UNKNOWN = re.compile(r"\S+\s*")
_NO_NOUN = "".join(
    rf"(?<!{end})" for end in ("ción", "sión", "ção", "são", "zione", "sione", "tion", "sion", "ung", "nahme")
)
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
    """Yield what the parts of a sentence say, with their places: whether yes.

    >>> list(verdicts("kredit bewilligt.", ("de",))), list(verdicts("kredite bewilligt die bank.", ("de",)))
    ([(0, 17, True)], [])
    >>> [value for _, _, value in verdicts("es wäre ein fehler, ihn abzulehnen.", ("de",))]
    [True]
    """
    if _SAID.search(sentence):
        return
    for match in _PART.finditer(sentence):
        for language in languages if not match[1] else ():
            value = _together(match[0], language) if language in _LISTED else None
            if value is not None:
                yield *match.span(), value
                break


def _together(part: str, language: str) -> bool | None:
    """Return whether clauses say yes; one without a deed judges that of its neighbour: "Denying her, that's unfair"."""
    is_yes, turns = None, False
    for clause in part.split(","):
        told = _clause(clause.strip(_EDGE), language, most_unknown=0)
        if told is None:
            break
        if told.has_deed and is_yes is not None and told.is_yes != (is_yes ^ turns):
            return None
        if told.has_deed:
            is_yes, turns = told.is_yes ^ turns if is_yes is None else is_yes, False
        else:
            turns ^= not told.is_yes
    return None if is_yes is None else is_yes ^ turns


def verdict(part: str, language: str) -> bool | None:
    """Return whether a part behind a label begins with yes or no, whatever follows; None if it does neither."""
    told = _clause(part.strip(_EDGE), language, most_unknown=_MOST_UNKNOWN) if language in _LISTED else None
    return told.is_yes if told and told.has_deed else None


class _Told(NamedTuple):
    """What a clause says."""

    has_deed: bool
    is_yes: bool


def _clause(clause: str, language: str, *, most_unknown: int) -> _Told | None:
    """Return what a clause says up to its reason; None if it has more unknown words before its deed, or any behind."""
    place, has_deed, is_yes, unknown = 0, False, True, 0
    while place < len(clause):
        match = _words(language).match(clause, place)
        if match is None or (match.lastgroup == "reason" and not has_deed):
            if has_deed and most_unknown:
                break
            unknown += 1
            if unknown > most_unknown:
                return None
            skipped = _UNKNOWN.match(clause, place)
            place = skipped.end() if skipped else len(clause)
            continue
        if match.lastgroup == "reason":
            break
        has_deed = has_deed or match.lastgroup in {"grants", "denies"}
        is_yes ^= match.lastgroup in _TURNS
        place = match.end()
    return _Told(has_deed, is_yes)


_ADVISES = re.compile(
    r"\b(?:recom\w+|aconsej\w+|conseill\w+|consigli\w+|aconselh\w+|empf[eo]hl\w+|empfiehlt)"
    r"(?= (?:que\b|(?:de |d'|di )?\w+(?:[aeiî]re?|oir)(?:l[aeo]s?|se)?\b|dass\b))|\bempfehle, "
)
"""What is advised stands behind these words, which are no deed themselves: "recomiendo esperar"."""
_FOR = (
    r"(?:(?:halte|befürworte|empfehle|tendiere|neige|plädiere|recomiendo|aconsejo|apoyo|recommande|conseille|consiglio"
    r"|sconsiglio|raccomando|recomendo|aconselho|apoio)(?: \w+){0,2}|für|zugunsten|zu gunsten|zur?|faveur d['eu]|pour"
    r"|s'oppose à|envisage|favor d\w+|favore d\w+|por|per|pela?)"
    r" ?(?:(?!pas\b|nicht\b)[^\W\d_]+[ '])?(?:[^\W\d_]+[ '])?"
)
"""What stands before the noun of a deed that is spoken for: "zugunsten ihrer Zulassung"."""


def has_deed(clause: str, languages: Sequence[str]) -> bool:
    """Return whether a clause says that something is done for or against somebody: not "debate the award"."""
    clause = _ADVISES.sub("", clause)
    return any(_deeds(language).search(clause) for language in languages if language in _LISTED)


@cache
def _deeds(language: str) -> re.Pattern[str]:
    own = _LISTED[language]
    around = "{}" if language == "zh" else rf"(?<!\w)(?:{{}}){_NO_NOUN}(?!\w)"
    either = f"{own['grants']}|{own['denies']}"
    return re.compile(rf"{around.replace('{}', either)}|(?<!\w){_FOR}(?<!\w)(?:{either})(?!\w)")


def times_denied(clause: str, languages: Sequence[str], others: str) -> int:
    """Return how often a clause denies, turns somebody down or calls that wrong, by these words and `others`."""
    return sum(1 for _ in _denials(tuple(languages), others).finditer(clause))


_IS = r"(?:ist|wäre|es|sería|est|serait|è|sarebbe|é|seria)(?: (?:un|una|une|um|uma|ein))?"


@cache
def _denials(languages: tuple[str, ...], others: str) -> re.Pattern[str]:
    own = [
        (_LISTED[one], *(("", "") if one == "zh" else (r"(?<!\w)", r"(?!\w)"))) for one in languages if one in _LISTED
    ]
    words = [rf"{begin}{_IS} (?:{listed['bad']}){end}" for listed, begin, end in own]
    words += [f"{begin}(?:{listed['denies']}){end}" for listed, begin, end in own]
    return re.compile("|".join([others, *words]))
