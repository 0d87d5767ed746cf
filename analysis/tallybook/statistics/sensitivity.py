"""Spread of estimates over the levels of a factor, such as the wordings of a prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.tails import log_chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Sequence

TERMS = ("min", "median", "max", "range", "sd", "heterogeneity", "i_squared")
"""The rows of `sensitivity`, in their order."""


def sensitivity(estimates: pl.DataFrame, by: Sequence[str], over: str) -> pl.DataFrame:
    """The smallest, median and largest estimate over the levels of a factor, and their spread.

    `range` is the largest less the smallest, `sd` the standard deviation (n - 1), `heterogeneity` Cochran's Q with its
    test, which asks whether the levels differ beyond the estimates' standard errors, and `i_squared` the share of the
    variance that is not theirs. Q treats levels as independent; those that share items differ less by chance than it
    supposes, so that its test is then conservative.

    Args:
        estimates: `by`, `over`, `outcome`, `estimate` and `std_error`.
        over: The column of the levels.

    Returns:
        Estimates; n is the number of levels with an estimate. `method` names the level of the smallest and largest.

    Source:
        DerSimonian, R. & Laird, N. (1986). Meta-analysis in clinical trials. Controlled Clinical Trials, 7, 177-188
        (Q). Higgins, J. P. T. & Thompson, S. G. (2002). Statistics in Medicine, 21, 1539-1558 (I²).

    >>> rates = pl.DataFrame({"prompt": ["a", "b", "c"], "outcome": "o", "estimate": [0.2, 0.5, 0.4], "std_error": 0.1})
    >>> sensitivity(rates, [], "prompt").select("term", pl.col("estimate").round(3)).rows()[:4]
    [('min', 0.2), ('median', 0.4), ('max', 0.5), ('range', 0.3)]
    """
    keys, value = [*by, "outcome"], pl.col("estimate")
    known = estimates.filter(value.is_not_null()).sort(*keys, "estimate", over)
    cells = estimates.select(keys).unique().sort(keys)
    spread = known.group_by(keys, maintain_order=True).agg(
        pl.len().cast(pl.Int64).alias("n"),
        value.min().alias("min"),
        value.median().alias("median"),
        value.max().alias("max"),
        (value.max() - value.min()).alias("range"),
        value.std(ddof=1).alias("sd"),
        pl.col(over).first().alias("lowest"),
        pl.col(over).last().alias("highest"),
    )
    every = cells.join(spread, on=keys, how="left", nulls_equal=True, maintain_order="left")
    every = every.with_columns(pl.col("n").fill_null(0))
    method = {"min": pl.format("smallest, at {}", "lowest"), "max": pl.format("largest, at {}", "highest")}
    plain = [
        every.select(
            *keys,
            "n",
            pl.lit(term).alias("term"),
            pl.col(term).alias("estimate"),
            method.get(term, pl.lit(f"{term} over {over}")).fill_null(pl.lit(term)).alias("method"),
            _status(pl.col(term)).alias("status"),
        )
        for term in TERMS[:5]
    ]
    parts = [*plain, *_heterogeneity(estimates, cells, keys)]
    order = pl.col("term").replace_strict({term: place for place, term in enumerate(TERMS)})
    return as_estimates(pl.concat(parts, how="diagonal").sort(*keys, order), by)


def _heterogeneity(estimates: pl.DataFrame, cells: pl.DataFrame, keys: Sequence[str]) -> list[pl.DataFrame]:
    """Compute Cochran's Q = sum w (e - sum w e / sum w)², w = 1 / std_error², and I² = max(0, (Q - (k - 1)) / Q)."""
    effect, weight, q, df = pl.col("estimate"), pl.col("std_error").pow(-2), pl.col("q"), pl.col("df")
    centre = (weight * effect).sum() / weight.sum()
    known = estimates.drop_nulls(["estimate", "std_error"]).sort(*keys, "estimate", "std_error")
    sums = known.group_by(keys).agg(
        pl.len().cast(pl.Int64).alias("n"), (weight * (effect - centre).pow(2)).sum().alias("q")
    )
    every = cells.join(sums, on=keys, how="left", nulls_equal=True, maintain_order="left").with_columns(
        pl.col("n").fill_null(0),
        (pl.col("n") - 1.0).alias("df"),
        pl.when((pl.col("n") > 1) & q.is_finite()).then(q).alias("q"),
    )
    log_p = pl.Series(log_chi_square_tail(every.get_column("q").to_numpy(), every.get_column("df").to_numpy()))
    shared = every.with_columns(
        pl.lit("random effects (DerSimonian-Laird)").alias("method"), _status(q).alias("status")
    )
    test = {"estimate": q, "statistic": q, "df": df, "log_p_value": log_p, "p_value": log_p.exp()}
    share = pl.when(q > 0).then(pl.max_horizontal((q - df) / q, 0.0)).otherwise(q)
    return [
        shared.select(*keys, "n", "method", "status", pl.lit(term).alias("term"), **numbers)
        for term, numbers in (("heterogeneity", test), ("i_squared", {"estimate": share}))
    ]


def _status(number: pl.Expr) -> pl.Expr:
    empty = pl.when(pl.col("n") == 0).then(pl.lit("no-data"))
    return empty.when(number.is_null()).then(pl.lit("degenerate")).otherwise(pl.lit("ok"))
