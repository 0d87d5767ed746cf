"""Estimates of cells as observations: differences between two groups of them, and correlations of two kinds of them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.association.correlation import pearson
from tallybook.statistics.means.contrasts import two_sample_contrasts
from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.student import t_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

Test: TypeAlias = Literal["welch", "student", "permutation"]

MOST_WAYS = 1_000_000
"""The most ways to divide estimates into two groups that are gone through."""


def estimate_differences(
    estimates: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    levels: tuple[str, str],
    *,
    test: Test = "welch",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The difference of two levels of a factor in the mean of estimates, each of them one observation.

    Args:
        estimates: Estimates of cells by `by`, the factor and others, over which the means are taken.
        factor: The factor.
        levels: The mean at the first level less that at the second.
        test: Welch's or Student's t test; "permutation" goes through all ways to divide the estimates into two groups
            of the same sizes (scipy's `permutation_test`) and gives the share of those with a difference as large,
            whatever its sign. Its interval is Student's.

    Returns:
        Estimates, one a cell and outcome: term `difference`, n the number of estimates. See `student.t_tests`; a
        permutation test has a p-value alone, and none with more than `MOST_WAYS` ways.
    """
    keys = [*by, "outcome of the cell"]
    rows = estimates.filter(pl.col(factor).is_in(list(levels)) & pl.col("estimate").is_not_null()).select(
        *by, factor, pl.col("outcome").alias(keys[-1]), pl.col("estimate").alias("value"), pl.lit(1).alias("count")
    )
    variances = "unequal" if test == "welch" else "equal"
    contrasts = two_sample_contrasts(moments(rows, [*keys, factor]), keys, factor, levels, variances=variances)
    found = t_tests(contrasts, keys, confidence=confidence).with_columns(pl.lit("difference").alias("term"))
    if test == "permutation":
        found = _permuted(found, rows, keys, factor, levels)
    return found.with_columns(pl.col(keys[-1]).alias("outcome")).drop(keys[-1])


def _permuted(
    found: pl.DataFrame, rows: pl.DataFrame, keys: list[str], factor: str, levels: tuple[str, str]
) -> pl.DataFrame:
    """Put the p-values of exact permutation tests in place of those of t tests."""
    values = rows.group_by(keys).agg(
        *(
            pl.col("value").filter(pl.col(factor) == level).sort().alias(name)
            for level, name in zip(levels, "ab", strict=True)
        )
    )
    both = found.select(keys).join(values, on=keys, how="left", maintain_order="left")
    p = [_exact(a, b) for a, b in both.select("a", "b").iter_rows()]
    none = pl.lit(None, dtype=pl.Float64)
    share = pl.Series("p_value", p, dtype=pl.Float64)
    return found.with_columns(
        share,
        share.log().alias("log_p_value"),
        *(none.alias(name) for name in ("statistic", "df")),
        pl.format("{}; exact permutation test", pl.col("method").str.replace(" t test", " interval")).alias("method"),
    )


def _exact(a: list[float] | None, b: list[float] | None) -> float | None:
    from scipy import stats

    if not a or not b or math.comb(len(a) + len(b), len(a)) > MOST_WAYS:
        return None

    def distance(x: Any, y: Any, axis: int) -> Any:  # noqa: ANN401  scipy's arrays
        # Rounded: ways that differ in nothing but the order of a sum are as extreme.
        return abs(x.mean(axis=axis) - y.mean(axis=axis)).round(12)

    scipy: Any = stats
    every = {"n_resamples": np.inf, "vectorized": True, "alternative": "greater"}
    return float(scipy.permutation_test((a, b), distance, **every).pvalue)


def estimate_correlations(
    first: pl.DataFrame, second: pl.DataFrame, by: Sequence[str], over: Sequence[str], *, confidence: float = 0.95
) -> pl.DataFrame:
    """Pearson's correlation of two kinds of estimates over cells, each cell with the same weight: see `pearson`.

    Args:
        first: Estimates, one a cell of `by` and `over`; a factor of `by` that they do not have counts for all levels.
        second: The others.
        over: The factors whose combinations are the observations.

    Returns:
        Estimates, one a cell: term `correlation`; n is the number of cells that have both. The outcome is the first's.
    """
    own = [[name for name in (*by, *over) if name in kind.columns] for kind in (first, second)]
    x = first.select(*own[0], pl.col("outcome").alias("outcome of x"), pl.col("estimate").alias("x"))
    y = second.select(*own[1], pl.col("estimate").alias("y"))
    common = [name for name in own[0] if name in own[1]]
    pairs = x.join(y, on=common, how="inner").with_columns(pl.lit(1).alias("count"))
    found = pearson(pairs, [*by, "outcome of x"], "x", "y", confidence=confidence)
    return found.with_columns(pl.col("outcome of x").alias("outcome"), pl.lit("correlation").alias("term")).drop(
        "outcome of x"
    )
