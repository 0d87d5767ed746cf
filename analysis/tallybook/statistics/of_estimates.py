"""Combinations of the estimates of cells: means, weighted sums, exponentials, differences and correlations."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.association.correlation import pearson
from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.means.contrasts import two_sample_contrasts
from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.student import t_tests
from tallybook.statistics.tails import normal_quantile, two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def unweighted_means(estimates: pl.DataFrame, by: Sequence[str], *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute the mean of the estimates of several cells, each with the same weight.

    With m estimates e of independent cells: mean = sum e / m, std_error = sqrt(sum std_error²) / m, and the normal
    interval mean ± z std_error.

    Args:
        by: The factors that remain; means are taken over all others, separately for each outcome and term.

    Returns:
        Estimates, one a cell, outcome and term: n is the sum of n. Cells without an estimate are skipped, and `method`
        gives the number of the others; without any the status is `no-data`. If an estimate has no standard error there
        is no interval.

    Source:
        Cochran, W. G. (1977). Sampling Techniques (3rd ed.). Wiley, section 5.9 (means of strata).

    >>> shares = pl.DataFrame({"model": ["a", "b"], "outcome": "x", "term": "yes", "n": [10, 90]})
    >>> shares = shares.with_columns(pl.Series("estimate", [0.5, 0.1]), pl.Series("std_error", [0.3, 0.4]))
    >>> unweighted_means(shares, []).select("n", "estimate", "std_error").row(0)
    (100, 0.3, 0.25)
    """
    valid = pl.col("estimate").is_not_null()
    known = valid & pl.col("std_error").is_not_null()
    size = pl.col("of").cast(pl.Float64)
    means = (
        estimates.group_by([*by, "outcome", "term"], maintain_order=True)
        .agg(
            # Sorted, so that the sum of floats does not depend on the order of the cells.
            pl.col("estimate").filter(valid).sort().sum().alias("total"),
            pl.col("std_error").filter(known).pow(2).sort().sum().alias("variance"),
            pl.col("n").filter(valid).sum(),
            valid.sum().alias("of"),
            known.sum().alias("known"),
            pl.len().alias("cells"),
        )
        .with_columns(
            pl.when(pl.col("of") > 0).then(pl.col("total") / size).alias("estimate"),
            pl.when((pl.col("of") > 0) & (pl.col("known") == pl.col("of")))
            .then(pl.col("variance").sqrt() / size)
            .alias("std_error"),
        )
    )
    half_width = pl.col("std_error") * normal_quantile(confidence)
    missing = pl.when(pl.col("of") < pl.col("cells")).then(pl.format(" of {}", pl.col("cells"))).otherwise(pl.lit(""))
    return as_estimates(
        means.with_columns(
            (pl.col("estimate") - half_width).alias("ci_low"),
            (pl.col("estimate") + half_width).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.format("unweighted mean of {}{} estimates", "of", missing).alias("method"),
            status_of(pl.col("of") == 0),
        ),
        by,
    )


def weighted_sums(
    estimates: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    weights: Mapping[str, float],
    *,
    constant: float = 0.0,
    confidence: float = 0.95,
    null_value: float | None = None,
) -> pl.DataFrame:
    """Compute a weighted sum of the estimates at several levels of a factor, in every cell.

    With estimates e of independent cells and weights w: sum w e + constant, std_error = sqrt(sum w² std_error²), and
    the normal interval. Cells that share clusters are not independent: see `jackknife.jackknifed`.

    Args:
        estimates: Estimates, one a cell, level, outcome and term.
        null_value: The sum under the null hypothesis of a two-sided normal test; None for no test.

    Returns:
        Estimates, one a cell, outcome and term; n is the sum of n. If a level has no estimate, neither has the sum: its
        status is `no-data`.

    >>> rows = {"type": ["a", "b"], "outcome": "x", "term": "yes", "n": [10, 10], "estimate": [0.75, 0.5]}
    >>> shares = pl.DataFrame(rows).with_columns(pl.Series("std_error", [0.3, 0.4]))
    >>> sums = weighted_sums(shares, [], "type", {"a": 1, "b": 1}, constant=-1)
    >>> sums.select("n", "estimate", "std_error").row(0)
    (20, 0.25, 0.5)
    """
    weighted = estimates.filter(pl.col(factor).is_in(list(weights))).with_columns(
        pl.col(factor).replace_strict(dict(weights), return_dtype=pl.Float64).alias("weight")
    )
    term = pl.col("weight") * pl.col("estimate")
    variance = (pl.col("weight") * pl.col("std_error")).pow(2)
    half_width = pl.col("std_error") * normal_quantile(confidence)
    complete = pl.col("known") == len(weights)
    sums = (
        weighted.sort([*by, "outcome", "term", factor])
        .group_by([*by, "outcome", "term"], maintain_order=True)
        .agg(
            (term.sum() + constant).alias("estimate"),
            variance.sum().sqrt().alias("std_error"),
            pl.col("std_error").is_not_null().sum().alias("errors"),
            pl.col("estimate").is_not_null().sum().alias("known"),
            pl.col("n").sum(),
        )
        .with_columns(
            pl.when(complete).then(pl.col("estimate")).alias("estimate"),
            pl.when(complete & (pl.col("errors") == len(weights))).then(pl.col("std_error")).alias("std_error"),
        )
    )
    statistic = (pl.col("estimate") - pl.lit(null_value, dtype=pl.Float64)) / pl.col("std_error")
    sums = sums.with_columns(
        pl.lit(null_value, dtype=pl.Float64).alias("null_value"),
        pl.when(pl.col("std_error") > 0).then(statistic).alias("statistic"),
    )
    z = sums.get_column("statistic").fill_null(math.nan).to_numpy()
    p, log_p = two_sided_normal(z)
    return as_estimates(
        sums.with_columns(
            pl.Series("p_value", p),
            pl.Series("log_p_value", log_p),
            (pl.col("estimate") - half_width).alias("ci_low"),
            (pl.col("estimate") + half_width).alias("ci_high"),
            pl.lit(confidence).alias("confidence"),
            pl.lit(f"weighted sum over {factor}, normal interval").alias("method"),
            status_of(~complete),
        ),
        by,
    )


def exponentials(estimates: pl.DataFrame) -> pl.DataFrame:
    """Exponentiate estimates; for mean logarithms of ratios this gives their geometric mean.

    exp(estimate) with the exponentials of the limits, which a monotone function preserves; std_error = exp(estimate) ·
    std_error, by the delta method. Tests are dropped, as they are those of the logarithms.

    Returns:
        Estimates, the same rows; estimates that overflow are null, with the status `degenerate`.

    >>> rows = pl.DataFrame({"estimate": [0.0, None], "std_error": [0.5, None], "method": ["mean", ""]})
    >>> rows = rows.with_columns(ci_low=-1.0, ci_high=1.0, status=pl.lit("ok"))
    >>> exponentials(rows).select("estimate", "std_error", "method").rows()
    [(1.0, 0.5, 'exp of mean'), (None, None, 'exp of ')]
    """
    ratio = pl.col("estimate").exp()
    made = estimates.with_columns(
        ratio.alias("estimate"),
        (ratio * pl.col("std_error")).alias("std_error"),
        *(pl.col(name).exp() for name in ("ci_low", "ci_high")),
        *(pl.lit(None).cast(kind).alias(name) for name, kind in estimates.schema.items() if name in _OF_LOGARITHMS),
        pl.format("exp of {}", "method").alias("method"),
    )
    numbers = [pl.col(name) for name in ("estimate", "std_error", "ci_low", "ci_high")]
    overflows = pl.col("estimate").is_infinite().fill_null(value=False)
    return made.with_columns(
        *(pl.when(number.is_finite()).then(number) for number in numbers),
        pl.when(overflows).then(pl.lit("degenerate")).otherwise("status").alias("status"),
    )


_OF_LOGARITHMS = {
    *("null_value", "statistic", "df", "df2", "p_value", "log_p_value", "p_adjusted", "log_p_adjusted", "family_size"),
    *("effect", "effect_kind", "effect_ci_low", "effect_ci_high"),
}
"""The columns that apply to logarithms but not to ratios."""


Test: TypeAlias = Literal["welch", "student", "permutation"]

MOST_WAYS = 1_000_000
"""The maximum number of divisions into two groups that the exact permutation test enumerates."""
_AT_ONCE = 2**22
"""The maximum number of values in the divisions that it computes at once."""


def estimate_differences(
    estimates: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    levels: tuple[str, str],
    *,
    test: Test = "welch",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compare the mean of estimates between two levels of a factor; each estimate is one observation.

    Args:
        estimates: Estimates of cells by `by`, the factor and other factors, over which the means are taken.
        levels: The mean at the first level less that at the second.
        test: Welch's or Student's t test; "permutation" lists all ways to divide the estimates into two groups of the
            same sizes (scipy's `permutation_test`); p is the share of those with an absolute difference at least as
            large. Its interval is Student's.

    Returns:
        Estimates, one a cell and outcome: term `difference`, n the number of estimates. See `student.t_tests`; a
        permutation test has a p-value alone, and none with more than `MOST_WAYS` ways.
    """
    keys = [*by, "outcome"]
    rows = estimates.filter(pl.col(factor).is_in(list(levels)) & pl.col("estimate").is_not_null()).select(
        *keys, factor, pl.col("estimate").alias("value"), pl.lit(1).alias("count")
    )
    variances = "unequal" if test == "welch" else "equal"
    contrasts = two_sample_contrasts(moments(rows, [*keys, factor]), keys, factor, levels, variances=variances)
    found = t_tests(contrasts, keys, confidence=confidence).with_columns(pl.lit("difference").alias("term"))
    return _permuted(found, rows, keys, factor, levels) if test == "permutation" else found


def _permuted(
    found: pl.DataFrame, rows: pl.DataFrame, keys: list[str], factor: str, levels: tuple[str, str]
) -> pl.DataFrame:
    """Replace the p-values of t tests by those of exact permutation tests."""
    values = rows.group_by(keys).agg(
        *(
            pl.col("value").filter(pl.col(factor) == level).sort().alias(name)
            for level, name in zip(levels, "ab", strict=True)
        )
    )
    both = found.select(keys).join(values, on=keys, how="left", maintain_order="left")
    p: list[float | None] = [None] * both.height
    sizes = [pl.col(name).list.len().alias(f"{name} size") for name in "ab"]
    for (one, other), alike in both.with_row_index("at").group_by(sizes):
        if one and other and math.comb(one + other, one) <= MOST_WAYS:
            exact = _exact(*(np.array(alike.get_column(name).to_list()) for name in "ab"))
            for at, value in zip(alike.get_column("at"), exact, strict=True):
                p[at] = value
    none = pl.lit(None, dtype=pl.Float64)
    share = pl.Series("p_value", p, dtype=pl.Float64)
    return found.with_columns(
        share,
        share.log().alias("log_p_value"),
        *(none.alias(name) for name in ("statistic", "df")),
        pl.format("{}; exact permutation test", pl.col("method").str.replace(" t test", " interval")).alias("method"),
    )


def _exact(a: np.ndarray, b: np.ndarray) -> list[float]:
    """Return the p-value of each row's two samples; the ways to part rows of the same lengths are made once for all."""
    from scipy import stats

    def distance(x: Any, y: Any, axis: int) -> Any:  # noqa: ANN401  scipy's arrays
        # Rounded, so that divisions that differ only in the order of a sum are equally extreme.
        return abs(x.mean(axis=axis) - y.mean(axis=axis)).round(12)

    scipy: Any = stats
    every = {"n_resamples": np.inf, "vectorized": True, "alternative": "greater", "axis": 1}
    at_once = max(_AT_ONCE // (a.size + b.size), 1)
    return scipy.permutation_test((a, b), distance, batch=at_once, **every).pvalue.tolist()


def estimate_correlations(
    first: pl.DataFrame, second: pl.DataFrame, by: Sequence[str], over: Sequence[str], *, confidence: float = 0.95
) -> pl.DataFrame:
    """Compute Pearson's correlation of two kinds of estimates over cells with equal weights; see `pearson`.

    Args:
        first: Estimates, one a cell of `by` and `over`; if they lack a factor of `by`, they are used for all of its
            levels.
        second: The estimates that they are correlated with, likewise.
        over: The factors whose combinations are the observations.

    Returns:
        Estimates, one a cell: term `correlation`; n is the number of cells that have both. The outcome is the first's.
    """
    own = [[name for name in (*by, *over) if name in kind.columns] for kind in (first, second)]
    x = first.select(*own[0], "outcome", pl.col("estimate").alias("x"))
    y = second.select(*own[1], pl.col("estimate").alias("y"))
    common = [name for name in own[0] if name in own[1]]
    pairs = x.join(y, on=common, how="inner").with_columns(pl.lit(1).alias("count"))
    found = pearson(pairs, [*by, "outcome"], "x", "y", confidence=confidence)
    return found.with_columns(pl.lit("correlation").alias("term"))
