"""Texts read by a scale: the number or label that they give, or why they give none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments.option_text import plain, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tallybook.instruments.rating.instrument import RatingInstrument


class Answer(NamedTuple):
    """What a text says: a rating or the reason why there is none, and the rule that says so."""

    value: float | None
    rule: str
    reason: str | None = None


_NUMBER = r"(?<![\w.,$€£#-])[-+]?\d+(?:[.,]\d+)?(?![\w%]|[.,:/]\d)"
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_OFF = "\ue004"
"""A mark for a number that is of another scale: "8/10" where the highest number is 5."""
_PLAIN_NUMBER = rf"(?:[-+]?\d+(?:[.,]\d+)?|\b(?:{'|'.join(_WORDS)})\b)"
_SIGNS = r"""[\s"'()\[\]{}<>.,:;=!?|*-]*"""
_JOIN = r"""\s*(?:[-(:=.,"'\[]+|\bor\b|\bto\b|\band\b)\s*["'(\[]*"""
_UNIT = r"(?: (?:stars?|points?))?"
_NOUN = r"(?:rating|score|answer|response|choice|grade|option|selection)"
_VERB = r"(?:say|rate|give|go with|choose|pick|select|answer|assign|score|estimate|guess)"
_BEHIND = (
    r"""(?=\s*(?:$|[\n.,;:!?)\]}"'(<-]|(?:because|since|as|for|on|to|here|stars?|points?|overall|given|or|and|in)\b))"""
)
_LEGEND = rf"{_PLAIN_NUMBER} ?(?:=|being|means?|meaning|stands? for|indicat\w+|represent\w*) ?[^,;.)\n]*"
_DENIED = r"\b(?:not|never|neither|nor|nobody|none|cannot|hardly|without|no|\w+n't)\b(?: [\w']+){0,4} ?$"
_DEGREE = r"\b(?:very|strongly|somewhat|slightly|completely|totally|fully|partly|mostly|rather|quite|moderately)"
SHORT = 80
"""How long a text is at most, in characters, whose only number is taken for a rating though nothing announces it."""


class Scale:
    """Reads plain texts by a declared scale: the first rule that finds something decides."""

    def __init__(self, declared: RatingInstrument) -> None:

        self._declared = declared
        places = {label: declared.lowest + place for place, label in enumerate(declared.labels or ())}
        known = places | {other: places[label] for other, label in declared.spellings.items()}
        self._values = dict(zip(_plain(known), known.values(), strict=True))
        self._words = {word: float(number) for number, word in enumerate(_WORDS)}
        label = "|".join(rf"(?<!\w){re.escape(one)}(?!\w)" for one in sorted(self._values, key=len, reverse=True))
        self._label = re.compile(label or r"(?!)")
        word = rf"\b(?:{'|'.join(_WORDS)})\b(?!-)"
        value = rf"(?:{label or '(?!)'}|{_NUMBER}|{word}|{_OFF})"
        one = rf"({value}){_UNIT}(?:{_JOIN}({value}){_UNIT})?"
        named = rf"{_SIGNS}(?:(?:my |the )?(?:final )?{_NOUN}(?: is)?)?{_SIGNS}"
        self._alone = re.compile(rf"{named}{one}{_SIGNS}")
        self._first = re.compile(rf"{_SIGNS}{one}(?=\s*(?:$|[\n.,;:!)(-]|because\b|since\b))")
        noun = rf"\b{_NOUN}\b[\"']?\s*(?:[\w']+\s+){{0,5}}?(?:is|be|of|[:=])\s*(?:an?\s+)?[\"'(\[]*{one}{_BEHIND}"
        verb = (
            rf"\b(?:i|we)(?:'d| would|'ll| will)? (?:\w+ly |have to |rather )?{_VERB}\b(?: [\w']+){{0,4}}?"
            rf"(?: an?| as| at| with)* ?[\"'(\[]*{one}{_BEHIND}"
        )
        self._final = re.compile(rf"\b(?:final|overall) (?:{noun})")
        self._announced = re.compile(rf"(?:{noun})|(?:{verb})")
        ends = [rf"{re.escape(f'{end:g}')}" for end in (declared.lowest, declared.top)]
        spelt = [_WORDS[int(end)] if end in range(len(_WORDS)) else "(?!)" for end in (declared.lowest, declared.top)]
        low, high = (rf"(?<![\d.,])(?:{end}|\b{word}\b)(?![\w])" for end, word in zip(ends, spelt, strict=True))
        self._range = re.compile(
            rf"(?:\bfrom |\bbetween |\bof )?{low} ?(?:-|to|and|through) ?{high}|\bout of {high}|\b\w+-point\b"
        )
        outs = "|".join(map(re.escape, _plain(declared.opt_outs))) or "(?!)"
        self._opt_out = re.compile(rf"{named}(?:(?:i|we)(?:'d| would)? ?)?(?:{outs}){_SIGNS}")

    def read(self, text: str, *, declines: bool) -> Answer:
        """Read a plain text."""
        if not re.search(r"\w", text):
            return Answer(None, "empty", "no-response")
        if self._opt_out.fullmatch(text.strip()):
            return Answer(None, "opt-out", "opted-out")
        text = self._without_scale(text)
        lines = [line for line in text.splitlines() if line.strip()]
        alone = [match for line in lines if (match := self._alone.fullmatch(line))]
        first = self._first.match(text)
        rules = (
            ("alone", [match for match in (self._alone.fullmatch(text),) if match]),
            ("final", list(self._final.finditer(text))),
            ("announced", [*self._asserted(text), *alone, *([first] if first else [])]),
        )
        for rule, matches in rules:
            if values := {self._value(said) for match in matches for said in match.groups() if said is not None}:
                return self._settled(rule, values)
        if declines:
            return Answer(None, "refusal", "declined")
        if values := self._mentioned(text):
            return self._settled("mentioned", values)
        return Answer(None, "other", "no-rating")

    def _without_scale(self, text: str) -> str:
        """A text without what it repeats of the scale, with "4/5" and "4 out of 5" as 4, without numbers of a list."""
        if len(re.findall(r"(?m)^\s*\d+[.)]\s+\S", text)) > 1:
            text = re.sub(r"(?m)^\s*\d+[.)]\s+(?=\S)", "", text)
        if len(re.findall(_LEGEND, text)) > 1:
            text = re.sub(_LEGEND, " ", text)
        text = re.sub(rf"({_PLAIN_NUMBER})\s*(?:/|\bout of\b|\bof\b)\s*({_PLAIN_NUMBER})", self._of_highest, text)
        text = self._range.sub(" ", text)
        return re.sub(r"(?<=\d)-(?=\d)", " - ", text).strip()

    def _of_highest(self, match: re.Match[str]) -> str:
        if self._value(match[2]) == self._declared.top:
            return match[1]
        return match[0] if " of " in match[0] and "out" not in match[0] else _OFF

    def _asserted(self, text: str) -> Iterator[re.Match[str]]:
        """Announced ratings, but for those that the sentence denies."""
        for match in self._announced.finditer(text):
            sentence = re.split(r"[.!?\n]", text[: match.start()])[-1]
            if not re.search(_DENIED, sentence):
                yield match

    def _mentioned(self, text: str) -> set[float | None]:
        """Labels that no word before them denies or grades, else the only number of a short text; no questions."""
        text = re.sub(r"[^.!?\n]*\?", " ", text)
        found: set[float | None] = set()
        for match in self._label.finditer(text):
            before = re.split(r"[.!?;\n]", text[: match.start()])[-1]
            is_graded = sum(label.endswith(match[0]) for label in self._values) > 1 and re.search(
                rf"{_DEGREE} $", before
            )
            if not is_graded and not re.search(_DENIED, before):
                found.add(self._value(match[0]))
        if found or self._label.search(text) or len(text) > SHORT:
            return found
        numbers = [match for match in re.finditer(_NUMBER, text) if not re.search(_DENIED, text[: match.start()])]
        return {value for match in numbers if self._is_on(value := self._value(match[0]))}

    def _value(self, said: str) -> float | None:
        """The number that a text means; None for one of another scale."""
        value = self._values.get(said, self._words.get(said))
        return value if value is not None or said == _OFF else float(said.replace(",", "."))

    def _is_on(self, value: float | None) -> bool:
        scale = self._declared
        is_within = value is not None and scale.lowest <= value <= scale.top
        return is_within and (scale.decimals or float(value or 0).is_integer())

    def _settled(self, rule: str, values: set[float | None]) -> Answer:
        if len(values) > 1:
            return Answer(None, "several", "ambiguous")
        (value,) = values
        return Answer(value, rule) if self._is_on(value) else Answer(None, rule, "off-scale")


def _plain(texts: Iterable[str]) -> list[str]:
    frame = pl.DataFrame({"text": list(texts)}, schema={"text": pl.String})
    return frame.select(plain(safe(pl.col("text")))).to_series().to_list()
