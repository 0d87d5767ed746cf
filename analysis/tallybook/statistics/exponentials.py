"""Estimates of logarithms as ratios."""

from __future__ import annotations

import polars as pl


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
