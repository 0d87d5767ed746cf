"""Equivalence of means by two one-sided t tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.means.contrasts import contrast_estimates, t_statistics
from tallybook.statistics.means.student_distribution import critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Sequence


def equivalence_tests(
    contrasts: pl.DataFrame, by: Sequence[str], *, low: float, high: float, alpha: float = 0.05
) -> pl.DataFrame:
    """Test whether the mean, or the difference of means, of every cell lies within bounds (TOST).

    With D = estimate - null_value: t_low = (D - low) / std_error, against D <= low, and t_high = (D - high) /
    std_error, against D >= high. The p-value is the larger one of the two one-sided ones; it is below alpha if and
    only if the 1 - 2 alpha interval of D lies within the bounds.

    Args:
        contrasts: What `one_sample_contrasts` or `two_sample_contrasts` gave, or estimates with errors.
        low: The lower bound of what counts as equivalent to the null value, as a difference from it, in the scores'
            unit.
        high: The upper bound, likewise.
        alpha: The level of the test; the interval's is 1 - 2 alpha.

    Returns:
        Estimates with term `equivalence` (of estimates their own): the estimate and its interval, the t with the larger
        p-value as statistic, the bound that it tests (null value + low or high) as null_value, df, p_value and
        log_p_value. Status `no-data` without observations, `no-reference` without null value, `degenerate` where scores
        are constant or too few.

    References:
        Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
        assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15,
        657-680. Lakens, D. (2017). Equivalence tests. Social Psychological and Personality Science, 8, 355-362.

    >>> from tallybook.statistics.means.contrasts import one_sample_contrasts
    >>> from tallybook.statistics.means.moments import summary_moments
    >>> mean = one_sample_contrasts(summary_moments(pl.DataFrame({"n": [100], "mean": [0.1], "sd": [1.0]}), []), [])
    >>> equivalence_tests(mean, [], low=-0.3, high=0.3).select("null_value", pl.col("p_value").round(4)).row(0)
    (0.3, 0.0241)
    """
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise ValueError(f"the bounds are {low} and {high}: expected finite numbers in ascending order")
    if not 0 < alpha < 0.5:  # noqa: PLR2004  beyond one half the interval would have no level
        raise ValueError(f"alpha is {alpha}: expected a number between 0 and 0.5, both excluded")
    t, df = t_statistics(contrasts)
    std_error = contrasts["std_error"].to_numpy()
    with np.errstate(all="ignore"):
        above_low, below_high = t - low / std_error, t - high / std_error
        log_p_low, log_p_high = log_p_value(above_low, df, "greater"), log_p_value(below_high, df, "less")
        is_low = log_p_low >= log_p_high
        log_p = np.where(is_low, log_p_low, log_p_high)
        p = np.exp(log_p)
    half_width = critical_value(alpha, df) * std_error
    return contrast_estimates(
        contrasts.with_columns(
            (pl.col("term") if "term" in contrasts.columns else pl.lit("equivalence")).alias("term"),
            (pl.col("estimate") - pl.lit(pl.Series(half_width))).alias("ci_low"),
            (pl.col("estimate") + pl.lit(pl.Series(half_width))).alias("ci_high"),
            pl.lit(1.0 - 2.0 * alpha).alias("confidence"),
            pl.Series("null_value", contrasts["null_value"].to_numpy() + np.where(is_low, low, high)),
            pl.Series("statistic", np.where(is_low, above_low, below_high)),
            pl.Series("df", df),
            pl.Series("p_value", p),
            pl.Series("log_p_value", log_p),
            pl.lit(f"two one-sided t tests, bounds {low:g} and {high:g}").alias("method"),
            *(pl.lit(None).alias(name) for name in ("effect", "effect_kind", "effect_ci_low", "effect_ci_high")),
        ),
        by,
    )
