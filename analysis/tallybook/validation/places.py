"""From rows of the data to failures: where each stands, down to the line of a text file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.issue_log import as_frame
from tallybook.validation.model import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.core.errors import Problem
    from tallybook.validation.severity import Severity

_TEXT = r"(?i)\.(csv|tsv|tab|psv|txt)(\.[a-z]+)?$"
"""The files in which a row's number is its line's, unless its key names another."""


def line(file: pl.Expr, key: pl.Expr) -> pl.Expr:
    """Get the physical line of a record.

    >>> keys = pl.DataFrame({"file": ["a.csv", "a.csv", "a.parquet"], "key": ["row 2", "row 3, line 7", "row 2"]})
    >>> keys.select(line(pl.col("file"), pl.col("key"))).to_series().to_list()
    [2, 7, None]
    """
    named = key.str.extract(r"^(?:row \d+, )?line (\d+)")
    row = pl.when(file.str.contains(_TEXT)).then(key.str.extract(r"^row (\d+)$"))
    return pl.coalesce(named, row).cast(pl.Int64, strict=False).alias("line")


def failures_at(
    rows: pl.DataFrame, check: str, severity: Severity, *, column: str, value: pl.Expr, expectation: str | pl.Expr
) -> pl.DataFrame:
    """Make a failure for each of some rows."""
    words = pl.lit(expectation) if isinstance(expectation, str) else expectation
    return rows.select(
        pl.lit(check).alias("check"),
        pl.lit(severity).alias("severity"),
        pl.col("file").fill_null(""),
        line(pl.col("file"), pl.col("key")),
        pl.col("key").fill_null(""),
        pl.lit(column).alias("column"),
        value.cast(pl.String).fill_null("").alias("value"),
        words.alias("expectation"),
        pl.lit(1, dtype=pl.Int64).alias("times"),
    ).select(list(SCHEMA))


def of_problems(problems: Iterable[Problem] | pl.DataFrame, severity: Severity) -> pl.DataFrame:
    """Convert problems of reading and coding to failures; their place names the check if they do not."""
    frame = problems if isinstance(problems, pl.DataFrame) else as_frame(problems)
    has_key, has_column = pl.col("key") != "", pl.col("column") != ""
    by_place = (
        pl.when(has_key & has_column)
        .then(pl.lit("values"))
        .when(has_column)
        .then(pl.lit("columns"))
        .when(has_key)
        .then(pl.lit("records"))
        .otherwise(pl.lit("files"))
    )
    return frame.select(
        pl.when(pl.col("check") == "").then(by_place).otherwise("check").alias("check"),
        pl.lit(severity).alias("severity"),
        "file",
        line(pl.col("file"), pl.col("key")),
        "key",
        "column",
        "value",
        pl.col("expected").alias("expectation"),
        pl.lit(1, dtype=pl.Int64).alias("times"),
    )
