"""The labels and texts of a question's options, as patterns that take linear time."""

from __future__ import annotations

import re
from functools import lru_cache
from string import ascii_lowercase
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.instruments.multiple_choice.instrument import Labels

Texts = tuple[tuple[str, ...], ...]
"""The options in the order shown, each with all its plain wordings; the first is its own."""

OPEN = r"""[\s"'`(\[{<$*\\]*"""
CLOSE = r"""[\s"'`)\]}>$*\\.:]*"""
_BRACKETS = r"[(\[]\s*(?:{})\s*[)\]]"
BECAUSE = r"(?:because|since|as|due|given|for)\b"
BEHIND = rf"(?=\s*(?:$|[\n.;:!)\]}}>\"'`$*\\-]|,\s*(?!\w{{1,2}}\b)|(?:/|,|&|or\b|and\b)|{BECAUSE}))"
"""Check by the text after a letter that it is a label: "a" in "a man" is not."""
_EDGE = r"(?!\w|[.,:/]\d|-\w|['’]\w|\s?%)"
_MOST_KNOWN = 256
"""How many texts a question remembers the places of: a text may name a label a million times."""
_BEGIN, _ENDS = "\ue000", "\ue001"
"""Marks around an option: no text holds these characters, `option_text.safe` removes them."""
OPTION = rf"{_BEGIN}[^{_ENDS}]*{_ENDS}"
OFF_LIST = 0
"""The place of a label that no option has."""


def labels_of(labels: Labels, options: int) -> dict[str, int]:
    """The labels of options -> their places, from 1."""
    if not isinstance(labels, str):
        return {label.lower(): place for place, label in enumerate(labels[:options], start=1)}
    letters = {letter: place for place, letter in enumerate(ascii_lowercase[:options], start=1)}
    start = 0 if labels == "numbers-from-0" else 1
    numbers = {str(place - 1 + start): place for place in range(1, options + 1)}
    return {"any": letters | numbers, "letters": letters, "none": {}}.get(labels, numbers)


def _others(labels: Labels, known: Mapping[str, int]) -> list[str]:
    """Find words that look like labels of options and are not."""
    if not isinstance(labels, str) or labels == "none":
        return []
    possible = {"letters": "abcdefgh", "any": "abcdefgh0123456789"}.get(labels, "0123456789")
    return [one for one in possible if one not in known]


def alone(text: str, texts: Texts, labels: Labels) -> tuple[set[int], bool]:
    """Find the options that a text consists of, by label or literally, and say whether by label.

    No pattern is needed for what most answers are.
    """
    said = text.strip(_AROUND).lstrip(".")
    same = {place for place, each in enumerate(texts, start=1) if any(bare(one) == bare(text) for one in each)}
    label = labels_of(labels, len(texts)).get(said)
    return same | ({label} if label else set()), not same


def bare(text: str) -> str:
    """A text without article, and without what may stand around it."""
    return re.sub(r"^(?:the|an?)\s+(?=\S)", "", " ".join(text.lstrip(_BEFORE).rstrip(_AROUND).split()))


_BEFORE, _AROUND = " \n\t\"'`*([", " \n\t\"'`*()[].:!"


class Question:
    """The patterns of a question's labels, and where its options stand in texts.

    Patterns know options by the marks around them: they are the same for all questions, and compiled once.
    """

    def __init__(self, texts: Texts, labels: Labels) -> None:
        self.labels = labels_of(labels, len(texts))
        known = [*self.labels, *_others(labels, self.labels)]
        either = "|".join(re.escape(one) for one in sorted(known, key=len, reverse=True)) or "(?!)"
        self._forms = _forms(texts)
        self._places: dict[str, frozenset[int]] = {}
        options = "|".join(form for form, _ in self._forms) or "(?!)"
        self._option = re.compile(rf"(?<![\w-])(?:{options}){_EDGE}")
        self.bare = rf"(?<![\w.,€£#-])(?:{either})(?!\w|-\w|['’]\w|%|[.,:/]\d)"
        self.bracketed = _BRACKETS.format(either)
        self._labelled = re.compile(rf"{OPEN}({either})(?!\w)({CLOSE})")
        self.label = rf"(?:{self.bracketed}|{self.bare})"
        between = r"[\s.():\[\]\"'*}-]*"
        self.value = (
            rf"(?:{OPTION}|{self.label}{between}{OPTION}|{self.bracketed}|{self.bare}{BEHIND})" if known else OPTION
        )

    def marked(self, text: str) -> str:
        """Mark the options that a text names in words."""
        return self._option.sub(rf"{_BEGIN}\g<0>{_ENDS}", text)

    def places(self, said: str) -> frozenset[int]:
        """The places that a label, an option or both name: two where they differ, or where the same text is both."""
        if said not in self._places:
            if len(self._places) >= _MOST_KNOWN:
                self._places.clear()
            self._places[said] = frozenset(self._places_of(said))
        return self._places[said]

    def _places_of(self, said: str) -> set[int]:
        found = {place for match in self._option.finditer(said) for place in self._meant(match[0])}
        if match := self._labelled.match(said):
            is_article = match[1] in {"a", "i"} and not match[2].strip() and match.end() < len(said)
            at_start = self._option.match(said, len(said) - len(said.lstrip()))
            is_word = at_start is not None and at_start.end() > match.end(1)
            if not (is_article and at_start) and not is_word:
                found.add(self.labels.get(match[1], OFF_LIST))
        return found - {OFF_LIST} if len(found) > 1 else found

    def _meant(self, said: str) -> set[int]:
        return {place for form, place in self._forms if re.fullmatch(form, said)}

    def mentioned(self, text: str) -> list[tuple[set[int], int, int]]:
        """The options that a text names in words, with where they stand."""
        return [(self._meant(match[0]), *match.span()) for match in self._option.finditer(text)]


def unmarked(text: str) -> str:
    """Take the marks around options out of a text."""
    return text.replace(_BEGIN, "").replace(_ENDS, "")


@lru_cache(maxsize=4096)
def question(texts: Texts, labels: Labels) -> Question:
    """Get the patterns of a question."""
    return Question(texts, labels)


def _forms(texts: Texts) -> list[tuple[str, int]]:
    """A pattern of each wording with its place, the longest first; an article can be left out where none is lost."""
    every = [(wording, place) for place, wordings in enumerate(texts, start=1) for wording in wordings]
    cores = [(_core(wording), wording, place) for wording, place in every]
    bare = [core for core, _, _ in cores]
    forms: list[tuple[str, str, int]] = []
    for core, wording, place in cores:
        if not core:
            continue
        is_told = bare.count(core) == 1 or len({place for other, _, place in cores if other == core}) == 1
        spaced = r"\s+".join(map(re.escape, (core if is_told else _trimmed(wording)).split()))
        forms.append((core, rf"(?:(?:the|an?)\s+)?{spaced}" if is_told and len(core) > 1 else spaced, place))
    return [(form, place) for _, form, place in sorted(forms, key=lambda one: len(one[0]), reverse=True)]


def _trimmed(text: str) -> str:
    return re.sub(r"[\s.\"']+$", "", re.sub(r"^[\s\"']+", "", text)) or text.strip()


def _core(text: str) -> str:
    trimmed = _trimmed(text)
    return re.sub(r"^(?:the|an?)\s+(?=\S)", "", trimmed)
