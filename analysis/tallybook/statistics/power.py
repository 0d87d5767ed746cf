"""Power of t tests and of the exact binomial test, and the smallest effects that these tests detect.

The power of a two-sided t test in statsmodels is NaN where it is nearly 1, and no library computes that of the exact
binomial test; here, sample sizes and degrees of freedom may also be effective ones of clustered data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import betainc, betaincc

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.means.student import noncentral_t_probability, noncentrality_at, root
from tallybook.statistics.proportions.binomial import two_sided_p_value
from tallybook.statistics.tails import critical_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.proportions.binomial import TwoSidedMethod
    from tallybook.statistics.tails import Alternative


def detectable_differences(
    tests: pl.DataFrame,
    by: Sequence[str],
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    difference: float | None = None,
    alternative: Alternative = "two-sided",
) -> pl.DataFrame:
    """Compute the smallest differences from null values that t tests detect, given their standard errors.

    A difference D in units of the standard error is the noncentrality: it is what `detectable_size` gives for
    effective_n = 1 / std_error².

    Args:
        tests: Estimates with `std_error`, `df` and `status`.
        difference: A difference for which the power is computed, as `effect`.
        alternative: The alternative of the tests; for `less` differences are negative.

    Returns:
        Estimates: the smallest difference; n, std_error and df are those of the tests.
    """
    known = tests.get_column("status").to_numpy() == "ok"
    error, df = (tests.get_column(name).cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("std_error", "df"))
    with np.errstate(all="ignore"):
        information = np.where(known, error**-2.0, np.nan)
    found = detectable_size(df, information, alpha=alpha, power=power, alternative=alternative)
    against = np.full(found.shape, np.nan)
    if difference is not None:
        against = power_at_size(difference, df, information, alpha=alpha, alternative=alternative)
    side = "" if alternative == "two-sided" else f", one-sided ({alternative})"
    return _detectable(tests, by, found, against, f"smallest difference, power {power:g} at {alpha:g}, t test{side}")


def detectable_shares(
    tests: pl.DataFrame,
    by: Sequence[str],
    *,
    method: TwoSidedMethod = "minimum-likelihood",
    alpha: float = 0.05,
    power: float = 0.8,
    difference: float | None = None,
) -> pl.DataFrame:
    """Compute the smallest differences from references that exact binomial tests of shares detect.

    Args:
        tests: Estimates with `n`, `null_value` and `status`.
        method: The method of the tests' two-sided p-values.
        difference: A difference for which the power is computed, as `effect`.

    Returns:
        Estimates: the distance to the nearer of the shares below and above the reference. If no share on either side is
        detected with the wanted power, the status is `undetectable`.
    """
    n, reference = (
        tests.get_column(name).cast(pl.Float64).fill_null(np.nan).to_numpy() for name in ("n", "null_value")
    )
    below, above = detectable_proportion(np.nan_to_num(n), reference, alpha=alpha, power=power, method=method)
    found = np.fmin(reference - below, above - reference)
    against = np.full(found.shape, np.nan)
    if difference is not None:
        against = power_at_proportion(reference + difference, np.nan_to_num(n), reference, alpha=alpha, method=method)
    return _detectable(
        tests, by, found, against, f"smallest difference, power {power:g} at {alpha:g}, exact binomial test"
    )


def _detectable(tests: pl.DataFrame, by: Sequence[str], found: Floats, against: Floats, method: str) -> pl.DataFrame:
    status = pl.when((pl.col("status") == "ok") & pl.lit(pl.Series(np.isnan(found)))).then(pl.lit("undetectable"))
    kept = tests.select(
        *by, "outcome", "term", "n", "clusters", "std_error", "df", status.otherwise("status").alias("status")
    )
    return as_estimates(
        kept.with_columns(
            pl.Series("estimate", found),
            pl.Series("effect", against),
            pl.lit("power").alias("effect_kind"),
            pl.lit(method).alias("method"),
        ),
        by,
    )


def power_at_size(
    size: ArrayLike,
    df: ArrayLike,
    effective_n: ArrayLike,
    *,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> Floats:
    """Compute the power of a t test: the probability of rejection, given the standardised difference d.

    With delta = d sqrt(N) and c the critical value, P(T > c) + P(T < -c) of the noncentral t distribution, or one of
    the two. R: power.t.test(strict = TRUE).

    Returns:
        Probabilities; NaN where an argument is NaN or df is not positive.

    References:
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 2.
    """
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
    """Compute the Cohen's d that a t test detects with the wanted power: the inverse of `power_at_size`.

    Returns:
        d; NaN where an argument is NaN or not positive.
    """
    v, n = np.broadcast_arrays(np.asarray(df, np.float64), np.asarray(effective_n, np.float64))
    tails = 2.0 if alternative == "two-sided" else 1.0
    with np.errstate(all="ignore"):
        one_sided = noncentrality_at(1.0 - power, critical_value(alpha / tails, v), v)
        solvable = np.isfinite(one_sided) & (n > 0)

        def shortfall(delta: Floats, df: Floats) -> Floats:
            return _rejection(delta, df, alpha, alternative) - power

        if alternative == "two-sided":
            # The other tail adds to the power, so that a smaller difference suffices, if only by a rounding error.
            delta = root(shortfall, np.zeros_like(one_sided), 1.001 * one_sided, (v,), solvable)
        else:
            delta = one_sided if alternative == "greater" else -one_sided
        return np.where(solvable, delta / np.sqrt(n), np.nan)


def power_at_proportion(
    proportion: ArrayLike,
    trials: ArrayLike,
    reference: ArrayLike,
    *,
    alpha: float = 0.05,
    method: TwoSidedMethod = "minimum-likelihood",
) -> Floats:
    """Compute the exact power of the two-sided binomial test: P(p < alpha), given the true proportion.

    The outcomes with a p-value below alpha are the a smallest and the b largest ones; the power is
    P(X < a) + P(X > n - b).

    Returns:
        Probabilities; NaN where n = 0, an argument is NaN or a proportion lies outside [0, 1].

    References:
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 6, gives
        the normal approximation by h.
    """
    arguments = [np.asarray(values, np.float64) for values in (proportion, trials, reference)]
    p, n, p0 = np.broadcast_arrays(*arguments)
    smallest, largest = _rejected(n, p0, alpha, method)
    with np.errstate(all="ignore"):
        return np.where((p >= 0) & (p <= 1), _binomial_rejection(p, n, smallest, largest), np.nan)


def detectable_proportion(
    trials: ArrayLike,
    reference: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: TwoSidedMethod = "minimum-likelihood",
) -> tuple[Floats, Floats]:
    """Find the proportions nearest to a reference that the binomial test detects with the wanted power.

    The inverse of `power_at_proportion`. From the reference towards 0 or 1 the power may fall first, but once it rises
    it keeps rising, so that it crosses any level above alpha once.

    Returns:
        The nearest such proportions below and above the reference; NaN where no outcome on that side has a p-value
        below alpha, where n = 0, and where the reference is NaN or lies outside [0, 1].
    """
    n, p0 = np.broadcast_arrays(np.asarray(trials, np.float64), np.asarray(reference, np.float64))
    smallest, largest = _rejected(n, p0, alpha, method)

    def shortfall(p: Floats, n: Floats, smallest: Floats, largest: Floats) -> Floats:
        return _binomial_rejection(p, n, smallest, largest) - power

    with np.errstate(all="ignore"):
        arguments = (n, smallest, largest)
        below = root(shortfall, np.zeros_like(p0), p0, arguments, (smallest > 0) & (p0 > 0))
        above = root(shortfall, p0, np.ones_like(p0), arguments, (largest > 0) & (p0 < 1))
    return below, above


def _rejection(delta: Floats, df: Floats, alpha: float, alternative: Alternative) -> Floats:
    """Compute the probability that a noncentral t is significant."""
    critical = critical_value(alpha / 2.0 if alternative == "two-sided" else alpha, df)
    # P(T > c) is computed as P(T < -c) with the opposite delta, so that nothing is subtracted from 1.
    above = noncentral_t_probability(-critical, df, -delta)
    below = noncentral_t_probability(-critical, df, delta)
    return {"two-sided": above + below, "greater": above, "less": below}[alternative]


def _rejected(n: Floats, p0: Floats, alpha: float, method: TwoSidedMethod) -> tuple[Floats, Floats]:
    """Count the smallest and the largest outcomes with a p-value below alpha; NaN where there is no test."""
    testable = (n > 0) & (p0 >= 0) & (p0 <= 1)
    trials, chance = np.where(testable, n, 1.0), np.where(testable, p0, 0.5)
    mean = np.floor(trials * chance)

    def search(limit: Floats, *, from_top: bool) -> Floats:
        low, high = np.zeros_like(limit), limit
        for _ in range(int(limit.max(initial=0.0)).bit_length()):
            middle = np.ceil((low + high) / 2.0)
            outcome = np.maximum(middle - 1.0, 0.0)
            p_value = two_sided_p_value(trials - outcome if from_top else outcome, trials, chance, method)
            is_rejected = (middle > low) & (p_value < alpha)
            low = np.where(is_rejected, middle, low)
            high = np.where(is_rejected, high, np.maximum(low, middle - 1.0))
        return np.where(testable, low, np.nan)

    return search(mean + 1.0, from_top=False), search(trials - mean, from_top=True)


def _binomial_rejection(p: Floats, n: Floats, smallest: Floats, largest: Floats) -> Floats:
    """Compute P(X < smallest) + P(X > n - largest)."""
    with np.errstate(all="ignore"):
        low: Floats = betaincc(smallest, n - smallest + 1.0, p)
        high: Floats = betainc(n - largest + 1.0, largest, p)
        power = np.where(smallest > 0, low, 0.0) + np.where(largest > 0, high, 0.0)
        return np.where(np.isnan(smallest), np.nan, power)
