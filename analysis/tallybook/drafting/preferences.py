"""Preferences between two models' answers: which column says who won, and that the models are of the question."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.drafting.header_words import MODEL
from tallybook.drafting.roles import guess, of_columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey

_SIDES = (("a", "b"), ("1", "2"), ("left", "right"), ("first", "second"), ("x", "y"))
_MODEL = re.compile(r"(^|_)(model|generator|assistant|llm|system|player|chatbot)(_|$)")
_THING = re.compile(
    r"(model|assistant|answer|response|output|option|candidate|generator|the|is|better|wins?|won|\W|_)+"
)
"""Words around a side in the values of preferences: "model_a", "[[A]]", "Assistant B is better"."""
_TIE = re.compile(r"tied?|draw|both|neither|none|equal|same|c|error|unclear|undecided|0|")
_TIED = re.compile(r"(?i)\b(tied?|draw|both|neither|equal|same)|^-\d|^1\.5$")
_MOST = 30
"""The most values of a preference."""


class Preferences(NamedTuple):
    """The roles of a dump's columns that say which of two models is preferred, and the explanation for the user."""

    roles: dict[str, str]
    said: str


def preferences(found: Survey, answers: Mapping[str, str]) -> Preferences | None:
    """Find which of two models each record prefers, unless the user named columns of answers."""
    if found.is_tool_output or answers.keys() & {"text", "labels", "scores"}:
        return None
    for one, other, sides in _pairs(found):
        told: dict[str, pl.Series] = {}
        for column in found.columns:
            said = _sides_in(column, found, (one, other), sides) if column.name not in {one, other} else None
            if said is not None and not any(said.equals(known, null_equal=True) for known in told.values()):
                told[column.name] = said
        if told:
            roles = {"text": "", "labels": ",".join(told)}
            model = guess(found, of_columns({**roles, **answers})).model
            roles |= {"model": ""} if model in {one, other} else {}  # a judge is the model that answers
            columns, x, y = (printable(name) for name in (", ".join(told), one, other))
            return Preferences(roles, f"{columns} is read as the preference between {x} and {y}, which are factors.")
    return None


def _pairs(found: Survey) -> Iterator[tuple[str, str, tuple[str, str]]]:
    """Yield the pairs of columns of models whose headers differ in the side."""
    models = [one for one in found.columns if one.names_models or _MODEL.search(one.header)]
    models = [one for one in models if one.kind == "text" and one.values]
    for one, other in combinations(models, 2):
        x, y = one.header.split("_"), other.header.split("_")
        apart = [(a, b) for a, b in zip(x, y, strict=False) if a != b]
        if (
            len(x) == len(y)
            and len(apart) == 1
            and apart[0] in _SIDES
            and (MODEL.search("".join(one.values)) or _MODEL.search(one.header))
        ):
            yield one.name, other.name, apart[0]


def _sides_in(column: Column, found: Survey, pair: tuple[str, str], sides: tuple[str, str]) -> pl.Series | None:
    """Return the sides that a column prefers, if each value is a side, the model of a side in its record, or a tie."""
    if not 1 < column.distinct <= _MOST or not column.values:
        return None
    cell = pl.col(column.name)
    said = {value: _THING.sub("", value.lower().removesuffix(".0")) for value in column.values}
    said = {value: "" if _TIED.search(value) or _TIE.fullmatch(token) else token for value, token in said.items()}
    if {*said.values()} - {""} == {*sides}:
        return found.sample.select(cell.replace_strict(said, default=None, return_dtype=pl.String)).to_series()
    named = [pl.when(cell == pl.col(name)).then(pl.lit(side)) for name, side in zip(pair, sides, strict=True)]
    models = found.sample.select(pl.coalesce(*named)).to_series()
    ties = found.sample.select(cell.is_null() | cell.is_in([value for value, token in said.items() if not token]))
    return models if (models.is_not_null() | ties.to_series()).all() and models.n_unique() > len(sides) - 1 else None
