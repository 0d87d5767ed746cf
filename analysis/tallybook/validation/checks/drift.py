"""Whether outcomes are distributed as in a reference dump."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.safe_paths import below, open_regular
from tallybook.study.coding import ScoreOutcome
from tallybook.validation.checks.chi_square import homogeneity
from tallybook.validation.model import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook.study.checks import DriftCheck
    from tallybook.validation.checks.chi_square import Homogeneity
    from tallybook.validation.checks.context import Context

_HERE, _THERE = "_here", "_there"


def check(declared: DriftCheck, context: Context) -> list[Failure]:
    """Compare distributions with those of a reference.

    Args:
        declared: The check.
        context: The responses.

    Returns:
        A failure for each label that the reference does not have, and for each distribution that has shifted; or what
        is wrong with the reference.
    """
    outcomes = context.study.outcomes
    default = ("status", *(name for name, one in outcomes.items() if not isinstance(one, ScoreOutcome)))
    columns = [name for name in declared.columns or default if name not in declared.by]

    def failure(column: str, value: str, expected: str, file: str = "") -> Failure:
        return Failure(context.name, declared.severity, file, None, "", column, value, expected)

    try:
        path = below(context.own, declared.file)
        open_regular(path).close()
        reference = _reference(path)
    except (OSError, pl.exceptions.PolarsError):
        return [failure("", "", "a readable file of coded responses", declared.file)]
    held = reference.collect_schema().names()
    if absent := [name for name in (*columns, *declared.by) if name not in held]:
        return [failure(name, "", "this column", declared.file) for name in absent]
    tests: list[tuple[str, str, Homogeneity]] = []
    found: list[Failure] = []
    for column in columns:
        rows = context.chosen(declared.where)
        for where, counts in _compared(rows, reference, column, list(declared.by)):
            fresh = counts.filter(pl.col(_THERE) == 0)
            for label, number in fresh.select(column, _HERE).iter_rows():
                value = f"{label} ({number:,} {'response' if number == 1 else 'responses'}{where})"
                found.append(failure(column, value, f"a label of {declared.file}"))
            tests.append((column, where, homogeneity(counts[_HERE].to_list(), counts[_THERE].to_list())))
    for column, where, test in tests:
        adjusted = min(1.0, test.p_value * len(tests))
        if adjusted < declared.alpha and test.effect >= declared.from_effect:
            value = f"chi-square({test.df}) = {test.statistic:.4g}, p = {adjusted:.2g}, V = {test.effect:.2g}{where}"
            found.append(failure(column, value, f"the distribution of {declared.file}"))
    return found


def _reference(path: Path) -> pl.LazyFrame:
    """The reference's rows, all but `count` as strings."""
    rows = pl.scan_parquet(path, glob=False) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)
    names = rows.collect_schema().names()
    count = pl.col("count").cast(pl.Int64) if "count" in names else pl.lit(1, dtype=pl.Int64).alias("count")
    return rows.with_columns(pl.all().exclude("count").cast(pl.String), count)


def _compared(
    rows: pl.LazyFrame, reference: pl.LazyFrame, column: str, by: list[str]
) -> Iterator[tuple[str, pl.DataFrame]]:
    """How often each label is here and there, in each combination that both have."""
    keys = [*by, column]
    texts = [pl.col(name).cast(pl.String) for name in keys]

    def counts(of: pl.LazyFrame, name: str) -> pl.DataFrame:
        labelled = of.select(*texts, "count").filter(pl.col(column).is_not_null(), pl.col(column) != "")
        return labelled.group_by(keys).agg(pl.col("count").sum().alias(name)).collect(engine="streaming")

    both = counts(rows, _HERE).join(counts(reference, _THERE), on=keys, how="full", coalesce=True, nulls_equal=True)
    both = both.with_columns(pl.col(_HERE, _THERE).fill_null(0)).sort(keys)
    if not by:
        yield "", both
        return
    for levels, part in both.partition_by(by, as_dict=True, maintain_order=True).items():
        if part[_HERE].sum() and part[_THERE].sum():
            yield _where(by, levels), part.drop(by)


def _where(by: list[str], levels: tuple[Any, ...]) -> str:
    return "".join(f", {name} {level}" for name, level in zip(by, levels, strict=True))
