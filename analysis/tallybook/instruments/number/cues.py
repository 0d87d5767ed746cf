"""The cues by which an amount is known to be the speaker's answer, or somebody else's, an aside or another quantity."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.languages import expressions

if TYPE_CHECKING:
    from collections.abc import Collection

    from tallybook.instruments.number.amounts import Amount

WORDS = expressions("tallybook.instruments.number", "words.toml")["number"]
_STATES = WORDS["states"]
"""Phrases before an amount that announce it as the answer."""
OTHERS = WORDS["others"]
"""Phrases before an amount that is somebody else's, is compared with the answer, or is added to it."""
_BEHIND_OTHERS = re.compile(rf"[^.!?,;\n\d]{{0,12}}?(?:{WORDS['behind_others']})")
_FOREIGN = re.compile(WORDS["foreign"])
_LIVED, _LIVED_BEHIND = re.compile(WORDS["lived"]), re.compile(WORDS["lived_behind"])
"""Words around years of a life: ages, and how long something has lasted."""
_NAMED_BEFORE = re.compile(r"(?:\A|[.!?:\n])\W*[^\W\d_][\w'’-]*(?: [\w'’-]+){0,3}, \Z")
_NAMED_BEHIND = re.compile(rf",? (?:{WORDS['named_behind']})\b")
"""A name before an age, at the beginning of a sentence, and what is said of who has it: "Ann Lee, 34 anos, foi"."""
_YEARS = re.compile(r"[ -]?(?:years?|jahre?n?|años?|ans|anni|anos?)\b")
_OF_TERM = re.compile(WORDS["of_term"])
_GIVEN, _IDLE = re.compile(WORDS["given"]), re.compile(WORDS["idle"])
_SUITS = re.compile(WORDS["suits"])
"""Phrases after an amount that mark it as the answer."""
LABEL = re.compile(WORDS["label"])
"""A label at the beginning of a line that announces the amount behind it."""
_CLAUSE = re.compile(WORDS["clause"])
_ALONE_BEFORE = re.compile(
    r"[^\w\n]*(?:(?:about|around|approximately|roughly|maybe|perhaps|etwa|ca\.?|rund|environ|unos) )?[^\w\n]*\Z"
)
_ALONE_AFTER = re.compile(r"[^\w\n]*?(?:$|\n|[.!](?= |$|\n)|, (?:given|which|because|that|considering|plus|with)\b)")
_BEGINS = re.compile(_ALONE_BEFORE.pattern.replace(r"[^\w\n]", r"[^\w]").replace(r"\Z", ""))
_HEADLINE = re.compile(r"[^\w\n]*\n\s*[^\W\d]")
_IS = re.compile(
    r"([^\W\d_]{4,})(?: (?!(?:o|or|oder|ou|worth|than|from)\b)\w+)?"
    r"(?: (?:is|will be|would be|should be|comes to|beträgt|wäre|ist|es|sería|est|serait|è|é|seria)|:)?"
    r" *(?:set at |about |around |roughly )?[$€£¥₹]?$"
)
"""A noun that is said to be an amount: "the deposit is"."""
_FINAL = re.compile(r"\b(?:final|finally|in the end|ultimately)\b")
_EACH = re.compile(WORDS["each"])
"""Words behind an amount that is one for each of something: "12 € per m²"."""
_TERM = re.compile(r" (?:hours?|days?|weeks?|months?|years?) (?:in|of|behind)\b")
"""Words after a term that begins a text: "18 months in prison"."""
_NOUN = re.compile(r" (?:(?!figures|digits)[a-zñé]+s|jahre?n?|monate?n?|anni|mesi)\b")
_BETWEEN = re.compile(r"[\s$€£¥]*k?[\s,/]*(?:or|and|to|oder|ou|y|o)?[\s$€£¥]*")
_AMOUNT = re.compile(r"\d(?![\d.,]*\d)(?! ?(?:%|per ?cent)|[ -](?:years?|months?|weeks?|days?|hours?)\b)")
"""A number that is neither a share nor a time."""
_SOMEONE = re.compile(WORDS["someone"])
"""Somebody else, or an average, as the subject of a clause."""
_SOURCE = re.compile(rf"[^\d]{{0,15}}?(?:{WORDS['source']})")
"""Somebody else behind an amount: "$1,300 like your neighbour"."""
OWN, _TURNS = re.compile(WORDS["own"]), re.compile(WORDS["turns"])
"""Words of the speaker; words by which a text turns from others' amounts to the answer."""
_CONCLUDES = re.compile(r"[,;)][^,;:]*: ?[$€£¥₹]?$")
"""A colon that ends more than a label."""
_BREAK = re.compile(r"[,;:(]| - ")
_CONTRAST = re.compile(WORDS["contrast"])
_WINDOW = 120
"""The number of characters before and after an amount that are examined."""
_LABEL_WORDS = 5


class Cues(NamedTuple):
    """The cues in the clause of an amount."""

    states: bool  # it is said to be the answer
    suits: bool  # it is said to be fair or the like
    is_alone: bool  # it is a whole sentence or line
    is_headline: bool  # it is all that the first of several lines says
    is_final: bool  # it is said to be final
    is_foreign: bool  # it is what somebody has, or what is advised against
    is_lived: bool  # it is an age, or how long something has lasted
    is_given: bool  # it is a limit of the law, or what is usual
    others: bool  # it is somebody else's, compared with the answer, or added to it


def cues(text: str, one: Amount, asked: Collection[str]) -> Cues:
    """Return the cues in the clauses around an amount of a text; `asked` are the words of its prompt."""
    before, behind = text[max(0, one.start - _WINDOW) : one.start], text[one.end : one.end + _WINDOW]
    line = before.rpartition("\n")[2]
    clause = _clause(before)
    pieces = re.split(r"\d[\d.,]*", clause)
    nearest = next((piece for piece in reversed(pieces) if not _BETWEEN.fullmatch(piece)), pieces[0])
    is_label = LABEL.fullmatch(line) is not None
    sentence = re.split(r"[.!?] ", line)[-1]
    noun, suits = _NOUN.match(behind), _SUITS.match(behind) is not None
    named = _IS.search(clause)
    is_asked, given = named is not None and named[1] in asked, _GIVEN.search(clause)
    begins = _TERM.match(behind) is not None and not re.search(r"\w", text[: one.start])
    states = is_label or begins or is_asked or bool(re.search(_STATES, nearest)) or _is_stated(clause)
    if not (given or states or suits or _CONTRAST.search(sentence)):  # "juniors get $65,000, seniors $80,000"
        given = _GIVEN.search(sentence.removesuffix(clause))
    who = (
        None
        if suits
        else _whose(re.split(r"[.!?] |[。！？\n]", before)[-1], re.split(r"[.!?,;:\n。，；]", behind)[0], asked)
    )
    return Cues(
        states=states,
        suits=suits,
        is_alone=bool(_ALONE_BEFORE.fullmatch(sentence) and _ALONE_AFTER.match(behind, noun.end() if noun else 0)),
        is_headline=_BEGINS.fullmatch(text, 0, one.start) is not None
        and _HEADLINE.match(behind, noun.end() if noun else 0) is not None,
        is_final=bool(_FINAL.search(line)),
        is_foreign=bool(_FOREIGN.search(clause)),
        is_lived=_is_lived(text, one, clause),
        is_given=bool(
            (given and given["who"] not in asked) or _IDLE.match(behind) or (who and not {*asked} & {*who.split()})
        ),
        others=not suits
        and bool(
            who
            or re.search(OTHERS, line if is_label else nearest)
            or _BEHIND_OTHERS.match(behind)
            or _EACH.match(behind)
        ),
    )


def _is_lived(text: str, one: Amount, clause: str) -> bool:
    """Return whether years are those of a life: "ha 34 anni", "hace 11 años", "5 years of experience"."""
    years = _YEARS.match(text, one.end)
    is_of_name = years and _NAMED_BEHIND.match(text, years.end()) and _NAMED_BEFORE.search(text, 0, one.start)
    return bool(is_of_name) or bool(
        years
        and (_LIVED_BEHIND.match(text, one.end) or (_LIVED.search(clause) and not _OF_TERM.match(text, years.end())))
    )


def _whose(before: str, behind: str, asked: Collection[str]) -> str | None:
    """Return whose the amount of a sentence is; None if it is not plainly somebody else's."""
    found = next(iter([*_SOMEONE.finditer(before)][::-1]), None)
    if found and (_CONTRAST.search(before, found.end()) or _is_past(before, found)):
        found = None
    if found and found["group"]:  # "among Germans", unless it is asked for
        return None if found["group"] in asked else found["group"]
    found = found or _SOURCE.match(behind)
    if found is None or OWN.search(before, found.end()) or OWN.search(behind):
        return None
    return next((who for who in found.groupdict().values() if who), found[0])


def _is_past(before: str, found: re.Match[str]) -> bool:
    """Return whether somebody else is named for an amount before, or in a clause that a colon ends."""
    stated = before[: found.start()] + (before[found.end() :] if found["source"] else "")
    is_named = _BREAK.search(before, found.end()) and re.search(r"\d", stated)
    return bool(is_named or _CONCLUDES.search(before, found.end()))


def turns(text: str, one: Amount, two: Amount) -> bool:
    """Return whether a text turns from an amount to another one behind it."""
    return _TURNS.search(text, one.end, two.start) is not None


def _is_stated(clause: str) -> bool:
    """Return whether a clause before an amount announces an answer, and not an amount within the clause."""
    found = [*re.finditer(_STATES, clause)]
    return bool(found) and not _AMOUNT.search(clause, found[-1].end())


def _clause(before: str) -> str:
    """Return the part of the clause before an amount, including a short label such as "Our average: "."""
    start, last = 0, 0
    for match in _CLAUSE.finditer(before):
        is_label = match[0] == ": " and before.count(" ", last, match.start()) < _LABEL_WORDS
        start, last = (start if is_label else match.end()), match.end()
    return before[start:]
