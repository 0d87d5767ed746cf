"""Counts of each term in each cell of a tally, zeros included, with their denominators."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook_schemas.vocabulary import Denominator

ALIKE, MANY = "clusters with the same counts", 500
"""The column with the number of clusters in a row, and the number of clusters above which equal ones share a row."""


def totals(tally: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Compute the denominators of every cell and outcome."""
    return tally.group_by([*by, "outcome"]).agg(
        pl.col("count").filter(pl.col("status") != "error").sum().alias("all"),
        pl.col("count").filter(pl.col("status").is_in(["ok", "invalid"])).sum().alias("answered"),
        pl.col("count").filter(pl.col("status") == "ok").sum().alias("coded"),
    )


def counts_of_terms(
    tally: pl.DataFrame,
    keys: Sequence[str],
    members: Mapping[str, Sequence[str]],
    at: Sequence[pl.Expr] = (pl.lit(value=True),),
) -> pl.DataFrame:
    """Count the terms of one outcome in every cell; a cell is one row.

    Args:
        members: Term -> the categories it counts.
        at: Conditions, such as levels of a factor, that are counted separately.

    Returns:
        `keys`, and for the first of the levels the denominators `all 0`, `answered 0` and `coded 0` and the count of
        each term, `k 0 yes`; for the second `all 1` and so on.
    """
    status = pl.col("status")
    kinds = {"all {}": status != "error", "answered {}": status.is_in(["ok", "invalid"]), "coded {}": status == "ok"}
    for term, those in members.items():
        kinds[f"k {{}} {term}"] = (status == "ok") & pl.col("category").is_in(list(those))
    kinds |= {f"k {{}} {REFUSAL}": status == "refused", f"k {{}} {INVALID}": status == "invalid"}
    numbers = [
        (pl.col("count") * (level & which)).alias(name.replace("{}", f"{place}", 1))
        for place, level in enumerate(at)
        for name, which in kinds.items()
    ]
    rows = tally.select(*keys, *numbers)
    return rows.group_by(keys).agg(pl.all().sum()).head(rows.height)  # none where there is no tally


def merge_equal_clusters(counts: pl.DataFrame, by: Sequence[str], cluster: str) -> pl.DataFrame:
    """Merge the clusters of a cell that have the same counts, if there are many; `ALIKE` holds their number."""
    if counts.get_column(cluster).n_unique() <= MANY:
        return counts.with_columns(pl.lit(1.0).alias(ALIKE))
    numbers = [name for name in counts.columns if name not in {*by, cluster}]
    return counts.group_by([*by, *numbers]).agg(pl.col(cluster).min(), pl.len().cast(pl.Float64).alias(ALIKE))


def term_counts(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    denominator: Denominator = "all",
) -> pl.DataFrame:
    """Count the terms of outcomes in every cell, one a row, with the denominators.

    Terms that the denominator excludes are dropped; the denominator is `n`.
    """
    excluded = excluded_terms(denominator)
    parts: list[pl.DataFrame] = []
    for outcome, members in (terms or {"": {"": ()}}).items():
        own = tally.filter(outcome=outcome)
        counts = counts_of_terms(own, by, members).sort(by)
        uncoded = [INVALID] if (own.get_column("status") == "invalid").any() else []
        every = [
            counts.select(
                *by,
                pl.lit(outcome).alias("outcome"),
                pl.lit(term).alias("term"),
                pl.col(f"k 0 {term}").alias("k"),
                *(pl.col(f"{name} 0").alias(name) for name in ("all", "answered", "coded")),
                pl.col(f"{denominator} 0").alias("n"),
            )
            for term in [*members, REFUSAL, *uncoded]
            if term not in excluded
        ]
        one_term_after_another = np.arange(len(every) * counts.height).reshape(len(every), counts.height)
        parts.append(pl.concat(every)[one_term_after_another.T.ravel()])
    together = pl.concat(parts)
    return together if len(parts) == 1 else together.sort([*by, "outcome"], maintain_order=True)


def excluded_terms(denominator: Denominator) -> list[str]:
    """List the terms that a denominator excludes."""
    return {"all": [], "answered": [REFUSAL], "coded": [REFUSAL, INVALID]}[denominator]


def shares(counts: pl.DataFrame, denominator: str) -> pl.Series:
    """Divide every count by its denominator; null where that is 0."""
    # Not as a polars expression: where a join repeats one denominator, polars multiplies by its reciprocal, which can
    # be off in the last digit (17 / 19), so that a share would depend on the number of cells.
    k, n = (counts.get_column(name).cast(pl.Float64).to_numpy() for name in ("k", denominator))
    return pl.Series("share", np.divide(k, n, out=np.full(counts.height, np.nan), where=n > 0), nan_to_null=True)
