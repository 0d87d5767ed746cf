"""Standardised mean differences: Cohen's d and Hedges' g, with intervals from the noncentral t distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from scipy.special import poch

from tallybook.statistics.means.contrasts import contrast_estimates
from tallybook.statistics.means.noncentral_t import noncentrality_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

Effect: TypeAlias = Literal["cohen_d", "hedges_g"]
"""Cohen's d, or Hedges' g: d without its bias."""

Interval: TypeAlias = Literal["exact", "scaled"]
"""Whether the interval of Hedges' g is that of the true difference, or is corrected as g itself is."""

_SUFFIXES = {"one-sample": "", "two-sample": "", "welch": "_star", "paired": "_z"}
_STANDARDIZERS = {
    "one-sample": "the standard deviation",
    "two-sample": "the pooled standard deviation",
    "welch": "the root mean square of both standard deviations",
    "paired": "the standard deviation of the differences",
}
_NAMES = {"cohen_d": "Cohen's d", "hedges_g": "Hedges' g"}


def standardized_differences(
    contrasts: pl.DataFrame,
    by: Sequence[str],
    *,
    effect: Effect = "cohen_d",
    interval: Interval = "exact",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Cohen's d or Hedges' g of every cell, with an interval of the true standardised difference.

    d = (estimate - null_value) / standardizer. With N the effective n and delta(q) the noncentrality at which
    P(T <= d sqrt N) = q, the interval is [delta((1 + confidence) / 2), delta((1 - confidence) / 2)] / sqrt N; it is
    exact for normal scores, and for Welch's contrast an approximation. g is d times
    J = gamma(df / 2) / (sqrt(df / 2) gamma((df - 1) / 2)); the common 1 - 3 / (4 df - 1) approximates J.

    Args:
        contrasts: What `one_sample_contrasts`, `two_sample_contrasts` or `paired_contrasts` gave.
        by: The columns that name the cells.
        effect: `cohen_d` or `hedges_g`.
        interval: For g, `exact` gives d's interval, which covers the true difference as often as it says (as R's
            MBESS does); `scaled` multiplies its ends by J, too (as R's effectsize does).
        confidence: The level of the interval.

    Returns:
        Estimates whose term is the effect size, of null value 0; for pairs it ends in `_z` (standardised by the
        differences' standard deviation), for Welch's contrast in `_star` (by the root of the mean variance). df is
        the standardizer's. Where scores are constant or too few, d does not exist and the status is `degenerate`; so
        it is for g with a single degree of freedom.

    Raises:
        ValueError: A setting is impossible.

    References:
        Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators. Journal
        of Educational Statistics, 6, 107-128. Cumming, G. & Finch, S. (2001). A primer on the understanding, use, and
        calculation of confidence intervals that are based on central and noncentral distributions. Educational and
        Psychological Measurement, 61, 532-574. Delacre, M. et al. (2021), for Welch's contrast: see
        `two_sample_contrasts`.

    >>> from tallybook.statistics.means.contrasts import one_sample_contrasts
    >>> from tallybook.statistics.means.moments import summary_moments
    >>> printed = summary_moments(pl.DataFrame({"n": [20], "mean": [0.5], "sd": [1.0]}), [])
    >>> d = standardized_differences(one_sample_contrasts(printed, []), [])
    >>> d.select("estimate", pl.col("ci_low", "ci_high").round(4)).row(0)
    (0.5, 0.0284, 0.96)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}: expected a number between 0 and 1, both excluded")
    check_effect(effect)
    if interval not in get_args(Interval):
        raise ValueError(f"interval is {interval!r}: expected one of {', '.join(get_args(Interval))}")
    sizes = standardized_difference(contrasts, "cohen_d")
    df, effective_n = (contrasts[name].to_numpy() for name in ("standardizer_df", "effective_n"))
    low, high = standardized_interval(sizes, df, effective_n, confidence)
    factor = hedges_factor(df) if effect == "hedges_g" else np.ones_like(df)
    # Without a g there is no interval of it.
    scale = factor if interval == "scaled" else np.where(np.isnan(factor), np.nan, 1.0)
    described = pl.concat_str(
        pl.lit(f"{_NAMES[effect]}, standardised by "),
        pl.col("design").replace_strict(_STANDARDIZERS),
        pl.lit(f", {interval} noncentral t interval"),
    )
    return contrast_estimates(
        contrasts.select(
            *by,
            "n",
            "status",
            effect_kinds(effect).alias("term"),
            pl.Series("estimate", factor * sizes),
            pl.Series("ci_low", scale * low),
            pl.Series("ci_high", scale * high),
            pl.lit(confidence).alias("confidence"),
            pl.lit(0.0).alias("null_value"),
            pl.Series("df", np.where(np.isnan(sizes), np.nan, df)),
            described.alias("method"),
        ),
        by,
    )


def standardized_difference(contrasts: pl.DataFrame, effect: Effect) -> Floats:
    """Cohen's d or Hedges' g of contrasts.

    Args:
        contrasts: Contrasts.
        effect: `cohen_d` or `hedges_g`; see `standardized_differences`.

    Returns:
        One number a row; NaN where it does not exist.

    Raises:
        ValueError: The effect size is unknown.
    """
    check_effect(effect)
    d = (pl.col("estimate") - pl.col("null_value")) / pl.col("standardizer")
    sizes = contrasts.select(pl.when(pl.col("status") == "ok").then(d)).to_series().to_numpy()
    if effect == "cohen_d":
        return sizes
    return sizes * hedges_factor(contrasts["standardizer_df"].to_numpy())


def check_effect(effect: str) -> None:
    """Refuse what is no standardised difference.

    Args:
        effect: Its name.

    Raises:
        ValueError: The name is unknown.
    """
    if effect not in get_args(Effect):
        raise ValueError(f"effect is {effect!r}: expected one of {', '.join(get_args(Effect))}")


def effect_kinds(effect: Effect) -> pl.Expr:
    """What an effect size is called, by the design of the contrast.

    Args:
        effect: `cohen_d` or `hedges_g`.

    Returns:
        An expression over contrasts.
    """
    return pl.concat_str(pl.lit(effect), pl.col("design").replace_strict(_SUFFIXES))


def standardized_interval(
    size: ArrayLike, df: ArrayLike, effective_n: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """The noncentral t interval of Cohen's d; see `standardized_differences`.

    Args:
        size: d; the first three arguments broadcast. A published t gives it as t / sqrt(effective_n).
        df: Degrees of freedom of the standardizer.
        effective_n: n of one sample or of pairs, n_1 n_2 / (n_1 + n_2) of two groups.
        confidence: Coverage, between 0 and 1 (both excluded).

    Returns:
        Lower and upper limits; NaN where an argument is NaN or out of range.

    >>> low, high = standardized_interval([0.5, -2.0], [19, 8], [20.0, 2.5])
    >>> low.round(4), high.round(4)
    (array([ 0.0284, -3.5321]), array([ 0.96  , -0.3927]))
    """
    with np.errstate(all="ignore"):
        root_n = np.sqrt(np.asarray(effective_n, np.float64))
        t = np.asarray(size, np.float64) * root_n
        tail = (1.0 - confidence) / 2.0
        return noncentrality_at(1.0 - tail, t, df) / root_n, noncentrality_at(tail, t, df) / root_n


def hedges_factor(df: ArrayLike) -> Floats:
    """J, the exact factor that takes the bias off Cohen's d.

    Args:
        df: Degrees of freedom of the standardizer.

    Returns:
        J = gamma(df / 2) / (sqrt(df / 2) gamma((df - 1) / 2)), between 0 and 1; NaN where df <= 1: there d has no
        mean.

    >>> hedges_factor([1, 2, 10, 1e9]).round(6)
    array([     nan, 0.56419 , 0.922746, 1.      ])
    """
    v = np.asarray(df, np.float64)
    with np.errstate(all="ignore"):
        ratio: Floats = poch((v - 1.0) / 2.0, 0.5)
        return np.where(v > 1, ratio / np.sqrt(v / 2.0), np.nan)
