"""Columns of which each is about one of several options, and attributes of options in columns parallel to theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.study.draft import categories_of
from tallybook.study.names import free_name, plain, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.draft import Draft

Traits = dict[str, tuple[str, ...]]
"""Attribute of options -> its columns, one for each option."""
_MEMBER = re.compile(r"(.*?)_?([a-j]|(?<!\d)\d{1,2})")
"""The name of one of several columns: the part that they have in common, and its place."""
_PLACE = re.compile(r"[a-j]|\d{1,2}")
_SIDES = {"first": "1", "second": "2", "left": "1", "right": "2", "a": "a", "b": "b", "1": "1", "2": "2"}
"""Words for a place among two, anywhere in a name: `first_cv`, `candidate_a_name`."""
_MOST = 12
"""The maximum number of levels of an attribute."""


def series(columns: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return the columns whose names differ in a place only, by what they have in common: place -> column."""
    called: dict[str, dict[str, str]] = {}
    for column in columns:
        path, name = column.rpartition(".")[0], plain(column)
        words = name.split("_")
        sides = [place for place, word in enumerate(words) if word in _SIDES]
        if len(sides) == 1 and not _PLACE.fullmatch(words[-1]):
            stem = "_".join(words[: sides[0]] + words[sides[0] + 1 :])
            called.setdefault(f"{path}.{stem}", {})[_SIDES[words[sides[0]]]] = column
        elif found := _MEMBER.fullmatch(name):
            called.setdefault(f"{path}.{found[1]}", {})[found[2].lstrip("0") or "0"] = column
    return called


def parallel(rows: pl.DataFrame, options: tuple[str, ...] | str) -> Traits:
    """Find the attributes of options: columns for the same places, with the same few levels each."""
    found: Traits = {}
    called = series(rows.columns)
    own = {place: column for places in called.values() for place, column in places.items() if column in options}
    for stem, places in called.items() if len(own) == len(options) else ():
        columns = tuple(places[place] for place in own if place in places)
        levels = [{*rows.get_column(name).drop_nulls()} for name in columns]
        is_shared = len(places) == len(columns) == len(own) and all(one & other for one in levels for other in levels)
        if is_shared and {*columns}.isdisjoint(options) and 1 < len(set[str]().union(*levels)) <= _MOST:
            found[stem.removeprefix(".")] = columns
    return found


def draft_traits(made: Draft, traits: Traits, rows: pl.DataFrame) -> None:
    """Declare attributes of options, and the outcomes of the chosen ones."""
    for trait, columns in traits.items():
        name = free_name(trait or "group", {*made.outcomes, *made.columns, "option", "place", "text"})
        levels = pl.concat(rows.get_column(column) for column in columns).drop_nulls().unique().sort()
        made.instrument.setdefault("traits", {})[name] = [made.take(column) for column in columns]
        chosen = categories_of(f"{title(name)} of the choice", f"chosen_{name}", {one: one for one in levels})
        made.outcomes[name] = chosen
        made.doubts.append(
            f"{' and '.join(columns)} are read as attributes of the options, in this order. See `instrument.traits`."
        )
