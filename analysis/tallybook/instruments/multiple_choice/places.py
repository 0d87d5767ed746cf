"""Columns of which each is about one of several options, and attributes of options in columns parallel to theirs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.instruments.likelihood_columns import SCORES, SHARES, header_parts, log_likelihood
from tallybook.sources.unpivot import bracketed, texts_of
from tallybook.study.draft import BIAS_SCORES, categories_of, category, named
from tallybook.study.names import free_name, header_name, identifier, plain, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.draft import Draft
    from tallybook.study.instrument_base import Sample

Traits = dict[str, tuple[str, ...]]
"""Attribute of options -> its columns, one for each option."""
_MEMBER = re.compile(r"(.*?)_?([a-j]|(?<!\d)\d{1,2})")
"""The name of one of several columns: the part that they have in common, and its place."""
_PLACE = re.compile(r"[a-j]|\d{1,2}")
_NUMBERED = re.compile(r"([a-z]+)(\d{1,2})(_.*)")
"""A word with a place, before others: `option1_logprob`."""
ROLES = re.compile(
    r"(^|_)((?:(?:anti|contra|gegen)_?)?e?stereo(?:t[iy]p[a-z]*)?|(?:biased?|target)(?=_(?:opt|option|choice|answer|letter)(?:_|$))|unknown|unbekannt|inconnue?|(?:desconoci|desconheci|sconosciu)[dt][ao]"
    r"|unrelated|neutral)(_|$)"
)
"""Names of columns that say which option has a role."""
_SIDES = {"first": "1", "second": "2", "left": "1", "right": "2", "a": "a", "b": "b", "1": "1", "2": "2"}
"""Words for a place among two, anywhere in a name: `first_cv`, `candidate_a_name`."""
_MOST = 12
"""The maximum number of levels of an attribute."""
_PAIR, _MOST_OPTIONS, _LONG = 2, 26, 60
"""The number of options whose likelihoods are a pair; the most that are expected, as many as there are letters; and the
mean length from which texts may be answers."""


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
        elif not _PLACE.fullmatch(words[-1]) and (found := _NUMBERED.fullmatch(name)):
            called.setdefault(f"{path}.{found[1]}{found[3]}", {})[found[2].lstrip("0") or "0"] = column
        elif found := _MEMBER.fullmatch(name):
            called.setdefault(f"{path}.{found[1]}", {})[found[2].lstrip("0") or "0"] = column
    return called


def with_scores(sample: Sample) -> tuple[tuple[str, ...] | str, tuple[str, ...], str] | None:
    """Return options, as columns or one of lists, the columns of their log-likelihoods, and the formula of these."""
    rows = sample.responses.select(pl.exclude("^\0.*$"))
    families = series(rows.columns)
    several = [tuple(places.values()) for places in families.values()]
    options: list[tuple[tuple[str, ...] | str, int]] = [
        (own, len(own)) for own in several if _PAIR < len(own) <= _MOST_OPTIONS and {*own}.isdisjoint(sample.numbers)
    ]
    options = [(own, count) for own, count in options if _are_options(rows.select(own))]
    options += [(name, count) for name in bracketed(rows) if (count := _listed(rows.get_column(name))) > _PAIR]
    for own, count in options:
        for stem, places in families.items():
            common, scores = header_parts(stem), tuple(places[place] for place in sorted(places))
            if len(scores) == count and {*scores} <= {*sample.numbers}:
                form = log_likelihood(common, sample, scores) or ("{}" if common & (SCORES | SHARES) else "")
                if form:
                    return own, scores, form
    return None


def _listed(cells: pl.Series) -> int:
    """Return the number of texts that each cell lists; 0 if it is not the same."""
    counts = {len(texts_of(cell) or ()) for cell in cells.drop_nulls().unique()}
    return counts.pop() if len(counts) == 1 else 0


def _are_options(texts: pl.DataFrame) -> bool:
    """Return whether texts always differ within a row, and come again in other rows or are short."""
    each = texts.select(pl.concat_list(pl.all()).list.n_unique()).to_series()
    length = texts.select(pl.mean_horizontal(pl.all().str.len_chars().mean())).item()
    return bool((each == texts.width).all()) and (2 * texts.n_unique() <= texts.height or length < _LONG)


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


def add_roles(made: Draft, roles: Sequence[tuple[str, str]], options: Sequence[str], unknown: Sequence[str]) -> None:
    """Assign each option the role whose column names it; others are `unknown` by their texts, or `other`."""
    own = {name: (identifier(_role(name)), how, made.take(name)) for name, how in roles}
    levels = list(dict.fromkeys(role for role, _, _ in own.values()))
    is_told_by_text = bool(unknown) and "unknown" not in levels
    for place, option in enumerate(options):
        cases: list[dict[str, Any]] = []
        for role, how, column in own.values():
            names = {
                "letter": [chr(ord("A") + place), chr(ord("a") + place)],
                "number-from-0": [str(place)],
                "number": [str(place + 1)],
                "column": [made.columns[option]["path"]],
            }
            condition = {"among": {option: column}} if how == "text" else {"is": {column: names[how]}}
            cases.append({"value": role} | condition)
        if is_told_by_text:
            cases.append({"value": "unknown", "is": {option: [*unknown]}})
        made.derive[f"role_{option}"] = {"otherwise": "other", "cases": cases}
    levels += ["other", "unknown"] if is_told_by_text else ["other"]
    made.instrument["traits"] = {"role": [f"role_{option}" for option in options]}
    made.outcomes["role"] = category("Role of the answer", "chosen_role", named(levels))
    made.doubts.append(
        f"The roles of answers are {', '.join(levels)}, by {', '.join(own)}. See `instrument.traits`{BIAS_SCORES}"
    )


def _role(column: str) -> str:
    """Return the role in a column's name: "stereotyped" for `stereotyped_idx`."""
    found = ROLES.search(header_name(column))
    return found[2] if found else column
