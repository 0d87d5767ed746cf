"""Distance of shares of ordered categories from known proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.estimates import as_estimates

if TYPE_CHECKING:
    from collections.abc import Sequence


def distances_from_reference(
    counts: pl.DataFrame, by: Sequence[str], categories: Sequence[str], references: pl.DataFrame, shared: Sequence[str]
) -> pl.DataFrame:
    """Compute the similarity of the shares of ordered categories to known proportions, in every cell.

    With shares p and proportions q of N categories, and their sums P and Q up to each category:
    alignment = 1 - W / (N - 1), where W = sum |P - Q| is the Wasserstein distance of categories that lie 1 apart: 1
    where both are the same, 0 where all is at the one end against all at the other. total_variation = sum |p - q| / 2.

    Args:
        by: The columns of the cells.
        categories: All categories, in their order, at least two.
        references: `shared`, `category` and `proportion`.
        shared: The columns of `by` that the proportions are split by.

    Returns:
        Estimates, two a cell: n and estimate. A cell without responses is `no-data`, one without the proportions of all
        categories `no-reference`, and one whose proportions do not add up to 1 `invalid-reference`.

    References:
        Durmus, E. et al. (2024). Towards measuring the representation of subjective global opinions in language models.
        COLM 2024. Santurkar, S. et al. (2023). Whose opinions do language models reflect? ICML 2023.
    """
    places = pl.DataFrame({"category": list(categories), "_place": range(len(categories))})
    every = counts.select(by).unique().join(places, how="cross")
    known = references.filter(pl.col("category").is_in(list(categories))).select(*shared, "category", "proportion")
    sums = counts.group_by([*by, "category"]).agg(pl.col("count").sum())
    on = [*by, "category"]
    table = (
        every.join(sums, on=on, how="left", nulls_equal=True)
        .join(known, on=[*shared, "category"], how="left", nulls_equal=True)
        .with_columns(pl.col("count").fill_null(0))
        .sort(*by, "_place")
    )
    n, q = pl.col("count").sum(), pl.col("proportion")
    p = pl.col("count") / pl.col("count").sum()
    wanted = [
        n.cast(pl.Int64).alias("n"),
        (1 - (p - q).cum_sum().abs().sum() / (len(categories) - 1)).alias("alignment"),
        ((p - q).abs().sum() / 2).alias("total_variation"),
        q.null_count().alias("_lacking"),
        q.sum().alias("_whole"),
    ]
    found = table.group_by(by, maintain_order=True).agg(wanted) if by else table.select(wanted)
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(pl.col("_lacking") > 0)
        .then(pl.lit("no-reference"))
        .when((pl.col("_whole") - 1).abs() > _TOLERANCE)
        .then(pl.lit("invalid-reference"))
        .otherwise(pl.lit("ok"))
    )
    rows = found.with_columns(status.alias("status"), pl.lit("").alias("outcome"))
    parts = [
        rows.with_columns(
            pl.when(pl.col("status") == "ok").then(term).alias("estimate"),
            pl.lit(term).alias("term"),
            pl.lit(method).alias("method"),
        )
        for term, method in (
            ("alignment", "1 - Wasserstein / (N - 1)"),
            ("total_variation", "total variation distance"),
        )
    ]
    return as_estimates(pl.concat(parts), by)


_TOLERANCE = 1e-6
"""The largest deviation of a sum of proportions from 1."""
