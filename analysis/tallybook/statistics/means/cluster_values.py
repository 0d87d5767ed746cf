"""The value of each cluster's responses, as one number a cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


OUTCOME, TERM = "outcome of the cell", "term of the cell"
"""The columns that name the outcome and the term of a cell while a statistic has such columns of its own."""


def shares_of_clusters(
    tally: pl.DataFrame, by: Sequence[str], cluster: str, members: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """The share of each term among the coded responses of each cluster; a cluster without any has none."""
    coded = _coded(tally, members)
    keys = [*by, cluster, OUTCOME]
    sizes = coded.group_by(keys).agg(pl.col("count").sum().alias("n"))
    found: list[pl.DataFrame] = []
    for outcome, terms in members.items():
        for term, categories in terms.items():
            own = (pl.col("category").is_in(list(categories))) & (pl.col(OUTCOME) == outcome)
            counts = coded.filter(own).group_by(keys).agg(pl.col("count").sum())
            every = sizes.filter(pl.col(OUTCOME) == outcome).join(counts, on=keys, how="left", nulls_equal=True)
            share = pl.col("count").fill_null(0) / pl.col("n")
            found.append(every.select(*keys, pl.lit(term).alias(TERM), share.alias("value")))
    return pl.concat(found)


def disagreements_of_clusters(
    tally: pl.DataFrame, by: Sequence[str], cluster: str, members: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """The share of the pairs of coded responses of each cluster that are of different categories.

    With k responses of a category among n: 1 - sum k (k - 1) / (n (n - 1)); of two categories 2 a d / (n (n - 1)).
    A cluster with fewer than two coded responses has none.

    References:
        Simpson, E. H. (1949). Measurement of diversity. Nature, 163, 688.
    """
    keys = [*by, cluster, OUTCOME]
    counts = _coded(tally, members).group_by([*keys, "category"]).agg(pl.col("count").sum())
    n, k = pl.col("count").sum(), pl.col("count")
    unlike = (n * n - (k * k).sum()) / (n * (n - 1))
    cells = counts.group_by(keys).agg(pl.when(n > 1).then(unlike).alias("value"))
    return cells.with_columns(pl.lit("disagreement").alias(TERM)).drop_nulls("value")


def scores_of_clusters(
    scores: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    measure: Literal["mean", "sum"],
    *,
    divisor: float = 1.0,
    constant: float = 0.0,
) -> pl.DataFrame:
    """The mean of the scores of each cluster, or their sum, divided by `divisor` and with `constant` added."""
    total = (pl.col("value") * pl.col("count")).sum()
    taken = total / pl.col("count").sum() if measure == "mean" else total
    known = scores.filter(pl.col("value").is_not_null()).sort("value")
    cells = known.group_by([*by, cluster, OUTCOME], maintain_order=True).agg(
        (taken / divisor + constant).alias("value")
    )
    return cells.with_columns(pl.lit("mean").alias(TERM))


def differences_of_clusters(
    values: pl.DataFrame, by: Sequence[str], cluster: str, factor: str, levels: tuple[str, str]
) -> pl.DataFrame:
    """The value of each cluster at one level of a factor less that at another, of clusters that have both."""
    first, second = (values.filter(pl.col(factor) == level).drop(factor) for level in levels)
    both = first.join(second, on=[*by, cluster, OUTCOME, TERM], nulls_equal=True, suffix=" of the second")
    return both.with_columns(pl.col("value") - pl.col("value of the second")).drop("value of the second")


def _coded(tally: pl.DataFrame, members: Mapping[str, object]) -> pl.DataFrame:
    own = tally.filter(pl.col("outcome").is_in(list(members)) & (pl.col("status") == "ok"))
    return own.rename({"outcome": OUTCOME})
