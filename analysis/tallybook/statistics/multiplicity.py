"""P-values adjusted for multiple testing within declared families of hypotheses, and one-sided p-values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook_schemas.vocabulary import Alternative


Adjustment: TypeAlias = Literal["bonferroni", "holm", "hochberg", "benjamini-hochberg", "benjamini-yekutieli"]
"""The corrections: the first three control the familywise error rate, the others the false discovery rate."""

# Column names that estimates do not use.
_ROW, _ONE, _LOG = "row of the test", "one family", "logarithm of the p-value"
_ADJUSTED = ("p_adjusted", "log_p_adjusted", "family_size")


def with_adjusted_p_values(
    tests: pl.DataFrame,
    family: Sequence[str],
    method: Adjustment = "holm",
    *,
    hypothesis: Sequence[str] | None = None,
) -> pl.DataFrame:
    """Adjust the p-values of tests for the number of hypotheses in their family.

    With p_(1) <= ... <= p_(m) the p-values of a family:

    - "bonferroni": m p_(i)
    - "holm": max over j <= i of (m - j + 1) p_(j)
    - "hochberg": min over j >= i of (m - j + 1) p_(j); for independent or positively dependent tests
    - "benjamini-hochberg": min over j >= i of m / j p_(j), the false discovery rate; likewise
    - "benjamini-yekutieli": the same times 1 + 1/2 + ... + 1/m, for any dependence

    and never more than 1. R: p.adjust. The logarithm is computed from those of the p-values, and accurate where they
    underflow.

    Args:
        tests: Estimates, with column `p_value` and, if their logarithms are known, `log_p_value`.
        family: The columns whose combinations are the families; empty if all tests are one family. Null counts as a
            value. An estimate without a p-value belongs to no family.
        hypothesis: The columns that name a test's hypothesis: tests of the same hypothesis count once, with the largest
            of their p-values. A test whose last such column is null belongs to no family. If None, each test has its
            own hypothesis.

    Returns:
        The same rows in the same order with `p_adjusted` (null where there is no p-value, else between p_value and 1),
        its natural logarithm `log_p_adjusted` (null where p_adjusted is exactly 0), and `family_size`, the number of
        hypotheses.

    References:
        Holm, S. (1979). Scandinavian Journal of Statistics, 6, 65-70. Hochberg, Y. (1988). Biometrika, 75, 800-802.
        Benjamini, Y. & Hochberg, Y. (1995). Journal of the Royal Statistical Society B, 57, 289-300. Benjamini, Y. &
        Yekutieli, D. (2001). Annals of Statistics, 29, 1165-1188.

    >>> tests = pl.DataFrame({"model": ["a", "a", "a", "b"], "p_value": [0.01, 0.04, None, 0.04]})
    >>> with_adjusted_p_values(tests, ["model"]).select("p_adjusted", "family_size").rows()
    [(0.02, 2), (0.04, 2), (None, None), (0.04, 1)]
    """
    p = pl.col("p_value")
    numbered = tests.with_columns(p.cast(pl.Float64)).with_row_index(_ROW)
    counted = p.is_not_null() if not hypothesis else p.is_not_null() & pl.col(hypothesis[-1]).is_not_null()
    known = pl.col("log_p_value") if "log_p_value" in tests.columns else pl.lit(None, dtype=pl.Float64)
    valid = numbered.filter(counted).with_columns(known.fill_null(p.log()).alias(_LOG), pl.lit(0).alias(_ONE))
    keys, own = list(dict.fromkeys((*family, *((_ROW,) if hypothesis is None else hypothesis), _ONE))), [*family, _ONE]
    # Families sorted by p-value; equal p-values get equal adjusted values in any order.
    each = valid.group_by(keys).agg(p.max(), pl.col(_LOG).max()).sort("p_value", _LOG)
    factor = _factor(method, own)
    adjusted = each.select(
        *keys,
        _running(factor * p, method, own).clip(upper_bound=1.0).alias("p_adjusted"),
        _running(factor.log() + pl.col(_LOG), method, own).clip(upper_bound=0.0).alias("log_p_adjusted"),
        pl.len().over(own).cast(pl.Int64).alias("family_size"),
    ).with_columns(pl.when(pl.col("log_p_adjusted").is_finite()).then("log_p_adjusted").alias("log_p_adjusted"))
    rows = valid.select(*dict.fromkeys((_ROW, *keys))).join(adjusted, on=keys, nulls_equal=True)
    return (
        numbered.drop(_ADJUSTED, strict=False)
        .join(rows.select(_ROW, *_ADJUSTED), on=_ROW, how="left", maintain_order="left")
        .select(*dict.fromkeys((*tests.columns, *_ADJUSTED)))
    )


def decisive_p_value(tests: pl.DataFrame) -> pl.Expr:
    """Return the expression of the p-value that decides: the adjusted one if tests have any."""
    return pl.col("p_adjusted" if is_adjusted(tests) else "p_value")


def is_adjusted(tests: pl.DataFrame) -> bool:
    """Return whether the p-values of tests were adjusted."""
    return "p_adjusted" in tests.columns and tests.get_column("p_adjusted").is_not_null().any()


def _factor(method: Adjustment, own: Sequence[str]) -> pl.Expr:
    """Return the factor by which each p-value is multiplied, given p-values in ascending order."""
    size, position = (expr.over(own).cast(pl.Float64) for expr in (pl.len(), pl.int_range(1, pl.len() + 1)))
    match method:
        case "bonferroni":
            return size
        case "holm" | "hochberg":
            return size - position + 1
        case "benjamini-hochberg":
            return size / position
        case "benjamini-yekutieli":
            return (1 / position).sum().over(own) * size / position


def _running(products: pl.Expr, method: Adjustment, own: Sequence[str]) -> pl.Expr:
    """Make the products monotone: the running maximum in step-down methods, the minimum from above in step-up ones."""
    if method == "bonferroni":
        return products
    return (products.cum_max() if method == "holm" else products.cum_min(reverse=True)).over(own)


def one_sided(found: pl.DataFrame, alternative: Alternative) -> pl.DataFrame:
    """Convert two-sided t and z tests to a one-sided alternative.

    p / 2 where the statistic lies on the side of the alternative, 1 - p / 2 otherwise. Intervals stay two-sided.

    Args:
        found: Estimates; those with a p-value and no statistic are left as they are.
        alternative: `greater` than the null value, `less`, or `two-sided`, which changes nothing.

    Returns:
        The estimates.

    >>> tested = {"statistic": [2.0, -2.0], "p_value": [0.1, 0.1], "log_p_value": [math.log(0.1)] * 2, "method": "t"}
    >>> one_sided(pl.DataFrame(tested), "greater")["p_value"].round(12).to_list()
    [0.05, 0.95]
    """
    if alternative == "two-sided":
        return found
    statistic, p, log_p = pl.col("statistic"), pl.col("p_value"), pl.col("log_p_value")
    tested = statistic.is_not_null() & p.is_not_null()
    agrees = statistic >= 0 if alternative == "greater" else statistic <= 0
    half = log_p - math.log(2.0)
    return found.with_columns(
        pl.when(tested).then(pl.when(agrees).then(p / 2).otherwise(1 - p / 2)).otherwise(p).alias("p_value"),
        pl.when(tested)
        .then(pl.when(agrees).then(half).otherwise((-(half.exp())).log1p()))
        .otherwise(log_p)
        .alias("log_p_value"),
        pl.when(tested).then(pl.format("{}, one-sided ({})", "method", pl.lit(alternative))).otherwise("method"),
    )
