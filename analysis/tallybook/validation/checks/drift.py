"""Whether outcomes are distributed as in a reference dump."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.core.safe_paths import below, open_regular
from tallybook.study.base import FilePath, Identifier
from tallybook.study.check_base import DataCheck, Severity
from tallybook.study.coding import ScoreOutcome
from tallybook.validation.checks.chi_square import homogeneity
from tallybook.validation.model import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from tallybook.study.model import Study
    from tallybook.validation.checks.chi_square import Homogeneity
    from tallybook.validation.checks.context import Context

_HERE, _THERE = "_here", "_there"


class DriftCheck(DataCheck):
    """Whether outcomes are distributed as in a reference dump: new labels, and shifts that chance does not explain."""

    kind: Literal["drift"]
    severity: Severity = "warning"
    """The severity of a failure."""
    file: FilePath
    """The reference: coded responses as `tallybook bundle` writes them (CSV or Parquet), relative to the folder of the
    study file. Without a column `count` each row is one response."""
    columns: tuple[Identifier, ...] = ()
    """The columns that are compared; by default the outcomes that are no scores, and `status`."""
    by: tuple[Identifier, ...] = ()
    """The columns within each combination of which they are compared."""
    alpha: float = Field(default=0.001, gt=0, lt=1)
    """The level of Pearson's chi-square test of homogeneity, adjusted after Bonferroni for the number of tests made."""
    from_effect: float = Field(default=0.1, ge=0, le=1)
    """The smallest Cramér's V that is told, however small the p-value."""

    holds: ClassVar[str] = "Outcomes are distributed as in the reference."

    @property
    def files(self) -> tuple[str, ...]:
        """The list or reference."""
        return (self.file,)

    def named(self, study: Study) -> dict[str, Iterable[str]]:
        """List the columns that it names, by setting."""
        return {"columns": self.columns, "by": self.by}

    def failures_in(self, context: Context) -> list[Failure]:
        """Compare distributions with those of a reference."""
        outcomes = context.study.outcomes
        default = ("status", *(name for name, one in outcomes.items() if not isinstance(one, ScoreOutcome)))
        columns = [name for name in self.columns or default if name not in self.by]

        def failure(column: str, value: str, expected: str, file: str = "") -> Failure:
            return Failure(context.name, self.severity, file, column=column, value=value, expectation=expected)

        try:
            path = below(context.own, self.file)
            open_regular(path).close()
            reference = _reference(path)
        except (OSError, pl.exceptions.PolarsError, pl.exceptions.PanicException):
            return [failure("", "", "a readable file of coded responses", self.file)]
        held = reference.collect_schema().names()
        if absent := [name for name in (*columns, *self.by) if name not in held]:
            return [failure(name, "", "this column", self.file) for name in absent]
        tests: list[tuple[str, str, Homogeneity]] = []
        found: list[Failure] = []
        for column in columns:
            rows = context.chosen(self.where)
            for where, counts in _compared(rows, reference, column, list(self.by)):
                fresh = counts.filter(pl.col(_THERE) == 0)
                for label, number in fresh.select(column, _HERE).iter_rows():
                    value = f"{label} ({number:,} {'response' if number == 1 else 'responses'}{where})"
                    found.append(failure(column, value, f"a label of {self.file}"))
                tests.append((column, where, homogeneity(counts[_HERE].to_list(), counts[_THERE].to_list())))
        for column, where, test in tests:
            adjusted = min(1.0, test.p_value * len(tests))
            if adjusted < self.alpha and test.effect >= self.from_effect:
                value = (
                    f"chi-square({test.df}) = {test.statistic:.4g}, p = {adjusted:.2g}, V = {test.effect:.2g}{where}"
                )
                found.append(failure(column, value, f"the distribution of {self.file}"))
        return found


def _reference(path: Path) -> pl.LazyFrame:
    """Get the reference's rows, all but `count` as strings."""
    rows = pl.scan_parquet(path, glob=False) if path.suffix == ".parquet" else pl.scan_csv(path, infer_schema=False)
    names = rows.collect_schema().names()
    count = pl.col("count").cast(pl.Int64) if "count" in names else pl.lit(1, dtype=pl.Int64).alias("count")
    return rows.with_columns(pl.all().exclude("count").cast(pl.String), count)


def _compared(
    rows: pl.LazyFrame, reference: pl.LazyFrame, column: str, by: list[str]
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Count each label here and there, in each combination that both have."""
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
