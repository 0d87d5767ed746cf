"""Who of two gets it: what a text says of the one that does not, and of whom its pronouns speak.

Texts have marker characters for the options. Where there are just two and neither says that nobody knows, one answers
for the other:

- keyed: values of keys, tags and labels, of which one names who is chosen ("promoted", "Zusage an") and another who is
  not ("runner-up", "Absage an");
- letter: a letter gives or regrets to the one whom it greets (`letters`);
- excluded: "I'd pass over B" means "I'd choose A";
- consoled: what is done for the other one beside ("..., and I'd thank B") chooses nobody;
- pronouns: "her" is the only option that a title or a sentence of the text shows to be a woman.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.committed import sentences_of
from tallybook.instruments.languages import expressions
from tallybook.instruments.letters import letter
from tallybook.instruments.option_labels import MARK, MARKS, find, mark
from tallybook.instruments.structures import structured

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = expressions("tallybook.instruments", "choices.toml")["allocations"]
_KEYED = re.compile(
    rf"[\"']([\w -]{{2,40}})[\"']\s*:\s*\[?\s*[\"']({MARK})(?: \([^\"\n]*\))?[\"']|<(\w+)>\s*({MARK})\s*</"
    rf"|(?:^|(?<=[\n.;,]))[ >*-]*([^\W\d_][\w' -]{{1,40}}?|1st|2nd) *[:：] *({MARK})"
    r"(?= *(?:\([^()\n]*\))?(?:[.;\n]|$|, \w[\w ]+:))"
)
_CHOSEN, _OTHER, _EXCLUDES = (re.compile(_WORDS[one]) for one in ("chosen", "other", "excludes"))
_CONSOLES = re.compile(rf"(?:[,;]|(?<=\w)|(?<={MARK})) ?\b(?:{_WORDS['and']}) (?:{_WORDS['consoles']})[^.!?;\n]*")
_DEAR = re.compile(rf"\W*(?:{_WORDS['dear']}) ({MARK})")
_GENDERS = tuple(
    (
        re.compile(_WORDS[f"titles_{one}"]),
        re.compile(rf"\b(?:{pronouns})(?![\w'])"),
        re.compile(rf"(?:^|(?<=[.!?\n] )|\b(?:{_WORDS['takes']}) )(?:{pronouns})(?=\W*$|[.,;:!]| (?:i'd|que|then)\b)"),
    )
    for one, pronouns in ((one, _WORDS[f"pronouns_{one}"]) for one in ("his", "hers"))
)
"""Titles of men and of women, their pronouns, and pronouns that a choice leads up to."""
_TWO = 2


def given(text: str) -> int | None:
    """Return the option to which keys, tags, labels or a letter give it; None if they do not."""
    told: set[int] = set()
    others: set[int] = set()
    for match in _KEYED.finditer(text):
        key, value = (one for one in match.groups() if one is not None)
        if _OTHER.search(key) or _CHOSEN.search(key):
            (others if _OTHER.search(key) else told).add(find(value)[0].value)
    if len(told) == 1 and not told & others:
        return told.pop()
    if place := structured(text):
        return place
    dear = _DEAR.match(text)
    is_given = letter(text) if dear else None
    to = find(dear[1])[0].value if dear else 0
    return None if is_given is None else to if is_given else _TWO + 1 - to


def written_out(text: str, options: Sequence[str]) -> str:
    """Write the choice out where a text excludes one of two, consoles one, or names one by a pronoun."""
    if not MARKS.search(text):
        return text
    text = _KEYED.sub(lambda match: "" if any(map(_OTHER.search, filter(None, match.groups()))) else match[0], text)
    text = _CONSOLES.sub("", text)
    text = _EXCLUDES.sub(lambda match: f"it is {mark(_TWO + 1 - find(match[0])[0].value)};", text)
    for titles, pronouns, chosen in _GENDERS:
        own = {place for place, one in enumerate(options, start=1) if titles.search(one.lower())}
        sentences = [one for one in sentences_of(text) if pronouns.search(one)]
        shown = ({one.value for one in find(sentence)} for sentence in sentences)
        own = own or {place for places in shown if len(places) == 1 for place in places}
        if len(own) == 1:
            text = chosen.sub(f"it is {mark(own.pop())};", text)
    return text
