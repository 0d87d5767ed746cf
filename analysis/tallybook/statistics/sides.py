"""One-sided tests from two-sided ones, of statistics whose distribution is symmetric."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from tallybook_schemas.vocabulary import Alternative


def one_sided(found: pl.DataFrame, alternative: Alternative) -> pl.DataFrame:
    """Give t and z tests a one-sided alternative.

    p / 2 where the statistic lies on the side of the alternative, 1 - p / 2 otherwise. Intervals stay two-sided.

    Args:
        found: Estimates; those with a p-value and no statistic are left as they are.
        alternative: `greater` than the null value, `less`, or `two-sided`, which changes nothing.

    Returns:
        The estimates.

    >>> tested = {"statistic": [2.0, -2.0], "p_value": [0.1, 0.1], "log_p_value": [math.log(0.1)] * 2, "method": "t"}
    >>> one_sided(pl.DataFrame(tested), "greater")["p_value"].round(12).to_list()
    [0.05, 0.95]
    """
    if alternative == "two-sided":
        return found
    statistic, p, log_p = pl.col("statistic"), pl.col("p_value"), pl.col("log_p_value")
    tested = statistic.is_not_null() & p.is_not_null()
    agrees = statistic >= 0 if alternative == "greater" else statistic <= 0
    half = log_p - math.log(2.0)
    return found.with_columns(
        pl.when(tested).then(pl.when(agrees).then(p / 2).otherwise(1 - p / 2)).otherwise(p).alias("p_value"),
        pl.when(tested)
        .then(pl.when(agrees).then(half).otherwise((-(half.exp())).log1p()))
        .otherwise(log_p)
        .alias("log_p_value"),
        pl.when(tested).then(pl.format("{}, one-sided ({})", "method", pl.lit(alternative))).otherwise("method"),
    )
