"""Shares of categories, their tests against reference proportions, rankings of labels, and selection rates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from tallybook.statistics.cells import shares, term_counts, totals
from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.proportions.binomial import binomial_test
from tallybook.statistics.proportions.intervals import INTERVAL_NAMES, cohens_h, proportion_interval
from tallybook.statistics.tails import normal_quantile
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
    """Compute the share of every term in every cell, with its interval.

    Args:
        terms: Outcome -> term -> the categories it counts.
        denominator: `all` responses; the `answered` ones, without the term refusal; or the `coded` ones, without the
            terms refusal and invalid.
        smoothing: The constant added to the count of a term and to that of all others together; interval and standard
            error use the unsmoothed counts.

    Returns:
        Estimates: k/n, or (k + s)/(n + 2 s) with smoothing s; n is the denominator, std_error sqrt(f(1-f)/n), and the
        interval. A cell without responses has status `no-data`.

    Source:
        Wilson, E. B. (1927), Journal of the American Statistical Association 22, 209-212 (the default interval).
    """
    counts = term_counts(tally, by, terms, denominator=denominator)
    share = shares(counts, "n").to_numpy()
    smoothed = shares(counts.with_columns(pl.col("k") + smoothing, pl.col("n") + 2 * smoothing), "n").to_numpy()
    smoothed = np.where(np.isnan(share), np.nan, smoothed)
    variance = share * (1 - share) / np.maximum(counts.get_column("n").to_numpy(), 1)
    return as_estimates(
        _with_interval(counts, interval, confidence).with_columns(
            pl.Series("estimate", smoothed),
            pl.Series("std_error", np.sqrt(variance)),
            pl.lit(f"proportion of {denominator}, {INTERVAL_NAMES[interval]} interval").alias("method"),
            status_of(),
        ),
        by,
    )


def plain_shares(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    denominator: Denominator = "all",
) -> pl.DataFrame:
    """Compute the share of every term in every cell, without standard errors and intervals."""
    counts = term_counts(tally, by, terms, denominator=denominator)
    return as_estimates(counts.with_columns(shares(counts, "n").alias("estimate"), status_of()), by)


def category_counts(
    tally: pl.DataFrame, by: Sequence[str], terms: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Count every term in every cell."""
    counts = term_counts(tally, by, terms)
    return as_estimates(
        counts.with_columns(
            pl.when(pl.col("all") > 0).then(pl.col("k")).alias("estimate"),
            pl.lit("count").alias("method"),
            status_of(),
        ),
        by,
    )


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
        method: The method of the exact two-sided p-value, see `binomial.two_sided_p_value`; or a one-sided alternative.

    Returns:
        Estimates: k/n with n these responses, the reference as null_value, the exact p-value, its logarithm
        (null where p is 0 because the reference excludes the outcome), the interval, and Cohen's h with its own.
        Without answers the status is `no-data`, without reference `no-reference`; then there is no p-value.

    Source:
        Clopper, C. J. & Pearson, E. S. (1934), Biometrika 26, 404-413 (the exact test); Cohen, J. (1988), Statistical
        Power Analysis for the Behavioral Sciences, section 6.2 (h).
    """
    known = references.select(
        *reference_by, "outcome", pl.col("category").alias("term"), pl.col("proportion").alias("null_value")
    )
    counts = (
        term_counts(tally, by, terms, denominator=denominator)
        .filter(pl.col("term") != INVALID)
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
    # Cohen's h is monotone in the share, so that its limits are h at the limits of the share.
    effect, low, high = (
        cohens_h(tested.get_column(name).to_numpy(), null_value) for name in ("estimate", "ci_low", "ci_high")
    )
    return as_estimates(
        tested.with_columns(
            pl.Series("effect", effect),
            pl.Series("effect_ci_low", low),
            pl.Series("effect_ci_high", high),
            pl.lit("cohen_h").alias("effect_kind"),
            pl.lit(f"exact binomial, {method}").alias("method"),
            status_of(no_reference=pl.col("null_value").is_null()),
        ),
        by,
    )


def _with_interval(counts: pl.DataFrame, interval: ProportionInterval, confidence: float) -> pl.DataFrame:
    k, n = counts.get_column("k").to_numpy(), counts.get_column("n").to_numpy()
    low, high = proportion_interval(k, n, confidence, interval)
    return counts.with_columns(
        pl.Series("ci_low", low), pl.Series("ci_high", high), pl.lit(confidence).alias("confidence")
    )


def most_frequent(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    *,
    denominator: Denominator = "all",
    ties: Literal["first-seen", "alphabetical"] = "first-seen",
) -> pl.DataFrame:
    """Rank the labels of outcomes in every cell by their frequency."""
    kept = {"all": ["ok", "invalid", "refused"], "answered": ["ok", "invalid"], "coded": ["ok"]}[denominator]
    label = (
        pl.when(pl.col("status") == "ok")
        .then("category")
        .otherwise(pl.col("status").replace({"refused": REFUSAL, "invalid": INVALID}))
    )
    own = tally.filter(pl.col("outcome").is_in(list(outcomes)))
    cell = [*by, "outcome"]
    counted = (
        own.filter(pl.col("status").is_in(kept))
        .group_by([*cell, label.alias("term")])
        .agg(pl.col("count").sum().alias("k"), pl.col("first_seen").min())
        .join(totals(own, by), on=cell)
    )
    first, second = ("first_seen", "term") if ties == "first-seen" else ("term", "first_seen")
    ranked = counted.sort([*cell, "k", first, second], descending=[*(False for _ in cell), True, False, False])
    return as_estimates(
        ranked.with_columns(
            pl.col(denominator).alias("n"),
            shares(ranked, denominator).alias("estimate"),
            (pl.int_range(pl.len()).over(cell) + 1).alias("statistic"),
            pl.lit(f"rank by frequency among {denominator}, ties {ties}").alias("method"),
        ),
        by,
    )


def impact_ratios(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    factor: str | None = None,
    against: str | None = None,
    denominator: Denominator = "coded",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute the ratio of each selection rate to the largest one of its cell.

    Without a factor the categories of an outcome compete for each response: all counts come from one multinomial, and
    ln(x/y) of two of them has the variance 1/x + 1/y. With a factor the rates of one category are compared between
    independent groups of m and n responses: the variance is 1/x - 1/m + 1/y - 1/n (Katz). Intervals are normal ones on
    the logarithm. The largest rate is the largest partly by chance: with several groups, ratios below 1 alone are no
    evidence.

    Args:
        by: The factors whose combinations are the cells, without `factor`.
        terms: Outcome -> term -> the categories that it counts; with a factor one term.
        factor: The factor whose levels are compared, and are the terms of the estimates.
        against: The category, or level, that rates are divided by; by default that with the largest rate.
        denominator: The responses that rates are of.

    Returns:
        Estimates, one a cell, level and category. The rate that others are divided by has the ratio 1 and no interval;
        a rate of 0 has the ratio 0 and no interval; in a cell without any selection there is no ratio.

    References:
        Katz, D., Baptista, J., Azen, S. P., & Pike, M. C. (1978). Biometrics, 34, 469-474. Agresti, A. (2013).
        Categorical Data Analysis (3rd ed.). Wiley, section 16.1. 29 CFR 1607.4(D), the four-fifths rule.

    >>> counts = {"outcome": "first", "category": ["a", "b"], "status": "ok", "count": [181, 96]}
    >>> found = impact_ratios(pl.DataFrame(counts), [], {"first": {"a": ("a",), "b": ("b",)}})
    >>> [round(found[name][1], 6) for name in ("estimate", "ci_low", "ci_high")]
    [0.530387, 0.414114, 0.679306]
    """
    own = [*by] if factor is None else [*by, factor]
    wanted = [term for of in terms.values() for term in of]
    counts = term_counts(tally, own, terms, denominator=denominator).filter(pl.col("term").is_in(wanted))
    if factor is not None:
        counts = counts.with_columns(pl.col(factor).cast(pl.String).alias("term"))
    within = [*by, "outcome"]
    k, n = pl.col("k").cast(pl.Float64), pl.col("n").cast(pl.Float64)
    rates = counts.with_columns(pl.when(n > 0).then(k / n).alias("rate"))
    largest = pl.int_range(pl.len()).over(within) == pl.col("rate").arg_max().over(within)
    is_base = largest if against is None else pl.col("term") == against
    rates = rates.with_columns(is_base.fill_null(value=False).alias("is_base"))
    of_base = (pl.col(name).filter("is_base").first().over(within) for name in ("k", "rate", "n"))
    base = [one.name.suffix("_base") for one in of_base]
    one = 1 / k + 1 / pl.col("k_base")
    shared = 0.0 if factor is None else 1 / n + 1 / pl.col("n_base")
    deviation = (one - shared).sqrt()
    has_error = (k > 0) & (pl.col("k_base") > 0) & ~pl.col("is_base")
    half = normal_quantile(confidence) * deviation
    ratio = pl.when(pl.col("rate_base") > 0).then(pl.col("rate") / pl.col("rate_base"))
    found = rates.with_columns(base).with_columns(ratio.alias("estimate"))
    divisor = "the largest rate" if against is None else against
    return as_estimates(
        found.with_columns(
            n.cast(pl.Int64).alias("n"),
            pl.when(has_error).then(pl.col("estimate") * deviation).alias("std_error"),
            pl.when(has_error).then(pl.col("estimate") * (-half).exp()).alias("ci_low"),
            pl.when(has_error).then(pl.col("estimate") * half.exp()).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.lit(f"rate by {divisor}, normal interval on the logarithm").alias("method"),
            status_of(n == 0, degenerate=pl.col("estimate").is_null()),
        ),
        by,
    )
