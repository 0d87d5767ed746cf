"""Errors of responses whose clusters cross, such as names and jobs: two-way clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.means.student_distribution import critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray


def two_way(
    first: pl.DataFrame,
    second: pl.DataFrame,
    both: pl.DataFrame,
    onto: Callable[[pl.Expr], pl.Expr],
    back: Callable[[pl.Series], pl.Series],
) -> pl.DataFrame:
    """Join the errors of estimates clustered by one column, by another, and by their combinations.

    V = V_first + V_second - V_both, on the scale of the intervals; where that is less than V_first or V_second, as it
    is where it is negative, the larger of these. Intervals and tests are Student's, with the smaller number of clusters
    less one as degrees of freedom.

    Args:
        first: Estimates with Student's intervals on the number of `clusters` less one, clustered by a column.
        second: The same estimates, clustered by the other column.
        both: The same estimates, clustered by the combinations of both.
        onto: Takes numbers onto the scale on which the intervals are symmetric.
        back: Takes them back.

    Returns:
        The estimates; `clusters` is the smaller number. Where one of the three has no error there is none.

    References:
        Cameron, A. C., Gelbach, J. B. & Miller, D. L. (2011). Robust inference with multiway clustering. Journal of
        Business & Economic Statistics, 29, 238-249. MacKinnon, J. G., Nielsen, M. O. & Webb, M. D. (2024). Jackknife
        inference with two-way clustering. arXiv:2406.08880 (the largest of the three variances).
    """
    estimate = _numbers(first, onto(pl.col("estimate")))
    clusters = np.fmin(_numbers(first, pl.col("clusters")), _numbers(second, pl.col("clusters")))
    df = np.where(clusters > 1, clusters - 1.0, np.nan)
    tail = _numbers(first, (1 - pl.col("confidence")) / 2)
    frames = (first, second, both)
    with np.errstate(all="ignore"):
        reaches = [_numbers(own, onto(pl.col("ci_high"))) - estimate for own in frames]
        own_df = [_numbers(own, pl.col("clusters")) - 1.0 for own in frames]
        pairs = zip(reaches, own_df, strict=True)
        error = _joined([reach / critical_value(tail, degrees) for reach, degrees in pairs])
        plain = _joined([_numbers(own, pl.col("std_error")) for own in frames])
        reach = critical_value(tail, df) * error
        statistic = (estimate - _numbers(first, onto(pl.col("null_value")))) / error
        log_p = log_p_value(statistic, df)
    exists = pl.Series(np.isfinite(error))
    tested = exists & first.get_column("null_value").is_not_null()
    numbers = {
        "std_error": plain,
        "ci_low": back(pl.Series(estimate - reach)),
        "ci_high": back(pl.Series(estimate + reach)),
    }
    tests = {"statistic": statistic, "df": df, "p_value": np.exp(log_p), "log_p_value": log_p}
    lacking = ~exists & (pl.col("status") == "ok")
    return first.with_columns(
        pl.Series("clusters", clusters).fill_nan(None).cast(pl.Int64),
        *(pl.when(exists).then(pl.Series(values)).alias(name) for name, values in numbers.items()),
        *(pl.when(tested).then(pl.Series(values)).alias(name) for name, values in tests.items()),
        pl.when(lacking).then(pl.lit("degenerate")).otherwise("status").alias("status"),
    )


def _numbers(frame: pl.DataFrame, expression: pl.Expr) -> NDArray[np.float64]:
    return frame.select(expression.cast(pl.Float64).fill_null(np.nan)).to_series().to_numpy()


def _joined(errors: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """The standard error of clusters that cross; NaN where one of the three is."""
    first, second, both = (np.square(error) for error in errors)
    return np.sqrt(np.maximum(first + second - both, np.maximum(first, second)))
