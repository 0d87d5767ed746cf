"""Intervals and tests of clustered estimates on transformed scales, and two-way clustering."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.jackknife import jackknifed
from tallybook.statistics.tails import critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook_schemas.vocabulary import DegreesOfFreedom, StandardError

Transformation: TypeAlias = "tuple[Callable[[pl.Expr], pl.Expr], Callable[[pl.Expr], pl.Expr]]"
"""A transformation of numbers to a scale, and its inverse."""

LOGIT: Transformation = (lambda share: (share / (1 - share)).log(), lambda odds: 1 / (1 + (-odds).exp()))
SCALES: dict[str, Transformation] = {
    "identity": (lambda number: number, lambda number: number),
    "sqrt": (lambda square: square.sqrt(), lambda root: root.clip(0.0) ** 2),
    "fourth-root": (lambda square: square.sqrt().sqrt(), lambda root: root.clip(0.0) ** 4),
    "log": (lambda ratio: ratio.log(), lambda log: log.exp()),
    "logit": LOGIT,
    "atanh": (lambda r: r.arctanh(), lambda z: z.tanh()),
}
"""Scale -> its transformation and the inverse, for scales that need no settings."""


def between(bounds: Mapping[str, tuple[float, float]]) -> Transformation:
    """Return the transformation to the log odds between each term's bounds, and its inverse."""
    low, high = (
        pl.col("term").replace_strict({name: own[i] for name, own in bounds.items()}, default=None) for i in (0, 1)
    )

    def onto(number: pl.Expr) -> pl.Expr:
        return pl.when(low.is_null()).then(number).otherwise(((number - low) / (high - number)).log())

    def back(odds: pl.Expr) -> pl.Expr:
        return pl.when(low.is_null()).then(odds).otherwise(low + (high - low) / (1 + (-odds).exp()))

    return onto, back


def on_scale(
    whole: pl.DataFrame,
    replicates: pl.DataFrame,
    by: Sequence[str],
    scale: Transformation,
    *,
    confidence: float = 0.95,
    kind: StandardError = "CV3",
    df: DegreesOfFreedom = "clusters",
) -> pl.DataFrame:
    """Add intervals and tests on a scale, and standard errors on the original one, to estimates; see `jackknifed`.

    Standard errors of log odds are computed from the log odds without each cluster. If one of these shares is 0 or 1,
    and with CR1, they are the standard error of the share divided by p (1 - p) (delta method), as in R's
    survey::svyciprop(method = "logit").

    References:
        Korn, E. L. & Graubard, B. I. (1998). Confidence intervals for proportions with small expected number of
        positive counts estimated from survey data. Survey Methodology, 24, 193-201.
    """
    test = partial(jackknifed, confidence=confidence, null_value="null_value", kind=kind, df=df)
    plain = test(whole, replicates, by, whole)
    if scale is SCALES["identity"]:
        return plain
    onto, back = scale
    estimate = pl.col("estimate")
    parts = replicates.with_columns(_finite(onto(estimate)))
    if scale is LOGIT:
        keys, p = [*by, "outcome", "term"], pl.col("share")
        shares = replicates.join(whole.select(*keys, estimate.alias("share")), on=keys, nulls_equal=True)
        is_edge = (~onto(estimate).is_finite()).any().over(keys) | pl.lit(kind == "CR1")
        linear = onto(p) + (estimate - p) / (p * (1 - p))
        own = pl.when(is_edge).then(linear).otherwise(onto(estimate))
        parts = shares.with_columns(_finite(own).alias("estimate")).select(replicates.columns)
    moved = whole.with_columns(_finite(onto(pl.col(name))).alias(name) for name in ("estimate", "null_value"))
    tested = test(moved, parts, by, moved)
    own = ["statistic", "df", "p_value", "log_p_value", "status"]
    limits = tested.select(back(pl.col(name)).alias(name) for name in ("ci_low", "ci_high"))
    return plain.with_columns(*(tested.get_column(name) for name in own), *limits.get_columns())


def _finite(values: pl.Expr) -> pl.Expr:
    return pl.when(values.is_finite()).then(values)


def two_way(
    first: pl.DataFrame,
    second: pl.DataFrame,
    both: pl.DataFrame,
    onto: Callable[[pl.Expr], pl.Expr],
    back: Callable[[pl.Expr], pl.Expr],
) -> pl.DataFrame:
    """Combine the standard errors of estimates clustered by one column, by another, and by both.

    V = V_first + V_second - V_both, on the scale of the intervals; where that is less than V_first or V_second, for
    instance negative, the larger of these two. Intervals and tests are Student's, with the smaller degrees of freedom.

    Args:
        first: Estimates with Student's intervals, clustered by a column.
        second: The same estimates, clustered by the other column.
        both: The same estimates, clustered by the combinations of both.
        onto: The transformation to the scale on which the intervals are symmetric.
        back: Its inverse.

    Returns:
        The estimates; `clusters` is the smaller number. If one of the three has no standard error, neither has the
        result.

    References:
        Cameron, A. C., Gelbach, J. B. & Miller, D. L. (2011). Robust inference with multiway clustering. Journal of
        Business & Economic Statistics, 29, 238-249. MacKinnon, J. G., Nielsen, M. O. & Webb, M. D. (2024). Jackknife
        inference with two-way clustering. arXiv:2406.08880 (the largest of the three variances).
    """
    estimate = _numbers(first, onto(pl.col("estimate")))
    clusters = np.fmin(_numbers(first, pl.col("clusters")), _numbers(second, pl.col("clusters")))
    df = np.fmin(_numbers(first, pl.col("df")), _numbers(second, pl.col("df")))
    tail = _numbers(first, (1 - pl.col("confidence")) / 2)
    frames = (first, second, both)
    with np.errstate(all="ignore"):
        reaches = [_numbers(own, onto(pl.col("ci_high"))) - estimate for own in frames]
        own_df = [_numbers(own, pl.col("df")) for own in frames]
        pairs = zip(reaches, own_df, strict=True)
        error = _joined([reach / critical_value(tail, degrees) for reach, degrees in pairs])
        plain = _joined([_numbers(own, pl.col("std_error")) for own in frames])
        reach = critical_value(tail, df) * error
        statistic = (estimate - _numbers(first, onto(pl.col("null_value")))) / error
        log_p = log_p_value(statistic, df)
    exists = pl.Series(np.isfinite(error))
    tested = exists & first.get_column("null_value").is_not_null()
    numbers = {
        "std_error": pl.lit(pl.Series(plain)),
        "ci_low": back(pl.lit(pl.Series(estimate - reach))),
        "ci_high": back(pl.lit(pl.Series(estimate + reach))),
    }
    tests = {"statistic": statistic, "df": df, "p_value": np.exp(log_p), "log_p_value": log_p}
    # What has no error although it is "ok" is no estimate: the share that others are divided by.
    lacking = ~exists & (pl.col("status") == "ok") & pl.col("std_error").is_not_null()
    return first.with_columns(
        pl.Series("clusters", clusters).fill_nan(None).cast(pl.Int64),
        *(pl.when(exists).then(values).alias(name) for name, values in numbers.items()),
        *(pl.when(tested).then(pl.Series(values)).alias(name) for name, values in tests.items()),
        pl.when(lacking).then(pl.lit("degenerate")).otherwise("status").alias("status"),
    )


def _numbers(frame: pl.DataFrame, expression: pl.Expr) -> NDArray[np.float64]:
    return frame.select(expression.cast(pl.Float64).fill_null(np.nan)).to_series().to_numpy()


def _joined(errors: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Compute the two-way clustered standard error; NaN where one of the three is."""
    first, second, both = (np.square(error) for error in errors)
    return np.sqrt(np.maximum(first + second - both, np.maximum(first, second)))
