"""From a data folder to the study's frame of responses, or of coded responses where these were delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from analysis.errors import DataError, Problem, UsageError
from analysis.sources import coded, csv_responses, keyed_json
from analysis.sources.delivery import Delivery, Inputs
from analysis.sources.derive import derive, uncovered
from analysis.sources.folder import Folder
from schemas.study.sources import CodedSource, CsvSource
from schemas.vocabulary import RESPONSE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from schemas.study import Study
    from schemas.study.sources import Source

_READERS: dict[str, Callable[[Any, Inputs], Delivery]] = {
    "keyed-json": keyed_json.read,
    "csv": csv_responses.read,
    "coded": coded.read,
}
"""Format -> what reads a source of this format."""
_KNOWN = "_known"
"""Marks rows that may be repeated while they are read."""


class Dump(NamedTuple):
    """What a data folder held.

    Attributes:
        responses: The rows, in the order of the factors' levels, then of the files: `position` counts them.
        coded: Whether the rows are coded responses rather than responses.
        edition: The edition of the data that was read.
        files: The files that were read, relative to the folder.
        lookups: The files that columns were looked up in and lists of items, relative to the folder.
        findings: What is wrong with the data and declared as known.
        unique: The columns that identify a response; none where the study knows of repeated ones.
    """

    responses: pl.DataFrame
    coded: bool
    edition: str
    files: tuple[str, ...]
    lookups: tuple[str, ...]
    findings: tuple[Problem, ...] = ()
    unique: tuple[str, ...] = ()


def read(study: Study, folder: Path, edition: str | None = None) -> Dump:
    """Read all sources of one edition of a study's data.

    Args:
        study: The study.
        folder: The data folder.
        edition: Which edition to read; by default the first one declared whose files the folder holds.

    Returns:
        The dump.

    Raises:
        UsageError: If the folder does not exist, holds no edition, or the edition is not declared.
        DataError: With everything that is wrong with the data.
    """
    if not folder.is_dir():
        raise UsageError(f"no data folder {folder}")
    inputs = Inputs(Folder(folder), study)
    chosen = edition or _edition_present(inputs)
    sources = [source for source in study.sources if source.edition == chosen]
    if not sources:
        declared = ", ".join(dict.fromkeys(source.edition for source in study.sources))
        raise UsageError(f"study {study.name} declares no edition {chosen!r}; declared: {declared}")
    is_coded = isinstance(sources[0], CodedSource)
    if any(isinstance(source, CodedSource) != is_coded for source in sources):
        raise UsageError(f"edition {chosen!r} mixes responses and coded responses; give them an edition each")
    deliveries = [_READERS[source.format](source, inputs) for source in sources]
    if problems := [problem for delivery in deliveries for problem in delivery.problems]:
        raise DataError(problems)
    rows, problems = _factors(_together(sources, deliveries), study)
    findings = [finding for delivery in deliveries for finding in delivery.findings]
    repeated = rows.clear() if is_coded or problems else _repeated(rows, study.key)
    problems += _duplicates(repeated.filter(~pl.col(_KNOWN)), study.key)
    if problems:
        raise DataError(problems)
    findings += _duplicates(repeated, study.key)
    return Dump(
        _in_order(rows.drop(_KNOWN), study, keep_position=is_coded),
        is_coded,
        chosen,
        tuple(dict.fromkeys(name for delivery in deliveries for name in delivery.files)),
        tuple(dict.fromkeys(name for delivery in deliveries for name in delivery.lookups)),
        tuple(findings),
        () if is_coded or repeated.height else study.key,
    )


def _edition_present(inputs: Inputs) -> str:
    for source in inputs.study.sources:
        if inputs.candidates(source):
            return source.edition
    forms = " or ".join(source.files for source in inputs.study.sources)
    shown = inputs.folder.path
    raise UsageError(f"{shown} holds no files of the form {forms}; another data folder is chosen with --data")


def _together(sources: Sequence[Source], deliveries: Sequence[Delivery]) -> pl.DataFrame:
    """The rows of all sources, marked where their source knows of repeated responses."""
    frames = [
        delivery.rows.with_columns(
            pl.lit(isinstance(source, CsvSource) and source.duplicates == "report").alias(_KNOWN)
        )
        for source, delivery in zip(sources, deliveries, strict=True)
    ]
    return pl.concat(
        [
            frame if "count" in frame.columns else frame.with_columns(pl.lit(1, dtype=pl.Int64).alias("count"))
            for frame in frames
        ],
        how="diagonal",
    )


def _factors(rows: pl.DataFrame, study: Study) -> tuple[pl.DataFrame, list[Problem]]:
    """Derive the factors that the data do not hold, and find the values that are no level."""
    problems: list[Problem] = []
    for name, factor in study.factors.items():
        faults: list[Problem] = []
        if name not in rows.columns and factor.derive is not None:
            rows, faults = derive(rows, name, factor.derive)
        rows = rows.with_columns(pl.col(name).cast(pl.String))  # a number that the path or key captures
        if not faults:  # what could not be derived is reported once, by its origin
            unknown = rows.filter(~pl.col(name).is_in(list(factor.levels)).fill_null(value=False))
            faults = uncovered(unknown, name, f"one of {', '.join(factor.levels)}")
        problems += faults
    # A value from which one factor cannot be derived may be no level of another either: once is enough.
    return rows, list({(problem.file, problem.key, problem.column): problem for problem in problems}.values())


def _repeated(rows: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    """Responses whose key another response has too, together."""
    return rows.filter(pl.struct(key).is_duplicated()).sort(key, maintain_order=True)


def _duplicates(repeated: pl.DataFrame, key: Sequence[str]) -> list[Problem]:
    """One problem for each response whose key another has too."""
    column = ", ".join(key)
    return [
        Problem(row["file"], row["key"], column, ", ".join(str(row[name]) for name in key), "each response once")
        for row in repeated.iter_rows(named=True)
    ]


def _in_order(rows: pl.DataFrame, study: Study, *, keep_position: bool) -> pl.DataFrame:
    """Rows in the order of the factors' levels, then as read, with the columns that leave the stage."""
    position = pl.int_range(pl.len(), dtype=pl.Int64).alias("position")
    if keep_position:
        return rows.with_columns(position)
    ranks = [
        pl.col(name).replace_strict({level: rank for rank, level in enumerate(factor.levels)}, return_dtype=pl.Int32)
        for name, factor in study.factors.items()
    ]
    ordered = (rows.sort(ranks, maintain_order=True) if ranks else rows).with_columns(
        position,
        pl.format("{}#{}", "file", "key").alias("response_id"),
    )
    delivered = [name for source in study.sources for name in _delivered(source) if name in ordered.columns]
    kept = [name for name in RESPONSE_COLUMNS if name in ordered.columns]
    chosen = ordered.select(list(dict.fromkeys([*kept, *study.factors, *study.key, *delivered])))
    return chosen.with_columns(pl.col("item").cast(pl.String))  # a number that the path or key captures


def _delivered(source: Source) -> list[str]:
    """The columns that leave the stage because a source declares them, whatever they are for."""
    if isinstance(source, CodedSource):
        return []
    constants = source.constants if isinstance(source, CsvSource) else {}
    return [*source.columns, *constants, *source.derive]
