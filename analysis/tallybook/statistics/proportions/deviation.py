"""The deviation score: how often groups differ from the population."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.multiplicity import decisive_p_value, is_adjusted

if TYPE_CHECKING:
    from collections.abc import Sequence


def deviation_scores(
    tests: pl.DataFrame, by: Sequence[str], *, alpha: float = 0.05, hypothesis: Sequence[str] | None = None
) -> pl.DataFrame:
    """The share of valid tests that are significant.

    Args:
        tests: Estimates of tests against a reference.
        by: The factors within which tests are counted, beside the outcome.
        alpha: A test counts when its p-value is below alpha: the adjusted one, if p-values are adjusted.
        hypothesis: The columns that name a test's hypothesis: tests of the same one count once, with the largest of
            their p-values. None: each test has its own.

    Returns:
        Estimates with term `significant`; n is the number of valid tests, those that have a p-value. Without any the
        status is `no-data`.

    Source:
        Wang, Brignac, Mao & Fang (2025), deviation bias; an undefined test is neither significant nor counted.
    """
    adjusted = is_adjusted(tests)
    counted, p = tests.with_columns(decisive_p_value(tests).alias("p_value")), pl.col("p_value")
    if hypothesis is not None:
        named = pl.col(hypothesis[-1]).is_not_null()
        counted = counted.group_by(*dict.fromkeys((*by, "outcome", *hypothesis))).agg(p.filter(named).max())
    scores = counted.group_by([*by, "outcome"]).agg(p.count().alias("n"), (p < alpha).mean().alias("estimate"))
    return as_estimates(
        scores.sort([*by, "outcome"]).with_columns(
            pl.lit("significant").alias("term"),
            pl.lit(f"share of tests with {'adjusted ' if adjusted else ''}p < {alpha:g}").alias("method"),
            pl.when(pl.col("n") == 0).then(pl.lit("no-data")).otherwise(pl.lit("ok")).alias("status"),
        ),
        by,
    )
