"""Amounts in texts: digits or words, thousands, currencies, ranges, units of time."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.languages import expressions
from tallybook.instruments.number_words import SCALE, SPOKEN, spoken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.number.instrument import NumberInstrument


class Amount(NamedTuple):
    """An amount that a text states."""

    start: int  # where it begins
    end: int  # where it ends
    low: float | None  # the number, or the lower end of a range; None if it can be read in two ways
    high: float | None  # the same number, or the upper end
    kind: str  # "asked" (in the unit asked for), "money" (or "by the month"), "scale", "percent", "counted" or ""
    reason: str | None = None  # why it cannot be used


_LISTED = expressions("tallybook.instruments.number", "words.toml")
CURRENCIES = {sign: tuple(names.split("|")) for sign, names in _LISTED["currencies"].items()}
"""Currency -> its spellings in texts; currencies without a sign of their own share one entry."""
_ALL = sorted((name for names in CURRENCIES.values() for name in names), key=len, reverse=True)
_WRITTEN = "|".join(re.escape(name) + (r"(?![a-z])" if name[-1].isalpha() and name.isascii() else "") for name in _ALL)
_DIGITS = (
    r"(?:\d{1,3}(?:[ ,.']\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)"
    r"|\d+(?:[.,]\d+)?|(?<![\u3000-\u9fff])[.,]\d+)"
)
_SCALE = "|".join(
    re.escape(word) + (r"(?!\w)" if ord(word[0]) < 0x3000 else "")  # noqa: PLR2004
    for word in sorted(SCALE, key=len, reverse=True)
)


def _amount(name: str) -> str:
    return (
        rf"(?P<before_{name}>(?<![a-z])(?:{_WRITTEN}) ?)?(?P<digits_{name}>{_DIGITS})(?: ?(?P<scale_{name}>{_SCALE}))?"
        rf"(?:(?: (?:de|di|d'))? ?(?P<behind_{name}>{_WRITTEN}|{PERCENTS}))?"
    )


_PERCENT = ("%", "percent", "per cent", "prozent", "pour cent", "por ciento")
PERCENTS = "|".join(rf"{word}\b" if word[-1].isalpha() else word for word in _PERCENT)
_FREE = r"(?<![\w.,:/#-])(?<!\d')"
_END = r"(?![a-z0-9_]|[.,:/]\d|-[a-z\d])"
_TO = r"-|[到至]|\bto\b|\bbis\b|\bà\b|\ba\b|~|(?P<and>\b(?:and|und|et|y|e)\b)"
_RANGE = re.compile(rf"{_FREE}{_amount('low')} ?(?:{_TO}) ?{_amount('high')}{_END}")
_BETWEEN = re.compile(r"\b(?:between|zwischen|entre|tra|fra)(?: \w+)? ?$")
_SINGLE = re.compile(
    rf"(?:{_FREE}|(?<=[\u3000-\u9fff])|(?<=[\u3000-\u9fff][,;:])|(?<=[：:] ))(?<![\w]-)"
    rf"(?P<sign>[+-])?{_amount('low')}(?:,-)?{_END}"
)
_RATE = re.compile(
    r" ?(?:gross|brutto|brut|net)? ?\(?"
    r"(?:(?:/|per|an?\b|each|die|pro|im|par|al|la|por|(?:de |à |al)?l') ?(?P<unit>[a-zéñ]+)\b"
    r"|(?P<adverb>[a-zä]+)\b)"
)
_RATE_BEFORE = re.compile(
    r"\b(hourly|daily|weekly|monthly|annual|yearly|jährlich\w*|monatlich\w*|mensual|anual|annuel)\b"
    r"[^.\n\d]{0,30}$"
)
_UNIT = {word: unit for unit, words in _LISTED["units"].items() for word in words.split("|")}
_ADVERBS = {word for word in _UNIT if word.endswith(("ly", "lich", "ual", "uel")) or word in {"pa", "annual"}}
# A plural behind a number says what is counted: "10 years", "2 reasons".
_COUNTED = re.compile(
    r" (?!(?:is|as|was|this|plus|has|its|less|seems|per|us|gross|does|makes|sounds|feels|looks|gives|always|perhaps)\b)"
    r"(?:years?|months?|hours?|days?|weeks?|jahre?n?|monate?n?|ans?|años?|anni|anos?|[a-z]{2,}s)\b(?! old\b| of age\b)"
)
_TIMES = {
    word: unit for unit, words in _LISTED["units"].items() for word in words.split("|") if word not in {"pa", "h"}
}
_TIME = re.compile(rf" ?\(?({'|'.join(sorted(_TIMES, key=len, reverse=True))})(?:s|n|e|en|es)?\b(?! old\b)")
_AGED = re.compile(r"(?<!fico )(?<!quedo )\b(?:aged?|at|mit|con|à|aos?|com|a) $")
_FACTORS = {("month", "year"): 1 / 12, ("year", "month"): 12.0, ("week", "day"): 7.0, ("day", "week"): 1 / 7}
"""Unit of time, and the one that answers count -> the factor between them."""
_YEAR = re.compile(r"(?:19|20)\d\d\Z")
_IN_YEAR = re.compile(r"\b(?:in|since|until|by|of|from|year|q[1-4]|early|late|seit|im jahr|en|depuis|desde|dal) ?\Z")
_CODE = re.compile(
    r"(?:\b(?:error|code|http|status|page|chapter|version|section|article|art\.|paragraph|room|line|no\.|no|nr\.|step|part"
    r"|criterion|option|question|item|level|tier|phase|grade|§) ?|§ ?)\Z"
)
_ITEM = re.compile(r"(?:^|\n) *\Z")
_LEAD = 60
_SPOKEN_PERCENT = re.compile(rf" (?:{PERCENTS})")
_PER = re.compile(r"\b(?:pour|por|per) $")
_NEAR = 6
_FEW = 3
"""The most words of a text in which "one" is a number."""
_MONEY = ("before_low", "behind_low", "before_high", "behind_high")


def amounts(text: str, declared: NumberInstrument) -> Iterator[Amount]:
    """Yield the amounts of a plain text: ranges first, then numbers outside of ranges, then numbers in words."""
    taken: list[tuple[int, int]] = []
    for match in _RANGE.finditer(text):
        lead = text[max(0, match.start() - _LEAD) : match.start()]
        if match["and"] and not _BETWEEN.search(lead):
            continue
        yield _made(text, match, declared, lead)
        taken.append(match.span())
    place = 0
    for match in _SINGLE.finditer(text):
        while place < len(taken) and taken[place][1] <= match.start():
            place += 1
        if place < len(taken) and taken[place][0] < match.end():
            continue
        lead = text[max(0, match.start() - _LEAD) : match.start()]
        made = _made(text, match, declared, lead)
        if made.kind in {"money", "scale", "percent"} or not _is_other(text, match, lead):
            yield made
    yield from _spoken(text, declared)


def _spoken(text: str, declared: NumberInstrument) -> Iterator[Amount]:
    """Yield the amounts that a text writes in words."""
    for match in SPOKEN.finditer(text):
        before = text[max(0, match.start() - _NEAR) : match.start()]
        if before[-2:].strip(" -").isdigit() or _PER.search(before):  # "1.5 million", "pour cent"
            continue
        number = spoken(match[0])
        money = re.compile(rf" (?:{_WRITTEN})").match(text, match.end())
        is_counted = _COUNTED.match(text, match.end())
        time = _TIME.match(text, match.end()) if declared.counts else None
        if number == 1 and not (money or is_counted or time) and len(text.split()) > _FEW:  # "without one"
            continue
        if number is not None and time:
            factor = _in_unit(_TIMES[time[1]], declared)
            value, reason = (None, "unit") if factor is None else (_rounded(number * factor), None)
            yield Amount(match.start(), match.end(), value, value, "asked", reason)
        elif number is not None and (percent := _SPOKEN_PERCENT.match(text, match.end())):
            yield Amount(match.start(), percent.end(), number, number, "percent")
        elif number is not None and (money or number >= 1000 or len(text) <= _LEAD):  # noqa: PLR2004
            kind = "money" if money else "counted" if is_counted else "scale" if number >= 1000 else "word"  # noqa: PLR2004
            yield Amount(match.start(), match.end(), number, number, kind)


def _is_other(text: str, match: re.Match[str], lead: str) -> bool:
    """Return whether an unmarked number is that of an item, a year, a section or the like."""
    digits, behind = match["digits_low"], text[match.end() : match.end() + 3]
    if behind.startswith("岁"):
        return True
    is_item = len(digits) < 3 and _ITEM.search(lead) and re.match(r"[.)] \S", behind)  # noqa: PLR2004
    if is_item and digits != "1":  # items stand beside others; "45. He looks older" is an answer
        is_item = re.search(rf"(?:^|\n) *(?:{int(digits) - 1}|{int(digits) + 1})[.)] ", text)
    return bool(is_item or (_YEAR.match(digits) and _IN_YEAR.search(lead)) or _CODE.search(lead))


def _made(text: str, match: re.Match[str], declared: NumberInstrument, lead: str) -> Amount:
    """Build the amount of a match: scaled, converted and signed."""
    parts = match.groupdict()
    ends = ("low", "high") if "digits_high" in parts else ("low",)
    marks = {mark.strip() for name in _MONEY if (mark := parts.get(name))}
    is_percent, is_money = bool(marks & {*_PERCENT}), bool(marks - {*_PERCENT})
    has_cents = bool(marks & {*CURRENCIES["$"], *CURRENCIES["£"]})  # "85.000 $" is none the less 85,000
    is_grouped = is_money and (not has_cents or all((parts[f"digits_{end}"] or "").endswith("000") for end in ends))
    scales = [parts[f"scale_{end}"] for end in ends]
    values = [_value(parts[f"digits_{end}"] or "", declared.decimals, is_grouped=is_grouped) for end in ends]
    if len(ends) > 1 and scales[0] is None and values[0] is not None and values[0] < 1000:  # noqa: PLR2004  "85-95k"
        scales[0] = scales[1]
    time = _time(text, match.end(), declared, lead)
    unit = _unit(text, time.end() if time else match.end(), lead)
    if is_percent and unit == "year" and not declared.units:  # rates of interest are of a year
        unit = None
    kind = "money" if is_money or unit else "percent" if is_percent else "scale" if any(scales) else ""
    if not kind and _COUNTED.match(text, match.end()):
        kind = "counted"
    place = match.start(), match.end()
    if any(value is None for value in values):
        return Amount(*place, None, None, kind)
    own = CURRENCIES[declared.currency] if declared.currency else ()
    is_foreign = bool(declared.currency) and any(mark not in {*own, *_PERCENT} for mark in marks)
    is_other = unit is not None and unit not in declared.units and (time is None or bool(declared.units))
    if is_foreign or (is_money and declared.counts) or is_other:
        return Amount(*place, None, None, kind, "unit")
    factor = {str(name): value for name, value in declared.units.items()}.get(unit or "", 1.0)
    if time is not None:
        counted = _in_unit(_TIMES[time[1]], declared)
        if counted is None:
            return Amount(*place, None, None, "asked", "unit")
        kind, factor = "asked", factor * counted
    sign = -1.0 if parts.get("sign") == "-" else 1.0
    pairs = zip(values, scales, strict=True)
    scaled = [sign * factor * (value or 0.0) * SCALE.get(scale or "", 1.0) for value, scale in pairs]
    low, high = scaled[0], scaled[-1]
    is_range = low <= high and math.isfinite(low) and math.isfinite(high)  # 400 digits overflow
    return Amount(*place, *((_rounded(low), _rounded(high)) if is_range else (None, None)), kind)


def _time(text: str, end: int, declared: NumberInstrument, lead: str) -> re.Match[str] | None:
    """Find the unit of time behind a number, where answers count one and it is no age: "con 29 años"."""
    found = _TIME.match(text, end) if declared.counts else None
    is_age = found and _TIMES[found[1]] == "year" != declared.counts and _AGED.search(lead)
    return None if is_age else found


def _in_unit(unit: str, declared: NumberInstrument) -> float | None:
    """Return what times in a unit are multiplied by to be in the unit that answers count; None if that varies."""
    return 1.0 if unit == declared.counts else _FACTORS.get((unit, declared.counts or ""))


def _unit(text: str, end: int, lead: str) -> str | None:
    """Return the unit of time after an amount, or before it; None if there is none."""
    rate = _RATE.match(text, end)
    if rate is not None and (rate["unit"] in _UNIT or rate["adverb"] in _ADVERBS):
        return _UNIT[rate["unit"] or rate["adverb"]]
    before = _RATE_BEFORE.search(lead)
    return next((unit for word, unit in _UNIT.items() if before[1].startswith(word)), None) if before else None


def _rounded(value: float) -> float:
    """Round off floating-point error in the last digits: 1.1 million is 1100000."""
    return float(f"{value:.15g}")


def _value(digits: str, decimals: str | None, *, is_grouped: bool = False) -> float | None:  # noqa: PLR0911
    """Parse digits as a number; None if they are ambiguous, unless a point is known to separate thousands.

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
    if re.fullmatch(r"\d{1,2}(?:,\d\d)+,\d{3}", digits):  # lakhs
        return float(digits.replace(",", ""))
    has_groups = re.fullmatch(r"[1-9]\d{0,2}(?:[.,]\d{3})+", digits) is not None
    is_decimal = (decimals == "point") == (sign == ".") if decimals is not None else None
    if commas + points > 1:
        return float(re.sub("[.,]", "", digits)) if has_groups and not is_decimal else None
    if has_groups and is_decimal is None:
        return float(digits.replace(sign, "")) if sign == "," or is_grouped else None
    if has_groups and not is_decimal:
        return float(digits.replace(sign, ""))
    return None if is_decimal is False else float(digits.replace(",", "."))
