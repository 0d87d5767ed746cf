"""Shares without one cluster at a time, and their differences between levels of a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.cells import counts_of_terms, shares
from tallybook.statistics.jackknife import ALIKE, LEFT_OUT, MANY
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
        tally: A tally that keeps the cluster.
        by: The columns of the cells that a cluster is left out of.
        terms: Outcome -> term -> the categories it counts.
        denominator: The responses that shares are of.
        factor: The factor at each of whose levels there is a share of its own; none: one of all.
        levels: These levels.

    Returns:
        `by`, `LEFT_OUT` (and `ALIKE`, if one row stands for several clusters), `outcome`, `term`, and in the order of
        the levels `n 0` and `share 0`, `n 1` and so on; a share of no responses is null.
    """
    at = [pl.lit(value=True)] if factor is None else [pl.col(factor) == level for level in levels]
    parts: list[pl.DataFrame] = []
    for outcome, members in terms.items():
        sums = counts_of_terms(tally.filter(outcome=outcome), [*by, cluster], members, at)
        sums = sums.rename({cluster: LEFT_OUT})
        numbers = [name for name in sums.columns if name not in {*by, LEFT_OUT}]
        total = pl.col(*numbers).sum().name.prefix(_TOTAL)
        whole = sums.group_by(by).agg(total) if by else sums.select(total)
        if sums.get_column(LEFT_OUT).n_unique() > MANY:
            sums = sums.group_by([*by, *numbers]).agg(pl.col(LEFT_OUT).min(), pl.len().cast(pl.Float64).alias(ALIKE))
        joined = sums.join(whole, on=list(by), nulls_equal=True) if by else sums.join(whole, how="cross")
        left = joined.with_columns((pl.col(_TOTAL + name) - pl.col(name)).alias(name) for name in numbers)
        kept = left.select(*by, *(name for name in (LEFT_OUT, ALIKE) if name in left), pl.lit(outcome).alias("outcome"))
        for term in (*members, REFUSAL, INVALID):
            found = [pl.lit(term).alias("term")]
            for place in range(len(at)):
                of = left.select(k=f"k {place} {term}", n=f"{denominator} {place}")
                found += [of.get_column("n").alias(f"n {place}"), shares(of, "n").alias(f"share {place}")]
            parts.append(kept.with_columns(*found))
    return pl.concat(parts)
