"""Reference distributions: known population proportions, read and checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import DataError, Problem
from schemas.checking import check
from schemas.frames import References
from schemas.study.coding import CategoryOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from schemas.study import Study
    from schemas.study.analyses import ReferenceTable


def read_references(table: ReferenceTable, folder: Path, study: Study) -> pl.DataFrame:
    """Read a reference table.

    Args:
        table: The declaration.
        folder: The folder its file lies in.
        study: The study, whose factors give the allowed groups.

    Returns:
        `table.by`, `outcome`, `category`, `proportion`, `source`, checked.

    Raises:
        DataError: If the file cannot be read, a proportion is no number between 0 and 1, a group or outcome is
            unknown, or a proportion is given twice.
    """
    try:
        raw = pl.read_csv(folder / table.file, infer_schema=False)
    except OSError:
        raise DataError([Problem(table.file, "", "", "", f"a readable file in {folder}")]) from None
    except pl.exceptions.PolarsError as error:
        raise DataError([Problem(table.file, "", "", "", f"a CSV file ({str(error).splitlines()[0]})")]) from None
    located = raw.with_columns(
        pl.lit(table.file).alias("file"), pl.format("row {}", pl.int_range(pl.len()) + 2).alias("key")
    )
    if "proportion" in raw.columns:
        number = pl.col("proportion").cast(pl.Float64, strict=False)
        wrong = located.filter(number.is_null() | ~number.is_finite())
        if wrong.height:
            raise DataError(
                [
                    Problem(row["file"], row["key"], "proportion", row["proportion"] or "", "a number between 0 and 1")
                    for row in wrong.iter_rows(named=True)
                ]
            )
        located = located.with_columns(number)
    levels = {name: list(study.factors[name].levels) for name in table.by} | {"outcome": list(study.outcomes)}
    checked = check(located, References, where=table.file, unique=[*table.by, "outcome", "category"], levels=levels)
    if problems := _unknown_categories(checked, study):
        raise DataError(problems)
    return checked.drop("file", "key")


def _unknown_categories(references: pl.DataFrame, study: Study) -> list[Problem]:
    """Proportions of what is no category: misspelt ones would leave their category without a reference."""
    return [
        Problem(row["file"], row["key"], "category", row["category"], f"one of {', '.join(outcome.terms)}")
        for name, outcome in study.outcomes.items()
        if isinstance(outcome, CategoryOutcome)
        for row in references.filter(pl.col("outcome") == name, ~pl.col("category").is_in(outcome.terms)).iter_rows(
            named=True
        )
    ]
