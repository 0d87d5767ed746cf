"""Read and check tables of given means, which cannot be computed again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources import csv_file

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study
    from tallybook.study.reference_tables import SummaryTable


def read_summaries(table: SummaryTable, folder: Path, study: Study) -> pl.DataFrame:
    """Read a table of means.

    The factors of `table.by`, `n`, `mean`, `ci_low` and `ci_high`, a row a cell; an empty mean or limit is null.
    """
    numbers = {"n": table.n, "mean": table.mean, "ci_low": table.ci_low, "ci_high": table.ci_high}
    raw = csv_file.table(folder, table.file, [*table.by, *numbers.values()])
    values = (pl.col(column).cast(pl.Float64, strict=False).alias(name) for name, column in numbers.items())
    read = raw.select(*table.by, *values, pl.col(csv_file.KEY).alias("key"))
    expected = {name: f"one of {', '.join(study.factors[name].levels)}" for name in table.by}
    faults = {name: ~pl.col(name).is_in(list(study.factors[name].levels)).fill_null(value=False) for name in table.by}
    faults |= {"n": (pl.col("n").fill_null(-1) < 0) | (pl.col("n") % 1 != 0)}
    faults |= {"mean": ~pl.col("mean").is_between("ci_low", "ci_high").fill_null(value=True)}
    expected |= {"n": "a whole number, at least 0", "mean": "a number within its interval"}
    problems = [
        Problem(table.file, row["key"], name, "" if row[name] is None else str(row[name]), expected[name])
        for name, fault in faults.items()
        for row in read.filter(fault).iter_rows(named=True)
    ]
    twice = read.filter(pl.struct(table.by).is_duplicated())
    problems += [
        Problem(table.file, row["key"], ", ".join(table.by), ", ".join(row[name] or "" for name in table.by), "once")
        for row in twice.iter_rows(named=True)
    ]
    if problems:
        raise DataError(problems)
    return read.drop("key").with_columns(pl.col("n").cast(pl.Int64))
