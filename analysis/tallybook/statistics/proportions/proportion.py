"""Shares of categories, and their exact tests against reference proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from tallybook.statistics.cells import shares, term_counts
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.proportions.binomial import binomial_test
from tallybook.statistics.proportions.intervals import INTERVAL_NAMES, cohens_h, proportion_interval
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.statistics.proportions.binomial import TwoSidedMethod
    from tallybook.statistics.proportions.intervals import ProportionInterval
    from tallybook_schemas.vocabulary import Denominator


def proportions(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    denominator: Denominator = "all",
    smoothing: float = 0.0,
    interval: ProportionInterval = "wilson",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The share of every term in every cell, with its interval.

    Args:
        terms: Outcome -> term -> the categories it counts.
        denominator: `all` responses; the `answered` ones: then refusal is no term; or the `coded` ones: then neither
            refusal nor invalid is.
        smoothing: What is added to the count of a term and to that of all others together; interval and standard error
            are of the counts as they are.

    Returns:
        Estimates: k/n, or (k + s)/(n + 2 s) with smoothing s; n is the denominator, std_error sqrt(f(1-f)/n), and the
        interval. A cell without responses has status `no-data`.

    Source:
        Wilson, E. B. (1927), Journal of the American Statistical Association 22, 209-212 (the default interval).
    """
    counts = term_counts(tally, by, terms).with_columns(pl.col(denominator).alias("n"))
    counts = counts.filter(~pl.col("term").is_in(excluded_terms(denominator)))
    share = shares(counts, "n").to_numpy()
    smoothed = shares(counts.with_columns(pl.col("k") + smoothing, pl.col("n") + 2 * smoothing), "n").to_numpy()
    smoothed = np.where(np.isnan(share), np.nan, smoothed)
    variance = share * (1 - share) / np.maximum(counts.get_column("n").to_numpy(), 1)
    return as_estimates(
        _with_interval(counts, interval, confidence).with_columns(
            pl.Series("estimate", smoothed),
            pl.Series("std_error", np.sqrt(variance)),
            pl.lit(f"proportion of {denominator}, {INTERVAL_NAMES[interval]} interval").alias("method"),
            _no_data().alias("status"),
        ),
        by,
    )


def category_counts(
    tally: pl.DataFrame, by: Sequence[str], terms: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Count every term in every cell."""
    counts = term_counts(tally, by, terms)
    return as_estimates(
        counts.with_columns(
            pl.col("all").alias("n"),
            pl.when(pl.col("all") > 0).then(pl.col("k")).alias("estimate"),
            pl.lit("count").alias("method"),
        ).with_columns(_no_data().alias("status")),
        by,
    )


def excluded_terms(denominator: Denominator) -> list[str]:
    """The terms that are not among the responses that a share is of."""
    return {"all": [], "answered": [REFUSAL], "coded": [REFUSAL, INVALID]}[denominator]


def binomial_tests(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    denominator: Literal["answered", "coded"] = "answered",
    method: TwoSidedMethod | Literal["greater", "less"] = "minimum-likelihood",
    interval: ProportionInterval = "wilson",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Test the share of every category among the answered (or coded) responses against its reference proportion.

    Args:
        terms: Outcome -> term -> the categories it counts.
        references: The reference proportions: `reference_by`, `outcome`, `category`, `proportion`.
        reference_by: The factors that identify a reference.
        denominator: The `answered` responses are all but refusals, the `coded` ones those with a category.
        method: How the exact two-sided p-value is made up, see `binomial.two_sided_p_value`; or a one-sided
            alternative.

    Returns:
        Estimates: k/n with n these responses, the reference as null_value, the exact p-value, its logarithm
        (null where p is 0 because the reference excludes the outcome), the interval, and Cohen's h with its own.
        Without answers the status is `no-data`, without reference `no-reference`; then there is no p-value, and no
        star.

    Source:
        Clopper, C. J. & Pearson, E. S. (1934), Biometrika 26, 404-413 (the exact test); Cohen, J. (1988), Statistical
        Power Analysis for the Behavioral Sciences, section 6.2 (h).
    """
    known = references.select(
        *reference_by, "outcome", pl.col("category").alias("term"), pl.col("proportion").alias("null_value")
    )
    counts = (
        term_counts(tally, by, terms)
        .filter(~pl.col("term").is_in([REFUSAL, INVALID]))
        .with_columns(pl.col(denominator).alias("n"))
        .join(known, on=[*reference_by, "outcome", "term"], how="left", maintain_order="left")
    )
    k, n = counts.get_column("k").to_numpy(), counts.get_column("n").to_numpy()
    null_value = counts.get_column("null_value").to_numpy()
    p_value, log_p_value = binomial_test(k, n, null_value, method)
    tested = _with_interval(counts, interval, confidence).with_columns(
        shares(counts, "n").alias("estimate"),
        pl.Series("p_value", p_value),
        pl.Series("log_p_value", log_p_value),
    )
    # Cohen's h grows with the share, so that the ends of its interval are those of the share's.
    effect, low, high = (
        cohens_h(tested.get_column(name).to_numpy(), null_value) for name in ("estimate", "ci_low", "ci_high")
    )
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(pl.col("null_value").is_null())
        .then(pl.lit("no-reference"))
        .otherwise(pl.lit("ok"))
    )
    return as_estimates(
        tested.with_columns(
            pl.Series("effect", effect),
            pl.Series("effect_ci_low", low),
            pl.Series("effect_ci_high", high),
            pl.lit("cohen_h").alias("effect_kind"),
            pl.lit(f"exact binomial, {method}").alias("method"),
            status.alias("status"),
        ),
        by,
    )


def _no_data() -> pl.Expr:
    return pl.when(pl.col("n") == 0).then(pl.lit("no-data")).otherwise(pl.lit("ok"))


def _with_interval(counts: pl.DataFrame, interval: ProportionInterval, confidence: float) -> pl.DataFrame:
    k, n = counts.get_column("k").to_numpy(), counts.get_column("n").to_numpy()
    low, high = proportion_interval(k, n, confidence, interval)
    return counts.with_columns(
        pl.Series("ci_low", low), pl.Series("ci_high", high), pl.lit(confidence).alias("confidence")
    )
