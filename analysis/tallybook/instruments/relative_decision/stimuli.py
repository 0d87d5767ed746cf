"""The names of groups and tasks, from the study, columns of the responses, or files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments.relative_decision.names import KnownNames
from tallybook.instruments.word_association.names import folded
from tallybook.instruments.word_association.stimuli import (
    BETWEEN,
    Names,
    cells_of,
    names_of_cells,
    sides_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.instrument import DecisionList, RelativeDecisionInstrument

_KINDS = ("default", "stigma", "positive", "negative")
_EXPECTED = ("a default group", "a stigmatised group", "a positive task", "a negative task")
_OF_SIDES = {"groups": ("default", "stigma"), "tasks": ("positive", "negative")}
"""Kind of names that a side tells apart -> what they are on either."""


def known_names(
    responses: pl.DataFrame,
    instrument: RelativeDecisionInstrument,
    lists: pl.DataFrame | None,
    listed_names: Sequence[pl.DataFrame] = (),
) -> tuple[pl.Series, Mapping[str, KnownNames]]:
    """Find the key of each response's names, and the names by key."""
    keys = _keys(responses, instrument).alias("names")
    rows = responses.select("file", "key").with_columns(keys).unique("names", keep="first", maintain_order=True)
    places = {key: (file, row) for file, row, key in rows.iter_rows()}
    sides: dict[str, bool] = {}
    problems: list[Problem] = []
    if instrument.sides is not None:
        if lists is None:
            raise UsageError(f"instrument.sides: {instrument.sides.file} was not read")
        sides, problems = sides_of(lists, instrument.sides)
    listed: dict[str, Names] = {}
    if instrument.columns is not None:
        listed = {key: names_of_cells(key) for key in places}
    elif instrument.lists:
        listed, lost = _of_files(places, instrument, sides, listed_names)
        problems += lost
    else:
        known = {key: Names(*(getattr(own, kind) for kind in _KINDS)) for key, own in instrument.names.items()}
        listed = {key: known[key] for key in places if key in known}
        expected = f"one of {', '.join(known)}"
        problems = [
            Problem(*place, instrument.dataset or "", key, expected)
            for key, place in places.items()
            if key not in known
        ]
    columns = _KINDS if instrument.columns is None else tuple(instrument.columns.model_dump().values())
    problems += [problem for key, own in listed.items() for problem in _faults(*places[key], columns, own)]
    if problems:
        raise DataError(list(dict.fromkeys(problems)))
    return keys, {key: KnownNames(own, instrument.spellings) for key, own in listed.items()}


def _keys(responses: pl.DataFrame, instrument: RelativeDecisionInstrument) -> pl.Series:
    """The cells that name groups and tasks, or the dataset."""
    if instrument.columns is not None:
        columns: tuple[str, ...] = tuple(instrument.columns.model_dump().values())
    else:
        columns = () if instrument.dataset is None else (instrument.dataset,)
    cells = [pl.col(column).cast(pl.String).fill_null("").str.strip_chars() for column in columns]
    only = pl.repeat(next(iter(instrument.names), ""), pl.len(), dtype=pl.String)
    keys = responses.select(pl.concat_str(cells, separator=BETWEEN) if cells else only).to_series()
    return keys.replace(instrument.aliases) if instrument.aliases else keys


def _of_files(
    places: Mapping[str, tuple[str, str]],
    instrument: RelativeDecisionInstrument,
    sides: Mapping[str, bool],
    files: Sequence[pl.DataFrame],
) -> tuple[dict[str, Names], list[Problem]]:
    """The names that files list for the datasets of responses."""
    if len(files) != len(instrument.lists):
        raise UsageError("instrument.lists: the files were not read")
    rows = [frame.with_columns(pl.col("dataset").replace(instrument.aliases)) for frame in files]
    known = {dataset for frame in rows for dataset in frame.get_column("dataset").drop_nulls()}
    listed: dict[str, Names] = {}
    problems: list[Problem] = []
    for dataset, place in places.items():
        if dataset not in known:
            expected = f"one of {', '.join(sorted(known))}"
            problems.append(Problem(*place, instrument.dataset or "", dataset, expected))
            continue
        names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for declared, frame in zip(instrument.lists, rows, strict=True):
            if declared.only is None or dataset in declared.only:
                own = frame.filter(pl.col("dataset").is_in([dataset, *declared.also.get(dataset, ())]))
                problems += _add(names, declared, own, sides)
        if dataset in instrument.names_beside:
            for kind in _KINDS:
                names[kind] += getattr(instrument.names_beside[dataset], kind)
        # Each name once, whatever its case.
        listed[dataset] = Names(*([*dict(zip(folded(own), own, strict=True)).values()] for own in names.values()))
    return listed, problems


def _add(
    names: dict[str, list[str]], declared: DecisionList, rows: pl.DataFrame, sides: Mapping[str, bool]
) -> Iterator[Problem]:
    """Add what rows of a file list; what stands on no side is wrong."""
    for kind, headers in declared.headers.items():
        for place, header in enumerate(headers, start=1):
            for row, cell in rows.select("row", f"{kind}_{place}").drop_nulls().iter_rows():
                for name in cells_of(cell):
                    side = sides.get(folded([name])[0]) if kind in _OF_SIDES else False
                    if side is None:
                        yield Problem(declared.file, row, header, name, "a name that has a side")
                    else:
                        names[_OF_SIDES[kind][side] if kind in _OF_SIDES else kind].append(name)


def _faults(file: str, row: str, columns: tuple[str, ...], listed: Names) -> Iterator[Problem]:
    """List the faults of names: none of a kind, without letters and digits, of two kinds."""
    kinds = [list(own) for own in listed]
    forms = [folded(own) for own in kinds]
    for number, (column, own) in enumerate(zip(columns, kinds, strict=True)):
        if not own:
            yield Problem(file, row, column, "", _EXPECTED[number])
        for name, form in zip(own, forms[number], strict=True):
            later = [other for other in range(number + 1, len(forms)) if form in forms[other]]
            if not form:
                yield Problem(file, row, column, name, "letters or digits")
            elif later:
                yield Problem(file, row, column, name, f"a name that is not {_EXPECTED[later[0]]} as well")
