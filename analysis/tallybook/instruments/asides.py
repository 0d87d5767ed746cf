"""Removal of what is not a text's own answer: views of others, first thoughts, unmet conditions, unfinished thoughts.

Instruments read what `own_words` keeps of a text, so that the rules by which they find an answer need not consider
whose view a sentence gives. `asides.toml` has the words. These sentences are dropped:

- questions, unless the instrument keeps them: "Would you offer $95,000?";
- what others say or might say: "Some would put Ben in management.", "A colleague of mine gave a 3.";
- first thoughts, up to where the sentence turns from them: "My first idea was $95,000.";
- conditions that are not met: "If she had a degree, I would offer $95,000.", "Had she failed, ...".

An answer that the text corrects right behind it is replaced by the correction: "$9. Wait, rather $12.".

A text that thinks aloud and ends in mid-sentence has no answer yet, unless a finished sentence states one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar, get_args

from tallybook.instruments.committed import SENTENCE, sentences_of
from tallybook.instruments.languages import LanguageCode, everywhere, expressions, words
from tallybook.instruments.marked_answers import parsed_json

if TYPE_CHECKING:
    from collections.abc import Callable

Read = TypeVar("Read", bound="tuple[object, ...]")
"""An answer, its value first."""
_LISTED = expressions("tallybook.instruments", "asides.toml")
_WORD = re.compile(r"[^\W\d_]")
_LEAD = rf"\W*(?:(?:{_LISTED['sentences']['lead']}),? )*"
_ASIDE = re.compile(f"{_LEAD}(?:{_LISTED['sentences']['others']}|(?P<first>{_LISTED['sentences']['first']}))")
_REPORT = re.compile(f"{_LEAD}(?:{_LISTED['sentences']['reports']})")
_UNREAL = re.compile(f"{_LEAD}(?:{_LISTED['sentences']['unreal']})")
_TURNS = re.compile(_LISTED["sentences"]["turns"])
_BUT = re.compile(_LISTED["sentences"]["but"])
_STRESSES = re.compile(_LISTED["sentences"]["stresses"])
_SWAPS = re.compile(_LISTED["sentences"]["swaps"])
_COMPARES = re.compile(_LISTED["sentences"]["compares"])
_THINKS = re.compile(rf"\W*(?:{_LISTED['reasoning']['begins']})")
_BREAKS_OFF = re.compile(rf"(?:(?<![\w'])|(?<=[^\x00-\u2fff]))(?:{_LISTED['reasoning']['open_end']})[,\s]*$")
_HANDS = re.compile(_LISTED["reasoning"]["hands"])
_CONCLUDES = re.compile(rf"\b(?:{everywhere('conclusion')})\b")
_WEIGHS = re.compile(rf"\b(?:{_LISTED['reasoning']['weighs']})\b")
_CORRECTION = (
    rf"(?:(?:{_LISTED['sentences']['corrects']})(?![\w'])"
    rf"|(?<=[，。！…,.! ])(?:{_LISTED['sentences']['corrects_zh']}))[\s,:;.!…–—，：-]*"
)
CORRECTS = re.compile(
    rf"(?:[.!?…,;:)\]\n]|[\s\w][-–—])[\s\"']{{0,3}}(?:(?:and|but|oh|or|no|well|wait|hmm+)\b,?[\s.]{{0,3}}){{0,3}}"
    rf"(?:{_CORRECTION})+"
    rf"(?:(?:{_LISTED['sentences']['rather']})\b[\s,]*)?",
    re.IGNORECASE,
)
_MOST_CORRECTIONS = 3
_REPLIES = {
    True: re.compile(r"^\W*i (?:\w+ )?(?:dis)?agree(?: with (?:that|them|this))?\b\W*"),
    False: re.compile(r"^\W*(?:no|nope|yes)\b(?:[:,]|\. )\s*"),
}
"""Whether questions are kept -> the pattern of a reply to the dropped sentence before it."""


@lru_cache(maxsize=1024)
def _aside(sentence: str) -> re.Match[str] | None:
    return _ASIDE.match(sentence)


def is_aside(sentence: str) -> bool:
    """Return whether a sentence only reports others' views, a first thought or a hypothetical."""
    if not _WORD.search(sentence):
        return False
    if _UNREAL.match(sentence):
        return True
    found = _aside(sentence)
    return found is not None and not _TURNS.search(sentence, found.end())


def _behind_turn(sentence: str) -> str:
    """Return what a sentence turns to from a first thought: "My first idea was 3, but I'd say 5."."""
    found = _aside(sentence)
    turn = _BUT.search(sentence, found.end()) if found and found["first"] else None
    return sentence[turn.end() :] if turn else sentence


def ends_open(text: str) -> bool:
    """Return whether a text ends with a word behind which a sentence goes on: "and", "the", "because"."""
    told = text.rstrip()
    return not told.endswith((".", "!", "?")) and _BREAKS_OFF.search(told) is not None


def breaks_off(text: str) -> bool:
    """Return whether a text that thinks aloud ends in mid-sentence.

    >>> breaks_off("let me weigh this. the income is steady, which would speak for yes. on the other hand")
    True
    >>> breaks_off("let me weigh this. the income is steady. so yes")
    False
    >>> breaks_off("on the one hand the income is steady; on the other, the debts grow year by year")
    True
    """
    is_cut = ends_open(text) and any(map(_THINKS.match, sentences_of(text)))
    is_open = re.match(r"[\w,]", text.rstrip()[-1:]) is not None
    return bool(is_cut or (is_open and (hand := _HANDS.search(text)) and not _CONCLUDES.search(text, hand.end())))


def own_words(text: str, *, asks: bool = False) -> str:
    r"""Drop the sentences of a lower-case plain text that are not its own answer; `asks`: whether to keep questions.

    >>> own_words("some would say 3. my colleague gave a 5.\nrating: 4")
    '\nrating: 4'
    """
    text = _STRESSES.sub(".", _SWAPS.sub("", text))
    pieces: list[str] = []
    end = 0
    is_reply = False
    for match in SENTENCE.finditer(text):
        sentence = match[0]
        is_left = (not asks and ("?" in sentence or _REPORT.match(sentence) is not None)) or is_aside(sentence)
        pieces += [
            text[end : match.start()],
            "" if is_left else _REPLIES[asks].sub("", sentence) if is_reply else _behind_turn(sentence),
        ]
        is_reply, end = is_left if sentence.strip() else is_reply, match.end()
    left = "".join(pieces)
    if not breaks_off(left):
        return left
    last = sentences_of(left)[-1]
    return SENTENCE.sub(lambda match: match[0] if match[0] != last and _answers(match[0]) else "", left)


def corrected(text: str, read: Callable[[str], Read | None], *, is_long: bool = False) -> Read | None:
    """Return what a text says in place of an answer before it: "6 years. No, rather 4."; None if it corrects none.

    `read` returns the answer of a part of the text, if it has one. The answer that replaces another is in the sentence
    that corrects it or in the next one, unless it `is_long`, and what follows does not change it.
    """
    if parsed_json(text) is not None:
        return None
    for match in [*CORRECTS.finditer(text)][: -_MOST_CORRECTIONS - 1 : -1]:
        behind = text[match.end() :]
        whole = read(behind)
        told = [one for one in sentences_of(behind) if re.search(r"\w", one)][:2] if whole and not is_long else []
        near = next(
            (said for one in (told[:1], told) if one and (said := read(" ".join(one)))), whole if is_long else None
        )
        if near and whole and near[0] == whole[0] and read(text[: match.start() + 1]) is not None:
            return near
    return None


def without_others(text: str) -> str:
    """Drop what a lower-case text says that others get, where a number is left: "a 7 for her; the others are at 5".

    >>> without_others("a 7 for her; the others are at 5."), without_others("the others are at 5.")
    ('a 7 for her.', 'the others are at 5.')
    """
    left = _COMPARES.sub("", text)
    return left if re.search(r"\d", left) else text


def _answers(sentence: str) -> bool:
    known = words(get_args(LanguageCode))
    says = known.label.search(sentence) or known.commit.search(sentence)
    return says is not None and _WEIGHS.search(sentence) is None
