"""Power of t tests, and the smallest effect that a cell of a given size can show."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.means.contrasts import contrast_estimates
from tallybook.statistics.means.noncentral_t import noncentral_t_probability, noncentrality_at, root
from tallybook.statistics.means.student_distribution import check_alternative, critical_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.means.student_distribution import Alternative

    Floats: TypeAlias = NDArray[np.float64]

DETECTABLE = "minimum_detectable_effect"
"""The term of the smallest effect that a test finds with the wanted power."""


def check_levels(alpha: float, power: float) -> None:
    """Refuse levels between which no effect lies.

    Args:
        alpha: The level of a test.
        power: The wanted power.

    Raises:
        ValueError: They are not 0 < alpha < power < 1.
    """
    check_alpha(alpha)
    if not alpha < power < 1:
        raise ValueError(f"power is {power}: expected a number between alpha, {alpha}, and 1, both excluded")


def check_alpha(alpha: float) -> None:
    """Refuse what is no level of a test.

    Args:
        alpha: The level.

    Raises:
        ValueError: It lies outside (0, 1).
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha is {alpha}: expected a number between 0 and 1, both excluded")


def detectable_differences(
    contrasts: pl.DataFrame,
    by: Sequence[str],
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> pl.DataFrame:
    """The smallest Cohen's d that the t test of every cell would find with the wanted power; see `detectable_size`.

    Args:
        contrasts: What `one_sample_contrasts`, `two_sample_contrasts` or `paired_contrasts` gave. Only df and the
            effective n count, so that constant scores have an answer, too (but for Welch's contrast, whose df they
            leave open).
        by: The columns that name the cells.
        alpha: The level of the test.
        power: The wanted probability of a p-value below alpha.
        alternative: The alternative of the test.

    Returns:
        Estimates with term `minimum_detectable_effect`: Cohen's d, and df. Status `no-data` without observations,
        `degenerate` with too few of them for any test.

    Raises:
        ValueError: A setting is impossible.

    >>> from tallybook.statistics.means.contrasts import one_sample_contrasts
    >>> from tallybook.statistics.means.moments import summary_moments
    >>> cells = summary_moments(pl.DataFrame({"n": [50], "mean": [0.0], "sd": [1.0]}), [])
    >>> detectable_differences(one_sample_contrasts(cells, []), []).select(pl.col("estimate").round(4)).item()
    0.4042
    """
    df, effective_n = (contrasts[name].to_numpy() for name in ("df", "effective_n"))
    sizes = detectable_size(df, effective_n, alpha=alpha, power=power, alternative=alternative)
    method = f"Cohen's d found by a t test, {alternative}, with alpha {alpha:g} and power {power:g}"
    results = contrasts.select(*by, "n", "df", pl.lit(DETECTABLE).alias("term"), pl.Series("estimate", sizes))
    return power_estimates(results, by, method)


def t_test_power(
    contrasts: pl.DataFrame,
    by: Sequence[str],
    *,
    size: float,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> pl.DataFrame:
    """The power of the t test of every cell against a given Cohen's d; see `power_at_size`.

    Args:
        contrasts: As for `detectable_differences`.
        by: The columns that name the cells.
        size: Cohen's d.
        alpha: The level of the test.
        alternative: The alternative of the test.

    Returns:
        Estimates with term `power`; the size is their effect. Status as in `detectable_differences`.

    Raises:
        ValueError: A setting is impossible.
    """
    if not math.isfinite(size):
        raise ValueError(f"size is {size}: expected a finite number")
    df, effective_n = (contrasts[name].to_numpy() for name in ("df", "effective_n"))
    powers = power_at_size(size, df, effective_n, alpha=alpha, alternative=alternative)
    results = contrasts.select(
        *by,
        "n",
        "df",
        pl.lit("power").alias("term"),
        pl.Series("estimate", powers),
        pl.lit(float(size)).alias("effect"),
        pl.lit("cohen_d").alias("effect_kind"),
    )
    return power_estimates(results, by, f"power of a t test, {alternative}, with alpha {alpha:g}")


def power_at_size(
    size: ArrayLike,
    df: ArrayLike,
    effective_n: ArrayLike,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Floats:
    """The power of a t test: the probability of rejecting, either way, when the standardised difference is d.

    With delta = d sqrt(N) and c the critical value, P(T > c) + P(T < -c) of the noncentral t distribution, or one of
    the two. R: power.t.test(strict = TRUE).

    Args:
        size: d; the first three arguments broadcast.
        df: Degrees of freedom.
        effective_n: N: n of one sample or of pairs, n_1 n_2 / (n_1 + n_2) of two groups.
        alpha: The level of the test.
        alternative: The alternative of the test.

    Returns:
        Probabilities; NaN where an argument is NaN or df is not positive.

    Raises:
        ValueError: The alternative is unknown, or alpha lies outside (0, 1).

    References:
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 2.

    >>> power_at_size([0.5, 0.0], 62, 16).round(4)
    array([0.5036, 0.05  ])
    """
    check_alternative(alternative)
    check_alpha(alpha)
    with np.errstate(all="ignore"):
        delta = np.asarray(size, np.float64) * np.sqrt(np.asarray(effective_n, np.float64))
    return _rejection(delta, np.asarray(df, np.float64), alpha, alternative)


def detectable_size(
    df: ArrayLike,
    effective_n: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    alternative: Alternative = "two-sided",
) -> Floats:
    """The Cohen's d against which a t test has the wanted power; `power_at_size`, inverted.

    Args:
        df: Degrees of freedom; broadcast against `effective_n`.
        effective_n: N: n of one sample or of pairs, n_1 n_2 / (n_1 + n_2) of two groups.
        alpha: The level of the test.
        power: The wanted power.
        alternative: The alternative of the test; for `less` d is negative.

    Returns:
        d; NaN where an argument is NaN or not positive.

    Raises:
        ValueError: A setting is impossible.

    >>> detectable_size([49, 1], [50, 2]).round(4)
    array([ 0.4042, 11.5499])
    """
    check_alternative(alternative)
    check_levels(alpha, power)
    v, n = np.broadcast_arrays(np.asarray(df, np.float64), np.asarray(effective_n, np.float64))
    tails = 2.0 if alternative == "two-sided" else 1.0
    with np.errstate(all="ignore"):
        one_sided = noncentrality_at(1.0 - power, critical_value(alpha / tails, v), v)
        solvable = np.isfinite(one_sided) & (n > 0)

        def shortfall(delta: Floats, df: Floats) -> Floats:
            return _rejection(delta, df, alpha, alternative) - power

        if alternative == "two-sided":
            # The other tail adds to the power, so that less is enough, if only by a rounding error.
            delta = root(shortfall, np.zeros_like(one_sided), 1.001 * one_sided, (v,), solvable)
        else:
            delta = one_sided if alternative == "greater" else -one_sided
        return np.where(solvable, delta / np.sqrt(n), np.nan)


def power_estimates(results: pl.DataFrame, by: Sequence[str], method: str, without: str = "degenerate") -> pl.DataFrame:
    """Bring detectable effects or powers into the shape of estimates.

    Args:
        results: `by`, `n`, `term`, `estimate` and other columns of estimates.
        by: The columns that name the cells.
        method: How they were computed.
        without: The status where n > 0 and there is no estimate.

    Returns:
        Estimates; `no-data` where n = 0, `without` where there is no estimate, and then without df.
    """
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(pl.col("estimate").is_finite())
        .then(pl.lit("ok"))
        .otherwise(pl.lit(without))
    )
    described = results.with_columns(pl.lit(method).alias("method"), status.alias("status"))
    if "df" in described.columns:
        described = described.with_columns(pl.when(pl.col("status") == "ok").then(pl.col("df")).alias("df"))
    return contrast_estimates(described, by)


def _rejection(delta: Floats, df: Floats, alpha: float, alternative: Alternative) -> Floats:
    """The probability that a noncentral t is significant."""
    critical = critical_value(alpha / 2.0 if alternative == "two-sided" else alpha, df)
    # P(T > c) is the probability of T < -c with the other sign of delta: nothing is subtracted from 1.
    above = noncentral_t_probability(-critical, df, -delta)
    below = noncentral_t_probability(-critical, df, delta)
    return {"two-sided": above + below, "greater": above, "less": below}[alternative]
