"""Amounts in texts: digits or words, thousands, currencies, ranges, units of time."""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.number_words import english_numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.number.instrument import NumberInstrument


class Amount(NamedTuple):
    """An amount that a text states."""

    start: int  # where it begins
    low: float | None  # the number, or the lower end of a range; None if it can be read in two ways
    high: float | None  # the same number, or the upper end
    is_marked: bool  # whether a currency, a scale or a unit marks it as an amount
    reason: str | None = None  # why it cannot be used


class Answer(NamedTuple):
    """Read the amount of a text: both ends of it, or the reason for having none, and the rule."""

    low: float | None
    high: float | None
    rule: str
    reason: str | None = None


_CURRENCIES = {
    "$": ("us$", "$", "usd", "dollars", "dollar"),
    "€": ("€", "eur", "euros", "euro"),
    "£": ("£", "gbp", "pounds", "pound"),
    "": ("¥", "₹", "chf", "jpy", "inr", "francs", "yen", "rupees"),
}
_SCALES = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "million": 1e6, "bn": 1e9, "billion": 1e9}
_BEFORE = r"(?:us\$|[$€£¥₹]|\b(?:usd|eur|gbp|chf|jpy|inr)\b)"
_BEHIND = r"(?:[$€£¥₹]|(?:usd|eur|gbp|chf|jpy|inr|dollars?|euros?|pounds?|francs|yen|rupees)\b)"
_DIGITS = r"(?:\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d+)?|[.,]\d+)"
_SCALE = rf"(?:{'|'.join(sorted(_SCALES, key=len, reverse=True))})"


def _amount(name: str) -> str:
    return (
        rf"(?P<before_{name}>{_BEFORE} ?)?(?P<digits_{name}>{_DIGITS})(?: ?(?P<scale_{name}>{_SCALE})\b)?"
        rf"(?: ?(?P<behind_{name}>{_BEHIND}))?"
    )


_FREE = r"(?<![\w.,:/#-])(?<!\d')"
_END = r"(?![\w]|[.,:/]\d| ?%| ?percent|-[a-z\d])"
_RANGE = re.compile(rf"{_FREE}{_amount('low')} ?(?:-|\bto\b|\bbis\b|(?P<and>\band\b)) ?{_amount('high')}{_END}")
_SINGLE = re.compile(rf"(?<![\w.,:/#])(?<![\w]-)(?<!\d')(?P<sign>[+-])?{_amount('low')}{_END}")
_NAMES = {"hr": "hour", "h": "hour", "mo": "month", "yr": "year", "annum": "year", "pa": "year"}
_ADVERBS = {"hourly": "hour", "daily": "day", "weekly": "week", "monthly": "month"} | dict.fromkeys(
    ("annual", "annually", "yearly"), "year"
)
_RATE = re.compile(
    r" ?(?:(?:/|per|an?\b|each) ?(?P<unit>hour|hr|h|day|week|month|mo|year|yr|annum)\b|(?P<adverb>hourly|daily|weekly|"
    r"monthly|annually|yearly)\b)"
)
_RATE_BEFORE = re.compile(r"\b(hourly|daily|weekly|monthly|annual|yearly)\b[^.\n\d]{0,30}$")
# A plural behind a number says what is counted: "10 years", "2 reasons".
_COUNTED = re.compile(r" (?!(?:is|as|was|this|plus|has|its|less|seems|per)\b)[a-z]{2,}s\b")
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_IN_YEAR = re.compile(r"\b(?:in|since|until|by|of|from|year|q[1-4]) ?\Z")
_CODE = re.compile(r"\b(?:error|code|http|status|page|chapter|version|section|room|line|no\.?) ?\Z")
_ANNOUNCED = re.compile(
    r"\b(?:answer|number|estimate|offer|say|would|is|are|suggest|count|total|salary|amount|guess|give|pay)\b[^.\n]*\Z"
)
_ALONE = re.compile(rf"[^\w\n]*(?:\w+: ?)?[+-]?{_DIGITS}\W*")
_STATED = re.compile(
    r"\b(?:(?:ask(?:ing)? for|request|propose|suggest|recommend|aim(?:ing)? for|settle on|go (?:for|with)"
    r"|(?:open(?:ing)?|start(?:ing)?|counter|negotiation) (?:at|with)|i(?:'d| would) (?:ask|offer|say)"
    r"|(?:answer|offer) (?:is|would be)"
    r"|(?:figure|number|amount|salary)(?: (?:that )?(?:i'd|i would) (?:ask for|offer|propose|suggest|recommend)) is)"
    r"(?: (?:an?|the|around|about|approximately|roughly|exactly|initial|opening|starting|base|salary|figure|offer|of|at"
    r"|request|them))*"
    r"|(?:answer|ask|offer|request|estimate|recommendation|suggestion):) ?[\"'(]*\Z"
)
"""Phrases that announce the amount behind them as the answer."""
_NOT_STATED = re.compile(
    r"(?:\b(?:not|never|avoid|instead of|rather than|if|others?|some|many|people)|n't)\b[^.!?\n]*\Z"
)
_LABEL = re.compile(
    r"[^\w\n]*(?!(?:[^\n:]* )?(?:average|ceiling|current|entry|floor|high|highest|industry|low|lowest|market|max"
    r"|maximum|median|mid\w*|min|minimum|previous|range|stretch|typical|upper|walk-away)\b)(?:[^\n:]{0,20} )?"
    r"(?:amount|answer|ask(?: for)?|bid|estimate|figure|offer|pay|price|quote|recommend\w*|request|salary|suggest\w*"
    r"|total|wage)(?: [^\n:]{0,20})?:[ \"'(]*"
)
"""A label at the beginning of a line that announces the amount behind it."""
_SUITS = re.compile(
    rf"[^a-z\n]{{1,20}}(?:{_SCALE}\b ?)?(?:{_BEHIND} ?)?(?:(?:an?|per) (?:year|month|week|day|hour) )?"
    r"(?:would be|is|seems|sounds|feels|looks)"
    r"(?: (?:an?|the|more|most|very|quite))* (?:reasonable|appropriate|fair|right|good|suitable|competitive|realistic"
    r"|sensible|fitting|better|best)\b"
)
"""Phrases behind an amount that say that it is the answer."""
_BESIDE = re.compile(
    r"\b(?:above|add\w*|additional|average\w*|below|between|bonus|current\w*|exceed\w*|extra|from|highest|instead of"
    r"|less|low|lowest|max\w*|median|min\w*|more than|plus|premium|previous\w*|raise|range\w*|rather than|than|to|up to"
    r"|under|typical\w*|usual\w*)\b[^.!?\n]{0,40}\Z"
)
"""Words before an amount that is compared with the answer, or added to it."""
_FIRST = re.compile(r"[^\n]*?(?:[.!?](?=\s|$)|\n|$)")
_WHOLE = re.compile(rf"[^\w\n$€£¥₹]*{_BEFORE}? ?{_DIGITS}(?: ?{_SCALE}\b)?(?: ?{_BEHIND})?[*\"')]*(?:\.(?= [a-z])|\n)")
"""An amount that is the first sentence or line."""
_ITEM = re.compile(r"(?:^|\n) *\Z")
_MARKS = ("before_low", "behind_low", "scale_low", "before_high", "behind_high", "scale_high")
_FINAL = re.compile(r"\bfinal\b")
_MOST = 500
"""With so many amounts a text states no single one."""
_SHORT = 60
_LEAD = 40


def read(text: str, declared: NumberInstrument, *, declines: bool) -> Answer:  # noqa: PLR0911
    """Read a plain text."""
    if not re.search(r"\w", text):
        return Answer(None, None, "empty", "no-number" if re.search(r"[^\s.]", text) else "no-response")
    if declines:
        return Answer(None, None, "declines", "declined")
    found = [*islice(_found(text, declared), _MOST)] or [*_in_words(text)]
    if len(found) == _MOST:
        return Answer(None, None, "several", "ambiguous")
    if not found:
        return Answer(None, None, "none", "no-number")
    final = [*_FINAL.finditer(text)]
    last = [one for one in found if final and one.start > final[-1].start()]
    marked = [one for one in last or found if one.is_marked] or last or found
    values = _values(marked)
    if len(values) > 1:
        values = _values(_stated(text, marked)) or values
    if len(values) > 1 or (None, None, None) in values:
        return Answer(None, None, "several", "ambiguous")
    low, high, reason = values.pop()
    if reason is not None or low is None or high is None:
        return Answer(None, None, "amount", reason or "ambiguous")
    if low != high and declared.ranges == "uncoded":
        return Answer(None, None, "range", "ambiguous")
    is_within = (declared.lowest is None or low >= declared.lowest) and (
        declared.highest is None or high <= declared.highest
    )
    rule = "range" if low != high else "amount"
    return Answer(low, high, rule) if is_within else Answer(None, None, rule, "out-of-bounds")


def _values(amounts: list[Amount]) -> set[tuple[float | None, float | None, str | None]]:
    return {(one.low, one.high, one.reason) for one in amounts}


def _stated(text: str, amounts: list[Amount]) -> list[Amount]:
    """The amounts of several that are said to be the answer, or the one that is the first line or sentence."""
    stated = [
        one
        for one in amounts
        if (said := _STATED.search(text[max(0, one.start - _LEAD) : one.start]))
        and not _NOT_STATED.search(text[max(0, one.start - _LEAD - _SHORT) : one.start - len(said[0])])
    ]
    stated = stated or [one for one in amounts if _LABEL.fullmatch(text, text.rfind("\n", 0, one.start) + 1, one.start)]
    stated = stated or [one for one in amounts if _SUITS.match(text, one.start)]
    if (first := _WHOLE.match(text)) and not stated:
        return [one for one in amounts if one.start < first.end()]
    own = [one for one in amounts if not _BESIDE.search(text[max(0, one.start - _SHORT) : one.start])]
    begun = _FIRST.match(text)
    return stated or (own if begun and len(_values(own)) == 1 and own[0].start < begun.end() else [])


def _found(text: str, declared: NumberInstrument) -> Iterator[Amount]:
    """The amounts in digits: ranges first, then what stands outside of them."""
    taken: list[tuple[int, int]] = []
    for match in _RANGE.finditer(text):
        lead = text[max(0, match.start() - _LEAD) : match.start()]
        if match["and"] and not re.search(r"\bbetween ?$", lead):
            continue
        if not _is_counted(text, match.end(), is_money=any(match[name] for name in _MARKS)):
            yield _made(text, match, declared, lead)
        taken.append(match.span())
    place = 0
    for match in _SINGLE.finditer(text):
        while place < len(taken) and taken[place][1] <= match.start():
            place += 1
        if place < len(taken) and taken[place][0] < match.end():
            continue
        lead = text[max(0, match.start() - _LEAD) : match.start()]
        is_money = bool(match["before_low"] or match["behind_low"] or match["scale_low"])
        digits, behind = match["digits_low"], text[match.end() : match.end() + 3]
        is_item = len(digits) < 3 and _ITEM.search(lead) and re.match(r"[.)] \S", behind)  # noqa: PLR2004
        is_year = _YEAR.match(digits) and _IN_YEAR.search(lead)
        is_other = is_item or is_year or _CODE.search(lead) or _is_counted(text, match.end(), is_money=is_money)
        # In a long text a number that nothing marks may be that of anything.
        is_said = len(text) <= _SHORT or _ANNOUNCED.search(lead) or _ALONE.fullmatch(text, *_line(text, match))
        if is_money or (is_said and not is_other):
            yield _made(text, match, declared, lead)


def _line(text: str, match: re.Match[str]) -> tuple[int, int]:
    """Find the start and end of the line of a match, as far as short lines go."""
    end = text.find("\n", match.end(), match.end() + _SHORT)
    start = text.rfind("\n", max(0, match.start() - _SHORT), match.start())
    return max(start + 1, match.start() - _SHORT, 0), min(len(text), match.end() + _SHORT) if end < 0 else end


def _is_counted(text: str, end: int, *, is_money: bool) -> bool:
    """Whether what follows a number says that it counts something else."""
    return not is_money and bool(_COUNTED.match(text, end)) and not _RATE.match(text, end)


def _made(text: str, match: re.Match[str], declared: NumberInstrument, lead: str) -> Amount:
    """The amount of a match: scaled, converted, with its sign."""
    parts = match.groupdict()
    is_range = "digits_high" in parts
    ends = ("low", "high") if is_range else ("low",)
    scales = [parts[f"scale_{end}"] for end in ends]
    values = [_value(parts[f"digits_{end}"] or "", declared.decimals) for end in ends]
    if is_range and scales[0] is None and values[0] is not None and values[0] < 1000:  # noqa: PLR2004  "85-95k"
        scales[0] = scales[1]
    marks = {parts[f"{side}_{end}"] for end in ends for side in ("before", "behind")} - {None}
    rate = _RATE.match(text, match.end())
    before = _RATE_BEFORE.search(lead)
    told = rate["unit"] or _ADVERBS[rate["adverb"]] if rate else _ADVERBS[before[1]] if before else None
    unit = None if told is None else _NAMES.get(told, told)
    is_marked = bool(marks or any(scales) or unit)
    if any(value is None for value in values):
        return Amount(match.start(), None, None, is_marked)
    other = [mark for mark in marks if declared.currency and mark.strip() not in _CURRENCIES[declared.currency]]
    if other or (unit is not None and unit not in declared.units):
        return Amount(match.start(), None, None, is_marked, "unit")
    factor = {str(name): value for name, value in declared.units.items()}.get(unit or "", 1.0)
    sign = -1.0 if parts.get("sign") == "-" else 1.0
    pairs = zip(values, scales, strict=True)
    scaled = [sign * factor * (value or 0.0) * _SCALES.get(scale or "", 1.0) for value, scale in pairs]
    low, high = scaled[0], scaled[-1]
    return Amount(match.start(), *((None, None) if low > high else (_rounded(low), _rounded(high))), is_marked)


def _rounded(value: float) -> float:
    """Take off what multiplication leaves in the last digit: 1.1 million is 1100000."""
    return float(f"{value:.15g}")


def _value(digits: str, decimals: str | None) -> float | None:  # noqa: PLR0911
    """The number that digits are; None if they can be read in two ways.

    >>> [_value(one, None) for one in ("85,000", "1,6", "1.6", "1.600", "1.234.567", "85 000", "1,234.5", "1.234,5")]
    [85000.0, 1.6, 1.6, None, 1234567.0, 85000.0, 1234.5, 1234.5]
    """
    digits = digits.replace(" ", "").replace("'", "")
    commas, points = digits.count(","), digits.count(".")
    if commas and points:
        last = max(digits.rfind(","), digits.rfind("."))
        sign = digits[last]
        if digits.count(sign) > 1 or (decimals is not None and sign != {"point": ".", "comma": ","}[decimals]):
            return None
        return float(re.sub("[.,]", "", digits[:last]) + "." + digits[last + 1 :])
    sign = "," if commas else "."
    if not commas + points:
        return float(digits)
    is_grouped = re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", digits) is not None
    is_decimal = (decimals == "point") == (sign == ".") if decimals is not None else None
    if commas + points > 1:
        return float(re.sub("[.,]", "", digits)) if is_grouped and not is_decimal else None
    if is_grouped and is_decimal is None:
        return float(digits.replace(",", "")) if sign == "," else None
    if is_grouped and not is_decimal:
        return float(digits.replace(sign, ""))
    return None if is_decimal is False else float(digits.replace(",", "."))


_PARTS = {part for words in english_numbers() for part in words.split()} - {"and"}
_WORD = rf"(?:{'|'.join(sorted(_PARTS, key=len, reverse=True))})"
_WORDS = re.compile(rf"\b({_WORD}(?:(?: and)?[ -]{_WORD}){{0,6}})(?: (thousand|million|billion))?\b")


def _in_words(text: str) -> Iterator[Amount]:
    """The amounts in English words, of a short text: in a long one "one" is rarely an amount."""
    if len(text) > _SHORT:
        return
    for match in _WORDS.finditer(text):
        number = english_numbers().get(match[1].replace("-", " "))
        is_money = re.match(f" {_BEHIND}", text[match.end() : match.end() + 12]) is not None
        if number is not None and not _is_counted(text, match.end(), is_money=is_money):
            value = float(number) * _SCALES.get(match[2] or "", 1.0)
            yield Amount(match.start(), value, value, is_marked=False)
