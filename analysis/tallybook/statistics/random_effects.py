"""Random-effects summary of many effects (DerSimonian & Laird)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from scipy.special import log_ndtr, ndtr, ndtri

from tallybook.statistics.chi_square_tail import log_chi_square_tail
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.inputs import check_confidence, counted
from tallybook.statistics.logistic.design import first_rows
from tallybook.statistics.normal_tail import two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

Alternative: TypeAlias = Literal["two-sided", "greater"]

TERMS = ("combined_effect", "tau_squared", "heterogeneity", "i_squared")
_COLUMNS = ("effect", "variance", "count")


def random_effects(
    frame: pl.DataFrame,
    by: Sequence[str],
    *,
    alternative: Alternative = "two-sided",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The combined effect of every cell, its test, and the heterogeneity of the effects.

    With effects e of variance V and weights w = 1/V: Q = sum w (e - sum w e / sum w)² and
    tau² = max(0, (Q - (k - 1)) / (sum w - sum w² / sum w)) is the variance between effects. The combined effect is
    sum w* e / sum w* with w* = 1/(V + tau²), its standard error 1/sqrt(sum w*). R: metafor::rma(method = "DL").

    Args:
        frame: `by`, `effect`, `variance` and `count`, how often this pair occurs. A row without effect or variance is
            left out.
        by: The columns whose combinations are the cells; may be empty.
        alternative: `two-sided` or `greater`, of the combined effect.
        confidence: The level of the interval of the combined effect.

    Returns:
        Estimates with the terms `combined_effect` (z test, normal interval), `tau_squared`, `heterogeneity` (Q with
        k - 1 degrees of freedom) and `i_squared`, max(0, (Q - (k - 1)) / Q); n is k, the number of effects. A single
        effect has no heterogeneity (`degenerate`); a variance of 0 makes the whole cell `degenerate`.

    Raises:
        ValueError: A column is missing, a count is impossible, a variance is negative, or a setting is out of range.

    References:
        DerSimonian, R. & Laird, N. (1986). Meta-analysis in clinical trials. Controlled Clinical Trials, 7, 177-188.

    >>> effects = pl.DataFrame({"effect": [0.25, 0.5, 1.5], "variance": [0.1, 0.2, 0.1], "count": [1, 1, 1]})
    >>> random_effects(effects, []).select("term", pl.col("estimate").round(6)).rows()
    [('combined_effect', 0.764747), ('tau_squared', 0.398438), ('heterogeneity', 8.375), ('i_squared', 0.761194)]
    """
    if alternative not in get_args(Alternative):
        raise ValueError(f"alternative is {alternative!r}: expected one of {', '.join(get_args(Alternative))}")
    check_confidence(confidence)
    counts = counted(frame, by, ["effect", "variance"])
    negative = counts.filter(pl.col("variance") < 0)
    if negative.height:
        raise ValueError(f"variance is {negative['variance'][0]}: expected at least 0")
    first = first_rows(counts, by)
    effects, variances, times = (counts.get_column(name).cast(pl.Float64).to_numpy() for name in _COLUMNS)
    with np.errstate(all="ignore"):
        pooled = _pooled(effects, variances, times, first)
        terms = _terms(pooled, alternative, confidence)
    base = [*(counts.select(by)[first].get_columns() if by else []), pl.Series("n", pooled.number.astype(np.int64))]
    found = [
        pl.DataFrame([*base, *(pl.Series(name, values) for name, values in numbers.items())]).with_columns(
            pl.lit(term).alias("term"), pl.lit("ok").alias("status")
        )
        for term, numbers in terms.items()
    ]
    found.append(_without_data(frame, found[0], by))
    result = pl.concat(found, how="diagonal").with_columns(
        pl.lit("").alias("outcome"),
        pl.when(pl.col("term") == TERMS[0]).then(pl.lit(confidence)).alias("confidence"),
        pl.when(pl.col("term") == TERMS[0]).then(0.0).alias("null_value"),
        pl.lit(f"random effects (DerSimonian-Laird), {alternative} z test").alias("method"),
    )
    return as_estimates(result.sort(by, maintain_order=True) if by else result, by)


def _without_data(frame: pl.DataFrame, found: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The terms of cells that have rows but no effects."""
    empty = pl.DataFrame({"term": TERMS, "n": [0] * len(TERMS), "status": ["no-data"] * len(TERMS)})
    if not by:
        return empty.clear() if found.height else empty
    return frame.select(by).unique().join(found, on=list(by), how="anti", nulls_equal=True).join(empty, how="cross")


def _terms(pooled: _Pooled, alternative: Alternative, confidence: float) -> dict[str, dict[str, Floats]]:
    """The numbers of every term."""
    z = pooled.effect / pooled.std_error
    p, log_p = two_sided_normal(z) if alternative == "two-sided" else (ndtr(-z), log_ndtr(-z))
    # The lower quantile: 1 - confidence keeps the digits that 1 + confidence would round away.
    margin = -ndtri((1.0 - confidence) / 2.0) * pooled.std_error
    q, df = pooled.heterogeneity, pooled.number - 1.0
    single = np.where(df > 0, 1.0, np.nan)
    log_q = log_chi_square_tail(q, df)
    return {
        "combined_effect": {
            "estimate": pooled.effect,
            "std_error": pooled.std_error,
            "ci_low": pooled.effect - margin,
            "ci_high": pooled.effect + margin,
            "statistic": z,
            "log_p_value": log_p,
            "p_value": p,
        },
        "tau_squared": {"estimate": pooled.between * single},
        "heterogeneity": {
            "estimate": q * single,
            "statistic": q * single,
            "df": df * single,
            "log_p_value": log_q,
            "p_value": np.exp(log_q),
        },
        # Without any difference between the effects none of it is heterogeneity.
        "i_squared": {"estimate": np.where(q > 0, np.maximum(0.0, (q - df) / q), 0.0 * q) * single},
    }


@dataclass(frozen=True)
class _Pooled:
    """What the effects of every cell come to."""

    number: Floats
    effect: Floats
    std_error: Floats
    between: Floats
    heterogeneity: Floats


def _pooled(effects: Floats, variances: Floats, counts: Floats, first: NDArray[np.intp]) -> _Pooled:
    """The formulas of `random_effects`, the cells' effects end to end; NaN where a variance is 0."""
    sizes = np.diff(first, append=effects.size)

    def total(values: Floats) -> Floats:
        return np.add.reduceat(values, first)

    weights = counts / variances
    centre = total(weights * effects) / total(weights)
    number = total(counts)
    q = total(weights * np.square(effects - np.repeat(centre, sizes)))
    scale = total(weights) - total(weights / variances) / total(weights)
    between = np.where(number > 1, np.maximum(0.0, (q - (number - 1.0)) / scale), 0.0 * q)
    weights = counts / (variances + np.repeat(between, sizes))
    return _Pooled(number, total(weights * effects) / total(weights), 1.0 / np.sqrt(total(weights)), between, q)
