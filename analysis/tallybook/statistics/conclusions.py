"""Summaries of other analyses' results: changes of conclusions, share of significant tests, spread over levels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.multiplicity import decisive_p_value, is_adjusted
from tallybook.statistics.tails import log_chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Sequence


def changed_conclusions(
    before: pl.DataFrame, after: pl.DataFrame, cells: Sequence[str], by: Sequence[str], *, alpha: float = 0.05
) -> pl.DataFrame:
    """Compare two analyses of tests, cell by cell.

    The conclusion of a test is that its null hypothesis is not rejected (p at least alpha), or that the estimate lies
    above, or below, the null value. A test without a p-value has no conclusion. If p-values are adjusted, the adjusted
    ones are used.

    Args:
        before: Estimates of tests, one a cell.
        after: Estimates of other tests in the same cells.
        by: The factors among `cells` whose combinations are the cells of the result.
        alpha: The level of the tests: one rejects if p is below alpha.

    Returns:
        Estimates, two a combination of `by`: `difference`, the mean over its cells of the later estimate less the
        earlier, n the number of cells that have both; and `changed`, the number of cells whose conclusion changes, n
        the number of cells in which both tests have a conclusion. The outcome is that of the earlier tests.

    >>> rows = {"outcome": "d", "c": ["a", "b"], "estimate": [0.5, 0.1], "null_value": 0.0, "p_value": [0.01, 0.2]}
    >>> later = pl.DataFrame(rows | {"estimate": [0.25, 0.85], "p_value": [0.02, 0.01]})
    >>> found = changed_conclusions(pl.DataFrame(rows), later, ["c"], [])
    >>> found.select("term", "n", "estimate").rows()
    [('difference', 2, 0.25), ('changed', 2, 1.0)]
    """
    first = _conclusions(before, cells, alpha).with_columns(before.get_column("outcome"))
    second = _conclusions(after, cells, alpha)
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
            status_of(pl.col(f"n_{term}") == 0),
            pl.lit(method).alias("method"),
        )
        for term, method in (("difference", "mean difference of estimates"), ("changed", "number of cells"))
    ]
    return as_estimates(pl.concat(parts).sort(keys, maintain_order=True), by)


def _conclusions(tests: pl.DataFrame, cells: Sequence[str], alpha: float) -> pl.DataFrame:
    """Return each cell's estimate and its test's conclusion: 0 if not rejected, else the side of the null value."""
    side = (pl.col("estimate") - pl.col("null_value")).sign().cast(pl.Int8)
    rejects = decisive_p_value(tests) < alpha
    return tests.select(
        *cells,
        pl.col("estimate").alias("value"),
        pl.when(rejects).then(side).when(~rejects).then(pl.lit(0, dtype=pl.Int8)).alias("conclusion"),
    )


def deviation_scores(
    tests: pl.DataFrame, by: Sequence[str], *, alpha: float = 0.05, hypothesis: Sequence[str] | None = None
) -> pl.DataFrame:
    """Compute the share of valid tests that are significant.

    Args:
        tests: Estimates of tests against a reference.
        by: The factors within whose combinations, and each outcome, tests are counted.
        alpha: A test counts when its p-value is below alpha: the adjusted one, if p-values are adjusted.
        hypothesis: The columns that name a test's hypothesis: tests of the same hypothesis count once, with the largest
            of their p-values. If None, each test has its own hypothesis.

    Returns:
        Estimates with term `significant`; n is the number of valid tests, those that have a p-value. Without any the
        status is `no-data`.

    Source:
        Wang, Brignac, Mao & Fang (2025), deviation bias; an undefined test is neither significant nor counted.
    """
    adjusted = is_adjusted(tests)
    counted, p = tests.with_columns(decisive_p_value(tests).alias("p_value")), pl.col("p_value")
    if hypothesis is not None:
        named = pl.col(hypothesis[-1]).is_not_null()
        counted = counted.group_by(*dict.fromkeys((*by, "outcome", *hypothesis))).agg(p.filter(named).max())
    scores = counted.group_by([*by, "outcome"]).agg(p.count().alias("n"), (p < alpha).mean().alias("estimate"))
    return as_estimates(
        scores.sort([*by, "outcome"]).with_columns(
            pl.lit("significant").alias("term"),
            pl.lit(f"share of tests with {'adjusted ' if adjusted else ''}p < {alpha:g}").alias("method"),
            status_of(),
        ),
        by,
    )


SENSITIVITY_TERMS = ("min", "median", "max", "range", "sd", "heterogeneity", "i_squared")
"""The rows of `sensitivity`, in their order."""


def sensitivity(estimates: pl.DataFrame, by: Sequence[str], over: str) -> pl.DataFrame:
    """Compute the smallest, median and largest estimate over the levels of a factor, and their spread.

    `range` is the largest less the smallest, `sd` the standard deviation (n - 1), `heterogeneity` Cochran's Q with its
    test whether the levels differ by more than the estimates' standard errors explain, and `i_squared` the share of the
    variance that these errors do not explain. Q treats levels as independent; levels that share items differ less by
    chance, so that the test is then conservative.

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
            status_of(degenerate=pl.col(term).is_null()),
        )
        for term in SENSITIVITY_TERMS[:5]
    ]
    parts = [*plain, *_heterogeneity(estimates, cells, keys)]
    order = pl.col("term").replace_strict({term: place for place, term in enumerate(SENSITIVITY_TERMS)})
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
        pl.lit("random effects (DerSimonian-Laird)").alias("method"), status_of(degenerate=q.is_null())
    )
    test = {"estimate": q, "statistic": q, "df": df, "log_p_value": log_p, "p_value": log_p.exp()}
    share = pl.when(q > 0).then(pl.max_horizontal((q - df) / q, 0.0)).otherwise(q)
    return [
        shared.select(*keys, "n", "method", "status", pl.lit(term).alias("term"), **numbers)
        for term, numbers in (("heterogeneity", test), ("i_squared", {"estimate": share}))
    ]
