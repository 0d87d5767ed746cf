"""The deviation score: how often groups differ from the population."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.estimates import as_estimates

if TYPE_CHECKING:
    from collections.abc import Sequence


def deviation_scores(tests: pl.DataFrame, by: Sequence[str], *, alpha: float = 0.05) -> pl.DataFrame:
    """The share of valid tests that are significant.

    Args:
        tests: Estimates of tests against a reference.
        by: The factors within which tests are counted, beside the outcome.
        alpha: A test counts when its p-value is below alpha.

    Returns:
        Estimates with term `significant`; n is the number of valid tests, those that have a p-value. Without any the
        status is `no-data`.

    Source:
        Wang, Brignac, Mao & Fang (2025), deviation bias; an undefined test is neither significant nor counted.
    """
    valid = pl.col("p_value").is_not_null()
    scores = tests.group_by([*by, "outcome"]).agg(
        valid.sum().alias("n"), (pl.col("p_value").filter(valid) < alpha).mean().alias("estimate")
    )
    return as_estimates(
        scores.sort([*by, "outcome"]).with_columns(
            pl.lit("significant").alias("term"),
            pl.lit(f"share of tests with p < {alpha:g}").alias("method"),
            pl.when(pl.col("n") == 0).then(pl.lit("no-data")).otherwise(pl.lit("ok")).alias("status"),
        ),
        by,
    )
