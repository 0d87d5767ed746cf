"""Names of groups and tasks that files list by dataset."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem, UsageError
from tallybook.instruments.relative_decision.names import Listed
from tallybook.instruments.relative_decision.tokens import folded
from tallybook.instruments.word_association.listed_words import cells_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.declaration import DecisionList
    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument

_KINDS = ("default", "stigma", "positive", "negative")
_OF_SIDES = {"groups": ("default", "stigma"), "tasks": ("positive", "negative")}
"""Kind of names that a side tells apart -> what they are on either."""


def names_of_files(
    places: Mapping[str, tuple[str, str]],
    instrument: RelativeDecisionInstrument,
    sides: Mapping[str, bool],
    files: Sequence[pl.DataFrame],
) -> tuple[dict[str, Listed], list[Problem]]:
    """The names of the datasets that responses are of."""
    if len(files) != len(instrument.lists):
        raise UsageError("instrument.lists: the files were not read")
    rows = [
        frame.with_columns(pl.col("dataset").replace(instrument.aliases)) if instrument.aliases else frame
        for frame in files
    ]
    known = {dataset for frame in rows for dataset in frame.get_column("dataset").drop_nulls()}
    listed: dict[str, Listed] = {}
    problems: list[Problem] = []
    for dataset, place in places.items():
        if dataset not in known:
            expected = f"one of {', '.join(sorted(known))}"
            problems.append(Problem(*place, instrument.dataset or "", dataset, expected))
            continue
        names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for declared, frame in zip(instrument.lists, rows, strict=True):
            if declared.only is None or dataset in declared.only:
                problems += _add(names, dataset, declared, frame, sides)
        beside = instrument.names_beside.get(dataset)
        for kind in _KINDS if beside is not None else ():
            names[kind] += getattr(beside, kind)
        listed[dataset] = Listed(*(_distinct(names[kind]) for kind in _KINDS))
    return listed, list(dict.fromkeys(problems))


def _add(
    names: dict[str, list[str]], dataset: str, declared: DecisionList, frame: pl.DataFrame, sides: Mapping[str, bool]
) -> Iterator[Problem]:
    """Add what a file lists for a dataset; what stands on no side is wrong."""
    own = frame.filter(pl.col("dataset").is_in([dataset, *declared.also.get(dataset, ())]))
    for kind, headers in declared.headers.items():
        for place, header in enumerate(headers, start=1):
            for row, cell in own.select("row", f"{kind}_{place}").drop_nulls().iter_rows():
                for name in cells_of(cell):
                    if kind not in _OF_SIDES:
                        names[kind].append(name)
                        continue
                    is_stigma = sides.get(folded([name])[0])
                    if is_stigma is None:
                        yield Problem(declared.file, row, header, name, "a name that has a side")
                    else:
                        names[_OF_SIDES[kind][is_stigma]].append(name)


def _distinct(names: Iterable[str]) -> list[str]:
    """Names, each once, whatever its case."""
    every = list(names)
    return list(dict(zip(folded(every), every, strict=True)).values())
