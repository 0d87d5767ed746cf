"""Cells of a tally: how often each term occurs among all and among the answered responses, zeros included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def totals(tally: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The denominators of every cell and outcome.

    Args:
        tally: A tally.
        by: The factors whose combinations are the cells.

    Returns:
        `by`, `outcome`, `all` (every delivered response: failed requests are no responses) and `answered` (those
        that are no refusals).
    """
    return tally.group_by([*by, "outcome"]).agg(
        pl.col("count").filter(pl.col("status") != "error").sum().alias("all"),
        pl.col("count").filter(pl.col("status").is_in(["ok", "invalid"])).sum().alias("answered"),
    )


def term_counts(
    tally: pl.DataFrame, by: Sequence[str], terms: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Count the terms of outcomes in every cell.

    Args:
        tally: A tally.
        by: The factors whose combinations are the cells.
        terms: Outcome -> term -> the categories it counts; a union counts several.

    Returns:
        One row a cell, outcome and term (in this order, sorted): `by`, `outcome`, `term`, `k`, `all`, `answered`.
        Beside the given terms stand `refusal` and, where there is any, `invalid`. A term that does not occur has k = 0.
    """
    rows = [
        (outcome, term, category, rank)
        for outcome, members in terms.items()
        for rank, (term, categories) in enumerate(members.items())
        for category in categories
    ]
    schema = {"outcome": pl.String, "term": pl.String, "category": pl.String, "rank": pl.Int64}
    membership = pl.DataFrame(rows, schema=schema, orient="row")
    own = tally.filter(pl.col("outcome").is_in(list(terms)))
    answers = own.filter(pl.col("status") == "ok").join(membership, on=["outcome", "category"], how="inner")
    others = own.filter(pl.col("status").is_in(["refused", "invalid"])).with_columns(
        pl.col("status").replace({"refused": REFUSAL, "invalid": INVALID}).alias("term")
    )
    counted = (
        pl.concat([part.select(*by, "outcome", "term", "count") for part in (answers, others)])
        .group_by([*by, "outcome", "term"])
        .agg(pl.col("count").sum().alias("k"))
    )
    last = pl.lit(len(rows), dtype=pl.Int64)
    every_term = pl.concat(
        [
            membership.select("outcome", "term", "rank"),
            membership.select("outcome", pl.lit(REFUSAL).alias("term"), last.alias("rank")),
            others.select("outcome", "term", (last + 1).alias("rank")).filter(pl.col("term") == INVALID),
        ]
    ).unique()
    return (
        totals(own, by)
        .join(every_term, on="outcome")
        .join(counted, on=[*by, "outcome", "term"], how="left")
        .with_columns(pl.col("k").fill_null(0))
        .sort([*by, "outcome", "rank"])
        .drop("rank")
    )
