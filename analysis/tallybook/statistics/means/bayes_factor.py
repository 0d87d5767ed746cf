"""The JZS Bayes factor of a t test, as its logarithm, for all cells at once."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.means.contrasts import contrast_estimates, t_statistics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

MEDIUM_SCALE = math.sqrt(0.5)
"""The usual scale of the prior: half of its probability lies within this many standard deviations of 0."""

# The trapezoidal rule over ln g: below the start the integrand is less than 1e-18 of its largest value, and so it is
# this far beyond the last of its bends; with this many nodes the rule's own error is below 1e-15 for |d| up to 1e9.
_START = -4.5
_BEYOND = 38.0
_NODES = 480
_LOG_SQRT_TAU = 0.5 * math.log(2.0 * math.pi)


def bayes_factors(contrasts: pl.DataFrame, by: Sequence[str], *, scale: float = MEDIUM_SCALE) -> pl.DataFrame:
    """Weigh, in every cell, a true difference against none; see `log_bayes_factor`.

    Args:
        contrasts: What `one_sample_contrasts`, `two_sample_contrasts` with equal variances, or `paired_contrasts` gave.
        by: The columns that name the cells.
        scale: r, the scale of the Cauchy prior of the standardised difference.

    Returns:
        Estimates with term `log_bf10`: ln BF10, positive where the data favour a difference; t as statistic, df, and
        BF10 itself as effect of kind `bf10`, null where it is too large for a float. Status `no-data` without
        observations, `no-reference` without null value, `degenerate` where scores are constant or too few.

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
    log_factor = log_bayes_factor(t, df, contrasts["effective_n"].to_numpy(), scale)
    with np.errstate(over="ignore"):
        factor = np.exp(log_factor)
    return contrast_estimates(
        contrasts.select(
            *by,
            "n",
            "status",
            pl.lit("log_bf10").alias("term"),
            pl.Series("estimate", log_factor),
            pl.Series("statistic", t),
            pl.Series("df", df),
            pl.Series("effect", factor),
            pl.lit("bf10").alias("effect_kind"),
            pl.lit(f"JZS Bayes factor, Cauchy prior of scale {scale:.4g}").alias("method"),
        ),
        by,
    )


def log_bayes_factor(
    statistic: ArrayLike, df: ArrayLike, effective_n: ArrayLike, scale: float = MEDIUM_SCALE
) -> Floats:
    """Natural logarithm of the JZS Bayes factor of a difference over none, BF10, from t.

    With x = N r² g and q = t² / df, BF10 is the integral over g > 0 of
    ((1 + q) (1 + x) / (1 + x + q))^((df + 1) / 2) / sqrt(1 + x) / sqrt(2 pi) g^(-3/2) e^(-1 / 2g).
    It is added up over ln g by the trapezoidal rule, in logarithms, so it neither overflows nor depends on a guess
    where the integrand is large (one quadrature a cell, as in pingouin and R's BayesFactor, does both).

    Args:
        statistic: t; the first three arguments broadcast.
        df: Degrees of freedom of t.
        effective_n: N: n of one sample or of pairs, n_1 n_2 / (n_1 + n_2) of two groups.
        scale: r, the scale of the Cauchy prior of the standardised difference, positive.

    Returns:
        ln BF10; NaN where an argument is NaN or out of range.

    References:
        Rouder et al. (2009), equation 1, with the prior's scale; Zellner, A. & Siow, A. (1980).

    >>> log_bayes_factor([0.0, 3.5, 20.0], [79, 19, 4999], [80, 20, 5000]).round(4)
    array([ -2.0938,   2.844 , 188.1532])
    """
    arguments = [np.asarray(values, np.float64) for values in (statistic, df, effective_n)]
    t, v, n = np.broadcast_arrays(*arguments)
    with np.errstate(all="ignore"):
        q = np.square(t) / v
        information = n * scale**2
        bends = np.log1p(np.square(t / scale) / n + 1.0 / information)
        step = (bends + _BEYOND - _START) / _NODES
        total = np.full(t.shape, -np.inf)
        for node in range(_NODES + 1):
            log_g = _START + node * step
            x = information * np.exp(log_g)
            # q x / (1 + x + q), in a form that does not overflow
            gain = x / ((1.0 + x) / q + 1.0)
            log_likelihood = 0.5 * (v + 1.0) * np.log1p(gain) - 0.5 * np.log1p(x)
            total = np.logaddexp(total, log_likelihood - 0.5 * log_g - 0.5 * np.exp(-log_g))
        result = total + np.log(step) - _LOG_SQRT_TAU
        defined = np.isfinite(t) & (v > 0) & (n > 0)
        return np.where(defined & np.isfinite(result), result, np.nan)
