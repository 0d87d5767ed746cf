"""Declared combinations of factors that the data lack: expected files that are missing, levels without responses."""

from __future__ import annotations

import itertools
from math import prod
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.sources.conditions import fits
from tallybook.sources.derive import derive
from tallybook.sources.read_result import Parts
from tallybook.study.record_sources import RecordSource
from tallybook.study.source_base import PART
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.sources.read_result import Inputs
    from tallybook.study.derivation import Derivation
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource, Source

_MOST = 100_000
"""The largest number of declared combinations of a pattern that are checked for missing files."""


Levels = dict[str, str | None]
"""Factor -> level; None where the level is unknown."""


def levels_of_paths(study: Study, source: Source, parts: Sequence[Mapping[str, str | int]]) -> list[Levels]:
    """Return, for each path's parts, the levels of factors that follow from these and from constants alone."""
    names = dict.fromkeys(name for each in parts for name in each)
    texts = {name: [str(each[name]) if name in each else None for each in parts] for name in names}
    frame = pl.DataFrame({"_": [""] * len(parts), **texts})
    constants: Mapping[str, object] = source.constants if isinstance(source, RecordSource | CodedSource) else {}
    frame = frame.with_columns(pl.lit(str(value)).alias(name) for name, value in constants.items())
    for name, rule in ({} if isinstance(source, CodedSource) else source.derive).items():
        frame = _derived(frame, name, rule)
    for name, factor in study.factors.items():
        if name not in frame.columns and factor.derive is not None:
            frame = _derived(frame, name, factor.derive)
    known = {name: factor.levels for name, factor in study.factors.items() if name in frame.columns}
    return [
        {name: row[name] if row[name] in levels else None for name, levels in known.items()}
        for row in frame.iter_rows(named=True)
    ]


def without_file(study: Study, inputs: Inputs, edition: str) -> tuple[list[Problem], list[Problem]]:
    """Return problems of declared combinations of factors without a file: errors, and those that are only reported."""
    sources = [source for source in study.sources if source.edition == edition]
    present: list[list[Levels]] = []
    for source in sources:
        files = [(source.files, Parts())] if isinstance(source, CodedSource) else inputs.files(source)[0]
        present.append(levels_of_paths(study, source, [parts for _, parts in files]))
    problems: dict[str, list[Problem]] = {"error": [], "report": [], "ignore": []}
    for place, source in enumerate(sources):
        if not isinstance(source, CodedSource) and present[place]:
            problems[source.missing_files] += _lacking(study, source, present)
    return problems["error"], problems["report"]


def without_responses(study: Study, rows: pl.LazyFrame) -> list[Problem]:
    """Return a problem for each declared level of a factor that no response has."""
    found = rows.select(pl.col(name).unique().implode() for name in study.factors).collect(engine="streaming")
    return [
        Problem("", "", name, "", f"a response with the declared level {level!r}", "levels")
        for name, factor in study.factors.items()
        for level in factor.levels
        if level not in found.item(0, name).to_list()
    ]


def in_words(levels: Mapping[str, str | None]) -> str:
    """Format levels of factors in words: `model a, group b`."""
    return ", ".join(f"{name} {level}" for name, level in levels.items() if level is not None)


def _derived(frame: pl.DataFrame, name: str, rule: Derivation) -> pl.DataFrame:
    return derive(frame, name, rule)[0] if set(rule.columns) <= set(frame.columns) else frame


def _lacking(study: Study, source: ResponseSource, present: Sequence[Sequence[Levels]]) -> list[Problem]:
    """Return problems of the files that a source lacks; `present` holds the levels of each source's files."""
    values = {part: found for part, _ in PART.findall(source.forms[0]) if (found := _values(study, source, part))}
    if not values or prod(map(len, values.values())) > _MOST:
        return []
    declared = [dict(zip(values, chosen, strict=True)) for chosen in itertools.product(*values.values())]
    kept = pl.lit(value=True) if source.keep is None else fits(source.keep, set(values))
    declared = pl.DataFrame(declared).filter(kept).rows(named=True)
    levels = levels_of_paths(study, source, declared)
    expected = [(parts, row) for parts, row in zip(declared, levels, strict=True) if row and None not in row.values()]
    known: list[tuple[list[str], set[tuple[str | None, ...]]]] = []
    for rows in present:
        shared = [name for name in (levels[0] if levels else ()) if rows and name in rows[0]]
        known.append((shared, {tuple(row[name] for name in shared) for row in rows}))
    # Another source may have the combination; one whose paths do not show the levels may contain any.
    missing = {
        tuple(row.values()): (parts, row)
        for parts, row in reversed(expected)
        if not any(tuple(row[name] for name in shared) in rows for shared, rows in known)
    }
    lacking: list[tuple[Mapping[str, str], Levels]] = []
    for part, listed in values.items():  # a value without any file is reported once
        for value in listed if len(listed) > 1 else ():
            own = [row for parts, row in expected if parts[part] == value]
            if own and all(tuple(row.values()) in missing for row in own):
                common = {name: level for name, level in own[0].items() if all(row[name] == level for row in own)}
                lacking.append(({part: value}, common))
                for row in own:
                    missing.pop(tuple(row.values()), None)
    lacking += [missing[row] for row in reversed(missing)]
    return [_problem(source, parts, row) for parts, row in lacking]


def _values(study: Study, source: ResponseSource, part: str) -> list[str]:
    """List the values that a study declares for a part of paths; empty if any value is allowed."""
    factor = study.factors.get(part)
    if factor is not None and factor.derive is None and part not in source.derive:
        return list(factor.levels)
    rules = [*source.derive.values(), *(one.derive for one in study.factors.values() if one.derive is not None)]
    maps = [rule.map for rule in rules if rule.source == part and rule.map is not None and rule.otherwise is None]
    return [value for value in maps[0] if all(value in other for other in maps)] if maps else []


def _problem(source: ResponseSource, parts: Mapping[str, str], levels: Levels) -> Problem:
    name = PART.sub(lambda found: parts.get(found[1], found[0]), source.forms[0])
    return Problem(name, "", "", "", f"this file: the study declares {in_words(levels)}")
