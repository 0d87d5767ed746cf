"""Reading and checking of reference distributions, and of tables of given means that cannot be recomputed."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.core.frame_checks import check
from tallybook.core.resources import BUNDLED_DATA
from tallybook.sources import csv_file
from tallybook.sources.values import faults
from tallybook.study.analysis_base import OfResponses
from tallybook.study.coding import CategoryOutcome
from tallybook.study.reference_tables import catalogue
from tallybook_schemas.columns import References

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study
    from tallybook.study.reference_tables import ReferenceTable, SummaryTable


_ROUNDING = 1e-9
"""The largest deviation of sums of proportions from 1 that rounding can explain."""


def read_references(table: ReferenceTable, folder: Path, study: Study) -> pl.DataFrame:
    """Read and check a reference table."""
    raw = _raw(table, folder).with_columns(file=pl.lit(table.name)).rename({csv_file.KEY: "key"})
    located = _chosen(raw, table, study)
    if "proportion" in located.columns:
        number = pl.col("proportion").cast(pl.Float64, strict=False)
        wrong = located.filter(number.is_null() | ~number.is_finite())
        if wrong.height:
            raise DataError(faults(wrong, "proportion", "a number between 0 and 1"))
        located = located.with_columns(number)
        if table.weights:
            located = _of_weights(located, table, study)
        else:
            _refuse_percent(located, table)
    levels = {name: list(study.factors[name].levels) for name in table.by} | {"outcome": list(study.outcomes)}
    checked = check(located, References, where=table.name, unique=[*table.by, "outcome", "category"], levels=levels)
    problems = [*_unknown_categories(checked, study), *_sums(checked, table, study)]
    if problems := [*problems, *(_absent(checked, table, study) if table.absent == "error" else [])]:
        raise DataError(problems)
    return checked.drop("file", "key")


def _of_weights(located: pl.DataFrame, table: ReferenceTable, study: Study) -> pl.DataFrame:
    """Divide weights by their sum over single categories; unions of categories are fractions of that sum."""
    groups = [name for name in (*table.by, "outcome") if name in located.columns]
    outcomes = study.outcomes.items()
    labels = [f"{name} {label}" for name, one in outcomes if isinstance(one, CategoryOutcome) for label in one.labels]
    if not {"outcome", "category"} <= {*located.columns}:
        return located
    alone = pl.format("{} {}", "outcome", "category").is_in(labels)
    return located.with_columns(pl.col("proportion") / pl.col("proportion").filter(alone).sum().over(groups))


def _refuse_percent(located: pl.DataFrame, table: ReferenceTable) -> None:
    """Raise one error for percentages, rather than one for each number that is too large."""
    groups = [name for name in (*table.by, "outcome") if name in located.columns]
    sums = located.group_by(groups).agg(pl.col("proportion").sum())
    if groups and sums.height and sums.select(pl.col("proportion").is_between(*_PERCENT).all()).item():
        first = located.row(0, named=True)
        expected = "proportions, which add up to 1: these are percentages, to be divided by 100"
        raise DataError([Problem(table.name, first["key"], "proportion", f"{first['proportion']:g}", expected)])


_PERCENT = (50, 110)
"""The range of sums of a group's percentages, of some or all of its categories, with rounding."""


def _raw(table: ReferenceTable, folder: Path) -> pl.DataFrame:
    """Read the file as text, with columns and values named as in the study."""
    where, name = (folder, table.name) if table.bundled is None else (BUNDLED_DATA, table.bundled_file)
    known = catalogue().get(table.name) if table.bundled is not None else None
    if table.bundled is not None and not (where / name).is_file():
        raise DataError([Problem(table.name, "", "", "", f"one of {', '.join(bundled())}")])
    raw = csv_file.table(where, name, [*table.columns.values(), *table.where])
    if known is not None and "source" not in raw.columns:
        raw = raw.with_columns(pl.lit(known.source).alias("source"))
    taken = [pl.col(column).alias(f"_{factor}") for factor, column in table.columns.items()]
    kept = raw.with_columns(pl.col(column).alias(f"where {column}") for column in table.where).with_columns(taken)
    kept = kept.drop([*table.columns.values(), *(name for name in table.columns if name in kept.columns)], strict=False)
    called = kept.rename({f"_{factor}": factor for factor in table.columns})
    values = [name for name in (*table.by, "outcome", "category") if name in called.columns]
    return called.with_columns(pl.col(name).replace(table.names) for name in values)


def bundled() -> list[str]:
    """List the reference tables that come with the program."""
    tables = sorted(path.relative_to(BUNDLED_DATA).as_posix() for path in BUNDLED_DATA.glob("*/reference*.csv"))
    return [*catalogue(), *tables]


def _chosen(raw: pl.DataFrame, table: ReferenceTable, study: Study) -> pl.DataFrame:
    """Return the rows chosen by `where`; of a bundled table, those of the study's groups and outcomes."""
    chosen = [pl.col(f"where {column}") == value for column, value in table.where.items()]
    if table.bundled is not None:
        known = {name: list(study.factors[name].levels) for name in table.by} | {"outcome": list(study.outcomes)}
        chosen += [pl.col(name).is_in(values) for name, values in known.items() if name in raw.columns]
    rows = raw.filter(pl.lit(value=True), *chosen)
    if raw.height and not rows.height:
        sought = ", ".join(f"{column} {value}" for column, value in table.where.items())
        raise DataError([Problem(table.name, "", "", "", f"rows of {sought or 'groups and outcomes of the study'}")])
    return rows.drop(f"where {column}" for column in table.where)


def _sums(references: pl.DataFrame, table: ReferenceTable, study: Study) -> list[Problem]:
    problems: list[Problem] = []
    for name in references.get_column("outcome").unique(maintain_order=True):
        outcome = study.outcomes[name]
        if not isinstance(outcome, CategoryOutcome):
            continue
        own = references.filter(pl.col("outcome") == name, pl.col("category").is_in(list(outcome.labels)))
        groups = own.group_by(table.by, maintain_order=True).agg(
            pl.col("proportion").sum().alias("sum"), pl.len().alias("given"), pl.col("key").first()
        )
        off, slack = pl.col("sum") - 1.0, table.tolerance + _ROUNDING
        wrong = groups.filter((off > slack) | ((pl.col("given") == len(outcome.labels)) & (off < -slack)))
        problems += [
            Problem(
                table.name,
                row["key"],
                "proportion",
                f"{row['sum']:.6g}",
                f"proportions of {name} of {', '.join(row[one] for one in table.by) or 'all'} that add up to 1, "
                f"to within {table.tolerance:g}",
            )
            for row in wrong.iter_rows(named=True)
        ]
    return problems


def _absent(references: pl.DataFrame, table: ReferenceTable, study: Study) -> list[Problem]:
    """Return problems of levels without any proportion of an outcome that is tested against the table."""
    missing: dict[Problem, None] = {}
    for analysis in study.analyses.values():
        if not isinstance(analysis, OfResponses) or table not in [study.references[name] for name in analysis.tested]:
            continue
        for outcome, factor in product(analysis.outcomes, table.by):
            known = set(references.filter(outcome=outcome).get_column(factor))
            tested = analysis.where.get(factor, tuple(study.factors[factor].levels))
            expected = f"proportions of {outcome}, which is tested against them (or absent = 'report')"
            missing |= {
                Problem(table.name, "", factor, level, expected): None for level in tested if level not in known
            }
    return list(missing)


def _unknown_categories(references: pl.DataFrame, study: Study) -> list[Problem]:
    """Report proportions of unknown categories: a misspelt one leaves its category without a reference."""
    unknown = (
        (references.filter(pl.col("outcome") == name, ~pl.col("category").is_in(one.terms)), ", ".join(one.terms))
        for name, one in study.outcomes.items()
        if isinstance(one, CategoryOutcome)
    )
    return [problem for rows, terms in unknown for problem in faults(rows, "category", f"one of {terms}")]


def read_summaries(table: SummaryTable, folder: Path, study: Study) -> pl.DataFrame:
    """Read a table of means, one row for each cell; an empty mean or limit is null."""
    numbers = {"n": table.n, "mean": table.mean, "ci_low": table.ci_low, "ci_high": table.ci_high}
    raw = csv_file.table(folder, table.file, [*table.by, *numbers.values()])
    values = (pl.col(column).cast(pl.Float64, strict=False).alias(name) for name, column in numbers.items())
    read = raw.select(*table.by, *values, pl.col(csv_file.KEY).alias("key"), pl.lit(table.file).alias("file"))
    expected = {name: f"one of {', '.join(study.factors[name].levels)}" for name in table.by}
    wrong = {name: ~pl.col(name).is_in(list(study.factors[name].levels)).fill_null(value=False) for name in table.by}
    wrong |= {"n": (pl.col("n").fill_null(-1) < 0) | (pl.col("n") % 1 != 0)}
    wrong |= {"mean": ~pl.col("mean").is_between("ci_low", "ci_high").fill_null(value=True)}
    expected |= {"n": "a whole number, at least 0", "mean": "a number within its interval"}
    problems = [fault for name, one in wrong.items() for fault in faults(read.filter(one), name, expected[name])]
    twice = read.filter(pl.struct(table.by).is_duplicated())
    problems += [
        Problem(table.file, row["key"], ", ".join(table.by), ", ".join(row[name] or "" for name in table.by), "once")
        for row in twice.iter_rows(named=True)
    ]
    if problems:
        raise DataError(problems)
    return read.drop("key", "file").with_columns(pl.col("n").cast(pl.Int64))
