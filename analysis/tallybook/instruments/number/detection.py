"""Detection and draft of the instrument `number`."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.patterns import contains
from tallybook.instruments.languages import expressions
from tallybook.instruments.number.amounts import CURRENCIES, PERCENTS
from tallybook.instruments.number.instrument import REASONS, UNITS
from tallybook.instruments.reading import share_read
from tallybook.study.draft import category, named, score
from tallybook.study.instrument_base import Proposal, Sample

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.number.instrument import NumberInstrument
    from tallybook.study.draft import Draft

_RANK = 65
_FEW = 2
"""The most different numbers that may be codes rather than amounts."""
_RARE, _MANY, _FAR = 0.05, 20, 20
"""The largest share of numbers that are few, the least number of numbers that may have outliers, and how many times
the median these are."""
_TIMES: dict[str, tuple[str, float]] = {"year": ("month", 12), "month": ("year", 1 / 12)}
"""Unit of time -> another one, and what an amount by it is multiplied by."""
_SHORT = 8
"""The most words of a text in which a number is the answer, whatever stands beside it."""
_WORDS = expressions("tallybook.instruments.number", "words.toml")
_SAYS, _ASKED = _WORDS["proposed"]["says"], _WORDS["asked"]
"""Words beside an answer; unit of time -> its wordings in prompts."""
_ALSO = {
    unit: "|".join(word for word in words.split("|") if word not in {"an", "h", "pa"})
    for unit, words in _WORDS["units"].items()
}
"""Unit of time -> its spellings that mean nothing else."""

_PER = {unit: rf"(?:per |an? )(?:{_ALSO[unit]})|{_ASKED[unit]}" for unit in UNITS}
_LONG = {unit: "|".join(word for word in _ALSO[unit].split("|") if len(word) > len("yr")) for unit in UNITS}
_COUNTED = {
    unit: rf"{_WORDS['proposed']['how_many']}(?:{words})\w*|{_WORDS['proposed']['number_of']}(?:{words})e?[sn]"
    for unit, words in _LONG.items()
}
"""Unit of time -> how prompts ask for amounts by it, and for a number of them."""


def _uses(currency: str) -> str:
    """Build the pattern of texts with amounts in a currency: "R$5" is not an amount in dollars."""
    names = "|".join(re.escape(name) + (r"\b" if name.isalpha() else "") for name in CURRENCIES[currency])
    return rf"(?:^|[^a-z])(?:{names})"


def proposals(kind: type[NumberInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument for texts that state amounts, by the unit of time that most prompts or texts name."""
    texts = sample.responses.get_column("text").str.to_lowercase()
    counts = _counted(sample, texts)
    settings: dict[str, Any] = {"counts": counts} if counts else _of_money(sample, texts)
    is_none = contains(texts, _STANDS_FOR_NONE)
    if is_none.any() and not (contains(texts, r"(?:^|\s)-\d") & ~is_none).any():
        settings["lowest"] = 0
    settings |= {"prompt": prompt} if (prompt := sample.prompt) else {}
    instrument = kind.model_validate({"kind": "number", "undecided": "ignore", **settings})
    read = instrument.code(sample.responses, {}).responses
    says = "|".join([_SAYS, *(_ALSO[unit] for unit in ([counts] if counts else settings.get("units", ())))])
    is_answer = contains(texts, says) | (texts.str.count_matches(r"\S+") <= _SHORT)
    is_read = read.get_column("number").is_not_null()
    is_said = (is_answer & is_read).sum() >= is_read.sum() / 2  # a story may mention numbers
    if is_said and read.select(pl.col("number").drop_nulls().n_unique()).item() > (1 if counts else _FEW):
        doubts = [*_extremes(read.get_column("number").drop_nulls())]
        if len(several := _currencies(texts)) > 1 and not counts:
            told = f"{', '.join(several[:-1])} and {several[-1]}, which are not told apart: means over several of them"
            doubts.append(
                f"Amounts are in {told}, and differences between them, mean nothing. See `instrument.currency`."
            )
        yield Proposal("number", share_read(read, "number"), _RANK, partial(_draft, settings, doubts))


def _currencies(texts: pl.Series) -> list[str]:
    """List the currencies of texts but rare ones."""
    number = {sign: int(contains(texts, _uses(sign)).sum()) for sign in CURRENCIES}
    return [sign for sign in CURRENCIES if number[sign] > sum(number.values()) * _RARE]


def _extremes(numbers: pl.Series) -> Iterator[str]:
    """Yield a doubt if a few numbers are far from all others."""
    sizes = numbers.abs().filter(numbers != 0).sort()
    middle = sizes.median()
    if not isinstance(middle, float) or sizes.len() < _MANY:
        return
    far = sizes.filter(~sizes.is_between(middle / _FAR, middle * _FAR))
    if 0 < far.len() <= sizes.len() * _RARE:
        yield (
            f"{far.len():,} of {numbers.len():,} numbers looked at are over {_FAR} times larger or smaller than the "
            f"median {middle:,.0f}, such as {far[-1]:,.0f}: a few of them decide a mean. See `instrument.lowest` and "
            "`instrument.highest`."
        )


_STANDS_FOR_NONE = r"^\s*-(?:9|9{2,4}|8{2,4}|7{2,4})(?:\.0)?\s*$"
"""Negative numbers that stand for a missing answer, as surveys code it."""


def _counted(sample: Sample, texts: pl.Series) -> str | None:
    """Return the unit of time that answers count: the one that prompts ask for, otherwise that of most texts."""
    money = contains(texts, "|".join(map(_uses, CURRENCIES))).sum()
    if 2 * money > texts.len():
        return None
    asked = (unit for unit in UNITS for column in sample.prompts if _is_asked(sample, column, unit, _COUNTED))
    said = {unit: int(contains(texts, rf"\d[ -]?(?:{_ALSO[unit]})(?:s|n|en|es|i)?\b").sum()) for unit in UNITS}
    most = max(UNITS, key=lambda unit: said[unit])
    return next(asked, most if 2 * said[most] > texts.len() else None)


def _of_money(sample: Sample, texts: pl.Series) -> dict[str, Any]:
    """Return the settings for amounts by a unit of time, or of money; none where most texts are percentages."""
    if 2 * int(contains(texts, rf"\d ?(?:{PERCENTS})").sum()) > texts.len():
        return {}
    by_unit = {
        unit: contains(texts, rf"\dk?[^.\n]{{0,12}}(?:/|\bper |\ban? | )(?:{_ALSO[unit]})(?:ly)?\b").sum()
        for unit in UNITS
    }
    asked = next((unit for unit in UNITS for column in sample.prompts if _is_asked(sample, column, unit, _PER)), None)
    usual = asked or max(UNITS, key=lambda unit: by_unit[unit])
    is_usual = asked is not None or by_unit[usual] > sum(by_unit.values()) / 2
    currency, *others = _currencies(texts) or ("",)
    settings: dict[str, Any] = {"units": {usual: 1}} if is_usual else {}
    if is_usual and usual in _TIMES and by_unit[_TIMES[usual][0]]:
        settings["units"] |= [_TIMES[usual]]
    is_usual = currency and not others and 2 * contains(texts, _uses(currency)).sum() > texts.len()
    return settings | ({"currency": currency} if is_usual else {})


def _is_asked(sample: Sample, column: str, unit: str, how: Mapping[str, str]) -> bool:
    """Return whether more than half of the prompts ask for amounts by a unit of time, or for a number of them."""
    prompts = sample.responses.get_column(column).cast(pl.String).str.to_lowercase()
    prompts = prompts.str.replace_all(r"\b(?:within|after) an? ", "")  # when, not how much for each
    return bool(contains(prompts, rf"\b(?:{how[unit]})\b").sum() > len(prompts) / 2)


def _draft(settings: dict[str, Any], doubts: Sequence[str], made: Draft) -> None:
    prompt = {"prompt": made.take(settings["prompt"])} if "prompt" in settings else {}
    made.instrument = {"kind": "number"} | settings | prompt
    currency, counted = settings.get("currency"), settings.get("counts")
    of = currency or (f"{counted}s" if counted else None)
    made.outcomes["amount"] = score("Amount" if of is None else f"Amount ({of})", "number")
    made.outcomes["reason"] = category("Reason for no number", "no_number_reason", named(REASONS), kind="reason")
    if counted is not None:
        made.doubts.append(
            f"Answers are taken to be in {counted}s, as prompts ask or most answers say: amounts of money, and units "
            "that cannot be converted, are no answers. See `instrument.counts`."
        )
    if "lowest" in settings:
        made.doubts.append("Negative numbers such as -99 stand for no answer, and are out of bounds. See `lowest`.")
    if currency is not None:
        made.doubts.append(
            f"Amounts are in {currency}: those in another currency are not read. See `instrument.currency`."
        )
    if units := settings.get("units"):
        usual, *others = units
        also = "".join(f"; those by the {unit} are multiplied by {units[unit]:.3g}" for unit in others)
        made.doubts.append(
            f"Amounts are taken to be by the {usual}{also}; by other units they are not read unless "
            "`instrument.units` says what they are multiplied by."
        )
    made.doubts += doubts
