"""Whether the categories of outcomes rise with the levels of a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.association.rank_association import rank_association

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.statistics.association.rank_association import Coefficient

# Columns that no tally has.
_OUTCOME, _X, _Y = "outcome of the cell", "rank of the level", "rank of the category"


def ordered_association(
    tally: pl.DataFrame,
    by: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    factor: str,
    levels: Sequence[str],
    *,
    uncoded: str | None = None,
    coefficient: Coefficient = "tau_b",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """An ordinal coefficient of every outcome with a factor, in every cell.

    Returns:
        Estimates, one a cell and outcome, with the coefficient as term: see `rank_association`.
    """
    for outcome, known in categories.items():
        if uncoded is not None and uncoded not in known:
            raise ValueError(f"uncoded is {uncoded!r}: expected a category of {outcome}, one of {', '.join(known)}")
    ranks = pl.DataFrame(
        [(outcome, category, rank) for outcome, rising in categories.items() for rank, category in enumerate(rising)],
        schema={"outcome": pl.String, "category": pl.String, _Y: pl.Float64},
        orient="row",
    )
    answered = (
        pl.when(pl.col("status") == "ok")
        .then(pl.col("category"))
        .when(pl.col("status") != "error")
        .then(pl.lit(uncoded, dtype=pl.String))
    )
    level = {name: float(rank) for rank, name in enumerate(levels)}
    pairs = (
        tally.filter(pl.col("outcome").is_in(list(categories)))
        .with_columns(
            answered.alias("category"),
            pl.col(factor).replace_strict(level, default=None, return_dtype=pl.Float64).alias(_X),
        )
        .join(ranks, on=["outcome", "category"], how="left")
        .rename({"outcome": _OUTCOME})
    )
    found = rank_association(pairs, [*by, _OUTCOME], _X, _Y, coefficients=[coefficient], confidence=confidence)
    return found.with_columns(pl.col(_OUTCOME).alias("outcome")).drop(_OUTCOME)
