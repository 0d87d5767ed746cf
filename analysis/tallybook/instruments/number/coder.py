"""The number of a response: cues in the clause of each of its amounts are weighed, and the best one must lead."""

from __future__ import annotations

import re
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.instruments import refusal
from tallybook.instruments.asides import corrected, own_words
from tallybook.instruments.json_answers import value_of
from tallybook.instruments.languages import everywhere, expressions
from tallybook.instruments.number.amounts import amounts
from tallybook.instruments.number_words import SPOKEN, spoken, with_fractions
from tallybook.instruments.reading import failed, read_texts, reported, require_columns, stopped, unread, verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tallybook.instruments.number.amounts import Amount
    from tallybook.instruments.number.instrument import NumberInstrument
    from tallybook.study.instrument_base import Reading

_TYPES = {"number_low": pl.Float64, "number_high": pl.Float64, "number_rule": pl.String, "no_number_reason": pl.String}


class Answer(NamedTuple):
    """The amount of a text, as both ends of a range, the rule, and the reason if there is no amount."""

    low: float | None
    high: float | None
    rule: str
    reason: str | None = None


_WORDS = expressions("tallybook.instruments.number", "words.toml")["number"]
_STATES = _WORDS["states"]
"""Phrases before an amount that announce it as the answer."""
_OTHERS = _WORDS["others"]
"""Phrases before an amount that is somebody else's, is compared with the answer, or is added to it."""
_BEHIND_OTHERS = re.compile(rf"[^.!?,;\n\d]{{0,12}}?(?:{_WORDS['behind_others']})")
_FOREIGN = re.compile(_WORDS["foreign"])
_GIVEN, _IDLE = re.compile(_WORDS["given"]), re.compile(_WORDS["idle"])
_ASKS_GIVEN = re.compile(rf"\b(?:{_WORDS['asks_given']})\b")
_SUITS = re.compile(_WORDS["suits"])
"""Phrases after an amount that mark it as the answer."""
_LABEL = re.compile(_WORDS["label"])
"""A label at the beginning of a line that announces the amount behind it."""
_CLAUSE = re.compile(_WORDS["clause"])
_ALONE_BEFORE = re.compile(
    r"[^\w\n]*(?:(?:about|around|approximately|roughly|maybe|perhaps|etwa|ca\.?|rund|environ|unos) )?[^\w\n]*\Z"
)
_ALONE_AFTER = re.compile(r"[^\w\n]*?(?:$|\n|[.!](?= |$|\n)|, (?:given|which|because|that|considering|plus|with)\b)")
_IS = re.compile(
    r"([^\W\d_]{4,})(?: (?!(?:o|or|oder|ou)\b)\w+)?"
    r"(?: (?:is|will be|would be|should be|comes to|beträgt|wäre|ist|es|sería|est|serait|è|é|seria)|:)?"
    r" *(?:set at |about |around |roughly )?[$€£¥₹]?$"
)
"""A noun that is said to be an amount: "the deposit is"."""
_FINAL = re.compile(r"\b(?:final|finally|in the end|ultimately)\b")
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
_EACH = re.compile(_WORDS["each"])
"""Words behind an amount that is one for each of something: "12 € per m²"."""
_FIGURES = re.compile(r"[ -](?:figures?|digits?)\b")
_TERM = re.compile(r" (?:hours?|days?|weeks?|months?|years?) (?:in|of|behind)\b")
"""Words after a term that begins a text: "18 months in prison"."""
_NOUN = re.compile(r" (?:(?!figures|digits)[a-z]+s|jahre?n?|monate?n?|anni|mesi)\b")
_BETWEEN = re.compile(r"[\s$€£¥]*k?[\s,/]*(?:or|and|to|oder|ou|y|o)?[\s$€£¥]*")
_AMOUNT = re.compile(r"\d(?![\d.,]*\d)(?! ?(?:%|per ?cent)|[ -](?:years?|months?|weeks?|days?|hours?)\b)")
"""A number that is neither a share nor a time."""
_PARTS = re.compile(r"(?<![\d./-])(\d{1,3}) ?/ ?(10|100|1000)(?![\d/])")
_LONGEST = 4000
"""The most characters of a prompt that are looked at."""
_MOST = 500
"""The number of amounts from which a text states no single one."""
_SHORT = 60
"""The maximum length of a text in which any number is the answer."""
_WINDOW = 120
"""The number of characters before and after an amount that are examined."""
_LABEL_WORDS = 5
_BESIDE = 30
"""The maximum number of characters between an amount and the same in another unit."""
_LEAD = 2
"""The points by which the answer must lead, which are also the points that it needs beside other amounts."""


def read(responses: pl.DataFrame, instrument: NumberInstrument) -> Reading:
    """Read the number of each response."""
    asked = {"prompt": instrument.prompt} if instrument.prompt else {}
    require_columns(responses, {"column": instrument.column} | asked)
    amount = partial(answer, declared=instrument)
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


def answer(text: str, declared: NumberInstrument, *, declines: bool, prompt: str | None = None) -> Answer:
    """Return the amount that a plain text gives as its answer to a prompt, or the reason for having none."""
    if not re.search(r"\w", text):
        return Answer(None, None, "empty", "no-number" if re.search(r"[^\s.]", text) else "no-response")

    def said(part: str) -> Answer | None:
        one = _answer(part, declared, declines=False, prompt=prompt, is_sure=True)
        return one if one.reason is None else None

    return (None if declines else corrected(text, said)) or _answer(text, declared, declines=declines, prompt=prompt)


def _answer(
    text: str, declared: NumberInstrument, *, declines: bool, prompt: str | None, is_sure: bool = False
) -> Answer:
    """Return the amount that a text gives; if it `is_sure`, not one that is only compared with the answer."""
    text = with_fractions(_PARTS.sub(r"\1 out of \2", text), "," if declared.decimals == "comma" else ".")
    unit = re.compile(
        rf"(?<=\d) ?({'|'.join(map(re.escape, units))})(?!\w)" if (units := _units(prompt or "")) else _NO_UNIT
    )
    text = _SPELLED.sub(_in_digits, text)
    text = _EITHER.sub(r"\1 \3 \2 ", _LASTING.sub(r" \1", text)) if declared.counts else text
    whole = value_of(text)
    said, text = text, unit.sub(r" \1", own_words(text)) if whole is None else whole
    found = [
        one._replace(kind="asked") if unit.match(text, one.end) else one
        for one in sorted(islice(amounts(text, declared), _MOST), key=lambda one: one.start)
    ]
    if len(found) == _MOST:
        return Answer(None, None, "several", "declined" if declines else "ambiguous")
    if declared.counts and any(one.kind in _MARKED and one.reason is None for one in found):
        found = [one for one in found if one.reason is None]  # "6 months and a $500 fine"
    has_money = any(one.kind in {"money", "scale"} for one in found)
    words, given = _asked(prompt or "", declared)
    asks_given = _ASKS_GIVEN.search((prompt or "").lower()) is not None
    cues = [(one, _cues(text, one, words)) for one in found]
    weighed = [
        (_points(one, seen, declared, has_money=has_money) - _LEAD * (one[2:4] in given), one)
        for one, seen in cues
        if not (
            seen.is_foreign
            or (seen.is_given and not asks_given)
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
    most = max(points for points, _ in weighed)
    values = {(one.low, one.high, one.reason) for points, one in weighed if points > most - _LEAD}
    own = {one[2:4] for _, one in weighed if not (one.kind == "asked" and (seen_of[one].others or one[2:4] in given))}
    is_only = len(own or {one[2:4] for _, one in weighed}) == 1
    is_first = weighed[0][0] == most  # a text begins with its answer
    if len(own) > 1 and _DEPENDS.search(said) and not _SPEAKS.search(text, 0, weighed[-1][1].start):
        return Answer(None, None, "several", "ambiguous")
    is_said = most >= _LEAD or ((is_only or is_first) and not (most < 0 and (is_sure or _EVADES.search(said))))
    if len(values) > 1 or not is_said or (None, None, None) in values:
        return Answer(None, None, "several", "ambiguous")
    return _settled(*values.pop(), declared)


def _in_digits(ends: re.Match[str]) -> str:
    low, high = spoken(ends["low"]), spoken(ends["high"])
    return ends[0] if low is None or high is None else f"{low:g} {ends['to']} {high:g}"


def _of_unit(
    weighed: list[tuple[int, Amount]],
    cues: Mapping[Amount, _Cues],
    given: Collection[tuple[float | None, float | None]],
) -> list[tuple[int, Amount]]:
    """Keep the amounts in the unit asked for, and those that are said to be the answer; drop what a prompt states."""
    said = {one: (seen.states or seen.suits or seen.is_alone) and not seen.others for one, seen in cues.items()}
    told = [
        (points, one)
        for points, one in weighed
        if said[one] or one[2:4] not in given or (one.kind == "asked" and not cues[one].others)
    ]
    if not any(one.kind == "asked" for _, one in told):
        return told
    return [(points, one) for points, one in told if one.kind == "asked" or (one.kind in {"", "word"} and said[one])]


def _asked(prompt: str, declared: NumberInstrument) -> tuple[set[str], set[tuple[float | None, float | None]]]:
    """Return the words of a prompt, and the amounts that it states."""
    prompt = prompt.lower()[:_LONGEST]
    words = {*re.findall(r"[^\W\d_]{4,}", prompt)} - _LIGHT
    return words, {one[2:4] for one in islice(amounts(prompt, declared), _MOST)}


def _units(prompt: str) -> list[str]:
    """Return what a prompt asks the number of: "mg" of "How many mg should she get?"."""
    return sorted({*_UNIT.findall(prompt.lower()[:_LONGEST])}, key=len, reverse=True)


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


class _Cues(NamedTuple):
    """The cues in the clause of an amount."""

    states: bool  # it is said to be the answer
    suits: bool  # it is said to be fair or the like
    is_alone: bool  # it is a whole sentence or line
    is_final: bool  # it is said to be final
    is_foreign: bool  # it is what somebody has, or what is advised against
    is_given: bool  # it is a limit of the law, or what is usual
    others: bool  # it is somebody else's, compared with the answer, or added to it


def _cues(text: str, one: Amount, asked: Collection[str]) -> _Cues:
    before, behind = text[max(0, one.start - _WINDOW) : one.start], text[one.end : one.end + _WINDOW]
    line = before.rpartition("\n")[2]
    clause = _clause(before)
    pieces = re.split(r"\d[\d.,]*", clause)
    nearest = next((piece for piece in reversed(pieces) if not _BETWEEN.fullmatch(piece)), pieces[0])
    is_label = _LABEL.fullmatch(line) is not None
    sentence = re.split(r"[.!?] ", line)[-1]
    noun, suits = _NOUN.match(behind), _SUITS.match(behind) is not None
    named = _IS.search(clause)
    is_asked, given = named is not None and named[1] in asked, _GIVEN.search(clause)
    begins = _TERM.match(behind) is not None and not re.search(r"\w", text[: one.start])
    states = is_label or begins or is_asked or bool(re.search(_STATES, nearest)) or _is_stated(clause)
    if not (given or states or suits):  # "juniors get $65,000, seniors $80,000"
        given = _GIVEN.search(sentence.removesuffix(clause))
    return _Cues(
        states=states,
        suits=suits,
        is_alone=bool(_ALONE_BEFORE.fullmatch(sentence) and _ALONE_AFTER.match(behind, noun.end() if noun else 0)),
        is_final=bool(_FINAL.search(line)),
        is_foreign=bool(_FOREIGN.search(clause)),
        is_given=bool((given and given["who"] not in asked) or _IDLE.match(behind)),
        others=not suits
        and bool(
            re.search(_OTHERS, line if is_label else nearest) or _BEHIND_OTHERS.match(behind) or _EACH.match(behind)
        ),
    )


def _is_stated(clause: str) -> bool:
    """Return whether a clause before an amount announces an answer, and not an amount within the clause."""
    found = [*re.finditer(_STATES, clause)]
    return bool(found) and not _AMOUNT.search(clause, found[-1].end())


def _clause(before: str) -> str:
    """Return the part of the clause before an amount, including a short label such as "Our average: "."""
    start, last = 0, 0
    for match in _CLAUSE.finditer(before):
        is_label = match[0] == ": " and before.count(" ", last, match.start()) < _LABEL_WORDS
        start, last = (start if is_label else match.end()), match.end()
    return before[start:]


def _is_amount(text: str, one: Amount, seen: _Cues, *, asks_money: bool) -> bool:
    """Return whether a number is an amount: in a long text, an unmarked number may count anything."""
    if one.kind in _MARKED:
        return True
    if one.kind in {"counted", "percent"} and (seen.others or asks_money):
        return False
    if _FIGURES.match(text, one.end):
        return False
    is_said = seen.states or seen.suits or seen.is_alone
    return is_said or (one.kind != "counted" and len(text) <= _SHORT) or one.kind == "percent"


def _points(one: Amount, seen: _Cues, declared: NumberInstrument, *, has_money: bool) -> int:
    """Score an amount by its cues."""
    is_money = one.kind in _MARKED
    points = (
        3 * seen.states + 2 * seen.suits + 3 * seen.is_alone + 2 * (seen.is_final and seen.states) - 3 * seen.others
    )
    points -= 3 * ((has_money or bool(declared.currency or declared.units)) and not is_money)
    return points - 3 * (one.reason == "unit")
