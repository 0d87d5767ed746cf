"""Linear and rank correlation from counted pairs of values, and correlations of every pair of scores."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from tallybook.statistics.estimates import COLUMNS, as_estimates, check_confidence, status_of
from tallybook.statistics.pairs import counted_pairs, run_lengths, run_sums, starts
from tallybook.statistics.tails import log_p_value, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats
    from tallybook.statistics.pairs import Pairs


# Above this |r|, 1 - |r| is computed with more digits than r.
_CLOSE = 0.5
# Values of 1 - |r| below this are rounding errors of a perfect correlation.
_ROUNDING = 1e-28


def pearson(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute Pearson's correlation in every cell, with its t test and Fisher's interval.

    r = sum c (x - mean x)(y - mean y) / sqrt(sum c (x - mean x)² sum c (y - mean y)²) over distinct pairs with counts
    c; t = r sqrt((n-2) / (1-r²)) with n - 2 degrees of freedom; the interval is tanh(atanh r ± z / sqrt(n-3)).
    1 - r and 1 + r are half the squared distances of the standardised variables, so a correlation close to ±1 keeps
    its p-value and interval. R: cor.test.

    Args:
        frame: Counts: `by`, the scores `x` and `y`, and `count`.
        by: The columns whose combinations are the cells; may be empty.
        x: The column of one variable.
        y: The column of the other.
        confidence: The level of the interval, between 0 and 1.

    Returns:
        Estimates, one a cell (term `pearson_r`): n, estimate, std_error sqrt((1-r²) / (n-2)), interval (n > 3),
        null_value 0, statistic t, df, p_value and log_p_value. A cell without complete pairs is `no-data`; one with
        a constant variable has no r and one with fewer than 3 observations no test: both are `degenerate`. Where
        r is ±1 the t statistic and log_p_value are infinite, so null, and p is 0.

    Raises:
        ValueError: A column is missing or not numeric, a count is impossible, or the confidence lies outside (0, 1).

    References:
        Fisher, R. A. (1921). On the "probable error" of a coefficient of correlation deduced from a small sample.
        Metron, 1, 3-32.

    >>> counts = pl.DataFrame({"x": [1, 2, 3, 4], "y": [1, 3, 2, 5], "count": [2, 1, 1, 1]})
    >>> found = pearson(counts, [], "x", "y")
    >>> [round(found[name].item(), 4) for name in ("estimate", "ci_low", "statistic", "p_value")]
    [0.8709, -0.0492, 3.0688, 0.0546]
    """
    check_confidence(confidence)
    pairs = counted_pairs(frame, by, x, y, numeric=True)
    u, v = (_centred(pairs, pairs.rows.get_column(name).to_numpy()) for name in (x, y))
    return _estimates(pairs, u, v, by, term="pearson_r", confidence=confidence)


def spearman(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute Spearman's rank correlation in every cell, with its test and interval.

    rho is Pearson's r of the midranks, which are exact integers when doubled and centred: observations with a lower
    value less those with a higher one. t = rho sqrt((n-2) / (1-rho²)) with n - 2 degrees of freedom (R:
    cor.test(method = "spearman", exact = FALSE)). The interval is Bonett and Wright's,
    tanh(atanh rho ± z s) with s² = (1 + rho²/2) / (n-3).

    Args:
        frame: Counts: `by`, the scores `x` and `y`, and `count`. Only the order of the scores matters.

    Returns:
        Estimates as those of `pearson`, with the term `spearman_rho`.

    References:
        Spearman, C. (1904). The proof and measurement of association between two things. American Journal of
        Psychology, 15, 72-101. Bonett, D. G. & Wright, T. A. (2000). Sample size requirements for estimating Pearson,
        Kendall and Spearman correlations. Psychometrika, 65, 23-28.

    >>> counts = pl.DataFrame({"x": [1, 2, 3, 4], "y": [1, 3, 2, 5], "count": [2, 1, 1, 1]})
    >>> found = spearman(counts, [], "x", "y")
    >>> [round(found[name].item(), 4) for name in ("estimate", "ci_low", "statistic", "p_value")]
    [0.8947, -0.1924, 3.4701, 0.0403]
    """
    check_confidence(confidence)
    pairs = counted_pairs(frame, by, x, y, numeric=True)
    u, v = (_centred_ranks(pairs, codes).astype(np.float64) for codes in (pairs.x, pairs.y))
    return _estimates(pairs, u, v, by, term="spearman_rho", confidence=confidence)


def _correlated(pairs: Pairs, u: Floats, v: Floats) -> tuple[Floats, Floats, Floats]:
    """Compute the correlation r of two centred variables, 1 - r and 1 + r; NaN where a variable is constant."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        u, v = (
            column / np.sqrt(run_sums(pairs.count * np.square(column), pairs.first))[pairs.cell] for column in (u, v)
        )
        below_one = run_sums(pairs.count * np.square(u - v), pairs.first) / 2.0
        above_minus_one = run_sums(pairs.count * np.square(u + v), pairs.first) / 2.0
        product = run_sums(pairs.count * u * v, pairs.first)
    below_one = np.where(below_one < _ROUNDING, 0.0, below_one)
    above_minus_one = np.where(above_minus_one < _ROUNDING, 0.0, above_minus_one)
    r = np.where(product > _CLOSE, 1.0 - below_one, np.where(product < -_CLOSE, above_minus_one - 1.0, product))
    return r, below_one, above_minus_one


def _centred(pairs: Pairs, values: Floats) -> Floats:
    """Centre a variable within cells, each scaled by a power of two so that squares neither over- nor underflow."""
    if not values.size:
        return values
    with np.errstate(invalid="ignore", over="ignore"):
        largest = np.maximum.reduceat(np.abs(values), pairs.first)
        scaled = np.ldexp(values, -np.frexp(largest)[1][pairs.cell])
        offset: Floats = scaled - scaled[pairs.first][pairs.cell]
        weight = pairs.count.astype(np.float64)
        n = run_sums(weight, pairs.first)
        # Centred twice, to remove what rounding leaves of the mean. A constant variable has only offsets of 0.
        for _ in range(2):
            offset = offset - (run_sums(weight * offset, pairs.first) / n)[pairs.cell]
    return offset


def _centred_ranks(pairs: Pairs, codes: NDArray[np.intp]) -> Counts:
    """Compute twice the centred midrank: the number of lower observations less the number of higher ones."""
    order = np.lexsort((codes, pairs.cell))
    count = pairs.count[order]
    runs = starts(pairs.cell, codes[order])
    lengths = run_lengths(runs, count.size)
    total = np.repeat(run_sums(count, runs), lengths)
    before = np.cumsum(count) - count
    lower = np.repeat(before[runs], lengths) - before[pairs.first][pairs.cell]
    result = np.empty_like(count)
    result[order] = 2 * lower + total - run_sums(pairs.count, pairs.first)[pairs.cell]
    return result


_METHODS = {
    "pearson_r": "Pearson's r, t test, Fisher's interval",
    "spearman_rho": "Spearman's rho, t test, Bonett and Wright's interval",
}


def _estimates(pairs: Pairs, u: Floats, v: Floats, by: Sequence[str], *, term: str, confidence: float) -> pl.DataFrame:
    """Build the estimates of the correlation of two centred variables, with its test and interval."""
    r, below_one, above_minus_one = _correlated(pairs, u, v)
    n = run_sums(pairs.count, pairs.first)
    tested = (n > 2) & ~np.isnan(r)  # noqa: PLR2004
    df = np.where(tested, n - 2.0, np.nan)
    free = np.where(n > 3, n - 3.0, np.nan)  # noqa: PLR2004
    # (n - 3) times the variance of atanh r.
    variance = 1.0 + np.square(r) / 2.0 if term == "spearman_rho" else 1.0
    complement = below_one * above_minus_one
    with np.errstate(divide="ignore", invalid="ignore"):
        std_error = np.sqrt(complement / df)
        statistic = r / std_error
        # A perfect correlation has an infinite t, and p = 0.
        log_p = np.where(tested & (complement == 0), -np.inf, log_p_value(statistic, df))
        centre = np.log(above_minus_one / below_one) / 2.0
        reach = normal_quantile(confidence) * np.sqrt(variance / free)
    columns = {
        "estimate": r,
        "std_error": std_error,
        "ci_low": np.tanh(centre - reach),
        "ci_high": np.tanh(centre + reach),
        "statistic": statistic,
        "df": df,
        "p_value": np.exp(log_p),
        "log_p_value": log_p,
    }
    rows = pairs.cells.with_columns(
        pl.lit(term).alias("term"),
        pl.lit(_METHODS[term]).alias("method"),
        pl.lit(0.0).alias("null_value"),
        pl.lit(confidence).alias("confidence"),
        *(pairs.spread(values).alias(name) for name, values in columns.items()),
    )
    return as_estimates(rows.with_columns(status_of(degenerate=pl.col("p_value").is_nan())), by)


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
    """Compute the correlation of every pair of scores in every cell, over single responses."""
    parts: list[pl.DataFrame] = []
    for x, y in combinations(outcomes, 2):
        counted, other = (x, y) if y in beside.get(x, ()) else (y, x)
        rows = tally.filter((pl.col("outcome") == counted) & (pl.col("status") == "ok")).drop("outcome")
        correlate = pearson if method == "pearson" else spearman
        found = correlate(rows, by, "value", other, confidence=confidence)
        parts += [_pair(found, x, y), _pair(found, y, x)]
    sizes = tally.filter(pl.col("outcome").is_in(list(outcomes)) & (pl.col("status") == "ok"))
    parts += [_with_itself(sizes.filter(outcome=name), by, name) for name in outcomes]
    return pl.concat(parts)


def correlations_of_means(means: pl.DataFrame, by: Sequence[str], *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute the correlation of every pair of scores over cells, from the cells' means."""
    outcomes = means.get_column("outcome").unique(maintain_order=True).to_list()
    cell = [name for name in means.columns if name not in {*COLUMNS, *by}]
    wide = means.filter(pl.col("estimate").is_not_null()).pivot(
        "outcome", index=[*by, *cell], values="estimate", aggregate_function="first"
    )
    unknown = [pl.lit(None, dtype=pl.Float64).alias(name) for name in outcomes if name not in wide.columns]
    counted = wide.with_columns(*unknown, pl.lit(1).alias("count"))
    parts: list[pl.DataFrame] = []
    for x, y in combinations(outcomes, 2):
        found = pearson(counted, by, x, y, confidence=confidence)
        parts += [_pair(found, x, y), _pair(found, y, x)]
    parts += [_with_itself(counted.filter(pl.col(name).is_not_null()), by, name) for name in outcomes]
    return pl.concat(parts) if parts else as_estimates(means.clear(), by)


def _pair(found: pl.DataFrame, x: str, y: str) -> pl.DataFrame:
    return found.with_columns(pl.lit(x).alias("outcome"), pl.lit(y).alias("term"))


def _with_itself(rows: pl.DataFrame, by: Sequence[str], name: str) -> pl.DataFrame:
    cells = rows.group_by(by, maintain_order=True).agg(pl.col("count").sum().alias("n"))
    described = cells.with_columns(
        pl.lit(name).alias("outcome"),
        pl.lit(name).alias("term"),
        pl.lit(1.0).alias("estimate"),
        pl.lit("a score with itself").alias("method"),
    )
    return as_estimates(described.sort(by), by)
