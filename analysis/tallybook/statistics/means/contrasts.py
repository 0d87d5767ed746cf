"""Contrasts of means, from which t tests, effect sizes, equivalence tests and Bayes factors are computed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.estimates import as_estimates, counted, status_of
from tallybook.statistics.means.moments import moments
from tallybook.statistics.tails import critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.statistics.arrays import Floats


Variances: TypeAlias = Literal["equal", "unequal"]
"""Whether two groups are assumed to have equal variances (Student) or not (Welch)."""


COLUMNS = (
    "design", "n", "estimate", "null_value", "std_error", "df",
    "standardizer", "standardizer_df", "effective_n", "status",
)  # fmt: skip
"""The columns of contrasts that follow those of the cells."""


def one_sample_contrasts(summary: pl.DataFrame, by: Sequence[str], *, null_value: float | str = 0.0) -> pl.DataFrame:
    """Contrast the mean of every cell with a given value.

    std_error = s / sqrt n with s² = squares / (n - 1), df = n - 1, standardizer s, effective_n = n. For K ones and
    N - K zeros t is (p - null_value) sqrt(N - 1) / sqrt(p (1 - p)) with p = K / N.

    Args:
        summary: `by`, `n`, `mean` and `squares`, a row a cell: see `moments` and `summary_moments`.
        null_value: The mean under the null hypothesis, or the column that holds it for each cell.

    Returns:
        Contrasts: `by` and `COLUMNS`. A cell without observations is `no-data`, one without null value `no-reference`,
        one with a single observation, or without any spread, `degenerate`.

    >>> from tallybook.statistics.means.moments import summary_moments
    >>> summary = summary_moments(pl.DataFrame({"n": [16], "mean": [0.5], "sd": [2.0]}), [])
    >>> one_sample_contrasts(summary, []).select("estimate", "std_error", "df").row(0)
    (0.5, 0.5, 15.0)
    """
    n, variance = pl.col("n"), _variance("squares", "n")
    cells = summary.with_columns(
        pl.lit("one-sample").alias("design"),
        pl.col("mean").alias("estimate"),
        _null_value(null_value),
        (variance / n).sqrt().alias("std_error"),
        (n - 1).cast(pl.Float64).alias("df"),
        variance.sqrt().alias("standardizer"),
        (n - 1).cast(pl.Float64).alias("standardizer_df"),
        n.cast(pl.Float64).alias("effective_n"),
    )
    return _with_status(cells, by, is_empty=n == 0)


def two_sample_contrasts(
    summary: pl.DataFrame,
    by: Sequence[str],
    between: str,
    levels: tuple[str, str],
    *,
    variances: Variances = "unequal",
    null_value: float | str = 0.0,
) -> pl.DataFrame:
    """Contrast the means of two groups in every cell, the first less the second.

    With s_i² = squares_i / (n_i - 1) and v_i = s_i² / n_i:

    - "equal": s² = (squares_1 + squares_2) / (n_1 + n_2 - 2), std_error = s sqrt(1/n_1 + 1/n_2),
      df = n_1 + n_2 - 2, standardizer s, effective_n = n_1 n_2 / (n_1 + n_2).
    - "unequal": std_error = sqrt(v_1 + v_2), df = (v_1 + v_2)² / (v_1² / (n_1 - 1) + v_2² / (n_2 - 1)), standardizer
      sqrt((s_1² + s_2²) / 2) with df (s_1² + s_2²)² / (s_1⁴ / (n_1 - 1) + s_2⁴ / (n_2 - 1)),
      effective_n = (standardizer / std_error)².

    Args:
        summary: `by`, `between`, `n`, `mean` and `squares`, a row a group: see `moments` and `summary_moments`.
        between: The column of the groups.
        levels: The two groups. Other groups are left out.
        variances: `equal` for Student's test, `unequal` for Welch's.
        null_value: The difference under the null hypothesis, or the column that holds it for each cell (the same value
            for both groups).

    Returns:
        Contrasts: `by` and `COLUMNS`, n being the sum of both groups. A cell in which a group has no observations is
        `no-data`; one with too few of them, or without any spread, is `degenerate`.

    References:
        Welch, B. L. (1947). Biometrika, 34, 28-35. Delacre, M., Lakens, D., Ley, C., Liu, L. & Leys, C. (2021). Why
        Hedges' g*s based on the non-pooled standard deviation should be reported with Welch's t-test. PsyArXiv.

    >>> from tallybook.statistics.means.moments import summary_moments
    >>> groups = pl.DataFrame({"group": ["a", "b"], "n": [10, 40], "mean": [1.0, 0.0], "sd": [1.0, 2.0]})
    >>> summary = summary_moments(groups, ["group"])
    >>> two_sample_contrasts(summary, [], "group", ("a", "b")).select("estimate", pl.col("df").round(3)).row(0)
    (1.0, 29.25)
    """
    groups = summary.with_columns(_null_value(null_value)).group_by(by, maintain_order=True)
    # Cells in which neither group occurs are kept, as `no-data`.
    cells = groups.agg(
        pl.len().alias("rows"),
        pl.col("null_value").first(),
        *(
            pl.col(name).filter(pl.col(between) == level).first().alias(f"{name}_{number}")
            for number, level in enumerate(levels, start=1)
            for name in ("n", "mean", "squares")
        ),
    )
    cells = cells.filter(pl.col("rows") > 0).with_columns(pl.col("n_1", "n_2").fill_null(0))
    difference = (pl.col("mean_1") - pl.col("mean_2")).alias("estimate")
    total = (pl.col("n_1") + pl.col("n_2")).alias("n")
    spread = _pooled() if variances == "equal" else _separate()
    return _with_status(
        cells.with_columns(difference, total).with_columns(spread),
        by,
        is_empty=(pl.col("n_1") == 0) | (pl.col("n_2") == 0),
    )


def paired_contrasts(
    frame: pl.DataFrame, by: Sequence[str], first: str, second: str, *, null_value: float | str = 0.0
) -> pl.DataFrame:
    """Compute the mean difference of pairs in every cell, the first value less the second.

    Args:
        frame: `by`, the two values and `count`, a row for each pair of values. A pair with a null or NaN is not an
            observation.
        first: The column of the first values.
        second: The column of the second values.
        null_value: The mean difference under the null hypothesis.

    Returns:
        Contrasts: `by` and `COLUMNS`, as for one sample of differences; n is the number of pairs.

    >>> pairs = pl.DataFrame({"before": [1.0, 2.0, 4.0], "after": [1.0, 1.0, 2.0], "count": [2, 2, 2]})
    >>> paired_contrasts(pairs, [], "before", "after").select("n", "estimate", "df").row(0)
    (6, 1.0, 5.0)
    """
    counted(frame, by, [first, second])  # raises a ValueError for a missing column or an impossible count
    differences = frame.with_columns((pl.col(first).cast(pl.Float64) - pl.col(second)).alias("difference"))
    one_sample = one_sample_contrasts(moments(differences, by, "difference"), by, null_value=null_value)
    return one_sample.with_columns(pl.lit("paired").alias("design"))


def t_statistics(contrasts: pl.DataFrame) -> tuple[Floats, Floats]:
    """Return the t statistics and degrees of freedom of contrasts."""
    known = pl.col("status") == "ok"
    columns = contrasts.select(
        pl.when(known).then((pl.col("estimate") - pl.col("null_value")) / pl.col("std_error")).alias("t"),
        pl.when(known).then(pl.col("df")).alias("df"),
    )
    return columns["t"].to_numpy(), columns["df"].to_numpy()


def _null_value(null_value: float | str) -> pl.Expr:
    if isinstance(null_value, str):
        return pl.col(null_value).cast(pl.Float64).fill_nan(None).alias("null_value")
    return pl.lit(float(null_value)).alias("null_value")


def _variance(squares: str, n: str) -> pl.Expr:
    """Return the expression of the sample variance; null with fewer than two observations."""
    return pl.when(pl.col(n) > 1).then(pl.col(squares) / (pl.col(n) - 1))


def _pooled() -> list[pl.Expr]:
    n_1, n_2 = pl.col("n_1").cast(pl.Float64), pl.col("n_2").cast(pl.Float64)
    df = n_1 + n_2 - 2
    variance = pl.when(df > 0).then((pl.col("squares_1") + pl.col("squares_2")) / df)
    return [
        pl.lit("two-sample").alias("design"),
        (variance * (1 / n_1 + 1 / n_2)).sqrt().alias("std_error"),
        df.alias("df"),
        variance.sqrt().alias("standardizer"),
        df.alias("standardizer_df"),
        (n_1 * (n_2 / (n_1 + n_2))).alias("effective_n"),
    ]


def _separate() -> list[pl.Expr]:
    variance_1, variance_2 = _variance("squares_1", "n_1"), _variance("squares_2", "n_2")
    part_1, part_2 = variance_1 / pl.col("n_1"), variance_2 / pl.col("n_2")
    mean_variance = (variance_1 + variance_2) / 2
    return [
        pl.lit("welch").alias("design"),
        (part_1 + part_2).sqrt().alias("std_error"),
        _satterthwaite(part_1, part_2).alias("df"),
        mean_variance.sqrt().alias("standardizer"),
        _satterthwaite(variance_1, variance_2).alias("standardizer_df"),
        (mean_variance / (part_1 + part_2)).alias("effective_n"),
    ]


def _satterthwaite(part_1: pl.Expr, part_2: pl.Expr) -> pl.Expr:
    """Compute (a + b)² / (a² / (n_1 - 1) + b² / (n_2 - 1)) from the share of a in a + b, as squares could overflow."""
    share = part_1 / (part_1 + part_2)
    return 1 / (share**2 / (pl.col("n_1") - 1) + (1 - share) ** 2 / (pl.col("n_2") - 1))


def _with_status(cells: pl.DataFrame, by: Sequence[str], *, is_empty: pl.Expr) -> pl.DataFrame:
    """Convert cells to contrasts: undefined numbers are null, and the status is `ok` exactly where there is a t."""
    numbers = [name for name in COLUMNS if name not in {"design", "n", "status"}]
    finite = cells.with_columns(pl.when(pl.col(name).is_finite()).then(pl.col(name)).alias(name) for name in numbers)
    t = (pl.col("estimate") - pl.col("null_value")) / pl.col("std_error")
    has_t = (pl.col("std_error") > 0) & (pl.col("df") > 0) & t.is_finite()
    lacking = {"no_reference": pl.col("null_value").is_null(), "degenerate": ~has_t.fill_null(value=False)}
    return finite.with_columns(status_of(is_empty, **lacking)).select(*by, *COLUMNS).sort(by)


def equivalence_tests(
    contrasts: pl.DataFrame, by: Sequence[str], *, low: float, high: float, alpha: float = 0.05
) -> pl.DataFrame:
    """Test whether the mean, or the difference of means, of every cell lies within bounds (TOST).

    With D = estimate - null_value: t_low = (D - low) / std_error, against D <= low, and t_high = (D - high) /
    std_error, against D >= high. The p-value is the larger of the two one-sided p-values; it is below alpha if and only
    if the 1 - 2 alpha interval of D lies within the bounds.

    Args:
        contrasts: The result of `one_sample_contrasts` or `two_sample_contrasts`, or estimates with standard errors.
        low: The lower bound of what counts as equivalent to the null value, as a difference from it, in the scores'
            unit.
        high: The upper bound, likewise.
        alpha: The level of the test; the interval's is 1 - 2 alpha.

    Returns:
        Estimates with term `equivalence` (of estimates their own): the estimate and its interval, the t with the larger
        p-value as statistic, the bound that it tests (null value + low or high) as null_value, df, p_value and
        log_p_value. Status `no-data` without observations, `no-reference` without null value, `degenerate` where scores
        are constant or too few.

    References:
        Schuirmann, D. J. (1987). A comparison of the two one-sided tests procedure and the power approach for
        assessing the equivalence of average bioavailability. Journal of Pharmacokinetics and Biopharmaceutics, 15,
        657-680. Lakens, D. (2017). Equivalence tests. Social Psychological and Personality Science, 8, 355-362.

    >>> from tallybook.statistics.means.contrasts import one_sample_contrasts
    >>> from tallybook.statistics.means.moments import summary_moments
    >>> mean = one_sample_contrasts(summary_moments(pl.DataFrame({"n": [100], "mean": [0.1], "sd": [1.0]}), []), [])
    >>> equivalence_tests(mean, [], low=-0.3, high=0.3).select("null_value", pl.col("p_value").round(4)).row(0)
    (0.3, 0.0241)
    """
    t, df = t_statistics(contrasts)
    std_error = contrasts["std_error"].to_numpy()
    with np.errstate(all="ignore"):
        above_low, below_high = t - low / std_error, t - high / std_error
        log_p_low, log_p_high = log_p_value(above_low, df, "greater"), log_p_value(below_high, df, "less")
        is_low = log_p_low >= log_p_high
        log_p = np.where(is_low, log_p_low, log_p_high)
        p = np.exp(log_p)
    half_width = critical_value(alpha, df) * std_error
    return as_estimates(
        contrasts.with_columns(
            (pl.col("term") if "term" in contrasts.columns else pl.lit("equivalence")).alias("term"),
            (pl.col("estimate") - pl.lit(pl.Series(half_width))).alias("ci_low"),
            (pl.col("estimate") + pl.lit(pl.Series(half_width))).alias("ci_high"),
            pl.lit(1.0 - 2.0 * alpha).alias("confidence"),
            pl.Series("null_value", contrasts["null_value"].to_numpy() + np.where(is_low, low, high)),
            pl.Series("statistic", np.where(is_low, above_low, below_high)),
            pl.Series("df", df),
            pl.Series("p_value", p),
            pl.Series("log_p_value", log_p),
            pl.lit(f"two one-sided t tests, bounds {low:g} and {high:g}").alias("method"),
            *(pl.lit(None).alias(name) for name in ("effect", "effect_kind", "effect_ci_low", "effect_ci_high")),
        ),
        by,
    )
