"""Changes of estimates, and of their tests' conclusions, from one analysis to another of the same cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.multiplicity import decisive_p_value

if TYPE_CHECKING:
    from collections.abc import Sequence


def changed_conclusions(
    before: pl.DataFrame, after: pl.DataFrame, cells: Sequence[str], by: Sequence[str], *, alpha: float = 0.05
) -> pl.DataFrame:
    """Compare two analyses of tests, cell by cell.

    A test concludes that its null hypothesis stands (p at least alpha), or that the estimate lies above, or below, the
    null value. A test without p-value concludes nothing. Where p-values are adjusted, the adjusted ones count.

    Args:
        before: Estimates of tests, one a cell.
        after: Estimates of others of the same cells.
        cells: The factors that name the cells.
        by: Those of them whose combinations are the cells of the result.
        alpha: When a test rejects: p below alpha.

    Returns:
        Estimates, two a combination of `by`: `difference`, the mean over its cells of the later estimate less the
        earlier, n the cells that have both; and `changed`, the number of cells with another conclusion, n those in
        which both tests conclude something. The outcome is that of the earlier tests.

    >>> rows = {"outcome": "d", "c": ["a", "b"], "estimate": [0.5, 0.1], "null_value": 0.0, "p_value": [0.01, 0.2]}
    >>> later = pl.DataFrame(rows | {"estimate": [0.25, 0.85], "p_value": [0.02, 0.01]})
    >>> found = changed_conclusions(pl.DataFrame(rows), later, ["c"], [])
    >>> found.select("term", "n", "estimate").rows()
    [('difference', 2, 0.25), ('changed', 2, 1.0)]
    """
    first = _concluded(before, cells, alpha).with_columns(before.get_column("outcome"))
    second = _concluded(after, cells, alpha)
    if cells:
        both = first.join(second, on=list(cells), how="left", nulls_equal=True, suffix="_after")
    else:
        both = first.join(second, how="cross", suffix="_after")
    difference = pl.col("value_after") - pl.col("value")
    is_changed = pl.col("conclusion_after") != pl.col("conclusion")
    keys = [*by, "outcome"]
    grouped = both.group_by(keys).agg(
        difference.mean().alias("difference"),
        difference.count().cast(pl.Int64).alias("n_difference"),
        is_changed.sum().cast(pl.Float64).alias("changed"),
        is_changed.count().cast(pl.Int64).alias("n_changed"),
    )
    parts = [
        grouped.with_columns(
            pl.lit(term).alias("term"),
            pl.when(pl.col(f"n_{term}") > 0).then(pl.col(term)).alias("estimate"),
            pl.col(f"n_{term}").alias("n"),
            pl.when(pl.col(f"n_{term}") > 0).then(pl.lit("ok")).otherwise(pl.lit("no-data")).alias("status"),
            pl.lit(method).alias("method"),
        )
        for term, method in (("difference", "mean difference of estimates"), ("changed", "number of cells"))
    ]
    return as_estimates(pl.concat(parts).sort(keys, maintain_order=True), by)


def _concluded(tests: pl.DataFrame, cells: Sequence[str], alpha: float) -> pl.DataFrame:
    """The estimate of each cell, and what its test concludes: 0, or on which side of the null value it lies."""
    side = (pl.col("estimate") - pl.col("null_value")).sign().cast(pl.Int8)
    rejects = decisive_p_value(tests) < alpha
    return tests.select(
        *cells,
        pl.col("estimate").alias("value"),
        pl.when(rejects).then(side).when(~rejects).then(pl.lit(0, dtype=pl.Int8)).alias("conclusion"),
    )
