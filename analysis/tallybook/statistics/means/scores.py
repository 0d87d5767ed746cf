"""Summaries of a score from its distinct values."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.cells import totals
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.means.medians import median_intervals
from tallybook.statistics.means.score_means import OUTCOME, clustered_means, scored

if TYPE_CHECKING:
    from collections.abc import Sequence

_TERMS = ("mean", "median", "sd", "missing")


def score_summaries(tally: pl.DataFrame, by: Sequence[str], outcomes: Sequence[str], *, ddof: int = 0) -> pl.DataFrame:
    """Mean, median, standard deviation and missing share of scores in every cell.

    The median of n values is the mean of the values at positions floor((n-1)/2) and floor(n/2), counted from 0;
    sd = sqrt(sum c (x - mean)^2 / (n - ddof)) over distinct values x with counts c.

    Args:
        ddof: 0 for the population standard deviation, 1 for the sample's.

    Returns:
        Estimates with terms `mean`, `median`, `sd` (n: responses with a score) and `missing` (n: all responses).
        Where no response has a score the first three are null with status `no-data`; an sd of fewer than ddof + 1
        values, or a number too large for a float, is `degenerate`.
    """
    own = tally.filter(pl.col("outcome").is_in(list(outcomes)))
    cell = [*by, "outcome"]
    scored = (
        own.filter(pl.col("status") == "ok")
        .group_by([*cell, "value"])
        .agg(pl.col("count").sum())
        .sort([*cell, "value"])
    )
    count, value = pl.col("count"), pl.col("value")
    total = count.sum()
    reached = count.cum_sum()
    # Moments about the smallest value: a constant score has exactly no spread, and one far from 0 loses no digits.
    origin = value.min()
    offset = value - origin
    mean_offset = (count * offset).sum() / total
    moments = scored.group_by(cell, maintain_order=True).agg(
        total.alias("scored"),
        (origin + mean_offset).alias("mean"),
        ((value.filter(reached > (total - 1) // 2).first() + value.filter(reached > total // 2).first()) / 2).alias(
            "median"
        ),
        (count * (offset - mean_offset) ** 2).sum().alias("squares"),
    )
    n = pl.col("scored")
    summary = (
        totals(own, by)
        .join(moments, on=cell, how="left")
        .with_columns(n.fill_null(0))
        .with_columns(
            pl.when(n > ddof).then((pl.col("squares") / (n - ddof)).sqrt()).alias("sd"),
            pl.when(pl.col("all") > 0).then((pl.col("all") - n) / pl.col("all")).alias("missing"),
        )
        .sort(cell)
    )
    terms = [
        summary.select(
            *cell,
            pl.lit(term).alias("term"),
            (pl.col("all") if term == "missing" else n).alias("n"),
            pl.col(term).alias("estimate"),
            pl.lit(f"{term} with ddof {ddof}" if term == "sd" else term).alias("method"),
        )
        for term in _TERMS
    ]
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(pl.col("estimate").is_null())
        .then(pl.lit("degenerate"))
        .otherwise(pl.lit("ok"))
    )
    return as_estimates(pl.concat(terms).with_columns(status.alias("status")), by)


def with_intervals(
    summaries: pl.DataFrame, tally: pl.DataFrame, by: Sequence[str], cluster: str, *, confidence: float = 0.95
) -> pl.DataFrame:
    """Give means and medians the intervals that treat clusters as independent; `degenerate` where there is none."""
    counts = scored(tally, summaries.get_column("outcome").unique().to_list())
    means = clustered_means(counts, by, cluster, confidence=confidence, kind="CV3")
    medians = median_intervals(counts.sort([*by, OUTCOME]), [*by, OUTCOME], cluster, confidence=confidence)
    medians = medians.rename({OUTCOME: "outcome"}).with_columns(pl.lit("median").alias("term"))
    own, keys = ["clusters", "std_error", "ci_low", "ci_high"], [*by, "outcome", "term"]
    known = pl.concat([means.select(*keys, *own), medians], how="diagonal")
    found = summaries.drop(own).join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")
    has_one = pl.col("term").is_in(["mean", "median"])
    how = pl.when(pl.col("term") == "mean").then(pl.lit("leaving out")).otherwise(pl.lit("shares on each side without"))
    return found.with_columns(
        pl.when(has_one).then(pl.lit(confidence)).alias("confidence"),
        pl.when(has_one)
        .then(pl.format("{}, interval by {} one {} at a time", "method", how, pl.lit(cluster)))
        .otherwise("method")
        .alias("method"),
        pl.when(has_one & (pl.col("status") == "ok") & pl.col("ci_low").is_null())
        .then(pl.lit("degenerate"))
        .otherwise("status")
        .alias("status"),
    ).select(summaries.columns)
