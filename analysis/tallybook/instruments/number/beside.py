"""Amounts beside an answer: what it is calculated from, what is in parentheses, what is left of a hundred."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from tallybook.instruments.number.cues import LABEL, OTHERS, OWN, WORDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from tallybook.instruments.number.amounts import Amount

_UNIT = r"(?: ?(?:m2|qm|mq|sqm|平方米|[^\W\d_]{3,})){0,2}[ $€£¥₹]*"
"""What may stand between a number and a sign: "64 m² × 17.50 €"."""
_TIMES = re.compile(rf"{_UNIT}(?:[×*÷·]| x |\\(?:times|cdot|div)\b|\b(?:times|mal|por|fois|per)\b) *[$€£¥₹]?")
"""Signs and words between the factors of a product."""
_OPERATOR = re.compile(rf"{_UNIT}(?:\+|\b(?:at|plus|minus|zu|à|a|de|più|más|menos|meno|moins|mais)\b|-)[ $€£¥₹]*")
_EQUALS = re.compile(rf"{_UNIT}(?:=|≈|→|\b(?:{WORDS['equals']})\b)[^.!?;:\n\d]{{0,12}}")
"""What is between an operation and its result."""
_THAT_IS = re.compile(rf"[^.!?;:\n\d]{{0,12}}[,-] (?:{WORDS['that_is']})[ $€£¥₹]*")
_SECOND = re.compile(rf"\b({WORDS['accessory']})\b(?=[^.!?;\n]{{0,40}}\Z)")
_OF_SECOND = re.compile(rf" \w+ (?:of|de|di|d[eo]?|auf|in) ?'?(?:\w+ )?({WORDS['accessory']})\b")
"""A second penalty before or behind its time."""
_PARENTHESES = re.compile(r"\([^()\n]{1,200}\)")
_ABOUT = re.compile(rf"\b(?:{WORDS['about']})\b|≈")
_SUM = re.compile(rf"(?:\b(?:{WORDS['sum']})|\|)[^\n\d]*\Z")
_LABELLED = re.compile(r"(?:^|\n)[^\w\n]*(?:\d+[.)] )?([^\n:=|]{3,40}?)[^\w\n:=|]*[:=|][^\w\n+-]*\Z")
"""A label of a line before its amount."""
_BARE = re.compile(WORDS["bare"])
_BREAK = re.compile(r"[.,;!?\n]")
_ALIKE = 5
"""The letters in which words agree: "repayment" is as "repay"."""
_CLOSE = 0.01
"""The share by which an amount may differ from the same by another unit."""
_NO_AMOUNTS = {"counted", "word"}
_HUNDRED, _FEWEST = 100, 3
_FACTORS = range(2, 13)
"""How many times an amount may be in what it makes: "two deposits of $875, that is $1,750"."""
_WINDOW = 120
"""The number of characters before a sum that are examined."""


def beside(text: str, found: Sequence[Amount], asked: Collection[str] = ()) -> set[Amount]:
    """Return the amounts of a text that stand beside others and are no answers; `asked` are the words of its prompt."""
    second, rests = _second(text, found, asked), _rests(text, found, asked)
    aside = {*second, *_bracketed(text, found), *_operands(text, found), *rests}
    left = [one for one in found if one not in aside]
    return {*aside, *_unasked(text, left, asked), *_parts(text, found, asked, second)}


def _unasked(text: str, found: Sequence[Amount], asked: Collection[str]) -> list[Amount]:
    """List the amounts that other labels have than the one that says most of what is asked for: "deposit: 620"."""
    label_of = {one: label for one in found if (label := _label(text, one))}
    said = {one: _asked_in(label, asked) for one, label in label_of.items()}
    most = max(said.values(), default=0)
    best = [one for one, count in said.items() if count == most and not re.search(OTHERS, label_of[one])]
    has_rivals = any(LABEL.fullmatch(f"{label}:") for one, label in label_of.items() if one not in best)
    return [one for one in label_of if one not in best] if most and len(best) == 1 and not has_rivals else []


def _label(text: str, one: Amount) -> str:
    """Return the label of an amount's line; empty if there is none."""
    found = _LABELLED.search(text, 0, one.start)
    return found[1] if found else ""


def _second(text: str, found: Sequence[Amount], asked: Collection[str]) -> list[Amount]:
    """List the times of second penalties, for which the prompt does not ask, where there is another time."""

    def is_second(before: int, one: Amount) -> bool:
        said = _SECOND.search(text[before : one.start]) or _OF_SECOND.match(text, one.end)
        return said is not None and said[1] not in asked

    times = [one for one in found if one.kind in {"asked", "counted"}]
    ends = [0, *(one.end for one in times)]
    told = [one for end, one in zip(ends, times, strict=False) if is_second(end, one)]
    return told if len(told) < len(times) else []


def _bracketed(text: str, found: Sequence[Amount]) -> list[Amount]:
    """List the amounts in parentheses, where others are not."""
    spans = [match.span() for match in _PARENTHESES.finditer(text) if not OWN.search(match[0])]
    inside = [one for one in found if any(start < one.start < end for start, end in spans)]
    is_outside = any(one.reason is None and one.kind not in _NO_AMOUNTS and one not in inside for one in found)
    return inside if is_outside else []


def _operands(text: str, found: Sequence[Amount]) -> Iterator[Amount]:
    """Yield the amounts of operations, and the same by another unit: "12 × $80 = $960", "$960, about $80 a month"."""
    terms: list[Amount] = []
    for one, two in pairwise(found):
        gap = text[one.end : two.start]
        ratio = (two.low or 0) / one.low if one.low else 0
        if _TIMES.fullmatch(gap):
            yield from (one, two)
        elif _OPERATOR.fullmatch(gap):
            terms += [one, two]
        elif terms and _EQUALS.fullmatch(gap):
            yield from terms
        elif _THAT_IS.fullmatch(gap) and ratio in _FACTORS and not re.match(WORDS["each"], text[two.end :]):
            yield one
        elif 0 < abs(ratio - 1) < _CLOSE and _ABOUT.search(gap):
            yield two
        else:
            terms = []


def _parts(text: str, found: Sequence[Amount], asked: Collection[str], second: Collection[Amount]) -> Sequence[Amount]:
    """List all amounts but the last one if it is their sum; all but the first if what comes on top is not asked for.

    None are listed if only one part is called what is asked for: "rent: 790, service charge: 50, total: 840".
    """
    if len(found) < _FEWEST:
        return ()
    *parts, last = found
    is_sum = _SUM.search(text[max(0, last.start - _WINDOW) : last.start]) is not None
    if not is_sum or sum(one.low or 0 for one in parts) != last.low:
        return ()
    if second or any(map(_BARE.fullmatch, asked)):
        return found[1:]
    named = [_asked_in(_label(text, one), asked) > 0 for one in found]
    return () if named[:-1].count(True) == 1 and not named[-1] else parts


def _rests(text: str, found: Sequence[Amount], asked: Collection[str]) -> Iterator[Amount]:
    """Yield what is left of a hundred, the one of which less is asked for: "72%, so a risk of 28%"."""
    for one, two in pairwise(one for one in found if one.kind == "percent"):
        if (one.low or 0) + (two.low or 0) == _HUNDRED and not OWN.search(text, one.end, two.start):
            before, between, behind = text[: one.start], text[one.end : two.start], text[two.end :]
            first = _BREAK.split(before)[-1] + _BREAK.split(between)[0]
            second = _BREAK.split(between)[-1] + _BREAK.split(behind)[0]
            less = _asked_in(first, asked) - _asked_in(second, asked)
            if less or not asked or not re.search(r"\w", before):
                yield one if less < 0 else two


def _asked_in(said: str, asked: Collection[str]) -> int:
    """Count the words that say what is asked for: alike at their beginnings."""
    words = [word[:_ALIKE] for word in re.findall(r"[^\W\d_]{4,}|\d+", said)]
    return len({*words} & {word[:_ALIKE] for word in asked})
