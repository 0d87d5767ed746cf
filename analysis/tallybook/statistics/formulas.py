"""Formulas of counts: scores that are arithmetic on the numbers of responses in categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

import polars as pl

from tallybook.statistics.estimates import as_estimates

Count: TypeAlias = tuple[str, Sequence[str], Mapping[str, Sequence[str]]]
"""An outcome, the categories of it that are counted, and factor -> the levels that responses must have."""

Formula: TypeAlias = Callable[[Callable[[str], pl.Expr]], pl.Expr]
"""A function that builds a formula's expression from a function that returns the expression of a named count."""

_STEP = 1e-4
"""The fraction by which a cluster's weight is changed to compute its influence numerically."""
_TOTAL, _ENTERING = "total ", "n of "


def formulas_of_counts(
    tally: pl.DataFrame, by: Sequence[str], counts: Mapping[str, Count], formulas: Mapping[str, Formula]
) -> pl.DataFrame:
    """Compute scores from counts in every cell.

    Args:
        counts: Name -> what is counted.
        formulas: Term -> arithmetic of these names.

    Returns:
        Estimates, one a cell and term, of the first count's outcome; n is the number of responses that the formula
        counts (with several outcomes, the largest such number). Where the result is not finite the status is
        `degenerate`.

    >>> rows = {"outcome": "choice", "category": ["x", "y"], "status": "ok", "count": [3, 1]}
    >>> counts = {"x": ("choice", ["x"], {}), "all": ("choice", ["x", "y"], {})}
    >>> share = {"share": lambda count: count("x") / count("all")}
    >>> formulas_of_counts(pl.DataFrame(rows), [], counts, share)["estimate"].item()
    0.75
    """
    outcome = next(iter(counts.values()))[0]
    totals = _totals(tally, by, counts, formulas)
    parts = [
        totals.select(*by, _n(term), formula(pl.col).alias("estimate"), pl.lit(term).alias("term"))
        for term, formula in formulas.items()
    ]
    found = pl.concat(parts).with_columns(pl.lit(outcome).alias("outcome"), pl.lit("formula of counts").alias("method"))
    return as_estimates(found, by)


def linearised(
    tally: pl.DataFrame,
    by: Sequence[str],
    left_out: str,
    counts: Mapping[str, Count],
    formulas: Mapping[str, Formula],
) -> pl.DataFrame:
    """Compute replicates whose jackknife error is that of linearisation.

    The influence of a cluster is the derivative of the formula by the weight of the cluster, I = df(N + w n) / dw at 0,
    with N the counts of the cell and n those of the cluster; of a mean that is sum(y - mean) / N. Replicates are
    t - I G / (G - 1), so that the jackknife gives sqrt(G / (G - 1) sum I²).

    Args:
        tally: Tallies without each cluster, distinguished by `left_out`.
        left_out: The column that names the cluster that is left out.
        counts: Name -> what is counted.
        formulas: Term -> arithmetic of these names.

    Returns:
        Estimates as `formulas_of_counts` gives them, by the factors and `left_out`.

    Source:
        Jaeckel, L. A. (1972). The infinitesimal jackknife. Bell Laboratories Memorandum MM 72-1215-11.
    """
    outcome, names = next(iter(counts.values()))[0], list(counts)
    cells = _totals(tally, [*by, left_out], counts, formulas)
    clusters = pl.len().over(by) if by else pl.len()
    whole = [(pl.col(name).sum().over(by) if by else pl.col(name).sum()).alias(_TOTAL + name) for name in names]
    # The counts without each of G clusters add up to G - 1 times those of all.
    cells = cells.with_columns(*whole, clusters.cast(pl.Float64).alias("clusters"))
    cells = cells.with_columns(pl.col(_TOTAL + name) / (pl.col("clusters") - 1) for name in names)
    step = {
        sign: {name: pl.col(_TOTAL + name) + sign * _STEP * (pl.col(_TOTAL + name) - pl.col(name)) for name in names}
        for sign in (-1, 0, 1)
    }
    parts: list[pl.DataFrame] = []
    for term, formula in formulas.items():
        lower, at, upper = (formula(step[sign].__getitem__) for sign in (-1, 0, 1))
        influence = (upper - lower) / (2 * _STEP)
        replicate = at - influence * pl.col("clusters") / (pl.col("clusters") - 1)
        parts.append(cells.select(*by, left_out, _n(term), replicate.alias("estimate"), pl.lit(term).alias("term")))
    return as_estimates(pl.concat(parts).with_columns(pl.lit(outcome).alias("outcome")), [*by, left_out])


def _n(term: str) -> pl.Expr:
    return pl.col(_ENTERING + term).alias("n")


def _totals(
    tally: pl.DataFrame, by: Sequence[str], counts: Mapping[str, Count], formulas: Mapping[str, Formula]
) -> pl.DataFrame:
    """Compute the counts by name in every cell, and the number of responses that enter each formula."""

    def meant(outcome: str, categories: Sequence[str], where: Mapping[str, Sequence[str]]) -> pl.Expr:
        chosen = [pl.col(factor).is_in(list(levels)) for factor, levels in where.items()]
        own = (pl.col("outcome") == outcome) & pl.col("category").is_in(list(categories))
        return pl.all_horizontal(pl.col("status") == "ok", own, *chosen)

    def number(is_counted: pl.Expr) -> pl.Expr:
        return pl.col("count").filter(is_counted).sum()

    named = [number(meant(*count)).cast(pl.Float64).alias(name) for name, count in counts.items()]
    for term, formula in formulas.items():
        by_outcome: dict[str, list[pl.Expr]] = {}
        for name in formula(pl.col).meta.root_names():
            by_outcome.setdefault(counts[name][0], []).append(meant(*counts[name]))
        entering = [number(pl.any_horizontal(each)) for each in by_outcome.values()]
        named.append(pl.max_horizontal(*entering, pl.lit(0)).cast(pl.Int64).alias(_ENTERING + term))
    return tally.group_by(by, maintain_order=True).agg(*named)
