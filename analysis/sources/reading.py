"""From a data folder to the study's frame of responses, or of coded responses where these were delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from analysis.errors import DataError, Problem, UsageError
from analysis.sources import coded, csv_responses, keyed_json
from analysis.sources.delivery import Delivery, Inputs
from analysis.sources.derive import derive, uncovered
from analysis.sources.folder import Folder
from schemas.study.sources import PART, CodedSource, CsvSource
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


class Part(NamedTuple):
    """What one file, or one source of few rows, held.

    Attributes:
        rows: The rows, in the order of the file.
        source: The source it belongs to.
    """

    rows: pl.DataFrame
    source: Source

    @property
    def is_coded(self) -> bool:
        """Whether the rows are coded responses rather than responses."""
        return isinstance(self.source, CodedSource)


class Dump(NamedTuple):
    """What a data folder held.

    Attributes:
        parts: The rows, part by part, so that no stage has to hold everything twice.
        edition: The edition of the data that was read.
        files: The files that were read, relative to the folder.
        lookups: The files that columns were looked up in and lists of items, relative to the folder.
        findings: What is wrong with the data and declared as known.
    """

    parts: tuple[Part, ...]
    edition: str
    files: tuple[str, ...]
    lookups: tuple[str, ...]
    findings: tuple[Problem, ...] = ()

    @property
    def responses(self) -> pl.DataFrame:
        """All rows together."""
        return pl.concat([part.rows for part in self.parts], how="diagonal_relaxed")


def read(study: Study, folder: Path, edition: str | None = None, own: Path | None = None) -> Dump:
    """Read all sources of one edition of a study's data.

    Args:
        study: The study.
        folder: The data folder.
        edition: Which edition to read; by default the first one declared whose files the folder holds.
        own: The folder of the study's own files; the data folder by default.

    Returns:
        The dump.

    Raises:
        UsageError: If the folder does not exist, holds no edition, or the edition is not declared.
        DataError: With everything that is wrong with the data.
    """
    if not folder.is_dir():
        raise UsageError(f"no data folder {folder}")
    inputs = Inputs(Folder(folder), study, own or folder)
    chosen = edition or _edition_present(inputs)
    sources = [source for source in study.sources if source.edition == chosen]
    if not sources:
        declared = ", ".join(dict.fromkeys(source.edition for source in study.sources))
        raise UsageError(f"study {study.name} declares no edition {chosen!r}; declared: {declared}")
    deliveries = [_READERS[source.format](source, inputs) for source in sources]
    problems = [problem for delivery in deliveries for problem in delivery.problems]
    findings = [finding for delivery in deliveries for finding in delivery.findings]
    if problems:
        raise DataError(problems)
    parts: list[Part] = []
    for source, delivery in zip(sources, deliveries, strict=True):
        for rows in delivery.frames:
            found, faults = _factors(rows, study)
            problems += faults
            parts.append(Part(found, source))
    # A value from which one factor cannot be derived may be no level of another either: once is enough.
    problems = list({(problem.file, problem.key, problem.column): problem for problem in problems}.values())
    if not problems:
        problems, known = _duplicates(parts, study.key)
        findings += known
    if problems:
        raise DataError(problems)
    return Dump(
        tuple(part if part.is_coded else part._replace(rows=_leaving(part, study)) for part in parts),
        chosen,
        tuple(dict.fromkeys(name for delivery in deliveries for name in delivery.files)),
        tuple(dict.fromkeys(name for delivery in deliveries for name in delivery.lookups)),
        tuple(findings),
    )


def _edition_present(inputs: Inputs) -> str:
    delivered = [source for source in inputs.study.sources if not (isinstance(source, CodedSource) and source.own)]
    for source in delivered:
        if inputs.candidates(source):
            return source.edition
    forms = " or ".join(source.files for source in delivered)
    shown = inputs.folder.path
    raise UsageError(f"{shown} holds no files of the form {forms}; another data folder is chosen with --data")


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
    return rows, problems


def _duplicates(parts: Sequence[Part], key: Sequence[str]) -> tuple[list[Problem], list[Problem]]:
    """Responses whose key another response has too: those at fault, and all where some source knows of its own."""
    known = [isinstance(part.source, CsvSource) and part.source.duplicates == "report" for part in parts]
    keys = [
        part.rows.select(*dict.fromkeys([*key, "file", "key"]), pl.lit(is_known).alias(_KNOWN))
        for part, is_known in zip(parts, known, strict=True)
        if not part.is_coded
    ]
    if not keys:
        return [], []
    together = pl.concat(keys, how="vertical_relaxed")
    repeated = together.filter(pl.struct(key).is_duplicated()).sort(key, maintain_order=True)
    column = ", ".join(key)
    told = [
        Problem(row["file"], row["key"], column, ", ".join(str(row[name]) for name in key), "each response once")
        for row in repeated.iter_rows(named=True)
    ]
    at_fault = repeated.get_column(_KNOWN).not_()
    return [problem for problem, fault in zip(told, at_fault, strict=True) if fault], told


def _leaving(part: Part, study: Study) -> pl.DataFrame:
    """Responses with the columns that leave the stage."""
    rows = part.rows
    if "count" not in rows.columns:
        rows = rows.with_columns(pl.lit(1, dtype=pl.Int64).alias("count"))
    rows = rows.with_columns(
        pl.int_range(pl.len(), dtype=pl.Int64).alias("position"),
        pl.format("{}#{}", "file", "key").alias("response_id"),
        pl.col("item").cast(pl.String),  # a number that the path or key captures
    )
    kept = [name for name in RESPONSE_COLUMNS if name in rows.columns]
    wanted = dict.fromkeys([*kept, *study.factors, *study.key, *_delivered(part.source)])
    return rows.select([name for name in wanted if name in rows.columns])


def _delivered(source: Source) -> list[str]:
    """The columns that leave the stage because a source declares them, whatever they are for."""
    if isinstance(source, CodedSource):
        return []
    constants = source.constants if isinstance(source, CsvSource) else {}
    taken = (name for lookup in source.lookups for name in lookup.take)
    captured = (name for name, _ in PART.findall(source.files))
    return [*captured, *source.columns, *constants, *taken, *source.derive]
