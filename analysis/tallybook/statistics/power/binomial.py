"""Power of the exact binomial test, and the smallest difference of proportions that a cell of a given size can show."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
from scipy.special import betainc, betaincc

from tallybook.statistics.means.contrasts import contrast_estimates
from tallybook.statistics.means.noncentral_t import root
from tallybook.statistics.power.t_test import check_alpha, check_levels
from tallybook.statistics.proportions.binomial import binomial_counts, two_sided_p_value
from tallybook.statistics.proportions.effect_size import cohens_h

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.proportions.binomial import TwoSidedMethod

    Floats: TypeAlias = NDArray[np.float64]


def detectable_proportions(
    cells: pl.DataFrame,
    by: Sequence[str],
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: TwoSidedMethod = "minimum-likelihood",
) -> pl.DataFrame:
    """The smallest deviations from a reference that the binomial test of every cell would find with the wanted power.

    Args:
        cells: `by`, `n` and `null_value`, the reference proportion; a row a cell.
        by: The columns that name the cells.
        alpha: The level of the test.
        power: The wanted probability of a p-value below alpha.
        method: How the exact two-sided p-value is made up; see `binomial.two_sided_p_value`.

    Returns:
        Estimates with terms `minimum_detectable_increase` and `minimum_detectable_decrease`, two rows a cell: the
        difference of the proportions, signed, and Cohen's h as effect. Status `no-data` where n = 0, `no-reference`
        without a reference in [0, 1], `undetectable` where no proportion on that side would be found.

    Raises:
        ValueError: A count or a setting is impossible.

    >>> cells = pl.DataFrame({"model": ["a"], "n": [50], "null_value": [0.25]})
    >>> detectable_proportions(cells, ["model"]).select("term", pl.col("estimate").round(4)).rows()
    [('minimum_detectable_increase', 0.1791), ('minimum_detectable_decrease', -0.1541)]
    """
    n, reference = cells["n"].to_numpy(), cells["null_value"].cast(pl.Float64).to_numpy()
    below, above = detectable_proportion(n, reference, alpha=alpha, power=power, method=method)
    description = f"proportion found by an exact binomial test, {method}, with alpha {alpha:g} and power {power:g}"
    rows = [
        cells.with_row_index("row").with_columns(
            pl.lit(f"minimum_detectable_{name}").alias("term"),
            pl.Series("estimate", found - reference),
            pl.Series("effect", cohens_h(found, reference)),
        )
        for name, found in (("increase", above), ("decrease", below))
    ]
    return _estimates(pl.concat(rows).sort("row", maintain_order=True), by, description, "undetectable")


def binomial_test_power(
    cells: pl.DataFrame,
    by: Sequence[str],
    *,
    difference: float,
    alpha: float = 0.05,
    method: TwoSidedMethod = "minimum-likelihood",
) -> pl.DataFrame:
    """The power of the exact binomial test of every cell against a given difference from its reference.

    Args:
        cells: `by`, `n` and `null_value`, the reference proportion; a row a cell.
        by: The columns that name the cells.
        difference: The true proportion less the reference.
        alpha: The level of the test.
        method: How the exact two-sided p-value is made up; see `binomial.two_sided_p_value`.

    Returns:
        Estimates with term `power`; Cohen's h is their effect. Status as in `detectable_proportions`, and `degenerate`
        where the true proportion would lie outside [0, 1].

    Raises:
        ValueError: A count or a setting is impossible.
    """
    if not -1 <= difference <= 1:
        raise ValueError(f"difference is {difference}: expected a number between -1 and 1")
    n, reference = cells["n"].to_numpy(), cells["null_value"].cast(pl.Float64).to_numpy()
    truth = reference + difference
    results = cells.with_columns(
        pl.lit("power").alias("term"),
        pl.Series("estimate", power_at_proportion(truth, n, reference, alpha=alpha, method=method)),
        pl.Series("effect", cohens_h(truth, reference)),
    )
    description = f"power of an exact binomial test, {method}, with alpha {alpha:g}"
    return _estimates(results, by, description, "degenerate")


def power_at_proportion(
    proportion: ArrayLike,
    trials: ArrayLike,
    reference: ArrayLike,
    *,
    alpha: float = 0.05,
    method: TwoSidedMethod = "minimum-likelihood",
) -> Floats:
    """The exact power of the two-sided binomial test: the probability, given the true proportion, of p < alpha.

    The outcomes with a p-value below alpha are the a smallest and the b largest ones; the power is
    P(X < a) + P(X > n - b).

    Args:
        proportion: The true proportion; the first three arguments broadcast.
        trials: n, whole numbers.
        reference: p0, the proportion that is tested.
        alpha: The level of the test.
        method: How the two tails are joined.

    Returns:
        Probabilities; NaN where n = 0, an argument is NaN or a proportion lies outside [0, 1].

    Raises:
        ValueError: A count is impossible, alpha lies outside (0, 1), or the method is unknown.

    References:
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 6, gives
        the normal approximation by h.

    >>> power_at_proportion([0.25, 0.45], 50, 0.25).round(4)
    array([0.0481, 0.8727])
    """
    check_alpha(alpha)
    arguments = [np.asarray(values, np.float64) for values in (proportion, trials, reference)]
    p, n, p0 = np.broadcast_arrays(*arguments)
    smallest, largest = _rejected(n, p0, alpha, method)
    with np.errstate(all="ignore"):
        return np.where((p >= 0) & (p <= 1), _rejection(p, n, smallest, largest), np.nan)


def detectable_proportion(
    trials: ArrayLike,
    reference: ArrayLike,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
    method: TwoSidedMethod = "minimum-likelihood",
) -> tuple[Floats, Floats]:
    """The nearest proportions to a reference against which the binomial test has the wanted power.

    `power_at_proportion`, inverted. On the way from the reference to 0 or 1 the power may fall first, but once it
    rises it goes on rising, so that it crosses any level above alpha once.

    Args:
        trials: n, whole numbers; broadcast against `reference`.
        reference: p0, the proportion that is tested.
        alpha: The level of the test.
        power: The wanted power.
        method: How the two tails are joined.

    Returns:
        The nearest such proportions below and above the reference; NaN where no outcome on that side has a p-value
        below alpha, where n = 0, and where the reference is NaN or lies outside [0, 1].

    Raises:
        ValueError: A count or a setting is impossible.

    >>> below, above = detectable_proportion([50, 3], [0.25, 0.5])
    >>> below.round(4), above.round(4)
    (array([0.0959,    nan]), array([0.4291,    nan]))
    """
    check_levels(alpha, power)
    n, p0 = np.broadcast_arrays(np.asarray(trials, np.float64), np.asarray(reference, np.float64))
    smallest, largest = _rejected(n, p0, alpha, method)

    def shortfall(p: Floats, n: Floats, smallest: Floats, largest: Floats) -> Floats:
        return _rejection(p, n, smallest, largest) - power

    with np.errstate(all="ignore"):
        arguments = (n, smallest, largest)
        below = root(shortfall, np.zeros_like(p0), p0, arguments, (smallest > 0) & (p0 > 0))
        above = root(shortfall, p0, np.ones_like(p0), arguments, (largest > 0) & (p0 < 1))
    return below, above


def _rejected(n: Floats, p0: Floats, alpha: float, method: TwoSidedMethod) -> tuple[Floats, Floats]:
    """How many of the smallest and of the largest outcomes have a p-value below alpha; NaN where there is no test.

    Towards the mean p-values rise, so that a bisection finds the last one below alpha.
    """
    binomial_counts(0, n)
    testable = (n > 0) & (p0 >= 0) & (p0 <= 1)
    trials, chance = np.where(testable, n, 1.0), np.where(testable, p0, 0.5)
    mean = np.floor(trials * chance)

    def search(limit: Floats, *, from_top: bool) -> Floats:
        low, high = np.zeros_like(limit), limit
        for _ in range(int(limit.max(initial=0.0)).bit_length()):
            middle = np.ceil((low + high) / 2.0)
            outcome = np.maximum(middle - 1.0, 0.0)
            p_value = two_sided_p_value(trials - outcome if from_top else outcome, trials, chance, method)
            is_rejected = (middle > low) & (p_value < alpha)
            low = np.where(is_rejected, middle, low)
            high = np.where(is_rejected, high, np.maximum(low, middle - 1.0))
        return np.where(testable, low, np.nan)

    return search(mean + 1.0, from_top=False), search(trials - mean, from_top=True)


def _rejection(p: Floats, n: Floats, smallest: Floats, largest: Floats) -> Floats:
    """P(X < smallest) + P(X > n - largest)."""
    with np.errstate(all="ignore"):
        low: Floats = betaincc(smallest, n - smallest + 1.0, p)
        high: Floats = betainc(n - largest + 1.0, largest, p)
        power = np.where(smallest > 0, low, 0.0) + np.where(largest > 0, high, 0.0)
        return np.where(np.isnan(smallest), np.nan, power)


def _estimates(results: pl.DataFrame, by: Sequence[str], method: str, without: str) -> pl.DataFrame:
    reference = pl.col("null_value").cast(pl.Float64)
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(reference.is_between(0.0, 1.0).fill_null(value=False))
        .then(pl.when(pl.col("estimate").is_finite()).then(pl.lit("ok")).otherwise(pl.lit(without)))
        .otherwise(pl.lit("no-reference"))
    )
    return contrast_estimates(
        results.with_columns(
            pl.lit("cohen_h").alias("effect_kind"), pl.lit(method).alias("method"), status.alias("status")
        ),
        by,
    )
