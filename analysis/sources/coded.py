"""Count-weighted tables of coded responses: the pipeline entered after coding."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import Problem
from schemas.study.coding import CategoryOutcome, ScoreOutcome
from schemas.vocabulary import CODED_STATUSES

if TYPE_CHECKING:
    from pathlib import Path

    from polars._typing import PolarsDataType

    from schemas.study import Study
    from schemas.study.sources import CodedSource

_WORDS: dict[PolarsDataType, str] = {pl.Int64: "a whole number", pl.Float64: "a finite number"}


def coded_columns(study: Study) -> dict[str, PolarsDataType]:
    """The columns of a table of a study's coded responses and their types.

    Args:
        study: The study.

    Returns:
        Factors (derived ones too), item, status, outcomes and count, in the order in which they are written.
    """
    columns: dict[str, PolarsDataType] = dict.fromkeys([*study.factors, "item", "status"], pl.String())
    for name, outcome in study.outcomes.items():
        columns[name] = pl.Float64() if isinstance(outcome, ScoreOutcome) else pl.String()
    columns["count"] = pl.Int64()
    return columns


def read(source: CodedSource, folder: Path, study: Study) -> tuple[pl.DataFrame, list[Problem]]:
    """Read a table of coded responses.

    Args:
        source: The declaration: the file, CSV or Parquet.
        folder: The data folder.
        study: The study, which says what the columns are. A `position` is the row's number, counted from 0.

    Returns:
        The coded responses with `position`, `file` and `key`, and everything that is wrong with them.
    """
    path = folder / source.files
    try:
        raw = pl.read_parquet(path) if path.suffix == ".parquet" else pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        reason = "a readable file" if isinstance(error, OSError) else f"a table ({str(error).splitlines()[0]})"
        return pl.DataFrame(), [Problem(source.files, "", "", "", reason)]
    wanted = coded_columns(study)
    problems = [Problem(source.files, "", name, "", "this column") for name in wanted if name not in raw.columns]
    known = ", ".join(wanted)
    problems += [
        Problem(source.files, "", name, "", f"one of the columns {known}") for name in raw.columns if name not in wanted
    ]
    if problems:
        return pl.DataFrame(), problems
    # A CSV's first row of data is its second line.
    header_lines = 0 if path.suffix == ".parquet" else 1
    rows = raw.with_row_index("position").with_columns(
        pl.lit(source.files).alias("file"),
        pl.format("row {}", pl.col("position") + 1 + header_lines).alias("key"),
        pl.col("position").cast(pl.Int64),
    )
    for name, kind in wanted.items():
        rows, faults = _cast(rows, name, kind)
        problems += faults
    problems += _out_of_vocabulary(rows, study)
    return rows, problems


def _cast(rows: pl.DataFrame, name: str, kind: PolarsDataType) -> tuple[pl.DataFrame, list[Problem]]:
    typed = rows.with_columns(pl.col(name).cast(kind, strict=False).alias("_typed"))
    wrong = pl.col("_typed").is_null() & pl.col(name).is_not_null()
    if kind == pl.Float64():
        wrong = wrong | ~pl.col("_typed").is_finite().fill_null(value=True)
    faults = [
        Problem(row["file"], row["key"], name, str(row[name]), _WORDS.get(kind, "text"))
        for row in typed.filter(wrong).iter_rows(named=True)
    ]
    return typed.with_columns(pl.col("_typed").alias(name)).drop("_typed"), faults


def _out_of_vocabulary(rows: pl.DataFrame, study: Study) -> list[Problem]:
    """Statuses, counts and categories that the study does not know."""
    allowed = {"status": list(CODED_STATUSES)}
    allowed |= {
        name: list(outcome.labels) for name, outcome in study.outcomes.items() if isinstance(outcome, CategoryOutcome)
    }
    wrong = {name: pl.col(name).is_not_null() & ~pl.col(name).is_in(values) for name, values in allowed.items()}
    wrong["status"] = wrong["status"] | pl.col("status").is_null()
    wrong["count"] = pl.col("count").is_null() | (pl.col("count") < 1)
    return [
        Problem(
            row["file"],
            row["key"],
            name,
            "" if row[name] is None else str(row[name]),
            f"one of {', '.join(allowed[name])}" if name in allowed else "a whole number of at least 1",
        )
        for name, fault in wrong.items()
        for row in rows.filter(fault).iter_rows(named=True)
    ]
