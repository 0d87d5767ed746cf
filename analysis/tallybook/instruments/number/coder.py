"""The number of a response: cues in the clause of each of its amounts are weighed, and the best one must lead."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.asides import corrected, ends_open, own_words
from tallybook.instruments.json_answers import value_of
from tallybook.instruments.languages import everywhere, expressions
from tallybook.instruments.number.amounts import amounts
from tallybook.instruments.number.beside import beside
from tallybook.instruments.number.cues import cues as cues_of
from tallybook.instruments.number.cues import turns
from tallybook.instruments.number.objects import number_named
from tallybook.instruments.number.times import with_times
from tallybook.instruments.number_words import SPOKEN, spoken, with_fractions
from tallybook.instruments.reading import failed, read_texts, reported, require_columns, stopped, unread, verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tallybook.instruments.number.amounts import Amount
    from tallybook.instruments.number.cues import Cues
    from tallybook.instruments.number.instrument import NumberInstrument
    from tallybook.study.instrument_base import Reading


_TYPES = {"number_low": pl.Float64, "number_high": pl.Float64, "number_rule": pl.String, "no_number_reason": pl.String}


_Span = tuple[float | None, float | None]


class Answer(NamedTuple):
    """The amount of a text, as both ends of a range, the rule, and the reason if there is no amount."""

    low: float | None
    high: float | None
    rule: str
    reason: str | None = None


class _Asked(NamedTuple):
    """What a prompt says and asks for."""

    is_known: bool  # whether there is a prompt
    words: set[str]
    given: set[_Span]  # the amounts that it states
    unit: re.Pattern[str]  # what it asks the number of: "mg" of "How many mg should she get?"
    for_percent: bool
    for_age: bool
    for_given: bool  # whether its question, or all of it without one, asks for what is usual
    for_each: bool  # whether it asks for the amount of each of something


_WORDS = expressions("tallybook.instruments.number", "words.toml")["number"]
_ASKS_GIVEN = re.compile(rf"\b(?:{_WORDS['asks_given']})\b")
_ASKS_AGE = re.compile(_WORDS["asks_age"])
_ASKS_PERCENT = re.compile(_WORDS["asks_percent"])
_EVADES = re.compile(f"{_WORDS['evades']}|{everywhere('depends')}")
"""Phrases of texts that have no answer yet, where the only amount is somebody else's."""
_DEPENDS = re.compile(everywhere("depends"))
_SPEAKS = re.compile(r"\b(?:i|i'd|i'll|my|answer|overall)\b|: *$")
_MARKED = {"asked", "money", "scale"}
_LIGHT = frozenset(_WORDS["light"].split("|"))
_UNIT = re.compile(_WORDS["unit"])
"""The unit that a prompt asks the number of: "how many mg"."""
_NO_UNIT = "(?!)()"
_SPELLED = re.compile(rf"(?P<low>{SPOKEN.pattern}) (?P<to>to|or|bis|oder|a|o|à|ou) (?P<high>{SPOKEN.pattern})")
"""A range in words, which is read as one in digits: "two to three months"."""
_EITHER = re.compile(r"(?<![\d.,])(\d+) (or|oder|o|ou) (?=\d+ ([a-zéñ]+))")
_LASTING = re.compile(
    r"(?<=\w)-(day|week|month|year)(?= (?:\w+ )?(?:ban|contract|lease|leave|sentence|suspension|term)\b)"
)
"""The unit of time in "a 6-month ban"."""
_FIGURES = re.compile(r"[ -](?:figures?|digits?)\b")
_QUANTITY = re.compile(_WORDS["quantity"])
_EACH = re.compile(_WORDS["each_before"])
_IS_EACH = re.compile(rf"(?:^|[.!?;:,\n])[^.!?;:,\n\d]{{0,40}}(?:{_EACH.pattern})[^.!?;,\n\d]{{0,30}}\Z")
"""What an amount for each of something is called before it, and the same at the end of what precedes one."""
_ENDS = re.compile(r": [\d.,]+\W*\Z")
"""A number behind a colon that ends a text."""
_STOPPED = re.compile(rf"[.!] (?=(?:{_WORDS['thousands']})\b)")
_SPLIT = re.compile(rf"({SPOKEN.pattern}|(?<!\d)\d{{1,3}}){_STOPPED.pattern}")
"""A full stop within a number: "ninety-six. thousand"."""
_FORMULA = re.compile(r"\$\$([^$\n]{0,200})\$\$|\$([^$\n]{0,60}[=\\][^$\n]{0,200})\$")
_ESCAPED = re.compile(r"\\(?:([$€£%])|[,;!] ?)")
_PARTS = re.compile(r"(?<![\d./-])(\d{1,3}) ?/ ?(10|100|1000)(?![\d/])")
_LONGEST = 4000
"""The most characters of a prompt that are looked at."""
_MOST = 500
"""The number of amounts from which a text states no single one."""
_WINDOW = 100
"""The number of characters before an amount that are examined."""
_SHORT = 60
"""The maximum length of a text in which any number is the answer."""
_BESIDE = 60
"""The maximum number of characters between an amount and the same in another unit."""
_LEAD = 2
"""The points by which the answer must lead, which are also the points that it needs beside other amounts."""


_TURNED = 3
"""The points of an amount that a text turns to."""


def read(responses: pl.DataFrame, instrument: NumberInstrument) -> Reading:
    """Read the number of each response."""
    require_columns(responses, instrument.reads)
    asked_by = lru_cache(maxsize=4096)(partial(_asked, declared=instrument))

    def amount(text: str, *, declines: bool, prompt: str | None = None) -> Answer:
        return answer(text, instrument, declines=declines, asked=asked_by(prompt or ""))

    prompt, phrases = instrument.prompt, instrument.refusal_phrases
    found = read_texts(responses, instrument.column, amount, _TYPES, phrases, prompt=prompt)
    low, high, reason = (pl.col(name) for name in ("number_low", "number_high", "no_number_reason"))
    taken = {"low": low, "high": high}.get(instrument.ranges, (low + high) / 2)
    rule = pl.when(stopped()).then(pl.lit("delivered")).when(~failed()).then(pl.col("number_rule").fill_null("empty"))
    coded = responses.with_columns(found.get_columns()).with_columns(
        taken.alias("number"), rule.alias("number_rule"), verdict(reason)
    )
    findings = partial(unread, coded, "no_number_reason", instrument.column, "one number that is certain")
    return reported(coded, findings, instrument.undecided)


def answer(text: str, declared: NumberInstrument, *, declines: bool, asked: _Asked | None = None) -> Answer:
    """Return the amount that a plain text gives as its answer to a prompt, or the reason for having none."""
    asked = asked or _asked("", declared)
    if not re.search(r"\w", text):
        return Answer(None, None, "empty", "no-number" if re.search(r"[^\s.]", text) else "no-response")

    def said(part: str) -> Answer | None:
        one = _answer(part, declared, asked, declines=False, is_sure=True)
        return one if one.reason is None else None

    return (None if declines else corrected(text, said)) or _answer(text, declared, asked, declines=declines)


def _answer(text: str, declared: NumberInstrument, asked: _Asked, *, declines: bool, is_sure: bool = False) -> Answer:
    """Return the amount that a text gives; if it `is_sure`, not one that is only compared with the answer."""
    text = with_fractions(_PARTS.sub(r"\1 out of \2", text), "," if declared.decimals == "comma" else ".")
    text = _ESCAPED.sub(r"\1", _FORMULA.sub(r" \1\2 ", text.replace("{,}", ",")))  # LaTeX
    text = _SPELLED.sub(_in_digits, _SPLIT.sub(r"\1 ", text) if _STOPPED.search(text) else text)
    text = _EITHER.sub(r"\1 \3 \2 ", _LASTING.sub(r" \1", text)) if declared.counts else text
    words, given, unit = asked.words, asked.given, asked.unit
    whole = (number_named(text, words) or value_of(text)) if "{" in text else None
    said, text = text, unit.sub(r" \1", own_words(text)) if whole is None else whole
    text = with_times(text, declared) if declared.counts else text
    found = _found(text, declared, asked)
    if found is None:
        return Answer(None, None, "several", "declined" if declines else "ambiguous")
    aside = beside(text, found, words)
    found = [one for one in found if one not in aside]
    has_money = any(one.kind in {"money", "scale"} for one in found)
    is_of_time = bool(asked.is_known and declared.counts) or bool(declared.currency or declared.units)
    asks_other = is_of_time and not asked.for_age
    cues = [(one, cues_of(text, one, words)) for one in found]
    weighed = [
        (_points(one, seen, declared, has_money=has_money) - _LEAD * (one[2:4] in given), one)
        for one, seen in cues
        if not (
            seen.is_foreign
            or (seen.is_lived and asks_other)
            or (seen.is_given and not asked.for_given)
            or (seen.others and not seen.states and one[2:4] in given)
            or _is_converted(text, one, found)
            or (declared.counts and one.kind == "money")
        )
        and _is_amount(text, one, seen, asks_money=bool(declared.currency or declared.units))
    ]
    if declines and not any((seen.states or seen.suits) and not seen.others for _, seen in cues):
        return Answer(None, None, "declines", "declined")
    seen_of = dict(cues)
    weighed = _of_unit(weighed, seen_of, given) if declared.counts or unit.pattern != _NO_UNIT else weighed
    if not weighed:
        is_avoided = not found and declared.refusal_phrases is None and refusal.avoids(text)
        return Answer(None, None, *(("declines", "declined") if is_avoided else ("none", "no-number")))
    if len(weighed) > 1 and not any(_is_said(seen_of[one]) for _, one in weighed[:-1]):
        (_, before), (points, last) = weighed[-2:]
        weighed[-1] = points + _TURNED * (not seen_of[last].others and turns(text, before, last)), last
    if (opening := seen_of[weighed[0][1]]).is_headline and not opening.others:
        weighed = weighed[:1]
    most = max(points for points, _ in weighed)
    values = {(one.low, one.high, one.reason) for points, one in weighed if points > most - _LEAD}
    own = {one[2:4] for _, one in weighed if not (one.kind == "asked" and (seen_of[one].others or one[2:4] in given))}
    left = {one[2:4] for _, one in weighed if not seen_of[one].others and one.kind in _MARKED}
    is_only = len(own or {one[2:4] for _, one in weighed}) == 1 or len(left) == 1
    is_first = weighed[0][0] == most  # a text begins with its answer
    is_open = len(own) > 1 or any(low != high for low, high, _ in values)
    if is_open and _DEPENDS.search(said) and not _SPEAKS.search(text, 0, weighed[-1][1].start):
        return Answer(None, None, "several", "ambiguous")
    is_cut = len(said) > _SHORT and ends_open(said)  # a story, before it comes to an answer
    is_said = most >= _LEAD or (
        not is_cut and (is_only or is_first) and not (most < 0 and (is_sure or _EVADES.search(said)))
    )
    if len(values) > 1 or not is_said or (None, None, None) in values:
        return Answer(None, None, "several", "ambiguous")
    return _settled(*values.pop(), declared)


def _found(text: str, declared: NumberInstrument, asked: _Asked) -> list[Amount] | None:
    """List the amounts of a text that may be what a prompt asks for; None if there are too many."""
    found = [
        one._replace(kind="asked") if asked.unit.match(text, one.end) else one
        for one in sorted(islice(amounts(text, declared), _MOST), key=lambda one: one.start)
    ]
    if len(found) == _MOST:
        return None
    if asked.for_percent:  # 0.45 is hardly 0.45%
        is_share = [one.kind != "percent" and one.low is not None and 0 < one.low < 1 for one in found]
        found = [one._replace(reason="unit") if is_so else one for one, is_so in zip(found, is_share, strict=True)]
        is_share = [one.kind != "counted" and (one.low or 0) <= 100 and one[2:4] != (0, 100) for one in found]  # noqa: PLR2004
        found = [one for one, is_so in zip(found, is_share, strict=True) if is_so]  # not years and the like
    if declared.counts and any(one.kind in _MARKED and one.reason is None for one in found):
        found = [one for one in found if one.reason is None]  # "6 months and a $500 fine"
    spans = {(low, high) for low, high in asked.given if low != high}
    if len(spans) == 1:  # what is allowed, repeated
        found = [one for one in found if one[2:4] not in spans]
    return found if asked.for_each else [one for one in found if not _is_each(text, one)]


def _in_digits(ends: re.Match[str]) -> str:
    low, high = spoken(ends["low"]), spoken(ends["high"])
    return ends[0] if low is None or high is None else f"{low:g} {ends['to']} {high:g}"


def _of_unit(
    weighed: list[tuple[int, Amount]],
    cues: Mapping[Amount, Cues],
    given: Collection[_Span],
) -> list[tuple[int, Amount]]:
    """Keep the amounts in the unit asked for, and those that are said to be the answer; drop what a prompt states."""
    said = {one: _is_said(seen) for one, seen in cues.items()}
    told = [
        (points, one)
        for points, one in weighed
        if said[one] or one[2:4] not in given or (one.kind == "asked" and not cues[one].others)
    ]
    if not any(one.kind == "asked" and not cues[one].others for _, one in told):
        return told
    return [(points, one) for points, one in told if one.kind == "asked" or (one.kind in {"", "word"} and said[one])]


def _is_said(seen: Cues) -> bool:
    return (seen.states or seen.suits or seen.is_alone) and not seen.others


def _asked(prompt: str, declared: NumberInstrument) -> _Asked:
    """Return what a prompt says and asks for."""
    prompt = prompt.lower()[:_LONGEST]
    units = sorted({*_UNIT.findall(prompt)}, key=len, reverse=True)
    return _Asked(
        bool(prompt),
        {*re.findall(r"[^\W\d_]{4,}|\d+", prompt)} - _LIGHT,
        {one[2:4] for one in islice(amounts(prompt, declared), _MOST)},
        re.compile(rf"(?<=\d) ?({'|'.join(map(re.escape, units))})(?!\w)" if units else _NO_UNIT),
        for_percent=_ASKS_PERCENT.search(prompt) is not None,
        for_age=_ASKS_AGE.search(prompt) is not None,
        for_given=_ASKS_GIVEN.search(" ".join(re.findall(r"[^.!?\n]*\?", prompt)) or prompt) is not None,
        for_each=_EACH.search(prompt) is not None,
    )


def _is_each(text: str, one: Amount) -> bool:
    """Return whether an amount is one for each of something: "12 € per m2", "price per m2: 12 €"."""
    before = _IS_EACH.search(text, max(0, one.start - _WINDOW), one.start)
    return before is not None or _EACH.match(text, one.end + text.startswith(" ", one.end)) is not None


def _is_converted(text: str, one: Amount, found: Sequence[Amount]) -> bool:
    """Return whether an amount by another unit stands beside the same by a known one: "$10,000 a month ($120,000)"."""
    if one.reason != "unit":
        return False
    spans = [sorted((one[:2], other[:2])) for other in found if other.reason is None and other.kind in _MARKED]
    gaps = [text[first[1] : second[0]] for first, second in spans if second[0] - first[1] <= _BESIDE]
    return any(not re.search(r"[.!?]\s+\S|\n", gap) for gap in gaps)


def _settled(low: float | None, high: float | None, reason: str | None, declared: NumberInstrument) -> Answer:
    if reason is not None or low is None or high is None:
        return Answer(None, None, "amount", reason or "ambiguous")
    rule = "range" if low != high else "amount"
    if low != high and declared.ranges == "uncoded":
        return Answer(None, None, rule, "ambiguous")
    is_within = (declared.lowest is None or low >= declared.lowest) and (
        declared.highest is None or high <= declared.highest
    )
    return Answer(low, high, rule) if is_within else Answer(None, None, rule, "out-of-bounds")


def _is_amount(text: str, one: Amount, seen: Cues, *, asks_money: bool) -> bool:
    """Return whether a number is an amount: in a long text, an unmarked number may count anything."""
    if one.kind in _MARKED:
        return True
    if one.kind in {"counted", "percent"} and (seen.others or asks_money):
        return False
    if _FIGURES.match(text, one.end) or (asks_money and _QUANTITY.match(text, one.end)):
        return False
    is_said = seen.states or seen.suits or seen.is_alone or _ENDS.match(text[max(0, one.start - 2) :]) is not None
    return is_said or (one.kind != "counted" and len(text) <= _SHORT) or one.kind == "percent"


def _points(one: Amount, seen: Cues, declared: NumberInstrument, *, has_money: bool) -> int:
    """Score an amount by its cues."""
    is_money = one.kind in _MARKED
    points = (
        3 * seen.states + 2 * seen.suits + 3 * seen.is_alone + 2 * (seen.is_final and seen.states) - 3 * seen.others
    )
    points -= 3 * ((has_money or bool(declared.currency or declared.units)) and not is_money)
    return points - 3 * (one.reason == "unit")
