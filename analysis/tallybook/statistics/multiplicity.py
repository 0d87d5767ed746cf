"""Many tests at once: p-values adjusted within declared families."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

Adjustment: TypeAlias = Literal["bonferroni", "holm", "hochberg", "benjamini-hochberg", "benjamini-yekutieli"]
"""How p-values are adjusted: the first three bound the chance of a false rejection, the others the share of them."""

# Columns that no estimates have.
_ROW, _ONE = "row of the test", "one family"


def with_adjusted_p_values(tests: pl.DataFrame, family: Sequence[str], method: Adjustment = "holm") -> pl.DataFrame:
    """Adjust the p-values of tests for the number of tests in their family.

    With p_(1) <= ... <= p_(m) the p-values of a family:

    - "bonferroni": m p_(i)
    - "holm": max over j <= i of (m - j + 1) p_(j)
    - "hochberg": min over j >= i of (m - j + 1) p_(j); for independent or positively dependent tests
    - "benjamini-hochberg": min over j >= i of m / j p_(j), the false discovery rate; likewise
    - "benjamini-yekutieli": the same times 1 + 1/2 + ... + 1/m, for any dependence

    and never more than 1. R: p.adjust.

    Args:
        tests: Estimates, with column `p_value`.
        family: The columns whose combinations are the families; empty if all tests are one family. A null is a value
            of its own. An estimate without p-value counts in no family.
        method: Which adjustment.

    Returns:
        The same rows in the same order with `p_adjusted`: null where there is no p-value, else between p_value and 1.

    Raises:
        ValueError: The method is unknown, a column is missing, or a p-value lies outside [0, 1]; the message names
            the first such row.

    References:
        Holm, S. (1979). Scandinavian Journal of Statistics, 6, 65-70. Hochberg, Y. (1988). Biometrika, 75, 800-802.
        Benjamini, Y. & Hochberg, Y. (1995). Journal of the Royal Statistical Society B, 57, 289-300. Benjamini, Y. &
        Yekutieli, D. (2001). Annals of Statistics, 29, 1165-1188.

    >>> tests = pl.DataFrame({"model": ["a", "a", "a", "b"], "p_value": [0.01, 0.04, None, 0.04]})
    >>> with_adjusted_p_values(tests, ["model"])["p_adjusted"].to_list()
    [0.02, 0.04, None, 0.04]
    """
    if method not in get_args(Adjustment):
        raise ValueError(f"method is {method!r}: expected one of {', '.join(get_args(Adjustment))}")
    missing = [name for name in (*family, "p_value") if name not in tests.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join((*family, 'p_value'))}")
    p = pl.col("p_value")
    numbered = tests.with_columns(p.cast(pl.Float64)).with_row_index(_ROW)
    wrong = numbered.filter(p.is_nan() | ~p.is_between(0.0, 1.0))
    if wrong.height:
        raise ValueError(f"row {wrong[_ROW][0]} has p_value {wrong['p_value'][0]}: expected a number between 0 and 1")
    # Neighbours in a family, from the smallest p-value to the largest; equal ones get equal values in any order.
    valid = numbered.filter(p.is_not_null()).sort("p_value").with_columns(pl.lit(0).alias(_ONE))
    rows = valid.select(_ROW, _step(method, [*family, _ONE]).clip(upper_bound=1.0).alias("p_adjusted"))
    return (
        numbered.drop("p_adjusted", strict=False)
        .join(rows, on=_ROW, how="left", maintain_order="left")
        .select(*dict.fromkeys((*tests.columns, "p_adjusted")))
    )


def _step(method: Adjustment, family: Sequence[str]) -> pl.Expr:
    """The adjusted p-values, not yet bounded by 1, of p-values in ascending order."""
    p, size = pl.col("p_value"), pl.len().over(family).cast(pl.Float64)
    position = pl.int_range(1, pl.len() + 1).over(family).cast(pl.Float64)
    match method:
        case "bonferroni":
            return p * size
        case "holm":
            return ((size - position + 1) * p).cum_max().over(family)
        case "hochberg":
            return ((size - position + 1) * p).cum_min(reverse=True).over(family)
        case "benjamini-hochberg":
            return (size / position * p).cum_min(reverse=True).over(family)
        case "benjamini-yekutieli":
            return ((1 / position).sum().over(family) * size / position * p).cum_min(reverse=True).over(family)
