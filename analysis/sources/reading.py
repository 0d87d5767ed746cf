"""From a data folder to the study's frame of responses, or of coded responses where these were delivered."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.errors import DataError, Problem, UsageError
from analysis.sources import coded, keyed_json
from analysis.sources.derive import derive, look_up, lookup_files, uncovered
from analysis.sources.patterns import Pattern
from schemas.study.sources import KeyedJsonSource
from schemas.vocabulary import RESPONSE_COLUMNS

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.study import Study


class Dump(NamedTuple):
    """What a data folder held.

    Attributes:
        responses: The rows, in the order of the factors' levels, then of the files: `position` counts them.
        coded: Whether the rows are coded responses rather than responses.
        edition: The edition of the data that was read.
        files: The files that were read, relative to the folder.
        lookups: The files that columns were looked up in, relative to the folder.
    """

    responses: pl.DataFrame
    coded: bool
    edition: str
    files: tuple[str, ...]
    lookups: tuple[str, ...]


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
    chosen = edition or _edition_present(study, folder)
    sources = [source for source in study.sources if source.edition == chosen]
    if not sources:
        declared = ", ".join(dict.fromkeys(source.edition for source in study.sources))
        raise UsageError(f"study {study.name} declares no edition {chosen!r}; declared: {declared}")
    frames: list[pl.DataFrame] = []
    problems: list[Problem] = []
    files: list[str] = []
    lookups: list[str] = []
    for source in sources:
        if isinstance(source, KeyedJsonSource):
            others = [other for other in sources if isinstance(other, KeyedJsonSource) and other is not source]
            found, faults, names, looked_up = _read_keyed_json(source, folder, others)
            lookups += looked_up
        else:
            found, faults = coded.read(source, folder, study)
            names = [source.files]
        problems += faults
        files += names
        frames.append(found)
    kinds = {isinstance(source, KeyedJsonSource) for source in sources}
    if len(kinds) > 1:
        raise UsageError(f"edition {chosen!r} mixes responses and coded responses; give them an edition each")
    if problems:
        raise DataError(problems)
    rows, faults = _factors(pl.concat(frames, how="diagonal"), study)
    is_coded = kinds == {False}
    if not faults and not is_coded:
        faults = _duplicates(rows, study.key)
    if faults:
        raise DataError(faults)
    ordered = _in_order(rows, study, keep_position=is_coded)
    return Dump(ordered, is_coded, chosen, tuple(dict.fromkeys(files)), tuple(dict.fromkeys(lookups)))


def _edition_present(study: Study, folder: Path) -> str:
    for source in study.sources:
        pattern = source.files if isinstance(source, KeyedJsonSource) else None
        if (pattern and keyed_json.files(pattern, folder)) or (not pattern and (folder / source.files).is_file()):
            return source.edition
    forms = " or ".join(source.files for source in study.sources)
    raise UsageError(f"{folder} holds no files of the form {forms}; another data folder is chosen with --data")


def _read_keyed_json(
    source: KeyedJsonSource, folder: Path, others: list[KeyedJsonSource]
) -> tuple[pl.DataFrame, list[Problem], list[str], list[str]]:
    frame, problems = keyed_json.read(source, folder, others)
    form = Pattern.parse(source.files)
    names = [name for _, name in keyed_json.files(source.files, folder) if form.match(name)]
    if not names:
        problems.append(Problem("", "", "", "", f"files of the form {source.files}"))
    lookups: list[str] = []
    # Lookups and derivations run although some records are broken, so that one run reports all faults.
    for lookup in source.lookups:
        lookups += lookup_files(frame, lookup)
        frame, faults = look_up(frame, lookup, folder)
        problems += faults
    for name, rule in source.derive.items():
        frame, faults = derive(frame, name, rule)
        problems += faults
    return frame, problems, names, lookups


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


def _duplicates(rows: pl.DataFrame, key: tuple[str, ...]) -> list[Problem]:
    """Responses whose key another response has too."""
    columns = list(key)
    repeated = rows.filter(pl.struct(columns).is_duplicated())
    return [
        Problem(
            row["file"],
            row["key"],
            ", ".join(columns),
            ", ".join(str(row[column]) for column in columns),
            "each response once",
        )
        for row in repeated.sort(columns, maintain_order=True).iter_rows(named=True)
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
        pl.lit(1, dtype=pl.Int64).alias("count"),
        position,
        pl.format("{}#{}", "file", "key").alias("response_id"),
    )
    delivered = [
        name
        for source in study.sources
        if isinstance(source, KeyedJsonSource)
        for name in source.columns
        if name in ordered.columns
    ]
    kept = [name for name in RESPONSE_COLUMNS if name in ordered.columns]
    chosen = ordered.select(list(dict.fromkeys([*kept, *study.factors, *study.key, *delivered])))
    return chosen.with_columns(pl.col("item").cast(pl.String))  # a number that the path or key captures
