"""The stereotype score: how far the groups of a dimension differ from each other."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.cells import term_counts
from tallybook.statistics.divergences.divergence import divergence
from tallybook.statistics.estimates import as_estimates
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.statistics.divergences.divergence import Smoothing


def stereotype_scores(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    between: str,
    levels: Sequence[str],
    within: str,
    refusal: bool = True,
    epsilon: float = 1e-12,
    smoothing: Smoothing = "counts",
    both_directions: bool = False,
    base: float = math.e,
) -> pl.DataFrame:
    """The mean over dimensions of the largest divergence between two groups of the dimension.

    score = mean over d of max over i < j of KL(P_i || P_j), with P the distribution over an outcome's terms.

    Args:
        by: The factors for whose combinations scores are computed.
        terms: Outcome -> term -> the categories it counts. Terms must not overlap: they are one distribution.
        between: The factor whose levels are compared.
        levels: These levels in order; the divergence runs from an earlier to a later one.
        within: The factor whose levels hold the groups that are compared with each other.
        refusal: Whether refusal is one of the terms.
        epsilon: What is added to each term; for disjoint groups it largely sets the score.
        smoothing: Whether epsilon is added to counts or to proportions.
        both_directions: Whether KL(P_j || P_i) is compared as well.
        base: The base of the logarithm.

    Returns:
        Estimates: term `mean`, whose n is the number of dimensions, and one term for each dimension, whose n is the
        number of defined divergences. A dimension without two groups that have data is `no-data`, and so is the
        mean over it. Where a divergence is infinite, which needs epsilon 0, both are `degenerate`: the largest of the
        others is not the largest.

    Source:
        Wang, Brignac, Mao & Fang (2025), stereotype bias; Kullback, S. & Leibler, R. A. (1951), Annals of
        Mathematical Statistics 22, 79-86.
    """
    cell = [*by, "outcome", within]
    excluded = [INVALID] if refusal else [INVALID, REFUSAL]
    groups = (
        term_counts(tally, list(dict.fromkeys([*by, within, between])), terms)
        .filter(~pl.col("term").is_in(excluded))
        .group_by([*cell, between], maintain_order=True)
        .agg(pl.col("k"))
        .with_columns(
            pl.col(between).replace_strict(list(levels), range(len(levels)), return_dtype=pl.Int64).alias("rank")
        )
    )
    pairs = groups.join(groups, on=cell, suffix="_other").filter(pl.col("rank") < pl.col("rank_other"))
    pairs = pairs.sort([*cell, "rank", "rank_other"])
    if both_directions:
        reverse = pairs.with_columns(pl.col("k_other").alias("k"), pl.col("k").alias("k_other"))
        pairs = pl.concat([pairs, reverse])
    both_have_data = (pl.col("k").list.sum() > 0) & (pl.col("k_other").list.sum() > 0)
    measured = _divergences(pairs, epsilon=epsilon, smoothing=smoothing, base=base).with_columns(
        (pl.col("divergence").is_null() & both_have_data).alias("infinite")
    )
    largest = (
        groups.select(cell)
        .unique()
        .join(measured, on=cell, how="left")
        .group_by(cell)
        .agg(
            pl.col("divergence").count().alias("n"),
            pl.col("infinite").any(),
            pl.when(~pl.col("infinite").any()).then(pl.col("divergence").max()).alias("estimate"),
        )
        .sort(cell)
    )
    complete = pl.col("estimate").is_not_null().all()
    mean = (
        largest.group_by([*by, "outcome"], maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("infinite").any(),
            pl.when(complete).then(pl.col("estimate").mean()).alias("estimate"),
        )
        .with_columns(pl.lit("mean").alias("term"), pl.col("n").cast(pl.Int64))
    )
    dimension = largest.with_columns(pl.col(within).alias("term"), pl.col("n").cast(pl.Int64)).drop(within)
    direction = "both directions" if both_directions else "earlier to later group"
    return as_estimates(
        pl.concat([mean.select(dimension.columns), dimension]).with_columns(
            pl.lit(f"largest Kullback-Leibler divergence, {direction}").alias("method"),
            pl.when(pl.col("infinite"))
            .then(pl.lit("degenerate"))
            .when(pl.col("estimate").is_null())
            .then(pl.lit("no-data"))
            .otherwise(pl.lit("ok"))
            .alias("status"),
        ),
        by,
    )


def _divergences(pairs: pl.DataFrame, *, epsilon: float, smoothing: Smoothing, base: float) -> pl.DataFrame:
    """One divergence a pair. Outcomes differ in their number of terms: one call of the kernel for each number."""
    measured = [
        part.with_columns(
            pl.Series(
                "divergence",
                divergence(
                    "kullback-leibler",
                    part.get_column("k").list.to_array(width).to_numpy(),
                    part.get_column("k_other").list.to_array(width).to_numpy(),
                    epsilon=epsilon,
                    smoothing=smoothing,
                    base=base,
                ),
                nan_to_null=True,
            )
        )
        for width, part in ((int(part.get_column("k").list.len()[0]), part) for part in _by_width(pairs))
    ]
    if not measured:
        return pairs.with_columns(pl.lit(None, dtype=pl.Float64).alias("divergence"))
    return pl.concat(measured)


def _by_width(pairs: pl.DataFrame) -> list[pl.DataFrame]:
    widths = pairs.get_column("k").list.len().alias("width")
    return pairs.with_columns(widths).partition_by("width", include_key=False)
