"""Cells of a tally: how often each term occurs among all and among the answered responses, zeros included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def totals(tally: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The denominators of every cell and outcome."""
    return tally.group_by([*by, "outcome"]).agg(
        pl.col("count").filter(pl.col("status") != "error").sum().alias("all"),
        pl.col("count").filter(pl.col("status").is_in(["ok", "invalid"])).sum().alias("answered"),
        pl.col("count").filter(pl.col("status") == "ok").sum().alias("coded"),
    )


def term_counts(
    tally: pl.DataFrame, by: Sequence[str], terms: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Count the terms of outcomes in every cell."""
    ranks = [
        (outcome, term, rank) for outcome, members in terms.items() for rank, term in enumerate([*members, REFUSAL])
    ]
    members = [
        (outcome, term, category)
        for outcome, of_terms in terms.items()
        for term, categories in of_terms.items()
        for category in dict.fromkeys(categories)  # one named twice is still counted once
    ]
    schema = {"outcome": pl.String, "term": pl.String, "rank": pl.Int64}
    given = pl.DataFrame(ranks, schema=schema, orient="row")
    membership = pl.DataFrame(members, schema=dict.fromkeys(("outcome", "term", "category"), pl.String), orient="row")
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
    uncoded = others.filter(pl.col("term") == INVALID).select("outcome", "term").unique()
    every_term = pl.concat([given, uncoded.with_columns(pl.lit(len(ranks), dtype=pl.Int64).alias("rank"))])
    return (
        totals(own, by)
        .sort([*by, "outcome"])
        .join(every_term.sort("rank"), on="outcome", maintain_order="left_right")
        .join(counted, on=[*by, "outcome", "term"], how="left", maintain_order="left")
        .with_columns(pl.col("k").fill_null(0))
        .select(*by, "outcome", "term", "k", "all", "answered", "coded")
    )


def shares(counts: pl.DataFrame, denominator: str) -> pl.Series:
    """The share of every count in its denominator."""
    # No expression: where a join repeats one denominator, polars multiplies by its reciprocal, which can be off in the
    # last digit (17 / 19), so that a share would depend on how many cells stand beside it.
    k, n = (counts.get_column(name).cast(pl.Float64).to_numpy() for name in ("k", denominator))
    return pl.Series("share", np.divide(k, n, out=np.full(counts.height, np.nan), where=n > 0), nan_to_null=True)
