"""Means of estimates: every cell with the same weight, whatever its size."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from scipy.special import ndtri

from tallybook.statistics.estimates import as_estimates

if TYPE_CHECKING:
    from collections.abc import Sequence


def unweighted_means(estimates: pl.DataFrame, by: Sequence[str], *, confidence: float = 0.95) -> pl.DataFrame:
    """The mean of the estimates of several cells, each with the same weight.

    With m estimates e of independent cells: mean = sum e / m, std_error = sqrt(sum std_error²) / m, and the normal
    interval mean ± z std_error.

    Args:
        by: The factors that remain; over all others the mean is taken, outcome and term apart.

    Returns:
        Estimates, one a cell, outcome and term: n is the sum of n. A cell without an estimate does not count, and
        `method` says how many do; without any the status is `no-data`. Where an estimate has no standard error there is
        no interval.

    Source:
        Cochran, W. G. (1977). Sampling Techniques (3rd ed.). Wiley, section 5.9 (means of strata).

    >>> shares = pl.DataFrame({"model": ["a", "b"], "outcome": "x", "term": "yes", "n": [10, 90]})
    >>> shares = shares.with_columns(pl.Series("estimate", [0.5, 0.1]), pl.Series("std_error", [0.3, 0.4]))
    >>> unweighted_means(shares, []).select("n", "estimate", "std_error").row(0)
    (100, 0.3, 0.25)
    """
    valid = pl.col("estimate").is_not_null()
    known = valid & pl.col("std_error").is_not_null()
    size = pl.col("of").cast(pl.Float64)
    means = (
        estimates.group_by([*by, "outcome", "term"], maintain_order=True)
        .agg(
            # Sorted: a sum of floats must not depend on the order of the cells.
            pl.col("estimate").filter(valid).sort().sum().alias("total"),
            pl.col("std_error").filter(known).pow(2).sort().sum().alias("variance"),
            pl.col("n").filter(valid).sum(),
            valid.sum().alias("of"),
            known.sum().alias("known"),
            pl.len().alias("cells"),
        )
        .with_columns(
            pl.when(pl.col("of") > 0).then(pl.col("total") / size).alias("estimate"),
            pl.when((pl.col("of") > 0) & (pl.col("known") == pl.col("of")))
            .then(pl.col("variance").sqrt() / size)
            .alias("std_error"),
        )
    )
    half_width = pl.col("std_error") * -float(ndtri((1.0 - confidence) / 2.0))
    missing = pl.when(pl.col("of") < pl.col("cells")).then(pl.format(" of {}", pl.col("cells"))).otherwise(pl.lit(""))
    return as_estimates(
        means.with_columns(
            (pl.col("estimate") - half_width).alias("ci_low"),
            (pl.col("estimate") + half_width).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.format("unweighted mean of {}{} estimates", "of", missing).alias("method"),
            pl.when(pl.col("of") == 0).then(pl.lit("no-data")).otherwise(pl.lit("ok")).alias("status"),
        ),
        by,
    )
