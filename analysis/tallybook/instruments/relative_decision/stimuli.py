"""The names of groups and tasks, from the study, columns of the responses, or files."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments.relative_decision import files as decision_files
from tallybook.instruments.relative_decision.names import Listed, names
from tallybook.instruments.relative_decision.tokens import folded
from tallybook.instruments.word_association.listed_words import BETWEEN, cells_of, names_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
    from tallybook.instruments.relative_decision.names import Names
    from tallybook.instruments.word_association.declaration import WordSides

_KINDS = ("default", "stigma", "positive", "negative")
_EXPECTED = ("a default group", "a stigmatised group", "a positive task", "a negative task")


class KnownNames(NamedTuple):
    """The names that responses may use."""

    keys: pl.Series  # of each response, which names are its own
    names: Mapping[str, Names]  # key -> names


def known_names(
    responses: pl.DataFrame,
    instrument: RelativeDecisionInstrument,
    lists: pl.DataFrame | None,
    listed_names: Sequence[pl.DataFrame] = (),
) -> KnownNames:
    """Find the names that each response may use."""
    keys = _keys(responses, instrument).alias("names")
    rows = responses.select("file", "key").with_columns(keys).unique("names", keep="first", maintain_order=True)
    places = {key: (file, row) for file, row, key in rows.iter_rows()}
    problems: list[Problem] = []
    if instrument.columns is not None:
        listed = {key: Listed(*map(names_of, key.split(BETWEEN))) for key in places}
    elif instrument.lists:
        sides, problems = ({}, []) if instrument.sides is None else _sides(lists, instrument.sides)
        listed, lost = decision_files.names_of_files(places, instrument, sides, listed_names)
        problems += lost
    elif instrument.sides is not None and instrument.offered is not None:
        sides, problems = _sides(lists, instrument.sides)
        listed, lost = _offered(places, sides, instrument.sides.file, len(instrument.offered.groups))
        problems += lost
    else:
        listed, problems = _declared(places, instrument)
    columns = _KINDS if instrument.columns is None else tuple(instrument.columns.model_dump().values())
    problems += [problem for key, own in listed.items() for problem in _faults(*places[key], columns, own)]
    if problems:
        raise DataError(problems)
    plurals = instrument.phrases.plurals == "english"
    return KnownNames(keys, {key: names(own, instrument.spellings, plurals=plurals) for key, own in listed.items()})


def _keys(responses: pl.DataFrame, instrument: RelativeDecisionInstrument) -> pl.Series:
    """The cells that name groups and tasks, or the dataset."""
    if instrument.columns is not None:
        declared = instrument.columns
        columns: tuple[str, ...] = (declared.default, declared.stigma, declared.positive, declared.negative)
    elif instrument.offered is not None:
        columns = (*instrument.offered.groups, *instrument.offered.tasks)
    else:
        columns = () if instrument.dataset is None else (instrument.dataset,)
    cells = [pl.col(column).cast(pl.String).fill_null("").str.strip_chars() for column in columns]
    only = pl.repeat(next(iter(instrument.names), ""), pl.len(), dtype=pl.String)
    keys = responses.select(pl.concat_str(cells, separator=BETWEEN) if cells else only).to_series()
    return keys.replace(instrument.aliases) if instrument.aliases else keys


def _declared(
    places: Mapping[str, tuple[str, str]], instrument: RelativeDecisionInstrument
) -> tuple[dict[str, Listed], list[Problem]]:
    listed: dict[str, Listed] = {}
    problems: list[Problem] = []
    for key, place in places.items():
        if key in instrument.names:
            own = instrument.names[key]
            listed[key] = Listed(own.default, own.stigma, own.positive, own.negative)
        else:
            problems.append(Problem(*place, instrument.dataset or "", key, f"one of {', '.join(instrument.names)}"))
    return listed, problems


def _sides(rows: pl.DataFrame | None, declared: WordSides) -> tuple[dict[str, bool], list[Problem]]:
    """Folded names -> whether they stand on the side of stigmatised groups; and those on both sides."""
    if rows is None:
        raise UsageError(f"instrument.sides: {declared.file} was not read")
    positive, negative = (
        set(folded(rows.get_column(side).drop_nulls().to_list())) - {""} for side in ("positive", "negative")
    )
    problems = [
        Problem(declared.file, "", declared.negative, name, f"a name that is not in {declared.positive}")
        for name in sorted(positive & negative)
    ]
    return dict.fromkeys(positive, False) | dict.fromkeys(negative, True), problems


def _offered(
    places: Mapping[str, tuple[str, str]], sides: Mapping[str, bool], file: str, groups: int
) -> tuple[dict[str, Listed], list[Problem]]:
    """Get the offer of each prompt by side, the first cells being groups; and names that stand on no side."""
    listed: dict[str, Listed] = {}
    problems: list[Problem] = []
    for key, place in places.items():
        cells = key.split(BETWEEN)
        kinds: list[list[str]] = []
        for kind, own in (("groups", cells[:groups]), ("tasks", cells[groups:])):
            offered = cells_of(BETWEEN.join(own))
            side = dict(zip(offered, folded(offered), strict=True))
            kinds += [[name for name in offered if sides.get(side[name]) is is_stigma] for is_stigma in (False, True)]
            problems += [
                Problem(*place, f"offered.{kind}", name, f"a name in {file}")
                for name in offered
                if side[name] not in sides
            ]
        listed[key] = Listed(*kinds)
    return listed, problems


def _faults(file: str, row: str, columns: tuple[str, ...], listed: Listed) -> Iterator[Problem]:
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
