r"""Decide whether one English clause recommends the action that the prompt asks about.

A clause is written as a string of tags, one a word or phrase: "I see no reason to turn Karen down" is `IwNJD_P`, with
articles and most adverbs left out. A few patterns of tags say which clauses decide:

- the speaker does a deed, or it ought to be done: "I'd hire her", "she should be hired", "my decision is to reject";
- it is commanded or reported as done: "Hire her.", "The loan is approved.";
- it is judged: "hiring her would be a mistake", "I see no reason to reject him";
- somebody is found fit for it: "she gets my vote", "he is the right person";
- somebody ought to do any other thing: "she should lead the workshop", "he shouldn't".

The clause says yes if an even number of its tags deny. Nothing is decided by what may be, what others say, and what is
done first or for somebody else.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tallybook.instruments.languages import expressions

_LISTED = expressions("tallybook.instruments.absolute_decision", "english.toml")
ANSWERS = _LISTED["answers"]
"""The phrases of sentences, by what they do."""
DECIDES = "|".join(_LISTED["tags"][tag] for tag in "DEdGHgVvUOI")
"""The words and phrases of which a clause needs at least one to decide."""
_WORD = re.compile(
    rf"(?P<left>(?:{_LISTED['clauses']['left_out']})(?![\w']|-\w)) ?|"
    + "|".join(rf"(?P<t{ord(tag)}>(?:{words})(?![\w']|-\w)) ?" for tag, words in _LISTED["tags"].items())
    + rf"|(?P<t{ord('w')}>[\w'’./-]+) ?|(?P<rest>\S) ?"
)
_SHORT_IS = re.compile(r"\b((?:he|she|it|that|this|there|one))'s\b(?! (?:a|an) hire)")
_DENIES = "NZ-DEdv"
_OBJECT = r"(?:PP?|S(?=$)|SP|MP?|S?w{1,3}P?)?"
_TAIL = r"(?:p(?!n).*)?$"
_DEED = re.compile("[DEdGHg]")
_GERUND = re.compile(r"(?:not )?(?!bring\b)\w+ing\b")
_OF_A_DEED = re.compile("o[DEGH]")
"""The pros and cons of hiring her."""
_BEHIND = re.compile(rf"{_OBJECT}{_TAIL}|(?:PP?|M)o.*$|oPP?$")
_WHO = r"(?:[^DEGHUVdg]*N[no]*J+|.*IB?)?[Np]*(?:S|PP?|M|w{1,2})"
"""Somebody as the subject of what the speaker says: "my view is that she", "I don't think Amara"."""
_PASSIVE = re.compile(rf"(?:{_WHO})?[BON]*")
_FRAME = re.compile(r"(?:I|(?:Iw{1,2})?O)[^w]*$|Iw{1,2}O[^w]*$|I[^w]*w{1,2}p[^w]*$|I\w*[DEGH+-][^w]*w{0,2}[^w]*$")
_JUDGED_BEFORE = re.compile(r"\+\w*Bp?N?p?$|N\w{0,5}N\w{0,3}$|[+-]N?p?N?$|N.*J.*$|J(?=N)")
_JUDGED_BEHIND = re.compile(rf"(?:I?N?w?[HE]H?|p[DG]){_OBJECT}(?:p[PMw]{{0,2}})?B?N?[+-]")
_CALLED = re.compile(r".*U[HE]|[PS]BN?[EH]")
_OUGHT = re.compile(rf"{_WHO}ON*$")
_BEHIND_DONE = re.compile(r"(?:P|[po].*)?$")
_NO_REASON = re.compile("[^w]*NJNp?$")
_OUGHT_TO_DO = re.compile(rf"{_WHO}ON*w(?!n)")
_DECIDER = re.compile(rf"\b(?:{ANSWERS['deciders']})s?(?: \w+)? (?:should|must|ought|needs? to|ha(?:s|ve) to|shall)")
_DESERVES = re.compile(rf"{_WHO}[BNO]*U(?:P|M){_TAIL}")
_GOES_TO = re.compile(rf"{_WHO}[NO]*T")
_TO_SOMEBODY = re.compile(r"I[NZ]*wp?M(?![wa])")
_NOT = re.compile(r"n't\b|\bnot\b|\bnever\b")


@lru_cache(2**15)  # clauses recur in texts that differ as wholes
def tags(clause: str) -> tuple[tuple[str, str], ...]:
    """Convert a clause to tags, each with the words it stands for."""
    clause = _SHORT_IS.sub(r"\1 's", clause)
    found: list[tuple[str, str]] = []
    place = 0
    while place < len(clause):
        match = _WORD.match(clause, place)
        if match is None:
            place += 1
            continue
        if match.lastgroup and match.lastgroup.startswith("t"):
            found.append((chr(int(match.lastgroup.removeprefix("t"))), match.group()))
        place = max(match.end(), place + 1)
    return tuple(found)


def is_deed(part: str, deeds: str = "DEGH") -> bool:
    """Return whether a part of a sentence has one of the tags `deeds`: by default, acts of granting or rejecting."""
    return any(tag in deeds for tag, _ in tags(part))


class Told(NamedTuple):
    """What a clause says."""

    is_yes: bool
    is_weak: bool = False  # whether it is only a reason
    is_elided: bool = False  # whether it only says that what is asked about ought to be done: "It should."


def says(clause: str, *, is_headed: bool) -> Told | None:
    """Return what a clause says; None if it decides nothing.

    `is_headed`: whether the clause begins a sentence, so that it may be a command or a report.
    """
    told = tags(clause)
    marks = "".join(tag for tag, _ in told)
    if "?" in marks or not told or re.search(r"\D/", clause):
        return None
    speaks = max((place for place, (tag, _) in enumerate(told) if tag == "I"), default=0)
    denials = [
        place
        for place, (tag, words) in enumerate(told)
        if (tag in _DENIES and (tag != "Z" or place >= speaks)) or (tag in "OVUI" and _NOT.search(words))
    ]
    if not _DEED.search(marks) and _OUGHT_TO_DO.match(marks) and _DECIDER.search(clause):
        return None
    is_decided = _decided(marks, is_headed=is_headed and not _GERUND.match(clause))
    if is_decided is None:
        reason = re.search("[Yy]", marks)
        return Told(reason[0] == "Y", is_weak=True) if reason and not denials else None
    if [told[place][0] for place in denials] == ["Z"]:
        return None
    is_yes = len([place for place in denials if place < is_decided]) % 2 == 0
    is_condition = not is_yes and not _DEED.search(marks) and _OUGHT_TO_DO.match(marks) is not None
    return Told(is_yes, is_weak=is_condition, is_elided=_OUGHT.match(marks) is not None)


def _decided(marks: str, *, is_headed: bool) -> int | None:
    """Return the number of leading tags that count, up to the deed or its judgement; None if nothing is decided."""
    deeds = list(_DEED.finditer(marks))
    fits = max(marks.rfind("V"), marks.rfind("v")) + 1
    if fits or not deeds:
        return max(fits, *(deed.end() for deed in deeds)) if deeds else fits or _without_deed(marks)
    if _OF_A_DEED.search(marks):
        return None
    first, last = deeds[0], deeds[-1]
    before, behind = marks[: first.start()], marks[last.end() :]
    if match := _JUDGED_BEHIND.match(marks):
        return match.end()
    if first[0] in "gd":
        is_done = (
            re.search("[BO]", before) is not None
            or not re.search("S|P", before + behind[:1])
            or ("S" not in before and not behind.startswith("P"))
        )
        is_reported = is_done and _PASSIVE.fullmatch(before) and (before.strip("N") or is_headed)
        return last.end() if is_reported and _BEHIND_DONE.match(behind) else None
    if match := _DESERVES.match(behind):
        return last.end() + match.end()
    is_framed = _FRAME.search(before) or _JUDGED_BEFORE.search(before) or _CALLED.fullmatch(marks)
    is_command = is_headed and not before.strip("N") and (first[0] in "GD" or not behind)
    return last.end() if _BEHIND.match(behind) and (is_framed or is_command) else None


def _without_deed(marks: str) -> int | None:
    """Return the number of leading tags that count in a clause without a deed; None if nothing is decided."""
    found = (
        _DESERVES.match(marks)
        or _GOES_TO.match(marks)
        or _OUGHT_TO_DO.match(marks)
        or _TO_SOMEBODY.search(marks)
        or _OUGHT.match(marks)
        or _NO_REASON.match(marks)
    )
    return found.end() if found else None
