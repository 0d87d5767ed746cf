"""The JZS Bayes factor of a t test, by pingouin."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.means.contrasts import contrast_estimates, t_statistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

MEDIUM_SCALE = math.sqrt(0.5)
"""The usual scale of the prior: half of its probability lies within this many standard deviations of 0."""


def bayes_factors(contrasts: pl.DataFrame, by: Sequence[str], *, scale: float = MEDIUM_SCALE) -> pl.DataFrame:
    """Weigh, in every cell, a true difference against none, by pingouin's `bayesfactor_ttest`.

    Args:
        contrasts: What `one_sample_contrasts`, `two_sample_contrasts` with equal variances, or `paired_contrasts` gave.
        by: The columns that name the cells.
        scale: r, the scale of the Cauchy prior of the standardised difference.

    Returns:
        Estimates with term `log_bf10`: ln BF10, positive where the data favour a difference; t as statistic, df, and
        BF10 itself as effect of kind `bf10`. Status `no-data` without observations, `no-reference` without null value,
        `degenerate` where scores are constant or too few, and where BF10 is too large for a float.

    Raises:
        ValueError: The scale is no finite positive number, or the contrasts are Welch's, for which there is no such
            Bayes factor.

    References:
        Rouder, J. N., Speckman, P. L., Sun, D., Morey, R. D. & Iverson, G. (2009). Bayesian t tests for accepting and
        rejecting the null hypothesis. Psychonomic Bulletin & Review, 16, 225-237.

    >>> from tallybook.statistics.means.contrasts import one_sample_contrasts
    >>> from tallybook.statistics.means.moments import summary_moments
    >>> mean = one_sample_contrasts(summary_moments(pl.DataFrame({"n": [80], "mean": [0.3], "sd": [1.2]}), []), [])
    >>> bayes_factors(mean, []).select(pl.col("statistic", "effect").round(3)).row(0)
    (2.236, 1.288)
    """
    if not (scale > 0 and math.isfinite(scale)):
        raise ValueError(f"scale is {scale}: expected a finite positive number")
    if (contrasts["design"] == "welch").any():
        raise ValueError("the contrasts are Welch's: the JZS Bayes factor takes equal variances")
    t, df = t_statistics(contrasts)
    factor = np.array([_factor(*cell, scale) for cell in zip(t, df, contrasts["effective_n"], strict=True)])
    with np.errstate(divide="ignore"):
        log_factor = np.log(factor)
    known = pl.lit(pl.Series(np.isfinite(log_factor), dtype=pl.Boolean))
    return contrast_estimates(
        contrasts.select(
            *by,
            "n",
            pl.when((pl.col("status") == "ok") & ~known).then(pl.lit("degenerate")).otherwise("status").alias("status"),
            pl.lit("log_bf10").alias("term"),
            pl.Series("estimate", log_factor, dtype=pl.Float64),
            pl.Series("statistic", t),
            pl.Series("df", df),
            pl.Series("effect", factor, dtype=pl.Float64),
            pl.lit("bf10").alias("effect_kind"),
            pl.lit(f"JZS Bayes factor, Cauchy prior of scale {scale:.4g}").alias("method"),
        ),
        by,
    )


def _factor(t: float, df: float, effective_n: float | None, scale: float) -> float:
    """BF10 of one t; NaN where there is none."""
    from pingouin import bayesfactor_ttest

    if effective_n is None or not np.isfinite(t):
        return np.nan
    total = df + 2.0
    if effective_n > total - 1.5:  # one sample, or pairs: as many as there are
        first, second = effective_n, None
    else:
        apart = np.sqrt(max(total * (total - 4.0 * effective_n), 0.0))
        first, second = (total + apart) / 2.0, (total - apart) / 2.0
    with np.errstate(all="ignore"):
        return float(bayesfactor_ttest(t, first, second, r=scale))
