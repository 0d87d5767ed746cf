"""Cells of a tally: how often each term occurs among all and among the answered responses, zeros included."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Columns that no tally has.
_CELL, _RANK = "number of the cell", "number of the term"


def totals(tally: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The denominators of every cell and outcome."""
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
    """Count the terms of one outcome in every cell, all of them in one row.

    Args:
        tally: The tally of the outcome.
        keys: The columns of the cells.
        members: Term -> the categories it counts.
        at: Levels of a factor, each counted on its own.

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
    return rows.group_by(keys).agg(pl.all().sum()) if keys else rows.sum().head(rows.height)


def term_counts(
    tally: pl.DataFrame, by: Sequence[str], terms: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Count the terms of outcomes in every cell, a row each, with the denominators."""
    parts: list[pl.DataFrame] = []
    for outcome, members in (terms or {"": {}}).items():
        own = tally.filter(outcome=outcome)
        counts = counts_of_terms(own, by, members)
        if by:
            counts = counts.sort(by)
        counts = counts.with_row_index(_CELL)
        uncoded = [INVALID] if (own.get_column("status") == "invalid").any() else []
        every = [
            counts.select(
                *by,
                pl.lit(outcome).alias("outcome"),
                pl.lit(term).alias("term"),
                pl.col(f"k 0 {term}").alias("k"),
                *(pl.col(f"{name} 0").alias(name) for name in ("all", "answered", "coded")),
                pl.lit(rank).alias(_RANK),
                _CELL,
            )
            for rank, term in enumerate([*members, REFUSAL, *uncoded])
        ]
        parts.append(pl.concat(every).sort(_CELL, _RANK).drop(_CELL, _RANK))
    together = pl.concat(parts)
    return together if len(parts) == 1 else together.sort([*by, "outcome"], maintain_order=True)


def shares(counts: pl.DataFrame, denominator: str) -> pl.Series:
    """The share of every count in its denominator."""
    # No expression: where a join repeats one denominator, polars multiplies by its reciprocal, which can be off in the
    # last digit (17 / 19), so that a share would depend on how many cells stand beside it.
    k, n = (counts.get_column(name).cast(pl.Float64).to_numpy() for name in ("k", denominator))
    return pl.Series("share", np.divide(k, n, out=np.full(counts.height, np.nan), where=n > 0), nan_to_null=True)
