"""Correlations of every pair of scores, response by response or cell by cell."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import polars as pl

from tallybook.statistics.association.correlation import pearson, spearman
from tallybook.statistics.estimates import as_estimates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Method = Literal["pearson", "spearman"]


def score_correlations(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    beside: Mapping[str, Sequence[str]],
    *,
    method: Method = "pearson",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The correlation of every pair of scores in every cell, response by response."""
    parts: list[pl.DataFrame] = []
    for x, y in combinations(outcomes, 2):
        if y not in beside.get(x, ()) and x not in beside.get(y, ()):
            raise ValueError(f"neither of the scores {x!r} and {y!r} is kept beside the other")
        counted, other = (x, y) if y in beside.get(x, ()) else (y, x)
        rows = tally.filter((pl.col("outcome") == counted) & (pl.col("status") == "ok")).drop("outcome")
        correlate = pearson if method == "pearson" else spearman
        found = correlate(rows, by, "value", other, confidence=confidence)
        parts += [_pair(found, x, y), _pair(found, y, x)]
    sizes = tally.filter(pl.col("outcome").is_in(list(outcomes)) & (pl.col("status") == "ok"))
    parts += [_with_itself(sizes.filter(outcome=name), by, name) for name in outcomes]
    return pl.concat(parts)


def correlations_of_means(means: pl.DataFrame, by: Sequence[str], *, confidence: float = 0.95) -> pl.DataFrame:
    """The correlation of every pair of scores over cells: of their means."""
    outcomes = means.get_column("outcome").unique(maintain_order=True).to_list()
    cell = [name for name in means.columns if name not in {*_ESTIMATE, *by}]
    wide = means.filter(pl.col("estimate").is_not_null()).pivot(
        "outcome", index=[*by, *cell], values="estimate", aggregate_function="first"
    )
    counted = wide.with_columns(pl.lit(1).alias("count"))
    parts: list[pl.DataFrame] = []
    for x, y in combinations(outcomes, 2):
        found = pearson(counted, by, x, y, confidence=confidence)
        parts += [_pair(found, x, y), _pair(found, y, x)]
    parts += [_with_itself(counted.filter(pl.col(name).is_not_null()), by, name) for name in outcomes]
    return pl.concat(parts)


_ESTIMATE = set(as_estimates(pl.DataFrame({"estimate": [0.0]}), []).columns)
"""The columns of estimates that are not factors."""


def _pair(found: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    return found.with_columns(pl.lit(x).alias("outcome"), pl.lit(y).alias("term"))


def _with_itself(rows: pl.DataFrame, by: Sequence[str], name: str) -> pl.DataFrame:
    cells = (
        rows.group_by(by, maintain_order=True).agg(pl.col("count").sum().alias("n"))
        if by
        else (rows.select(pl.col("count").sum().alias("n")))
    )
    described = cells.with_columns(
        pl.lit(name).alias("outcome"),
        pl.lit(name).alias("term"),
        pl.lit(1.0).alias("estimate"),
        pl.lit("a score with itself").alias("method"),
    )
    return as_estimates(described.sort(by) if by else described, by)
