"""What values of attributes mean, in whatever words and language: "Bachelor's degree" is "bachelor's"."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.outcomes import categorise
from tallybook.instruments.profile.labels import SAME_VALUES
from tallybook.instruments.profile.values import before_remark
from tallybook.study.names import without_accents

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.study.coding import Categories

_WORD = re.compile(r"[\u3000-\u9fff]+|[^\W_]+")
_INFLECTED = re.compile(r"(?<=\w{3})(?:os|as|es|[oaes])$")
_FILLERS = """
a an the el la los las le les un une una uno il lo o os as um uma der die das ein eine de des di da do du
degree degrees diploma class clase classe ceto schicht level income earner insurance insured seguro versicherung
versichert abschluss faith religion identity status leaning leaner wing health practicing practising practicante
praticante pratiquant praktizierend revenu reddito ingreso ingresos renda einkommen nivel niveau livello nível years
year yrs old aged age años ans jahre anni anos
"""
"""Words beside a value that leave it as it is, unless there is no other word."""
_LAPSED = re.compile(r"(?i)\b(?:no|non|not|nicht|não|pas)[ -](?:pra[ckt]\w+|very religious)")
"""What leaves a religion as it is: "católica no practicante"."""
_CUT = re.compile(r"(?i) (?:in|of|en|at|from|with|mit|bei|im) .*$")
_BRACKET = re.compile(r"\(([^()]+)\)|\[([^\[\]]+)\]")
_EITHER = re.compile(r"(?i) ?/ ?| (?:or|oder|ou|o) ")
_OR = re.compile(r"(?i) (?:or|oder|ou|o|e/o|and/or) ")
_FEWEST = 3


def stems(text: str) -> list[str]:
    """Return the words of a text without accents, apostrophes, and endings of gender and number."""
    words = _WORD.findall(without_accents(re.sub("['’.]", "", text.lower())))
    return [_INFLECTED.sub("", word) if len(word) > _FEWEST else word for word in words]


@cache
def _concepts() -> dict[tuple[str, ...], str]:
    return {tuple(stems(value)): same[0] for same in SAME_VALUES for value in same}


_BARE = frozenset(stem for filler in _FILLERS.split() for stem in stems(filler))


def forms_of(told: str, label: str) -> set[tuple[str, ...]]:
    """Return the stems of all words for a meaning, and of a label that has it; one letter is no word for it."""
    same = {form for form, meant in _concepts().items() if meant == told}
    own = tuple(word for word in stems(label) if word not in _BARE)
    return {form for form in same | {own} if len("".join(form)) > 1}


@cache
def meaning(value: str) -> str:
    """Return what equal values have in common.

    >>> meaning("Católico") == meaning("católica") == meaning("Catholic"), meaning("clase media") == meaning("middle")
    (True, True)
    """
    told = tuple(stems(_LAPSED.sub("", value)))
    own = tuple(word for word in told if word not in _BARE) or told
    known = _concepts()
    return known.get(told) or known.get(own) or " ".join(own)


def meant(value: str, known: Mapping[str, str]) -> str | None:
    """Return which of the known values, by their meanings, a value means; None if it means none, or several.

    >>> known = {meaning(one): one for one in ("hispanic", "white", "bachelor's")}
    >>> [meant(one, known) for one in ("Hispanic/Latino", "BA (Bachelor's degree in law)", "White/Asian")]
    ['hispanic', "bachelor's", None]
    """
    for one in (value, before_remark(value), _CUT.sub("", before_remark(value)), *_within(value)):
        if (found := known.get(meaning(one))) is not None:
            return found
    parts = {known.get(meaning(one)) for one in _EITHER.split(before_remark(value))}
    return parts.pop() if len(parts) == 1 else None


def is_undecided(value: str) -> bool:
    """Return whether a value offers several of one kind.

    >>> is_undecided("male or female"), is_undecided("Hispanic or Latino"), is_undecided("nurse or teacher")
    (True, False, False)
    """
    parts = [_concepts().get(tuple(stems(one))) for one in _OR.split(value)]
    return None not in parts and len({*parts}) > 1


def _within(value: str) -> Iterator[str]:
    for match in _BRACKET.finditer(value):
        told = next(filter(None, match.groups()))
        yield from (told, _CUT.sub("", told))


def by_meaning(labels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Map meaning -> a label of the only category with labels that mean it."""
    found: dict[str, dict[str, str]] = {}
    for category, own in labels.items():
        for label in own:
            found.setdefault(meaning(label), {}).setdefault(category, label)
    return {told: next(iter(own.values())) for told, own in found.items() if len(own) == 1}


def bare(value: pl.Expr, outcome: Categories) -> pl.Expr:
    """Return the label of a category for values that mean one, with a remark or in other words: "Female – she/her"."""
    before = value.map_elements(before_remark, return_dtype=pl.String)
    declared = outcome.model_copy(update={"other": None})
    labels = by_meaning(outcome.labels)
    other = value.map_elements(lambda one: meant(one, labels), return_dtype=pl.String)
    is_label = categorise(before, declared).is_not_null()
    return (
        pl.when(value.is_null() | categorise(value, declared).is_not_null())
        .then(value)
        .otherwise(pl.coalesce(pl.when(is_label).then(before), other, value))
    )
