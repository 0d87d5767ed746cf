"""The check that outcomes are distributed as in a reference dump."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

import polars as pl
from pydantic import Field

from tallybook.core.errors import DataError, UsageError
from tallybook.sources.content import Content
from tallybook.sources.formats import subprocess_reader
from tallybook.study.base import FilePath, Identifier
from tallybook.study.check_base import DataCheck, Severity
from tallybook.study.coding import ScoreOutcome
from tallybook.validation.model import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.validation.checks.context import Context

_HERE, _THERE = "_here", "_there"
_FEWEST_EXPECTED = 5.0


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

    def failures_in(self, context: Context) -> list[Failure]:
        outcomes = context.study.outcomes
        default = ("status", *(name for name, one in outcomes.items() if not isinstance(one, ScoreOutcome)))
        columns = [name for name in self.columns or default if name not in self.by]

        def failure(column: str, value: str, expected: str, file: str = "") -> Failure:
            return Failure(context.name, self.severity, file, column=column, value=value, expectation=expected)

        try:
            reference = _reference(Content(context.own, self.file))
        except (DataError, UsageError, pl.exceptions.PolarsError):
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


def _reference(content: Content) -> pl.LazyFrame:
    """Return the reference's rows, with all columns but `count` as strings."""
    if content.path.suffix == ".parquet":
        rows = pl.concat(subprocess_reader.frames(content, subprocess_reader.PARQUET)).lazy()
    else:
        with content.seekable() as file:
            rows = pl.read_csv(file, infer_schema=False).lazy()
    names = rows.collect_schema().names()
    count = pl.col("count").cast(pl.Int64) if "count" in names else pl.lit(1, dtype=pl.Int64).alias("count")
    return rows.with_columns(pl.all().exclude("count").cast(pl.String), count)


def _compared(
    rows: pl.LazyFrame, reference: pl.LazyFrame, column: str, by: list[str]
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the counts of each label in data and reference, for each combination that both have."""
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
            yield "".join(f", {name} {level}" for name, level in zip(by, levels, strict=True)), part.drop(by)


class Homogeneity(NamedTuple):
    """The result of a chi-square test of homogeneity, computed without the libraries that only analyses need."""

    statistic: float  # chi-square
    df: int  # degrees of freedom; 0 where there is nothing to compare
    p_value: float  # the p-value; 1 where there is nothing to compare
    effect: float  # cramér's V, between 0 and 1


def homogeneity(one: Sequence[int], other: Sequence[int]) -> Homogeneity:
    """Test whether two samples have the same distribution over categories.

    Categories with fewer than 5 expected in either sample are merged, after Cochran. The statistic is
    the sum of (observed - expected)² / expected, Cramér's V = sqrt(chi-square / n).

    Source:
        R: chisq.test(rbind(one, other), correct = FALSE).

    >>> test = homogeneity([30, 70], [50, 50])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 6), round(test.effect, 2)
    (8.3333, 1, 0.003892, 0.2)
    """
    n_one, n_other = sum(one), sum(other)
    n = n_one + n_other
    if not n_one or not n_other:
        return Homogeneity(0.0, 0, 1.0, 0.0)
    few = _FEWEST_EXPECTED * n / min(n_one, n_other)
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a + b >= few]
    rest = (n_one - sum(a for a, _ in pairs), n_other - sum(b for _, b in pairs))
    pairs += [rest] if sum(rest) else []
    df = len(pairs) - 1
    if df < 1:
        return Homogeneity(0.0, 0, 1.0, 0.0)
    statistic = sum(
        (observed - total * (a + b) / n) ** 2 / (total * (a + b) / n)
        for a, b in pairs
        for observed, total in ((a, n_one), (b, n_other))
    )
    return Homogeneity(statistic, df, chi_square_tail(statistic, df), math.sqrt(statistic / n))


def chi_square_tail(statistic: float, df: int) -> float:
    """Return P(X >= x) for a chi-square variable.

    For integer degrees of freedom the upper tail is a finite sum: with y = x/2 it is the sum of e^-y y^a / Gamma(a + 1)
    over a = df/2 - 1, df/2 - 2, ..., down to 0 if df is even, and to 1/2 plus erfc(sqrt(y)) if it is odd.

    Source:
        DLMF 8.4.9, 8.4.10 and 8.4.14. R: pchisq(x, df, lower.tail = FALSE).

    >>> round(chi_square_tail(3.841458820694124, 1), 6), round(chi_square_tail(9.487729036781154, 4), 6)
    (0.05, 0.05)
    """
    y = statistic / 2.0
    if y <= 0.0:
        return 1.0
    terms = [] if df % 2 == 0 else [math.erfc(math.sqrt(y))]
    orders = (place + df % 2 / 2.0 for place in range(df // 2))
    terms += [math.exp(order * math.log(y) - y - math.lgamma(order + 1.0)) for order in orders]
    return min(1.0, math.fsum(terms))
