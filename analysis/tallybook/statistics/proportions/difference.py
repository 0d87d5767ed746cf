"""Differences and odds ratios of shares between two levels of a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.cells import term_counts
from tallybook.statistics.proportions.proportion import excluded_terms
from tallybook.statistics.proportions.two_proportions import two_proportions

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.statistics.proportions.two_proportions import Measure
    from tallybook_schemas.vocabulary import Alternative, Denominator

# Columns that no tally has.
_OUTCOME, _TERM, _IS_TERM = "outcome of the cell", "term of the cell", "is the term"


def share_differences(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    factor: str,
    levels: tuple[str, str],
    *,
    measure: Measure = "risk_difference",
    denominator: Denominator = "coded",
    confidence: float = 0.95,
    alternative: Alternative = "two-sided",
    tested: bool = True,
) -> pl.DataFrame:
    """The share of every term at one level of a factor compared with its share at another, in every cell.

    Returns:
        Estimates, one a cell, outcome and term: a measure of `two_proportions`, the first share less the second by
        default, with its interval and, if `tested`, the p-value of Fisher's exact test.
    """
    counts = term_counts(tally, [*by, factor], terms).filter(~pl.col("term").is_in(excluded_terms(denominator)))
    sides = [
        counts.select(
            *by,
            factor,
            pl.col("outcome").alias(_OUTCOME),
            pl.col("term").alias(_TERM),
            pl.lit(is_term).alias(_IS_TERM),
            count.alias("count"),
        )
        for is_term, count in ((True, pl.col("k")), (False, pl.col(denominator) - pl.col("k")))
    ]
    found = two_proportions(
        pl.concat(sides),
        [*by, _OUTCOME, _TERM],
        factor,
        _IS_TERM,
        levels=levels,
        measures=[measure],
        confidence=confidence,
        alternative=alternative,
        tested=tested,
    )
    named = found.with_columns(pl.col(_OUTCOME).alias("outcome"), pl.col(_TERM).alias("term")).drop(_OUTCOME, _TERM)
    order = counts.select("outcome", "term").unique(maintain_order=True).with_row_index("order")
    return named.join(order, on=["outcome", "term"], maintain_order="left").sort([*by, "order"]).drop("order")
