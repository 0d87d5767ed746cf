r"""Detection of whether a sentence asserts an answer that it mentions.

A few cues decide, whatever the verb:

- Questions, conditions, reports ("people say", "the idea that") and hypotheticals ("it would be a lie to say") assert
  nothing; nor do denials, or answers beside another one ("A or B").
- Somebody *is*, *seems* or *comes across as* an answer: it follows such a verb and ends its clause.
- The answer is the subject of a statement in its favour: "A describes her better", "A it is", "A gets my vote".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.languages import expressions

if TYPE_CHECKING:
    from tallybook.instruments.marked_answers import Mention

_WORDS = expressions("tallybook.instruments", "choices.toml")["stance"]
_ADVERB = rf"(?:{_WORDS['adverb']})"
_BE = rf"(?:{_WORDS['be']})"
_IS = re.compile(rf"{_BE}[\s:]*(?:{_ADVERB}[\s,]+)*[\"'(\[]*$")
_NOBODY = re.compile(rf"(?:^|\b)(?:{_WORDS['nobody']})$")
"""Subjects that are not persons: "the word is A" is left to the rules of `committed`."""
_ENDS = re.compile(rf"[\"')\]]*\s*(?!(?:some|at )times?\b|occasionally|on \w+days)(?:\w+ly\s*)?(?:{_WORDS['ends']})")
"""The text that may follow an answer said of somebody; "a brave man" is recognised by its article instead."""
_BEGINS = re.compile(_WORDS["begins"])
_SUBJECT = re.compile(rf"[\"')]*\s+(?:{_WORDS['subject']})")
_IDEA = re.compile(_WORDS["idea"])
"""Words that introduce somebody's opinion."""
_HYPOTHETICAL = re.compile(_WORDS["hypothetical"])
"""Words that make the rest of a clause hypothetical, reported or conditional rather than asserted."""
_FAIR_TO_SAY = re.compile(_WORDS["fair_to_say"])
_REACH = 400
"""The number of characters before an answer that are searched for words of opinion: sentences may be very long."""
_ONE = re.compile(r"[\"')\]]*\s+(?:one|person|man|woman|people's choice)\b")


def is_an_idea(before: str) -> bool:
    """Return whether an answer is part of somebody's opinion: "the idea that he is kind"."""
    return _IDEA.search(before[-_REACH:]) is not None


def is_thought_of(before: str) -> bool:
    """Return whether the text before an answer makes it hypothetical, reported or conditional, and not asserted."""
    return is_an_idea(before) or _HYPOTHETICAL.search(_FAIR_TO_SAY.sub(" i'd ", before[-_REACH:])) is not None


def asserts(before: str, behind: str, mention: Mention) -> bool:
    """Return whether a sentence asserts an answer, given the text before and after it."""
    if is_thought_of(before):
        return False
    if _SUBJECT.match(behind) and _BEGINS.search(before):
        return True
    is_ended = _ENDS.match(behind) is not None
    if not is_ended and not (_ONE.match(behind) and re.search(r"\b(?:an?|the) [\"']*$", before)):
        return False
    if mention.is_place:
        return False
    said = _IS.search(before)
    return said is not None and not _NOBODY.search(before[: said.start()].rstrip())
