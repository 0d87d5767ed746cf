"""Student's and Welch's t tests of means, standardised differences, and the noncentral t distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl
from scipy.special import gammaincc, gammainccinv, gammaincinv, nctdtr, ndtr, ndtri, poch

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.means.contrasts import t_statistics
from tallybook.statistics.tails import critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.tails import Alternative


# Up to this noncentrality scipy's nctdtr is exact to 2e-16 and quick; far above it takes seconds and fails.
_LARGEST_NEAR = 100.0
# The third power of this underflows.
_TINY = 1e-100
# Nodes of the trapezoidal rule in standard deviations: its error is below 1e-16, as is the mass outside of them.
_NODES = np.linspace(-9.0, 9.0, 49)
_NORMAL_WEIGHTS = np.exp(-0.5 * np.square(_NODES)) / np.exp(-0.5 * np.square(_NODES)).sum()


def noncentral_t_probability(statistic: ArrayLike, df: ArrayLike, noncentrality: ArrayLike) -> Floats:
    """Compute P(T <= t) of T = (Z + delta) / S, Z standard normal, S² = chi-squared / df.

    Up to |delta| = 100 scipy's nctdtr is used, and beyond one of two integrals by the trapezoidal rule: E_S Phi(t S -
    delta) where t < sqrt(2 df), so that the normal distribution is the wider one of the two, else E_Z P(S >= (delta +
    Z) / t).

    References:
        Johnson, N. L., Kotz, S. & Balakrishnan, N. (1995). Continuous Univariate Distributions 2, chapter 31. Wiley.
    """
    arguments = [np.asarray(values, np.float64) for values in (statistic, df, noncentrality)]
    t, v, delta = np.broadcast_arrays(*arguments)
    with np.errstate(all="ignore"):
        is_far = np.abs(delta) > _LARGEST_NEAR
        # A t this small counts as 0; nctdtr gives NaN for it.
        result = np.array(nctdtr(v, np.where(is_far, 0.0, delta), np.where(np.abs(t) < _TINY, 0.0, t)), np.float64)
        # It also gives NaN for some probabilities within 1e-13 of 0 or 1, on either side of delta (and for no others
        # among three million).
        result = np.where(np.isnan(result), t > delta, result)
        far = _far_probability((t * np.sign(delta))[is_far], v[is_far], np.abs(delta)[is_far])
        result[is_far] = np.where(delta[is_far] < 0, 1.0 - far, far)
        return np.where((v > 0) & np.isfinite(v + t + delta), np.clip(result, 0.0, 1.0), np.nan)


def noncentrality_at(probability: ArrayLike, statistic: ArrayLike, df: ArrayLike) -> Floats:
    """Compute the noncentrality at which P(T <= t) has a given value.

    That delta is the upper q-quantile of t S - Z: it lies below the sum of the upper q/2-quantiles of t S and -Z, and
    above the sum of their lower (1 - q)/2-quantiles. The probability falls as delta rises, so Chandrupatla's method
    finds it between the two.

    References:
        Steiger, J. H. & Fouladi, R. T. (1997). Noncentrality interval estimation and the evaluation of statistical
        models. In: What if there were no significance tests? Erlbaum.
    """
    arguments = [np.asarray(values, np.float64) for values in (probability, statistic, df)]
    q, t, v = np.broadcast_arrays(*arguments)
    with np.errstate(all="ignore"):
        # Where t is negative the largest t S is the one with the smallest S.
        low = np.where(t < 0, t * _scale_above((1.0 - q) / 2.0, v), t * _scale_below((1.0 - q) / 2.0, v))
        high = np.where(t < 0, t * _scale_below(q / 2.0, v), t * _scale_above(q / 2.0, v))
        low, high = low + ndtri((1.0 - q) / 2.0), high - ndtri(q / 2.0)
        solvable = (q > 0) & (q < 1) & (v > 0) & np.isfinite(low + high)

        def excess(delta: Floats, q: Floats, t: Floats, df: Floats) -> Floats:
            return noncentral_t_probability(t, df, delta) - q

        return root(excess, low, high, (q, t, v), solvable)


def root(
    function: Callable[..., Floats],
    low: Floats,
    high: Floats,
    arguments: tuple[Floats, ...],
    where: NDArray[np.bool_],
) -> Floats:
    """Find the roots of a function within brackets, for all cells at once."""
    result = np.full(low.shape, np.nan)
    if where.any():
        from scipy.optimize import elementwise  # imported here, as it takes longer than most intervals

        found: Any = elementwise.find_root(
            function, (low[where], high[where]), args=tuple(values[where] for values in arguments)
        )
        result[where] = np.where(found.success, found.x, np.nan)
    return result


def _scale_above(tail: Floats, df: Floats) -> Floats:
    """Return the value that S exceeds with a given probability."""
    return np.sqrt(2.0 * gammainccinv(df / 2.0, tail) / df)


def _scale_below(tail: Floats, df: Floats) -> Floats:
    """Return the value that S stays below with a given probability."""
    return np.sqrt(2.0 * gammaincinv(df / 2.0, tail) / df)


def _far_probability(t: Floats, df: Floats, delta: Floats) -> Floats:
    """Compute P(T <= t) for delta > 100; the caller suppresses overflow warnings."""
    result = np.zeros_like(t)  # t <= 0 is more than 100 standard deviations away
    is_wide = t * t < 2.0 * df
    for mean, chosen in ((_mean_over_scale, (t > 0) & is_wide), (_mean_over_normal, (t > 0) & ~is_wide)):
        result[chosen] = mean(t[chosen, None], df[chosen, None], delta[chosen, None])
    return result


def _mean_over_scale(t: Floats, df: Floats, delta: Floats) -> Floats:
    """Compute E_S Phi(t S - delta), over ln S; cells x 1 -> cells. Accurate as df > 4000, or else the result is 0."""
    log_scale = _NODES / np.sqrt(2.0 * df)
    weights = np.exp(df * (log_scale - 0.5 * np.expm1(2.0 * log_scale)))
    probabilities: Floats = ndtr(t * np.exp(log_scale) - delta)
    return (weights * probabilities).sum(axis=-1) / weights.sum(axis=-1)


def _mean_over_normal(t: Floats, df: Floats, delta: Floats) -> Floats:
    """Compute E_Z P(S >= (delta + Z) / t); cells x 1 -> cells."""
    probabilities: Floats = gammaincc(df / 2.0, df / 2.0 * np.square((delta + _NODES) / t))
    return (_NORMAL_WEIGHTS * probabilities).sum(axis=-1)


Effect: TypeAlias = Literal["cohen_d", "hedges_g"]
"""Cohen's d, or Hedges' g, which is d corrected for bias."""

_SUFFIXES = {"one-sample": "", "two-sample": "", "welch": "_star", "paired": "_z"}


def standardized_difference(contrasts: pl.DataFrame, effect: Effect) -> Floats:
    """Compute Cohen's d or Hedges' g of contrasts: d = (estimate - null_value) / standardizer, g = J d.

    References:
        Hedges, L. V. (1981). Distribution theory for Glass's estimator of effect size and related estimators. Journal
        of Educational Statistics, 6, 107-128.
    """
    d = (pl.col("estimate") - pl.col("null_value")) / pl.col("standardizer")
    sizes = contrasts.select(pl.when(pl.col("status") == "ok").then(d)).to_series().to_numpy()
    if effect == "cohen_d":
        return sizes
    return sizes * hedges_factor(contrasts["standardizer_df"].to_numpy())


def effect_kinds(effect: Effect) -> pl.Expr:
    """Return the expression of the effect size's name: with `_z` for pairs, and `_star` for Welch's contrast."""
    return pl.concat_str(pl.lit(effect), pl.col("design").replace_strict(_SUFFIXES))


def standardized_interval(
    size: ArrayLike, df: ArrayLike, effective_n: ArrayLike, confidence: float = 0.95
) -> tuple[Floats, Floats]:
    """Compute the interval of the true standardised difference, from the noncentral t distribution.

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
    """Compute J, the exact factor that removes the bias of Cohen's d.

    Returns:
        J = gamma(df / 2) / (sqrt(df / 2) gamma((df - 1) / 2)), between 0 and 1; NaN where df <= 1: there d has no
        mean.
    """
    v = np.asarray(df, np.float64)
    with np.errstate(all="ignore"):
        ratio: Floats = poch((v - 1.0) / 2.0, 0.5)
        return np.where(v > 1, ratio / np.sqrt(v / 2.0), np.nan)


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
        contrasts: The result of `one_sample_contrasts`, `two_sample_contrasts` or `paired_contrasts`.
        alternative: The alternative hypothesis; the interval of a one-sided test has only one limit.
        effect: The effect size that is reported with the test.
        effect_interval: Whether the exact interval of the effect size is computed, too; see `standardized_interval`. It
            takes much longer than the test, and is wrong where responses are not independent.

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
    return as_estimates(
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
    """Return the confidence limit that lies `quantile` standard errors from the estimate."""
    return pl.col("estimate") + pl.lit(pl.Series(quantile)) * pl.col("std_error")


def _effect_limits(contrasts: pl.DataFrame, size: pl.Series, confidence: float) -> list[pl.Series]:
    """Compute the interval of the true standardised difference, where there is an effect size."""
    df, effective_n = (contrasts[name].to_numpy() for name in ("standardizer_df", "effective_n"))
    limits = standardized_interval(standardized_difference(contrasts, "cohen_d"), df, effective_n, confidence)
    missing = size.is_null() | size.is_nan()
    return [
        pl.Series(name, np.where(missing, np.nan, limit))
        for name, limit in zip(("effect_ci_low", "effect_ci_high"), limits, strict=True)
    ]
