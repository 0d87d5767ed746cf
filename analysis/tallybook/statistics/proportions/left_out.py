"""Shares and means without each cluster in turn, from the counts of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.cells import ALIKE, counts_of_terms, merge_equal_clusters, shares
from tallybook.statistics.jackknife import LEFT_OUT
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook_schemas.vocabulary import Denominator


_TOTAL = "total "


def shares_without_each(
    tally: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    denominator: Denominator,
    factor: str | None = None,
    levels: Sequence[str] = (),
) -> pl.DataFrame:
    """Compute the share of every term without each cluster: the counts of the cell less those of the cluster.

    Args:
        by: The columns of the cells that a cluster is left out of.
        terms: Outcome -> term -> the categories it counts.
        factor: The factor at whose levels separate shares are computed; None for one share of all responses.

    Returns:
        `by`, `LEFT_OUT`, `ALIKE` (the number of clusters that a row stands for), `outcome`, `term`, and in the order of
        the levels `n 0` and `share 0`, `n 1` and so on; a share of no responses is null.
    """
    at = [pl.lit(value=True)] if factor is None else [pl.col(factor) == level for level in levels]
    parts: list[pl.DataFrame] = []
    for outcome, members in terms.items():
        sums = counts_of_terms(tally.filter(outcome=outcome), [*by, cluster], members, at)
        sums = sums.rename({cluster: LEFT_OUT})
        numbers = [name for name in sums.columns if name not in {*by, LEFT_OUT}]
        total = pl.col(*numbers).sum().name.prefix(_TOTAL)
        whole = sums.group_by(by).agg(total)
        sums = merge_equal_clusters(sums, by, LEFT_OUT)
        joined = sums.join(whole, on=list(by), nulls_equal=True) if by else sums.join(whole, how="cross")
        left = joined.with_columns((pl.col(_TOTAL + name) - pl.col(name)).alias(name) for name in numbers)
        kept = left.select(*by, LEFT_OUT, ALIKE, pl.lit(outcome).alias("outcome"))
        for term in (*members, REFUSAL, INVALID):
            found = [pl.lit(term).alias("term")]
            for place in range(len(at)):
                of = left.select(k=f"k {place} {term}", n=f"{denominator} {place}")
                found += [of.get_column("n").alias(f"n {place}"), shares(of, "n").alias(f"share {place}")]
            parts.append(kept.with_columns(*found))
    return pl.concat(parts)


def means_without_each(
    scores: pl.DataFrame, by: Sequence[str], cluster: str, factor: str | None = None, levels: Sequence[str] = ("",)
) -> pl.DataFrame:
    """Compute the mean at each level of a factor without each cluster.

    Args:
        scores: Counts of values: `by`, the cluster, the factor, `value` and `count`.
        by: The columns of the cells that a cluster is left out of.

    Returns:
        `by`, `LEFT_OUT`, `ALIKE`, and in the order of the levels `n 0` and `mean 0`, `n 1` and so on; a mean of no
        score is null.
    """
    value, count, above = pl.col("value").cast(pl.Float64), pl.col("count"), pl.col("above")
    known = scores.filter(value.is_not_null() & (count > 0))
    of = pl.lit(value=True) if factor is None else pl.col(factor).is_in(list(levels))
    known = known.filter(of)
    # Relative to the smallest score, for accuracy in units of the spread; sorted, so that row order has no effect.
    known = known.with_columns(value.min().over([*by, *([factor] if factor else [])]).alias("least"))
    known = known.with_columns(((value - pl.col("least")) * count).alias("above"))
    numbers = [
        one.alias(f"{name} {place}")
        for place, level in enumerate(levels)
        for at in [of if factor is None else pl.col(factor) == level]
        for name, one in (
            ("n", count.filter(at).sum()),
            ("above", above.filter(at).sort().sum()),
            ("least", pl.col("least").filter(at).first()),
        )
    ]
    sums = merge_equal_clusters(known.group_by([*by, cluster]).agg(*numbers), by, cluster).sort(*by, cluster)

    def left(number: str) -> pl.Expr:
        return (pl.col(number) * pl.col(ALIKE)).sum().over(by) - pl.col(number)

    found = sums.select(*by, pl.col(cluster).alias(LEFT_OUT), ALIKE)
    for place in range(len(levels)):
        n, least = left(f"n {place}"), pl.col(f"least {place}").min().over(by)
        mean = least + pl.when(n > 0).then(left(f"above {place}") / n)
        found = found.hstack(sums.select(n.cast(pl.Int64).alias(f"n {place}"), mean.alias(f"mean {place}")))
    return found
