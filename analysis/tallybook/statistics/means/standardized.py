"""Standardised mean differences: Cohen's d and Hedges' g, with intervals from the noncentral t distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from scipy.special import poch

from tallybook.statistics.means.noncentral_t import noncentrality_at

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]

Effect: TypeAlias = Literal["cohen_d", "hedges_g"]
"""Cohen's d, or Hedges' g: d without its bias."""

_SUFFIXES = {"one-sample": "", "two-sample": "", "welch": "_star", "paired": "_z"}


def standardized_difference(contrasts: pl.DataFrame, effect: Effect) -> Floats:
    """Cohen's d or Hedges' g of contrasts: d = (estimate - null_value) / standardizer, g = J d.

    References:
        Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators. Journal
        of Educational Statistics, 6, 107-128.
    """
    check_effect(effect)
    d = (pl.col("estimate") - pl.col("null_value")) / pl.col("standardizer")
    sizes = contrasts.select(pl.when(pl.col("status") == "ok").then(d)).to_series().to_numpy()
    if effect == "cohen_d":
        return sizes
    return sizes * hedges_factor(contrasts["standardizer_df"].to_numpy())


def check_effect(effect: str) -> None:
    """Refuse other names than those of standardised differences."""
    if effect not in get_args(Effect):
        raise ValueError(f"effect is {effect!r}: expected one of {', '.join(get_args(Effect))}")


def effect_kinds(effect: Effect) -> pl.Expr:
    """Name an effect size: for pairs it ends in `_z`, for Welch's contrast in `_star`."""
    return pl.concat_str(pl.lit(effect), pl.col("design").replace_strict(_SUFFIXES))


def standardized_interval(
    size: ArrayLike, df: ArrayLike, effective_n: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """The interval of the true standardised difference, from the noncentral t distribution.

    With N the effective n and delta(q) the noncentrality at which P(T <= d sqrt N) = q it is
    [delta((1 + confidence) / 2), delta((1 - confidence) / 2)] / sqrt N: exact for normal scores, and for Welch's
    contrast an approximation. R: MBESS::ci.smd.

    Returns:
        Lower and upper limits; NaN where an argument is NaN or out of range.
    """
    with np.errstate(all="ignore"):
        root_n = np.sqrt(np.asarray(effective_n, np.float64))
        t = np.asarray(size, np.float64) * root_n
        tail = (1.0 - confidence) / 2.0
        return noncentrality_at(1.0 - tail, t, df) / root_n, noncentrality_at(tail, t, df) / root_n


def hedges_factor(df: ArrayLike) -> Floats:
    """J, the exact factor that takes the bias off Cohen's d.

    Returns:
        J = gamma(df / 2) / (sqrt(df / 2) gamma((df - 1) / 2)), between 0 and 1; NaN where df <= 1: there d has no
        mean.
    """
    v = np.asarray(df, np.float64)
    with np.errstate(all="ignore"):
        ratio: Floats = poch((v - 1.0) / 2.0, 0.5)
        return np.where(v > 1, ratio / np.sqrt(v / 2.0), np.nan)
