"""Association of two ordinal variables: tau-b and tau-c from the counts of their pairs of values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from tallybook.statistics.association.concordance import concordance
from tallybook.statistics.estimates import as_estimates, check_confidence, status_of
from tallybook.statistics.pairs import cell_by_cell, counted_pairs, run_sums
from tallybook.statistics.tails import normal_quantile, two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.association.concordance import Concordance
    from tallybook.statistics.pairs import Pairs


Coefficient: TypeAlias = Literal["tau_b", "tau_c"]

COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)
_NAMES: dict[Coefficient, str] = {"tau_b": "Kendall's tau-b", "tau_c": "Stuart's tau-c"}


def rank_association(
    frame: pl.DataFrame,
    by: Sequence[str],
    x: str,
    y: str,
    *,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute coefficients of ordinal association in every cell, with the test of S and confidence intervals.

    Of n observations let C pairs be concordant and D discordant, S = C - D, X and Y the pairs that differ in x and
    in y, m the smaller number of distinct values of x and of y, as observed. Then

    - tau_b = S / sqrt(X Y)
    - tau_c = 2 m S / (n² (m - 1))

    All are tested by S: z = S / sqrt(v), with v the variance of S given both margins (`concordance`, corrected for
    ties), and p = erfc(|z| / sqrt(2)).

    std_error is each coefficient's own asymptotic standard error under multinomial sampling, by the delta method (ASE1
    of SPSS and SAS, which give the interval but not the test): with A and B the numbers of observations concordant and
    discordant with one of a row, t and u the totals of its x and y, sums over rows weighted by their counts, and
    w = sqrt(X Y), doubled counts of pairs throughout (X = n² - sum t²; P = 2 C, Q = 2 D, K = P - Q),

    - tau_b: sum (2 (A-B) - tau [(n-t) w/X + (n-u) w/Y])² / w²
    - tau_c: (2 m / ((m-1) n²))² sum (A - B - K/n)²

    The interval is the coefficient ± z std_error, kept within [-1, 1].

    Args:
        frame: Counts: `by`, the scores `x` and `y`, and `count`. Only the order of the scores matters.
        by: The columns whose combinations are the cells; may be empty.
        x: The column of one variable, the independent one where that matters.
        y: The column of the other.
        coefficients: The coefficients to compute; all by default.
        confidence: The level of the intervals, between 0 and 1.

    Returns:
        Estimates, one a cell and coefficient (term: its name above): n, estimate, std_error, interval, null_value 0,
        statistic z, p_value and log_p_value. A cell without complete pairs is `no-data`;
        one in which x or y is constant, a single observation for one, has no coefficient and is `degenerate`.

    Raises:
        ValueError: A column is missing or not numeric, a count is impossible, or a setting is unknown.

    References:
        Stuart, A. (1953). The estimation and comparison of strengths of association in contingency tables. Biometrika,
        40, 105-110 (tau-c). Brown, M. B. &
        Benedetti, J. K. (1977). Sampling behavior of tests for correlation in two-way contingency tables. Journal of
        the American Statistical Association, 72, 309-315 (standard errors).

    >>> counts = {"x": [-1, -1, -1, 1, 1, 1], "y": [-1, 0, 1, -1, 0, 1], "count": [1243, 487, 1413, 169, 431, 2582]}
    >>> found = rank_association(pl.DataFrame(counts), [], "x", "y", coefficients=["tau_c"])
    >>> [f"{found[name].item():.5g}" for name in ("estimate", "std_error", "p_value")]
    ['0.40719', '0.011174', '4.7007e-235']
    """
    if not coefficients or not {*coefficients} <= {*COEFFICIENTS}:
        raise ValueError(f"coefficients are {list(coefficients)}: expected some of {', '.join(COEFFICIENTS)}")
    check_confidence(confidence)
    pairs = counted_pairs(frame, by, x, y, numeric=True)
    counts = concordance(pairs.cell, pairs.x, pairs.y, pairs.count)
    surplus = ((counts.concordant - counts.discordant) // 2).astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        # No association is z = 0; a variable without spread is 0 / 0.
        z = np.where(counts.null_variance > 0, surplus / np.sqrt(counts.null_variance), np.nan)
    test = dict(zip(("statistic", "p_value", "log_p_value"), (z, *two_sided_normal(z)), strict=True))
    parts: list[pl.DataFrame] = []
    for coefficient in coefficients:
        estimate, std_error = _coefficient(coefficient, pairs, counts)
        reach = normal_quantile(confidence) * std_error
        low, high = np.clip([estimate - reach, estimate + reach], -1.0, 1.0)
        numbers = {"estimate": estimate, "std_error": std_error, "ci_low": low, "ci_high": high} | test
        method = f"{_NAMES[coefficient]}; normal test of S, corrected for ties; asymptotic standard error"
        parts.append(
            pairs.cells.with_columns(
                pl.lit(coefficient).alias("term"),
                pl.lit(method).alias("method"),
                pl.lit(0.0).alias("null_value"),
                pl.lit(confidence).alias("confidence"),
                *(pairs.spread(values).alias(name) for name, values in numbers.items()),
            )
        )
    status = status_of(degenerate=pl.col("estimate").is_nan())
    return as_estimates(cell_by_cell(parts).with_columns(status), by)


def _coefficient(name: Coefficient, pairs: Pairs, counts: Concordance) -> tuple[Floats, Floats]:
    """Compute the coefficient and its standard error in every non-empty cell; NaN where x or y is constant."""

    def rows(values: Floats) -> Floats:
        return values[pairs.cell]

    def root_of_sum(slopes: Floats) -> Floats:
        # Sums over a cell of squared derivatives by the counts, which avoids differences of large sums.
        return np.sqrt(run_sums(pairs.count * np.square(slopes), pairs.first))

    agreeing, opposing = counts.agreeing.astype(np.float64), counts.opposing.astype(np.float64)
    excess = agreeing - opposing
    n, surplus = counts.n.astype(np.float64), (counts.concordant - counts.discordant).astype(np.float64)
    x_untied, y_untied = counts.x_untied.astype(np.float64), counts.y_untied.astype(np.float64)
    off_x, off_y = rows(n) - counts.x_total, rows(n) - counts.y_total
    levels = np.minimum(counts.x_levels, counts.y_levels)
    with np.errstate(divide="ignore", invalid="ignore"):
        match name:
            case "tau_b":
                whole = np.sqrt(x_untied * y_untied)
                estimate = surplus / whole
                off = off_x * rows(whole / x_untied) + off_y * rows(whole / y_untied)
                std_error = root_of_sum(2.0 * excess - rows(estimate) * off) / whole
            case "tau_c":
                scale = levels / (levels - 1.0)
                estimate = levels * surplus / ((levels - 1.0) * np.square(n))
                std_error = 2.0 * scale * root_of_sum(excess - rows(surplus / n)) / np.square(n)
    constant = levels < 2  # noqa: PLR2004
    # Rounding may exceed the bounds slightly.
    return np.where(constant, np.nan, np.clip(estimate, -1.0, 1.0)), np.where(constant, np.nan, std_error)


# Column names that no tally uses.
_X, _Y = "rank of the level", "rank of the category"


def ordered_association(
    tally: pl.DataFrame,
    by: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    factor: str,
    levels: Sequence[str],
    *,
    uncoded: str | None = None,
    coefficient: Coefficient = "tau_b",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute an ordinal coefficient of every outcome with a factor, in every cell."""
    ranks = pl.DataFrame(
        [(outcome, category, rank) for outcome, rising in categories.items() for rank, category in enumerate(rising)],
        schema={"outcome": pl.String, "category": pl.String, _Y: pl.Float64},
        orient="row",
    )
    answered = (
        pl.when(pl.col("status") == "ok")
        .then(pl.col("category"))
        .when(pl.col("status") != "error")
        .then(pl.lit(uncoded, dtype=pl.String))
    )
    level = {name: float(rank) for rank, name in enumerate(levels)}
    pairs = (
        tally.filter(pl.col("outcome").is_in(list(categories)))
        .with_columns(
            answered.alias("category"),
            pl.col(factor).replace_strict(level, default=None, return_dtype=pl.Float64).alias(_X),
        )
        .join(ranks, on=["outcome", "category"], how="left")
    )
    return rank_association(pairs, [*by, "outcome"], _X, _Y, coefficients=[coefficient], confidence=confidence)
