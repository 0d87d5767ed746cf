"""Weighted sums of estimates over the levels of a factor, and estimates of logarithms as ratios."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl
from scipy.special import ndtri

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.tails import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def weighted_sums(
    estimates: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    weights: Mapping[str, float],
    *,
    constant: float = 0.0,
    confidence: float = 0.95,
    null_value: float | None = None,
) -> pl.DataFrame:
    """A weighted sum of the estimates at several levels of a factor, in every cell.

    With estimates e of independent cells and weights w: sum w e + constant, std_error = sqrt(sum w² std_error²), and
    the normal interval. Cells that share clusters are not independent: see `jackknife.jackknifed`.

    Args:
        estimates: Estimates, one a cell, level, outcome and term.
        factor: The factor whose levels are combined.
        weights: Level -> its weight.
        constant: What is added.
        null_value: The sum under the null hypothesis of a two-sided normal test; None makes no test.

    Returns:
        Estimates, one a cell, outcome and term; n is the sum of n. Where a level has no estimate, the sum has none
        either: its status is `no-data`.

    >>> rows = {"type": ["a", "b"], "outcome": "x", "term": "yes", "n": [10, 10], "estimate": [0.75, 0.5]}
    >>> shares = pl.DataFrame(rows).with_columns(pl.Series("std_error", [0.3, 0.4]))
    >>> sums = weighted_sums(shares, [], "type", {"a": 1, "b": 1}, constant=-1)
    >>> sums.select("n", "estimate", "std_error").row(0)
    (20, 0.25, 0.5)
    """
    weighted = estimates.filter(pl.col(factor).is_in(list(weights))).with_columns(
        pl.col(factor).replace_strict(dict(weights), return_dtype=pl.Float64).alias("weight")
    )
    term = pl.col("weight") * pl.col("estimate")
    variance = (pl.col("weight") * pl.col("std_error")).pow(2)
    half_width = pl.col("std_error") * -float(ndtri((1.0 - confidence) / 2.0))
    complete = pl.col("known") == len(weights)
    sums = (
        weighted.sort([*by, "outcome", "term", factor])
        .group_by([*by, "outcome", "term"], maintain_order=True)
        .agg(
            (term.sum() + constant).alias("estimate"),
            variance.sum().sqrt().alias("std_error"),
            pl.col("std_error").is_not_null().sum().alias("errors"),
            pl.col("estimate").is_not_null().sum().alias("known"),
            pl.col("n").sum(),
        )
        .with_columns(
            pl.when(complete).then(pl.col("estimate")).alias("estimate"),
            pl.when(complete & (pl.col("errors") == len(weights))).then(pl.col("std_error")).alias("std_error"),
        )
    )
    statistic = (pl.col("estimate") - pl.lit(null_value, dtype=pl.Float64)) / pl.col("std_error")
    sums = sums.with_columns(
        pl.lit(null_value, dtype=pl.Float64).alias("null_value"),
        pl.when(pl.col("std_error") > 0).then(statistic).alias("statistic"),
    )
    z = sums.get_column("statistic").fill_null(math.nan).to_numpy()
    p, log_p = two_sided_normal(z)
    return as_estimates(
        sums.with_columns(
            pl.Series("p_value", p),
            pl.Series("log_p_value", log_p),
            (pl.col("estimate") - half_width).alias("ci_low"),
            (pl.col("estimate") + half_width).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.lit(f"weighted sum over {factor}, normal interval").alias("method"),
            pl.when(complete).then(pl.lit("ok")).otherwise(pl.lit("no-data")).alias("status"),
        ),
        by,
    )


def exponentials(estimates: pl.DataFrame) -> pl.DataFrame:
    """The exponential of estimates: of mean logarithms of ratios it is their geometric mean.

    exp(estimate) with the exponentials of the limits, which a monotone function carries over; std_error =
    exp(estimate) · std_error, by the delta method. Tests stay with the logarithms.

    Returns:
        Estimates, the same rows; what overflows is null, with the status `degenerate`.

    >>> rows = pl.DataFrame({"estimate": [0.0, None], "std_error": [0.5, None], "method": ["mean", ""]})
    >>> rows = rows.with_columns(ci_low=-1.0, ci_high=1.0, status=pl.lit("ok"))
    >>> exponentials(rows).select("estimate", "std_error", "method").rows()
    [(1.0, 0.5, 'exp of mean'), (None, None, 'exp of ')]
    """
    ratio = pl.col("estimate").exp()
    made = estimates.with_columns(
        ratio.alias("estimate"),
        (ratio * pl.col("std_error")).alias("std_error"),
        *(pl.col(name).exp() for name in ("ci_low", "ci_high")),
        *(pl.lit(None).cast(kind).alias(name) for name, kind in estimates.schema.items() if name in _OF_LOGARITHMS),
        pl.format("exp of {}", "method").alias("method"),
    )
    numbers = [pl.col(name) for name in ("estimate", "std_error", "ci_low", "ci_high")]
    overflows = pl.col("estimate").is_infinite().fill_null(value=False)
    return made.with_columns(
        *(pl.when(number.is_finite()).then(number) for number in numbers),
        pl.when(overflows).then(pl.lit("degenerate")).otherwise("status").alias("status"),
    )


_OF_LOGARITHMS = {
    *("null_value", "statistic", "df", "df2", "p_value", "log_p_value", "p_adjusted", "log_p_adjusted", "family_size"),
    *("effect", "effect_kind", "effect_ci_low", "effect_ci_high"),
}
"""Columns that hold for logarithms and not for ratios."""
