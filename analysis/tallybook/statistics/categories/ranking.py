"""Labels in order of their frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

from tallybook.statistics.cells import shares, totals
from tallybook.statistics.estimates import as_estimates
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook_schemas.vocabulary import Denominator


def most_frequent(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    *,
    denominator: Denominator = "all",
    ties: Literal["first-seen", "alphabetical"] = "first-seen",
) -> pl.DataFrame:
    """Rank the labels of outcomes in every cell by their frequency.

    Returns:
        Estimates, sorted by rank within each cell: term is the label, estimate its share k/n, statistic its rank
        from 1.
    """
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
