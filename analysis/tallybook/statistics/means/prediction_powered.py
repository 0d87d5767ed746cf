"""Prediction-powered inference: means of human codes, from a judge's codes of all responses and human codes of some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.tails import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

Weight: TypeAlias = Literal["full", "tuned"]
"""The weight of the judge: 1, or the one that minimises the variance."""


def prediction_powered_means(
    counts: pl.DataFrame,
    by: Sequence[str],
    judge: str,
    truth: str,
    *,
    weight: Weight = "tuned",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Estimate the mean of the truth in every cell, from a judge's values of all rows and the truth of some.

    With n rows that have both, of means Y and F, and N that have the judge's value only, of mean G:
    estimate = Y + w (G - F), std_error² = w² var(judge)/N + var(truth - w judge)/n, the first variance over the N rows,
    the second over the n rows, divisors N and n; estimate ± z std_error. `full`: w = 1. `tuned` (PPI++): the w that
    minimises the variance, cov(truth, judge) / ((1 + n/N) var(judge)), the variance over all rows, kept within [0, 1]:
    an uninformative judge then does not increase the variance. As `ppi_mean_ci` of ppi-python.

    Args:
        judge: The column of the judge's values, numbers.
        truth: The column of the truth, numbers.
        weight: How the judge is weighted.

    Returns:
        Estimates with term `mean`: n (rows with the truth), estimate, std_error, interval; as effect the judge's own
        mean over all rows, of kind `judge`. Without rows that have the truth, or without rows that lack it, the status
        is `no-data`; with a single row that has the truth it is `degenerate`.

    References:
        Angelopoulos, A. N., Bates, S., Fannjiang, C., Jordan, M. I. & Zrnic, T. (2023). Prediction-powered inference.
        Science, 382, 669-674. Angelopoulos, A. N., Duchi, J. C. & Zrnic, T. (2023). PPI++: Efficient
        prediction-powered inference. arXiv:2311.01453.
    """
    known = counts.filter(pl.col(judge).is_not_null()).with_columns(_count=pl.col("count").cast(pl.Float64))
    f, y, c = pl.col(judge).cast(pl.Float64), pl.col(truth).cast(pl.Float64), pl.col("_count")
    has = y.is_not_null()
    wanted = [
        c.filter(has).sum().alias("n"),
        c.filter(~has).sum().alias("N"),
        *_moments(f, c, has, "f"),
        *_moments(f, c, ~has, "g"),
        *_moments(f, c, pl.lit(value=True), "all"),
        *_moments(y, c, has, "y"),
        ((y * f * c).filter(has).sum() / c.filter(has).sum()).alias("yf"),
    ]
    cells = known.sort(judge, truth).group_by(by, maintain_order=True).agg(wanted)
    if by:
        cells = counts.select(by).unique().join(cells, on=list(by), how="left", nulls_equal=True)
    n, big, covariance = pl.col("n"), pl.col("N"), pl.col("yf") - pl.col("y mean") * pl.col("f mean")
    rows = n + big
    spread = pl.col("all var") * rows / (rows - 1)
    tuned = pl.when(spread > 0).then((covariance / ((1 + n / big) * spread)).clip(0, 1)).otherwise(0.0)
    w = pl.lit(1.0) if weight == "full" else tuned
    cells = cells.with_columns(w.alias("w"))
    w = pl.col("w")
    # var(y - w f) = var y - 2 w cov + w² var f; rounding may make 0 negative.
    rest = (pl.col("y var") - 2 * w * covariance + w * w * pl.col("f var")).clip(0)
    reach = normal_quantile(confidence)
    cells = cells.with_columns(
        (pl.col("y mean") + w * (pl.col("g mean") - pl.col("f mean"))).alias("estimate"),
        (w * w * pl.col("g var") / big + rest / n).sqrt().alias("std_error"),
        status_of((n == 0) | (big == 0) | n.is_null(), degenerate=n == 1),
    )
    is_ok = pl.col("status") == "ok"
    return as_estimates(
        cells.with_columns(
            pl.when(pl.col("status") != "no-data").then("estimate"),
            pl.when(is_ok).then("std_error"),
            pl.when(is_ok).then(pl.col("estimate") - reach * pl.col("std_error")).alias("ci_low"),
            pl.when(is_ok).then(pl.col("estimate") + reach * pl.col("std_error")).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.col("all mean").alias("effect"),
            pl.lit("judge").alias("effect_kind"),
            pl.lit("mean").alias("term"),
            pl.lit(f"prediction-powered, {weight} weight").alias("method"),
            n.fill_null(0).cast(pl.Int64),
        ),
        by,
    )


def _moments(value: pl.Expr, count: pl.Expr, of: pl.Expr, name: str) -> list[pl.Expr]:
    """Return the expressions of the mean and the variance (divisor n) of counted values."""
    total = count.filter(of).sum()
    mean = (value * count).filter(of).sum() / total
    square = (value * value * count).filter(of).sum() / total
    return [mean.alias(f"{name} mean"), (square - mean * mean).clip(0).alias(f"{name} var")]
