"""Student's and Welch's t tests of means, for all cells at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.inputs import check_confidence
from tallybook.statistics.means.contrasts import contrast_estimates, t_statistics
from tallybook.statistics.means.standardized import effect_kinds, standardized_difference, standardized_interval
from tallybook.statistics.means.student_distribution import check_alternative, critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.means.standardized import Effect
    from tallybook.statistics.means.student_distribution import Alternative

    Floats: TypeAlias = NDArray[np.float64]

_TESTS = {
    "one-sample": "one-sample t test",
    "two-sample": "Student's two-sample t test",
    "welch": "Welch's two-sample t test",
    "paired": "paired t test",
}


def t_tests(
    contrasts: pl.DataFrame,
    by: Sequence[str],
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
    effect: Effect = "cohen_d",
    effect_interval: bool = False,
) -> pl.DataFrame:
    """Test the mean, or the difference of means, of every cell.

    t = (estimate - null_value) / std_error, referred to Student's distribution; the interval is
    estimate ± std_error times its quantile. R: t.test.

    Args:
        contrasts: What `one_sample_contrasts`, `two_sample_contrasts` or `paired_contrasts` gave.
        alternative: Which differences from the null value speak against it; the interval of a one-sided test has one
            end.
        effect: The effect size beside the test.
        effect_interval: Whether its exact interval stands beside it; see `standardized_interval`. It takes much
            longer than the test, and is wrong where responses are not independent.

    Returns:
        Estimates with term `mean` (one sample) or `mean_difference`: estimate, std_error, the interval, null_value,
        t as statistic, df, p_value, log_p_value (finite where the p-value is too small for a float) and the effect.
        Status `no-data` without observations, `no-reference` without null value, and `degenerate` where scores are
        constant or too few: then there is an estimate, where it exists, but no test.

    References:
        Student (1908). The probable error of a mean. Biometrika, 6, 1-25. Welch, B. L. (1947). The generalization of
        "Student's" problem when several different population variances are involved. Biometrika, 34, 28-35.

    >>> from tallybook.statistics.means.contrasts import one_sample_contrasts
    >>> from tallybook.statistics.means.moments import moments
    >>> decisions = pl.DataFrame({"model": ["a", "a"], "value": [0.0, 1.0], "count": [40, 60]})
    >>> against_half = one_sample_contrasts(moments(decisions, ["model"]), ["model"], null_value=0.5)
    >>> t_tests(against_half, ["model"]).select(pl.col("statistic", "df", "p_value").round(4)).row(0)
    (2.031, 99.0, 0.0449)
    """
    check_alternative(alternative)
    check_confidence(confidence)
    t, df = t_statistics(contrasts)
    log_p = log_p_value(t, df, alternative)
    with np.errstate(under="ignore"):
        p = np.exp(log_p)
    tail = (1.0 - confidence) / (2.0 if alternative == "two-sided" else 1.0)
    quantile = critical_value(tail, df)
    low = np.full(t.shape, np.nan) if alternative == "less" else -quantile
    high = np.full(t.shape, np.nan) if alternative == "greater" else quantile
    size = pl.Series("effect", standardized_difference(contrasts, effect))
    is_mean = pl.col("design") == "one-sample"
    return contrast_estimates(
        contrasts.with_columns(
            pl.when(is_mean).then(pl.lit("mean")).otherwise(pl.lit("mean_difference")).alias("term"),
            _end(low).alias("ci_low"),
            _end(high).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.Series("statistic", t),
            pl.Series("df", df),
            pl.Series("p_value", p),
            pl.Series("log_p_value", log_p),
            size,
            effect_kinds(effect).alias("effect_kind"),
            *(_effect_limits(contrasts, size, confidence) if effect_interval else ()),
            pl.concat_str(pl.col("design").replace_strict(_TESTS), pl.lit(f", {alternative}")).alias("method"),
        ),
        by,
    )


def _end(quantile: Floats) -> pl.Expr:
    """An end of the interval, so many standard errors from the estimate."""
    return pl.col("estimate") + pl.lit(pl.Series(quantile)) * pl.col("std_error")


def _effect_limits(contrasts: pl.DataFrame, size: pl.Series, confidence: float) -> list[pl.Series]:
    """The interval of the true standardised difference, where there is an effect size."""
    df, effective_n = (contrasts[name].to_numpy() for name in ("standardizer_df", "effective_n"))
    limits = standardized_interval(standardized_difference(contrasts, "cohen_d"), df, effective_n, confidence)
    missing = size.is_null() | size.is_nan()
    return [
        pl.Series(name, np.where(missing, np.nan, limit))
        for name, limit in zip(("effect_ci_low", "effect_ci_high"), limits, strict=True)
    ]
