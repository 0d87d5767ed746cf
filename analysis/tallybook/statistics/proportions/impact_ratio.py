"""Selection rates by the largest of them, as in the four-fifths rule for adverse impact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
from scipy.special import ndtri

from tallybook.statistics.cells import term_counts
from tallybook.statistics.estimates import as_estimates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def impact_ratios(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    factor: str | None = None,
    against: str | None = None,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The ratio of each selection rate to the largest one of its cell.

    Without a factor the categories of an outcome compete for each response: all counts come from one multinomial, and
    ln(x/y) of two of them has the variance 1/x + 1/y. With a factor the rates of one category are compared between
    independent groups of m and n responses: the variance is 1/x - 1/m + 1/y - 1/n (Katz). Intervals are normal ones on
    the logarithm. The largest rate is one by chance, too: with several groups ratios below 1 are no evidence alone.

    Args:
        by: The factors whose combinations are the cells, without `factor`.
        terms: Outcome -> term -> the categories that it counts; with a factor one term.
        factor: The factor whose levels are compared, and are the terms of the estimates.
        against: The category, or level, that rates are divided by; by default that with the largest rate.

    Returns:
        Estimates, one a cell, level and category. That by which others are divided has the ratio 1 and no interval; a
        rate of 0 has the ratio 0 and no interval; in a cell in which nothing was selected there is no ratio.

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
    counts = term_counts(tally, own, terms).filter(pl.col("term").is_in(wanted))
    if factor is not None:
        counts = counts.with_columns(pl.col(factor).cast(pl.String).alias("term"))
    within = [*by, "outcome"]
    k, n = pl.col("k").cast(pl.Float64), pl.col("coded").cast(pl.Float64)
    rates = counts.with_columns(pl.when(n > 0).then(k / n).alias("rate"))
    largest = pl.int_range(pl.len()).over(within) == pl.col("rate").arg_max().over(within)
    is_base = largest if against is None else pl.col("term") == against
    rates = rates.with_columns(is_base.fill_null(value=False).alias("is_base"))
    of_base = (pl.col(name).filter("is_base").first().over(within) for name in ("k", "rate", "coded"))
    base = [one.name.suffix("_base") for one in of_base]
    one = 1 / k + 1 / pl.col("k_base")
    shared = 0.0 if factor is None else 1 / n + 1 / pl.col("coded_base")
    deviation = (one - shared).sqrt()
    has_error = (k > 0) & (pl.col("k_base") > 0) & ~pl.col("is_base")
    half = -float(ndtri((1.0 - confidence) / 2.0)) * deviation
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
            pl.when(n == 0)
            .then(pl.lit("no-data"))
            .when(pl.col("estimate").is_null())
            .then(pl.lit("degenerate"))
            .otherwise(pl.lit("ok"))
            .alias("status"),
        ),
        by,
    )
