"""Means, shares and medians of responses that are not independent: those to one item resemble each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import expit, logit, stdtrit

from tallybook.statistics.cells import ALIKE, shares, term_counts
from tallybook.statistics.estimates import as_estimates, counted, status_of
from tallybook.statistics.means.contrasts import one_sample_contrasts
from tallybook.statistics.means.moments import moments
from tallybook.statistics.tails import critical_value

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook_schemas.vocabulary import Denominator, StandardError


_ALL = "_all"
_NOTHING = 1e-12
"""A variance below this share of that of independent responses is rounding: the clusters do not differ."""


def clustered_contrasts(
    counts: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    *,
    null_value: float = 0.0,
    kind: StandardError = "CR1",
) -> pl.DataFrame:
    """The mean of every cell against a value, with a standard error clustered by a column.

    With G clusters, n scores x and their mean m:
    std_error = sqrt(G / (G - 1) sum over clusters (sum within the cluster of (x - m))²) / n, df = G - 1.
    As R's sandwich::vcovCL of lm(x ~ 1), and statsmodels' OLS with cov_type="cluster". CV3 divides each sum by the n
    of the other clusters: sqrt((G - 1) / G sum (m - mean without the cluster)²), sandwich::vcovJK with center =
    "estimate"; CV3J is around the mean of the means without a cluster. Where every response is a cluster of its own
    all are s / sqrt n, that of `one_sample_contrasts`.

    Args:
        null_value: The mean under the null hypothesis.
        kind: `CR1`, `CV3` or `CV3J`.

    Returns:
        Contrasts, for `student.t_tests`. A cell whose responses are of a single cluster, or whose clusters all have the
        same mean, is `degenerate`.

    References:
        Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika,
        73, 13-22. Cameron, A. C. & Miller, D. L. (2015). A practitioner's guide to cluster-robust inference. Journal of
        Human Resources, 50, 317-372 (also for the degrees of freedom).

    >>> scores = {"item": ["a", "a", "b", "c"], "value": [1.0, 3.0, 4.0, 6.0], "count": [2, 2, 2, 2]}
    >>> clustered_contrasts(pl.DataFrame(scores), [], "item").select(
    ...     "estimate", "df", pl.col("std_error").round(4)
    ... ).row(0)
    (3.5, 2.0, 1.2055)
    """
    counts = counts.with_columns(pl.lit(0).alias(_ALL))  # so that there is a column to join by
    cells = [*by, _ALL]
    summary = moments(counts, cells)
    contrasts = one_sample_contrasts(summary, cells, null_value=null_value)
    own = counted(counts, [*cells, cluster], ["value"])
    # In one order throughout: a sum of floats depends on it.
    joined = own.join(summary, on=cells, nulls_equal=True, maintain_order="left")
    off = (pl.col("count") * (pl.col("value").cast(pl.Float64) - pl.col("mean"))).sum()
    within = joined.group_by([*cells, cluster], maintain_order=True).agg(
        off.alias("_off"), pl.col("squares", "n").first(), pl.col("count").sum().alias("_own"), pl.lit(1.0).alias(ALIKE)
    )
    spread = within.group_by(cells, maintain_order=True).agg(
        pl.len().cast(pl.Float64).alias("clusters"),
        pl.col("_off").pow(2).sum(),
        pl.col("squares").first(),
        _squares(-pl.col("_off"), pl.col("n"), pl.col("_own"), kind, pl.col(ALIKE)).alias("_error"),
    )
    found = contrasts.join(spread, on=cells, how="left", nulls_equal=True, maintain_order="left")
    clusters = pl.col("clusters")
    known = (clusters > 1) & (pl.col("_off") > _NOTHING * pl.col("squares"))
    error = (_factor(kind) * pl.col("_error")).sqrt()
    return found.with_columns(
        pl.when(known).then(error).alias("std_error"),
        pl.when(known).then(clusters - 1).alias("df"),
        pl.when((pl.col("status") == "ok") & ~known.fill_null(value=False))
        .then(pl.lit("degenerate"))
        .otherwise("status")
        .alias("status"),
    ).drop("_off", "_error", "squares", _ALL)


def _squares(off: pl.Expr, n: pl.Expr, own: pl.Expr, kind: StandardError, alike: pl.Expr) -> pl.Expr:
    """Sum the squares of how far clusters move a mean: `off` is the sum over a cluster of mean less value."""
    moved = off / (n if kind == "CR1" else n - own)
    around = (moved * alike).sum() / alike.sum() if kind == "CV3J" else 0.0
    return ((moved - around).pow(2) * alike).sum()


def _factor(kind: StandardError) -> pl.Expr:
    """Get what these are multiplied by."""
    clusters = pl.col("clusters")
    return clusters / (clusters - 1) if kind == "CR1" else (clusters - 1) / clusters


def clustered_proportions(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    cluster: str,
    *,
    denominator: Denominator = "all",
    confidence: float = 0.95,
    kind: StandardError = "CR1",
) -> pl.DataFrame:
    """The share of every term in every cell, with a standard error clustered by a column.

    With G clusters, k_g of n_g responses in each, p = k / n:
    std_error = sqrt(G / (G - 1) sum (k_g - p n_g)²) / n; on the log odds it is that by p (1 - p), and the interval is
    logit p ± t std_error / (p (1 - p)), taken back, with t the quantile of Student's distribution with G - 1 degrees
    of freedom. As R's sandwich::vcovCL of a logistic regression on nothing, and survey::svyciprop. CV3 sums the
    squares of p less the share without each cluster, and on the log odds of the log odds of these; where one of them
    is 0 or 1 that error is divided by p (1 - p) instead.

    Args:
        terms: Outcome -> term -> the categories it counts.
        denominator: What the shares are of; see `proportion.proportions`.
        kind: `CR1`, `CV3` or `CV3J`.

    Returns:
        Estimates with df = G - 1. A cell without responses is `no-data`; where responses are of a single cluster, or
        all clusters have the same share (none or all among others), there is a share and no interval: `degenerate`.

    References:
        Liang & Zeger (1986), Biometrika, 73, 13-22. Korn, E. L. & Graubard, B. I. (1998). Confidence intervals for
        proportions with small expected number of positive counts estimated from survey data. Survey Methodology, 24,
        193-201.
    """
    parts = term_counts(tally, by, terms, denominator=denominator, cluster=cluster)
    keys, alike = [*by, "outcome", "term"], pl.col(ALIKE)
    times = alike.cast(pl.Int64)
    cells = parts.group_by(keys, maintain_order=True).agg((pl.col("k", "n") * times).sum())
    cells = cells.with_columns(shares(cells, "n").alias("estimate"))
    asked = parts.filter(pl.col("n") > 0).join(
        cells.select(*keys, "estimate"), on=keys, nulls_equal=True, maintain_order="left"
    )
    k, n, p = pl.col("k"), pl.col("n"), pl.col("estimate")
    whole_k, whole_n = ((part * times).sum().over(keys) for part in (k, n))
    asked = asked.with_columns(
        (p * n - k).alias("off"), whole_n.alias("whole"), _logit((whole_k - k) / (whole_n - n)).alias("log odds")
    )
    around = (pl.col("log odds") * alike).sum() / alike.sum() if kind == "CV3J" else _logit(p)
    spread = asked.group_by(keys, maintain_order=True).agg(
        _squares(pl.col("off"), pl.col("whole"), n, kind, alike).alias("squares"),
        ((pl.col("log odds") - around).pow(2) * alike).sum().alias("squares of log odds"),
        alike.sum().alias("clusters"),
    )
    cells = cells.join(spread, on=keys, how="left", nulls_equal=True, maintain_order="left")
    cells = cells.with_columns(_factor(kind).alias("factor"))
    n, p, squares, on_log_odds, clusters, factor = (
        cells.get_column(name).cast(pl.Float64).fill_null(np.nan).to_numpy()
        for name in ("n", "estimate", "squares", "squares of log odds", "clusters", "factor")
    )
    with np.errstate(all="ignore"):
        variance = np.where(clusters > 1, factor, np.nan) * squares
        variance = np.where(variance > _NOTHING * p * (1.0 - p) / n, variance, np.nan)
        error = np.sqrt(variance)
        wide = np.sqrt(factor * on_log_odds)
        wide = np.where(np.isfinite(wide) & (kind != "CR1") & ~np.isnan(error), wide, error / (p * (1.0 - p)))
        reach = critical_value((1.0 - confidence) / 2.0, clusters - 1.0) * wide
        low, high = expit(logit(p) - reach), expit(logit(p) + reach)
    lacking = pl.Series(np.isnan(error))
    return as_estimates(
        cells.with_columns(
            pl.Series("std_error", error),
            pl.Series("ci_low", low),
            pl.Series("ci_high", high),
            pl.Series("df", np.where(np.isnan(error), np.nan, clusters - 1.0)),
            pl.lit(confidence).alias("confidence"),
            pl.lit(
                f"proportion of {denominator}, standard error clustered by {cluster} ({kind}), interval on the log odds"
            ).alias("method"),
            status_of(degenerate=pl.lit(lacking)).alias("status"),
        ),
        by,
    )


def _logit(share: pl.Expr) -> pl.Expr:
    return (share / (1 - share)).log()


_TWO = 2


def median_intervals(
    scores: pl.DataFrame, by: Sequence[str], cluster: str, *, confidence: float = 0.95
) -> pl.DataFrame:
    """The interval of the median in every cell, from the tests that half of the scores lie on each side.

    A value x is within it if the share of scores below x is not significantly above 1/2, and that of scores up to x
    not significantly below. The standard errors of the shares' log odds are those of leaving out one of the G clusters
    at a time (CV3; where a share without one is 0 or 1, that of the share over p (1 - p)), with Student's t on G - 1
    degrees of freedom. No leaving out of the median itself: that jackknife is inconsistent.

    Args:
        scores: `by`, the cluster, `value` and `count`; rows without a value are no observations.

    Returns:
        `by`, `clusters`, `ci_low` and `ci_high`, a row a cell with scores; no limits with fewer than two clusters, or
        of constant scores, which do not tell how far off the median may be.

    References:
        Francisco, C. A. & Fuller, W. A. (1991). Quantile estimation with a complex survey design. Annals of
        Statistics, 19, 454-469. Miller, R. G. (1974). The jackknife: a review. Biometrika, 61, 1-15.

    >>> scores = {"item": ["a", "a", "b", "c", "c"], "value": [1.0, 2.0, 2.0, 3.0, 4.0], "count": [5, 5, 10, 5, 5]}
    >>> median_intervals(pl.DataFrame(scores), [], "item", confidence=0.8).row(0)
    (3, 1.0, 4.0)
    """
    known = scores.filter(pl.col("value").is_not_null() & (pl.col("count") > 0)).select(*by, cluster, "value", "count")
    parts = known.partition_by(by, maintain_order=True) if by else [known] if known.height else []
    rows = [(*(own.select(by).row(0) if by else ()), *_limits(own, cluster, confidence)) for own in parts]
    numbers = {"clusters": pl.Int64, "ci_low": pl.Float64, "ci_high": pl.Float64}
    return pl.DataFrame(rows, {**{name: scores.schema[name] for name in by}, **numbers}, orient="row")


def _limits(own: pl.DataFrame, cluster: str, confidence: float) -> tuple[int, float | None, float | None]:
    """The number of clusters and the limits of a cell."""
    values, at = np.unique(own.get_column("value").to_numpy(), return_inverse=True)
    groups, of = np.unique(own.get_column(cluster).to_numpy(), return_inverse=True)
    if groups.size < _TWO or values.size < _TWO:
        return groups.size, None, None
    counts = np.zeros((groups.size, values.size))
    np.add.at(counts, (of, at), own.get_column("count").to_numpy())
    sizes = counts.sum(axis=1, keepdims=True)
    reach = float(stdtrit(groups.size - 1, (1 + confidence) / 2))
    up_to = counts.cumsum(axis=1)

    def log_odds(part: NDArray[np.float64]) -> tuple[Any, Any]:
        """The log odds of shares, and how far off they may be."""
        total, n = part.sum(axis=0), sizes.sum()
        whole, left = total / n, (total - part) / (n - sizes)
        with np.errstate(all="ignore"):
            scaled = np.square(left - whole).sum(axis=0) / np.square(whole * (1 - whole))
            moved: NDArray[np.float64] = np.square(logit(left) - logit(whole)).sum(axis=0)
            squares = np.where(np.isfinite(moved), moved, scaled)
            return logit(whole), reach * np.sqrt((groups.size - 1) / groups.size * squares)

    (below, near), (until, around) = log_odds(up_to - counts), log_odds(up_to)
    inside = values[~(below > near) & ~(until < -around)]
    return groups.size, float(inside.min()), float(inside.max())
