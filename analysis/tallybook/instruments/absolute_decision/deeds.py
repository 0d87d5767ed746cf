"""The action that a prompt asks about, "Should his GP refer him?", written in the texts as one that the rules know.

What is asked for, whatever its verb, is "approve": "I'd refer him" becomes "I'd approve him". What harms whom it is
done to is "dismiss": where a prompt asks whether to evict her, "I'd let her stay" says no and "Evict." yes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from tallybook.instruments.languages import expressions

_LISTED = expressions("tallybook.instruments.absolute_decision", "english.toml")
_ANY = _LISTED["asked"]
_ASKS = r"(?i:should|shall|would|will|do|does|can|must|may)"
_SUBJECT = r"(?:(?!(?:or|not|be)\b)[\w.'’-]+,? ){1,6}?"
_OBJECT = r"(?:for |to |with )?(?:him|her|them|it|this|that|the|an?|his|their|its|our|my|your)\b|[A-Z]"
_ACTIVE = re.compile(
    rf"\b(?:{_ASKS} {_SUBJECT}|(?i:whether|decide) (?:or not )?to )"
    rf"(?:(?P<verb>[a-z]{{3,}})(?= (?:{_OBJECT}))|(?P<known>{_ANY['grants']}|{_ANY['harms']})(?= (?!or\b)[a-z]))"
)
_PASSIVE = re.compile(rf"\b{_ASKS} {_SUBJECT}be (?:\w+ly )?(?P<verb>[a-z]+)ed\b(?! or\b)")
_NOUN = re.compile(
    rf"\b{_ASKS} (?:[^.?!]{{0,60}}?\b(?:{_ANY['gives']}) (?:[\w.'’-]+ ){{0,4}}?an? ([a-z-]+)"
    r" (?:at|for|in|on|to|when|with)\b[^.?!]*\?|[^.?!]{1,80}? an? ((?:[a-z-]+ )?[a-z-]+)\?)"
)
"""What is asked for: "Should she get a trial shift?", "Would you give him a mortgage for this house?"."""
_GIVING = {form: re.compile(_ANY[f"give_{form}"]) for form in ("give", "gives", "giving", "given")}
_GRANTS, _HARMS = (re.compile(_ANY[kind]) for kind in ("grants", "harms"))
_ABOUT = {kind: re.compile(_ANY[kind]) for kind in ("interview", "release", "removal")}
_LIGHT = re.compile(_ANY["light"])


class Deed(NamedTuple):
    """The action that a prompt asks about."""

    verb: str  # its verb, without a last "e" or "y", or a kind that has words of its own; empty if the rules know it
    harms: bool  # whether it harms whom it is done to
    noun: str | None = None  # what is asked for, "a trial shift"

    def written(self, text: str) -> str:
        """Write the action as one that the rules know."""
        for kind in (self.verb, "spares" if self.harms else ""):
            for known, words in _LISTED.get(kind, {}).items():
                text = re.sub(words, known, text)
        known = _KNOWN[self.harms]
        if self.noun:
            text = re.sub(
                rf"(?i)\b(?:an?|the|this) {self.noun}(?= (?:is|isn't|makes|seems|would)\b)", known["noun"], text
            )
            if not self.harms:
                for form, words in _GIVING.items():
                    text = words.sub(form, text)
                text = re.sub(rf"(?i)(?<![\w,] )\bno (?:[\w-]+ )?{self.noun}s?\b[^.,;:!?\n]{{0,40}}", "no", text)
                text = re.sub(rf"(?i)\b{self.noun}\b", "loan", text)
        for form, pattern in _patterns(self.verb).items() if self.verb not in {"", *_ABOUT} else ():
            text = pattern.sub(lambda match, form=form: _cased(known[form], match[0]), text)
        return text


_KNOWN = {
    False: {"noun": "approval", "ing": "approving", "ed": "approved", "s": "approves", "": "approve", "no": "no."},
    True: {"noun": "dismissal", "ing": "dismissing", "ed": "dismissed", "s": "dismisses", "": "dismiss", "no": "no."},
}
"""Whether the action harms -> the forms of the known verb."""


def deed_asked(prompt: str | None) -> Deed | None:
    """Return the action that a prompt asks about; None if it asks about none, or about several.

    >>> deed_asked("Ms. Tran is behind. Should the landlord evict her?"), deed_asked("Approve or deny the loan?")
    (Deed(verb='evict', harms=True, noun=None), None)
    """
    text = prompt or ""
    found = {
        match[name].removesuffix("e").removesuffix("y")
        for pattern in (_ACTIVE, _PASSIVE)
        for match in pattern.finditer(text)
        for name in pattern.groupindex
        if match[name] and not _LIGHT.fullmatch(match[name])
    }
    about = [kind for kind, pattern in _ABOUT.items() if pattern.search(text.lower())]
    named = _NOUN.search(text)
    noun = next(filter(None, named.groups())) if named else None
    if len(found) != 1 and "removal" not in about:
        return Deed("", harms=False, noun=noun) if noun and not found else None
    if about:
        return Deed(about[0], about[0] == "removal", noun)
    (verb,) = found
    harms = any(_HARMS.fullmatch(verb + end) for end in ("", "e", "y"))
    is_known = any(_GRANTS.fullmatch(verb + end) for end in ("", "e", "y"))
    return Deed("" if is_known else verb, harms, noun) if noun or not is_known else None


@lru_cache
def _patterns(verb: str) -> dict[str, re.Pattern[str]]:
    """Return the patterns of the forms of a verb, the longest forms first."""
    stem, last = re.escape(verb), re.escape(verb[-1])
    led = "|".join(rf"(?<=\b{word} )" for word in ("a", "the", "no", "any", "this", "another"))
    noun = rf"(?:{re.escape(verb[:-1])}s?sion|{stem}(?:{last}?al|ial|ment|i?[ots]?ion|ation|ance)|(?:{led}){stem}e?)"
    forms = {
        "no": rf"(?<![\w,] )\bno (?:{noun}|{stem}e?|{stem}ing)(?=\W*$|[.,;:!]| (?:at this|for now|yet|here)\b)",
        "noun": noun,
        "ing": rf"{stem}{last}?ing",
        "ed": rf"{stem}(?:{last}?e|i)d",
        "s": rf"{stem}(?:e?s|ies)",
        "": rf"{stem}[ey]?",
    }
    return {
        name: re.compile(rf"(?i)(?<![^\W_])(?:{one})(?![^\W_])" if name != "no" else f"(?i){one}")
        for name, one in forms.items()
    }


def _cased(word: str, like: str) -> str:
    return word.capitalize() if like[:1].isupper() else word
