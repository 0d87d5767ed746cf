"""Choices that name the option that is not chosen, too: "smart rather than dumb", "A, not B".

Only a few English forms count, and only if they are the whole of the first line or sentence, apart from what may stand
before an answer:

- X, not Y; X and not Y; X rather than Y; X instead of Y; X as opposed to Y
- not Y but X; rather than Y, X; instead of Y, X
- I choose X over Y; I prefer X to Y

Each option is mentioned once in the whole text, and no other; or none is, and X and Y are the numbers or letters by
which options were shown. What follows must not take it back. Questions, texts that decline and texts that object choose
nothing.
"""

from __future__ import annotations

import re
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from tallybook.instruments.attribute_choice.language import Language

_NOUN = "(?:the )?(?:(?:answer|choice|letter|number|option|term|word) )?"
_I = r"i(?:'d| would|'ll| will)?(?: (?:definitely|probably|therefore))? "
_VERB = "(?:choose|go with|opt for|pick|prefer|select|take)"
_SAYS = (
    "(?:(?:the|my|final|best|right|correct) )*(?:answer|choice|decision|option|response|term|word)(?: (?:is|would be))?"
)
_BEFORE = (
    "(?:(?:definitely|ok|okay|overall|so|sure|therefore|thus|well) )*"
    rf"(?:(?:{_SAYS}|{_I}(?:{_VERB}|answer|say|use)|it(?:'s| is)|(?:he|she) is) )?{_NOUN}"
)
_NOT = "(?:(?:and|but) )?(?:(?:certainly|clearly|definitely) )?not"
_INSTEAD = "(?:as opposed to|instead of|rather than)"
_FORMS = (
    rf"{_BEFORE}<x> (?:{_NOT}|{_INSTEAD}) {_NOUN}<y>",
    rf"{_BEFORE}not {_NOUN}<y> but(?: rather)? {_NOUN}<x>",
    rf"{_INSTEAD} {_NOUN}<y> {_BEFORE}<x>",
    rf"(?:so )?{_I}{_VERB} {_NOUN}<x> over {_NOUN}<y>",
    rf"(?:so )?{_I}prefer {_NOUN}<x> to {_NOUN}<y>",
)
_HINT = r"\b(?:not|over|prefer|as opposed to|instead of|rather than)\b"
_TAKES_BACK = re.compile(
    r"\b(?:actually|alternatively|both|but|change|changed|correction|however|instead|maybe|mistake|neither|opposite|other"
    r"|perhaps|rather|scratch|though|unless|wait|wrong)\b"
)


def contrasted(choices: pl.DataFrame, options: int, language: Language) -> pl.Series:
    """Find the option that texts choose in contrast with another."""
    each = range(options)
    in_words = pl.all_horizontal((pl.col("mentioned") == 2), *(pl.col(f"mentions_{i}") <= 1 for i in each))  # noqa: PLR2004  a contrast is between two
    by_place = (pl.col("mentioned") == 0) & pl.any_horizontal(pl.col(f"place_{i}").is_not_null() for i in each)
    is_plain = ~pl.col("declines") & ~pl.col("objects") & ~pl.col("plain").str.contains("?", literal=True)
    possible = is_plain & (in_words | by_place) & pl.col("plain").str.contains(_HINT) & pl.lit(language.is_english)
    rows = choices.with_row_index("_row").filter(possible.fill_null(value=False))
    found = {row["_row"]: _chosen(row, options, language) for row in rows.iter_rows(named=True)}
    return pl.Series([found.get(row) for row in range(choices.height)], dtype=pl.Int64)


def _chosen(row: dict[str, Any], options: int, language: Language) -> int | None:
    first, *others = row["segments"].strip("\n ").split(" \n ")
    if others and (others[0].split(" ")[0] in language.contrary or any(map(_TAKES_BACK.search, others))):
        return None
    names = _places(row, options) if row["mentioned"] == 0 else _words(row, options)
    either = "|".join(map(re.escape, sorted(names, key=len, reverse=True)))
    for form in _FORMS if names else ():
        match = re.fullmatch(form.replace("<x>", f"(?P<x>{either})").replace("<y>", f"(?P<y>{either})"), first)
        if match and names[match["x"]] != names[match["y"]]:
            return names[match["x"]]
    return None


def _words(row: dict[str, Any], options: int) -> dict[str, int]:
    """The options by what they say; none where the number before one is known to be that of another."""
    if row["label"] is not None:
        return {}
    each = [(form, i) for i in range(options) for form in (row[f"segments_{i}"], row[f"folded_{i}"]) if form]
    return {form: i for form, i in each if len(form) > 1}


def _places(row: dict[str, Any], options: int) -> dict[str, int]:
    """The options by the numbers and letters by which they were shown."""
    shown = {row[f"place_{i}"]: i for i in range(options) if row[f"place_{i}"] is not None}
    return {name: i for place, i in shown.items() for name in (str(place), ascii_lowercase[place - 1 : place]) if name}
