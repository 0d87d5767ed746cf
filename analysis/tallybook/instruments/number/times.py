"""Times in years and months: "two years and six months" is 2.5 years, "an anno" one year."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.number_words import SPOKEN, spoken

if TYPE_CHECKING:
    from tallybook.instruments.number.instrument import NumberInstrument

_ONE = r"\b(?:an?|une?|uno|uma?|una|un'|ein(?:e[mnr]?)?)"
_NUMBER = rf"(?:(?<![\d.,])\d{{1,3}}|\bsei|{SPOKEN.pattern}|{_ONE})"
_YEAR, _MONTH = (
    r"(?:years?|yrs?|jahre?n?|años?|ans?|années?|ann[io]|anos?)\b",
    r"(?:months?|monate?n?|mes(?:es|i|e)?|mois)\b",
)
_JOINED = re.compile(
    rf"(?P<years>{_NUMBER})[ -]?{_YEAR},? ?(?:(?:and|und|y|et|e|&|\+) ?)?(?P<months>{_NUMBER})[ -]?{_MONTH}"
)
_SIX = re.compile(rf"\bsei (?={_YEAR}|{_MONTH}|giorni|settimane|ore\b)")
_SINGLE = re.compile(rf"{_ONE} ?(?={_YEAR}(?! [^\W\d_]+ly\b)|{_MONTH})")
_RATE = re.compile(
    r"(?:\d|[$€£¥]|[\w.,]k|per|all|pro|por|par|once|twice|times|each|within|binnen|entro|[a-z]lars|euros?|usd) ?$"
)
_NEAR = 12


def with_times(text: str, declared: NumberInstrument) -> str:
    """Write years with months as one number of years, and "a year" in digits where a text has no other time.

    >>> from tallybook.instruments.number.instrument import NumberInstrument
    >>> years = NumberInstrument(kind="number", counts="year")
    >>> [with_times(one, years) for one in ("2 anni e 6 mesi", "one year, 3 months", "un an de prison", "sei anni")]
    ['2.5 years', '1.25 years', '1 an de prison', '6 anni']
    """
    text = _SIX.sub("6 ", text)
    if declared.counts in {"year", "month"}:
        point = "," if declared.decimals == "comma" else "."

        def joined(match: re.Match[str]) -> str:
            years, months = (_number(match[name]) for name in ("years", "months"))
            total = years + months / 12 if declared.counts == "year" else 12 * years + months
            return f"{total:.10g} {declared.counts}s".replace(".", point)

        text = _JOINED.sub(joined, text)
    one = _SINGLE.search(text)
    if (
        one
        and not re.search(rf"\d|{SPOKEN.pattern} {_YEAR}", text)
        and not _RATE.search(text[max(0, one.start() - _NEAR) : one.start()])
    ):
        text = f"{text[: one.start()]}1 {text[one.end() :]}"
    return text


def _number(said: str) -> float:
    if said.isdecimal():
        return float(said)
    return 6.0 if said == "sei" else spoken(said) or 1.0
