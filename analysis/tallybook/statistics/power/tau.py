"""Power of the test of Kendall's tau, approximately, and the smallest tau that a cell of a given size can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
from scipy.special import ndtr, ndtri

from tallybook.statistics.means.noncentral_t import root
from tallybook.statistics.means.student_distribution import check_alternative
from tallybook.statistics.power.t_test import DETECTABLE, check_alpha, check_levels, power_estimates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.means.student_distribution import Alternative

    Floats: TypeAlias = NDArray[np.float64]


def detectable_taus(
    cells: pl.DataFrame,
    by: Sequence[str],
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> pl.DataFrame:
    """The smallest Kendall's tau that the test of every cell would find with the wanted power; see `detectable_tau`.

    Args:
        cells: `by`, `n` and, where there are ties, `null_std_error`: the standard error of tau without association.
        by: The columns that name the cells.
        alpha: The level of the test.
        power: The wanted probability of a p-value below alpha.
        alternative: The alternative of the test.

    Returns:
        Estimates with term `minimum_detectable_effect`: tau. Status `no-data` where n = 0, `undetectable` where n = 1
        or where even a tau of 1 would not be found.

    Raises:
        ValueError: A setting is impossible.

    >>> cells = pl.DataFrame({"model": ["a", "b"], "n": [50, 1]})
    >>> detectable_taus(cells, ["model"]).select(pl.col("estimate").round(4), "status").rows()
    [(0.2734, 'ok'), (None, 'undetectable')]
    """
    taus = detectable_tau(_null_errors(cells), alpha=alpha, power=power, alternative=alternative)
    method = f"Kendall's tau found by a normal test, {alternative}, with alpha {alpha:g} and power {power:g}"
    results = cells.select(*by, "n", pl.lit(DETECTABLE).alias("term"), pl.Series("estimate", taus))
    return power_estimates(results, by, method, without="undetectable")


def tau_test_power(
    cells: pl.DataFrame,
    by: Sequence[str],
    *,
    tau: float,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> pl.DataFrame:
    """The power of the test of every cell against a given Kendall's tau; see `power_at_tau`.

    Args:
        cells: As for `detectable_taus`.
        by: The columns that name the cells.
        tau: The true tau.
        alpha: The level of the test.
        alternative: The alternative of the test.

    Returns:
        Estimates with term `power`; tau is their effect. Status `no-data` where n = 0, `degenerate` where n = 1.

    Raises:
        ValueError: A setting is impossible.
    """
    if not -1 <= tau <= 1:
        raise ValueError(f"tau is {tau}: expected a number between -1 and 1")
    powers = power_at_tau(tau, _null_errors(cells), alpha=alpha, alternative=alternative)
    results = cells.select(
        *by,
        "n",
        pl.lit("power").alias("term"),
        pl.Series("estimate", powers),
        pl.lit(float(tau)).alias("effect"),
        pl.lit("kendall_tau").alias("effect_kind"),
    )
    return power_estimates(results, by, f"power of a normal test of Kendall's tau, {alternative}, with alpha {alpha:g}")


def tau_null_error(n: ArrayLike) -> Floats:
    """The standard error of Kendall's tau of n untied pairs of values without association.

    Args:
        n: Numbers of observations.

    Returns:
        sqrt(2 (2 n + 5) / (9 n (n - 1))); NaN where n < 2.

    References:
        Kendall, M. G. (1938). A new measure of rank correlation. Biometrika, 30, 81-93.

    >>> tau_null_error([1, 10, 1000]).round(4)
    array([   nan, 0.2485, 0.0211])
    """
    size = np.asarray(n, np.float64)
    with np.errstate(all="ignore"):
        return np.where(size > 1, np.sqrt(2.0 * (2.0 + 5.0 / size) / (9.0 * (size - 1.0))), np.nan)


def power_at_tau(
    tau: ArrayLike, null_std_error: ArrayLike, *, alpha: float = 0.05, alternative: Alternative = "two-sided"
) -> Floats:
    """The power of the normal test of Kendall's tau, approximately.

    The estimate is taken to be normal with the standard error that it has without association, s, so that the power
    is Phi(tau / s - z) + Phi(-tau / s - z) with z the quantile of 1 - alpha / 2, or one of the two; for large n this
    is Noether's sample size formula. The true standard error is smaller the stronger the association, so a power above
    one half is somewhat too low. With ties, s must be theirs.

    Args:
        tau: The true tau; broadcast against `null_std_error`.
        null_std_error: s; for untied values `tau_null_error`.
        alpha: The level of the test.
        alternative: The alternative of the test.

    Returns:
        Probabilities; NaN where an argument is NaN or s is not positive.

    Raises:
        ValueError: A setting is impossible.

    References:
        Noether, G. E. (1987). Sample size determination for some common nonparametric tests. Journal of the American
        Statistical Association, 82, 645-647.

    >>> power_at_tau([0.3, 0.0], tau_null_error(50)).round(4)
    array([0.8674, 0.05  ])
    """
    check_alternative(alternative)
    check_alpha(alpha)
    with np.errstate(all="ignore"):
        error = np.asarray(null_std_error, np.float64)
        distance = np.asarray(tau, np.float64) / np.where(error > 0, error, np.nan)
        return _rejection(distance, alpha, alternative)


def detectable_tau(
    null_std_error: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> Floats:
    """The Kendall's tau against which its normal test has the wanted power, approximately; `power_at_tau`, inverted.

    Args:
        null_std_error: s; for untied values `tau_null_error`.
        alpha: The level of the test.
        power: The wanted power.
        alternative: The alternative of the test; for `less` tau is negative.

    Returns:
        Taus; NaN where s is NaN or not positive, and where tau would have to be larger than 1.

    Raises:
        ValueError: A setting is impossible.

    >>> detectable_tau([0.1, 0.5]).round(4)
    array([0.2802,    nan])
    """
    check_alternative(alternative)
    check_levels(alpha, power)
    error = np.asarray(null_std_error, np.float64)
    one_sided = np.asarray(ndtri(power) - ndtri(alpha / 2.0 if alternative == "two-sided" else alpha), np.float64)

    def shortfall(distance: Floats) -> Floats:
        return _rejection(distance, alpha, alternative) - power

    if alternative == "two-sided":
        # The other tail adds to the power, so that less is enough, if only by a rounding error.
        distance = root(shortfall, np.zeros_like(one_sided), 1.001 * one_sided, (), one_sided > 0)
    else:
        distance = one_sided
    with np.errstate(invalid="ignore"):
        tau = np.where(error > 0, distance * error, np.nan)
        return np.where(tau <= 1, -tau if alternative == "less" else tau, np.nan)


def _rejection(distance: Floats, alpha: float, alternative: Alternative) -> Floats:
    """The probability that a normal variable with this mean and standard deviation 1 is significant."""
    quantile = ndtri(alpha / 2.0 if alternative == "two-sided" else alpha)
    above: Floats = ndtr(distance + quantile)
    below: Floats = ndtr(quantile - distance)
    return {"two-sided": above + below, "greater": above, "less": below}[alternative]


def _null_errors(cells: pl.DataFrame) -> Floats:
    if "null_std_error" in cells.columns:
        return cells["null_std_error"].cast(pl.Float64).to_numpy()
    return tau_null_error(cells["n"].to_numpy())
