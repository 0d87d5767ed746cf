"""Groups and words of a study of associations, from a CSV file."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources import csv_file
from tallybook.sources.content import Content
from tallybook.study.decisions import DecisionList, RelativeDecisionInstrument
from tallybook.study.sources import CodedSource
from tallybook.study.word_association import WordAssociationInstrument, WordSides

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.instruments import Instrument
    from tallybook.study.model import Study
    from tallybook.study.sources import Source
    from tallybook.study.word_association import WordLists


class Declared(NamedTuple):
    """The lists by which an instrument reads."""

    words: WordLists | WordSides | None = None
    """The words of all datasets, or the groups and words of each."""
    names: tuple[DecisionList, ...] = ()
    """The names of each dataset."""


def declared_by(instrument: Instrument) -> Declared:
    """The lists by which an instrument reads.

    Args:
        instrument: The instrument.

    Returns:
        Their declarations.
    """
    if isinstance(instrument, WordAssociationInstrument):
        return Declared(instrument.listed)
    if isinstance(instrument, RelativeDecisionInstrument):
        return Declared(instrument.sides, instrument.lists)
    return Declared()


def files(study: Study, edition: str) -> list[str]:
    """The files of lists by which the responses of an edition are read.

    Args:
        study: The study.
        edition: The edition of the data.

    Returns:
        Their names, each once.
    """
    return list(dict.fromkeys(name for one in study.sources if one.edition == edition for name in files_of(study, one)))


def files_of(study: Study, source: Source) -> list[str]:
    """The files of lists by which the responses of a source are read; none if they were delivered coded."""
    if isinstance(source, CodedSource):
        return []
    declared = declared_by(study.instrument_of(source))
    return [each.file for each in (declared.words, *declared.names) if each is not None]


def read(folder: Path, declared: WordLists | WordSides | DecisionList) -> pl.DataFrame:
    """Read the lists.

    Args:
        folder: The data folder.
        declared: The declaration.

    Returns:
        One row a row of the file, all strings without blanks at their ends: `row` as users find it; of lists `dataset`,
        `default`, `stigma`, and the words as `words_1`, `words_2`, ... in the order of the declaration; of sides
        `positive` and `negative`; of lists for decisions `dataset`, and each kind of names as `default_1` and so on. An
        empty cell is null.

    Raises:
        DataError: If the file cannot be read, or lacks a column.
    """
    cells, problems = csv_file.read(Content(folder, declared.file), declared.delimiter)
    headers = _headers(declared)
    if cells is not None:
        lacking = [header for header in headers.values() if header not in cells.header]
        misread = csv_file.wrong_delimiter(declared.file, declared.delimiter, cells.header) if lacking else None
        problems = [misread] if misread else [Problem(declared.file, "", name, "", "this column") for name in lacking]
    if cells is None or problems:
        raise DataError(problems)
    columns = {name: cells.column(header) for name, header in headers.items()}
    stripped = pl.exclude("row").str.strip_chars().replace("", None)
    return pl.DataFrame({"row": cells.keys, **columns}).with_columns(stripped)


def _headers(declared: WordLists | WordSides | DecisionList) -> dict[str, str]:
    if isinstance(declared, WordSides):
        return {"positive": declared.positive, "negative": declared.negative}
    if isinstance(declared, DecisionList):
        kinds = {
            f"{kind}_{place}": header
            for kind, headers in declared.headers.items()
            for place, header in enumerate(headers, start=1)
        }
        return {"dataset": declared.dataset} | kinds
    headers = {"dataset": declared.dataset, "default": declared.default, "stigma": declared.stigma}
    return headers | {f"words_{place}": header for place, header in enumerate(declared.words, start=1)}
