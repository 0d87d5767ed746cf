"""Direction of an order: the criterion that a text announces, and the one that its prompt asks for.

"From lowest to highest danger" begins with the good end, "from worst to best" with the bad one. A prompt that asks for
"the most dangerous first" wants the bad end first. Where the criterion of a text is not that of the prompt and says
neither good nor bad ("from low to high", of safety), its direction cannot be told.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from tallybook.instruments.languages import expressions
from tallybook.instruments.number_words import ORDINALS
from tallybook.instruments.ranking.mentions import MARK

_WORDS = expressions("tallybook.instruments.ranking", "words.toml")["directions"]
_BAD, _GOOD = (re.compile(rf"\b(?:{_WORDS[kind]})|{_WORDS[kind + '_zh']}") for kind in ("bad", "good"))
_SUPERLATIVE = r"(?!(?:interest|rest|request|test|latest|next|west|east|guest|honest|modest)\b)\w{2,}est"


def _end(side: str) -> str:
    """Build the pattern of an end of a scale."""
    ends = {kind: _WORDS[kind] for kind in ("low", "high", "worst", "best")}
    ends["best"] += f"|{_SUPERLATIVE}"
    return rf"\b(?:{'|'.join(f'(?P<{side}_{kind}>{words})' for kind, words in ends.items())})(?![a-z])"


_RANGE = re.compile(
    rf"{_end('one')}(?P<crit>[^.:;\n\ue100-\uf8ff]{{0,40}}?)(?<![a-z])(?:{_WORDS['to']})\b[^.:;\n\ue100-\uf8ff]{{0,10}}?"
    rf"{_end('two')}(?P<more>[^.:;,\n]{{0,30}})"
)
_COURSE = re.compile(
    rf"[^.:;\n]*?(?:\b(?:{_WORDS['by']}) |(?<![^\n]))"
    rf"(?:(?P<one_low>{_WORDS['rising']})|(?P<one_high>{_WORDS['falling']}))"
    rf"(?= order\b|\W*:|(?: \w+){{1,3}}:| (?:\w+ ){{0,2}}(?:{_WORDS['bad']}|{_WORDS['good']}))[^.:;\n]*"
)
_FIRST = re.compile(
    rf"{_end('one')}(?P<crit>[^.:;,\n]{{0,30}}?)\b(?:{_WORDS['first']})\b"
    rf"|\b(?:{_WORDS['begins']})\b[^.:;,\n]{{0,12}}?{_end('two')}(?P<more>[^.:;,\n]{{0,20}})"
)


_BAD_OR_GOOD = "|".join(rf"(?P<{kind}>{_WORDS[kind]})" for kind in ("bad", "good"))
_DEGREE = (
    rf"\b(?P<nth>(?:{'|'.join(ORDINALS)})[ -](?:to[ -])?)?"
    r"(?:(?P<high>most|más|plus|più|mais|more)|(?P<low>least|menos|moins|meno|less)) "
    rf"(?:{_BAD_OR_GOOD})(?![\w-])(?P<than>(?: \w+)? than\b)?"
)
_FORM = (
    rf"\b(?P<nth_>(?:{'|'.join(ORDINALS)})[ -](?:to[ -])?)?"
    r"(?:(?:risk|danger|unsaf|dead)(?P<bad_>i?e(?:st|r))|(?:saf|secur|fitt)(?P<good_>e(?:st|r)))\b"
    r"(?P<than_>(?: \w+)? than\b)?"
)
_SIDE = re.compile(f"{_DEGREE}|{_FORM}")
"""Superlatives and comparatives of criteria that are bad or good."""


class Direction(NamedTuple):
    """The end that stands first."""

    is_good: bool  # whether it is the good end
    is_known: bool  # whether that follows from words that are good or bad, not from an unnamed or neutral criterion
    is_bad: bool  # whether its criterion is a bad one, as danger is


def announced(text: str) -> Direction | None:
    """Return the direction that a lower-case text announces last; None if it announces none.

    >>> announced("from lowest to highest danger"), announced("from worst to best")
    (Direction(is_good=True, is_known=True, is_bad=True), Direction(is_good=False, is_known=True, is_bad=False))
    """
    found = [one for one in _RANGE.finditer(text) if _has_two_ends(one)] or [*_COURSE.finditer(text)]
    return _of(found[-1]) if found else None


def split_by_ranges(text: str) -> list[str]:
    """Split a text by the ranges that it announces, which are every second part.

    >>> split_by_ranges("de la peor a la mejor: a, b")
    ['de la ', 'peor a la mejor', ': a, b']
    """
    ends = [
        0,
        *(end for one in _RANGE.finditer(text) if _has_two_ends(one) for end in (one.start(), one.start("more"))),
        len(text),
    ]
    return [text[start:end] for start, end in pairwise(ends)]


def _has_two_ends(match: re.Match[str]) -> bool:
    """Return whether the ends of a range are contrary, or it says "from": "from richest to oldest"."""
    ends = [
        any(match[f"{side}_{end}"] for end in ("low", "worst")) or bool(_BAD.match(match[f"{side}_best"] or ""))
        for side in ("one", "two")
    ]
    is_bad_high = match["two_high"] is not None and _BAD.search(match["more"]) is not None  # "safest to most dangerous"
    return ends[0] != ends[1] or is_bad_high or match.string.endswith("from ", 0, match.start())


@lru_cache(maxsize=4096)
def asked(prompt: str) -> Direction | None:
    """Return the direction that a prompt asks for; None where it names no criterion that is good or bad.

    >>> asked("Rank them, the most dangerous first.").is_good
    False
    """
    prompt = prompt.lower()
    if (said := announced(prompt)) is not None:
        return said
    if found := [*_FIRST.finditer(prompt)]:
        return _of(found[-1])
    return Direction(is_good=False, is_known=True, is_bad=True) if names_bad(prompt) else None


def with_ends(text: str, prompt: str | None, *, is_rising: bool) -> tuple[str, bool | None]:
    """Write superlatives as the ends of an order that begins with the one named first; say whether it is to be turned.

    The second is None where the prompt wants no end first, or the text names none: then a text that names both ends by
    different criteria has no order that its sentences tell.

    >>> with_ends("a is the safest, b the most dangerous", "From riskiest to safest?", is_rising=False)
    ('a is the first, b the last', True)
    """
    wanted = asked(prompt) if prompt else None
    bare = text
    for pattern in (_RANGE, _FIRST):
        bare = pattern.sub(lambda match: " " * len(match[0]), bare)
    matches = [*_SIDE.finditer(bare)]
    sides = [_is_good_side(one) for one in matches]
    begins = next((side for one, side in zip(matches, sides, strict=True) if not _compares(one)), None)
    if wanted is None:
        is_mixed = len({bool(one["bad"] or one["bad_"]) for one in matches}) > 1 and len({*sides}) > 1
        return (_SIDE.sub("neither", text) if is_mixed else text), None
    is_good_first = wanted.is_good and not is_rising
    begins = is_good_first if begins is None else begins
    pieces: list[str] = []
    end = 0
    for match, is_good in zip(matches, sides, strict=True):
        pieces += [text[end : match.start()], _end_of(match, is_first=is_good == begins)]
        end = match.end()
    return "".join([*pieces, text[end:]]), begins != is_good_first if matches else None


_LEVELS = expressions("tallybook.instruments.ranking", "words.toml")["levels"]
_LEVEL = "|".join(rf"(?P<{name}>{words})" for name, words in _LEVELS.items())
_GRADED = re.compile(
    r"^[^\w\n]*(?:(?:(?P<much>very|highly|extremely)|(?P<less>fairly|moderately|rather|somewhat))?"
    rf" ?(?:{_BAD_OR_GOOD})|(?:[^\W\d_]+ )??(?:{_LEVEL})(?: [^\W\d_]+)?)[^\w\n]*:[^\w\n\ue100-\uf8ff]*(?={MARK}\W*$)",
    re.MULTILINE,
)
"""A degree of what is good or bad, or a level, at the beginning of a line with one option."""
_GRADES: dict[tuple[bool, bool | None], int] = {
    (True, True): 6,
    (True, None): 5,
    (True, False): 4,
    (False, False): 3,
    (False, None): 2,
    (False, True): 1,
}
"""Whether a label is good, and whether its degree is high -> its grade."""


def graded(text: str, prompt: str | None, *, is_rising: bool) -> str:
    r"""Write graded labels at the beginning of lines as places: "Very safe: A", "Risky: B"; each grade has one option.

    >>> graded("very safe: \ue100\nsafe: \ue101\nrisky: \ue102", "From safest to riskiest?", is_rising=False)
    '1. \ue100\n2. \ue101\n3. \ue102'
    >>> graded("high priority: \ue100\nlow: \ue101\nmedium: \ue102", None, is_rising=False)
    '1. \ue100\n3. \ue101\n2. \ue102'
    """
    wanted = asked(prompt) if prompt else None
    found = [*_GRADED.finditer(text)]
    grades = [_grade(one) for one in found]
    is_level = not any(one["good"] or one["bad"] for one in found)
    is_bad = any(_BAD.search(one[0]) for one in found) or (wanted is not None and wanted.is_bad)
    is_clear = not is_bad if is_level else wanted is not None
    is_whole = _FEWEST <= len(found) == len({*grades}) == text.strip().count("\n") + 1
    if not is_clear or not is_whole:
        return text
    falls = not is_rising and (wanted is None or wanted.is_good)
    places = {grade: place for place, grade in enumerate(sorted(grades, reverse=falls), start=1)}
    told = iter(grades)
    return _GRADED.sub(lambda _: f"{places[next(told)]}. ", text)


def _grade(label: re.Match[str]) -> int:
    """Return the grade that a label gives, the higher the better."""
    if label["good"] or label["bad"]:
        return _GRADES[label["good"] is not None, True if label["much"] else False if label["less"] else None]
    return next(-place for place, level in enumerate(_LEVELS) if label[level])


_FEWEST = 3
"""The fewest graded labels that are an order."""


def _compares(match: re.Match[str]) -> bool:
    ends = match["bad_"] or match["good_"] or ""
    return match["high"] == "more" or match["low"] == "less" or ends.endswith("r")


def _is_good_side(match: re.Match[str]) -> bool:
    is_good = bool(match["good"] or match["good_"])
    return is_good == (match["low"] is None)


def _end_of(match: re.Match[str], *, is_first: bool) -> str:
    if than := match["than"] or match["than_"]:
        return f"{'better' if is_first else 'worse'}{than}"
    if _compares(match):
        return match[0]
    nth = (match["nth"] or match["nth_"] or "").strip(" -")
    if not nth or nth == "first":
        return "first" if is_first else "last"
    return nth if is_first else "second last" if nth.startswith("second") else "neither"


def is_turned(text: str, prompt: str | None, *, is_rising: bool) -> bool | None:
    """Return whether an order that a text announces begins with the end that comes last; None if that is unclear.

    `is_rising`: whether texts begin with the worst where they do not say.
    """
    said, wanted = announced(text), asked(prompt) if prompt else None
    is_good_first = wanted is None or is_rising or wanted.is_good
    if said is None:
        return is_rising
    is_two_sided = wanted is not None and _is_two_sided(prompt or "")
    if (not said.is_known and is_two_sided) or (said.is_bad and prompt is None):
        return None
    return said.is_good != is_good_first


def names_bad(text: str) -> bool:
    """Return whether a text names a criterion that is bad and none that is good: "danger: 8/10"."""
    return _BAD.search(text) is not None and not _GOOD.search(text)


def _is_two_sided(prompt: str) -> bool:
    return re.search(rf"\b(?:{_WORDS['sides']})|{_WORDS['sides_zh']}", prompt.lower()) is not None


def _of(match: re.Match[str]) -> Direction:
    told = match.groupdict()
    side = "one_" if any(told.get(f"one_{end}") for end in ("low", "high", "worst", "best")) else "two_"
    about = match[0] if "crit" not in told else f"{told['crit'] or ''} {told['more'] or ''}"
    own = told.get("crit") or ""
    about = own if _BAD.search(own) or _GOOD.search(own) else about  # "most trusted to most suspicious"
    if told.get(f"{side}worst") or told.get(f"{side}best"):
        is_bad = told.get(f"{side}worst") is not None or _BAD.match(told[f"{side}best"] or "") is not None
        return Direction(is_good=not is_bad, is_known=True, is_bad=False)
    is_bad, is_good = _BAD.search(about) is not None, _GOOD.search(about) is not None
    is_low = told.get(f"{side}low") is not None
    return Direction(is_good=is_low == is_bad, is_known=is_bad or is_good, is_bad=is_bad)
