"""Tests of a whole distribution of categories against reference proportions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np
import polars as pl
from scipy.special import chdtrc

from tallybook.statistics.categories.contingency import SMALL, small_expected
from tallybook.statistics.categories.multinomial import enumerated_p_value, number_of_outcomes, simulated_p_value
from tallybook.statistics.categories.reference_counts import CELL, reference_counts
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.pairs import cell_by_cell, run_lengths, run_sums, starts
from tallybook.statistics.proportions.binomial import binomial_test, deviance_part
from tallybook.statistics.seeds import stream_keys
from tallybook.statistics.tails import log_chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.categories.reference_counts import ReferenceCounts

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]
    Codes: TypeAlias = NDArray[np.intp]

Beyond: TypeAlias = Literal["monte-carlo", "asymptotic"]

TERMS = ("chi_square", "g", "exact")
"""The rows of `goodness_of_fit`, in their order."""
LARGEST_ENUMERATION = 50_000
"""The most outcomes that the exact test lists for one cell by default: 50 observations of 4 categories fit."""

# How the exact test of a cell was done.
_LISTED, _BINOMIAL, _DRAWN, _ASYMPTOTIC = range(4)


def goodness_of_fit(
    frame: pl.DataFrame,
    by: Sequence[str],
    category: str,
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    rescale: bool = False,
    largest_enumeration: int = LARGEST_ENUMERATION,
    beyond: Beyond = "monte-carlo",
    draws: int = 9_999,
    seed: int = 0,
) -> pl.DataFrame:
    """Test the distribution of a category in every cell against its reference.

    With counts O of n observations, proportions p and E = n p, over the k categories with p > 0:

    - chi_square: X² = sum (O - E)² / E, with k - 1 degrees of freedom
    - g: G = 2 sum O ln(O/E), likewise
    - exact: the probability of all outcomes at most as likely as the observed one under the multinomial distribution
      (`multinomial.enumerated_p_value`); for k = 2 the exact binomial test (minimum likelihood). Beyond
      `largest_enumeration` outcomes, (n+k-1)! / (n! (k-1)!), it is estimated from draws ("monte-carlo") or the
      chi-squared p-value stands in ("asymptotic"); `method` says which.

    The effect of all three is Cohen's w = sqrt(X²/n).

    Args:
        frame: Counts: `by`, `category` and `count`.
        by: The columns whose combinations are the cells; may be empty.
        category: The column of the categories.
        references: `reference_by`, `category` and `proportion`; a category that is not observed counts, too.
        reference_by: The columns of `by` that identify a reference; none if one reference serves all cells.
        rescale: Whether proportions, or any weights, are divided by their sum. Otherwise a reference must add up to
            1, to 1.5e-8.
        largest_enumeration: Up to how many outcomes of a cell the exact test lists them.
        beyond: What it does above.
        draws: How many outcomes are drawn for a cell.
        seed: What the draws derive from, together with the cell's key; other cells make no difference.

    Returns:
        Estimates, one a cell and term: n, estimate and statistic (null for the exact test), df, p_value, log_p_value,
        effect. Without observations the status is `no-data`. It is `no-reference` where a category that was observed
        or referred to has no proportion, `invalid-reference` where the proportions do not add up to 1 (`method` gives
        their sum). Where something was
        observed that the reference excludes (p = 0), the exact p is 0 and the other two are `degenerate`, as they
        are where the reference leaves one category only.

    Raises:
        ValueError: A column is missing, a count is impossible, a reference is given twice, or a setting is unknown.

    References:
        Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley, section 1.5. Cohen, J. (1988). Statistical
        Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 7 (w).

    >>> counts = pl.DataFrame({"seed": ["yellow", "green"], "count": [6022, 2001]})
    >>> mendel = pl.DataFrame({"seed": ["yellow", "green"], "proportion": [0.75, 0.25]})
    >>> found = goodness_of_fit(counts, [], "seed", mendel, [])
    >>> [(row["term"], round(row["p_value"], 4)) for row in found.iter_rows(named=True)]
    [('chi_square', 0.9025), ('g', 0.9025), ('exact', 0.9076)]
    """
    if beyond not in get_args(Beyond):
        raise ValueError(f"beyond is {beyond!r}: expected one of {', '.join(get_args(Beyond))}")
    if draws < 1 or largest_enumeration < 0:
        raise ValueError(f"draws is {draws}, largest_enumeration {largest_enumeration}: expected at least 1 and 0")
    beside = reference_counts(frame, by, category, references, reference_by, rescale=rescale)
    fits = _Fits.of(beside)
    keys = stream_keys(seed, beside.cells.filter("tested").select(by), "goodness of fit")
    numbers = _classical(fits)
    numbers |= _exact(fits, numbers, largest_enumeration, keys, draws if beyond == "monte-carlo" else 0)
    tested = beside.cells.get_column("tested").to_numpy()
    every = beside.cells.with_columns(_spread(values, tested).alias(name) for name, values in numbers.items())
    rows = [
        _row(every, term, _method(term, f"Monte Carlo, {draws} draws, seed {seed}", rescale=rescale)) for term in TERMS
    ]
    return as_estimates(cell_by_cell(rows), by)


@dataclass(frozen=True, slots=True)
class _Fits:
    """The categories that the references allow, of all tested cells, one cell after the other."""

    first: Codes
    """The first category of every cell."""
    categories: Codes
    """Count the outcomes of every cell."""
    observed: Counts
    proportion: Floats
    n: Counts
    """The number of observations of every cell, those of excluded categories included."""
    is_possible: NDArray[np.bool_]
    """Check that excluded categories have no counts."""

    @classmethod
    def of(cls, beside: ReferenceCounts) -> _Fits:
        """The tested cells: each has a category with a positive proportion."""
        allowed = beside.entries.filter(pl.col("proportion") > 0)
        first = starts(allowed.get_column(CELL).to_numpy().astype(np.intp))
        observed = allowed.get_column("count").to_numpy()
        n = beside.cells.filter("tested").get_column("n").to_numpy()
        return cls(
            first=first,
            categories=run_lengths(first, observed.size),
            observed=observed,
            proportion=allowed.get_column("proportion").to_numpy(),
            n=n,
            is_possible=run_sums(observed, first) == n,
        )

    def only(self, cells: NDArray[np.bool_]) -> tuple[Counts, Floats, Codes]:
        """The counts, proportions and first categories of some cells."""
        rows, lengths = np.repeat(cells, self.categories), self.categories[cells]
        return self.observed[rows], self.proportion[rows], np.cumsum(lengths) - lengths


def _classical(fits: _Fits) -> dict[str, Floats]:
    """The two asymptotic tests of every tested cell; NaN where they do not exist."""
    expected = np.repeat(fits.n, fits.categories) * fits.proportion
    excess = fits.observed - expected
    df = np.where(fits.is_possible & (fits.categories > 1), fits.categories - 1.0, np.nan)
    chi_square = run_sums(np.square(excess) / expected, fits.first)
    g = 2.0 * run_sums(deviance_part(fits.observed.astype(np.float64), expected, -excess), fits.first)
    statistics = {"chi_square": chi_square, "g": g}
    numbers = {"df": df, "effect": np.where(fits.is_possible, np.sqrt(chi_square / fits.n), np.nan)}
    for name, statistic in statistics.items():
        numbers[f"statistic_{name}"] = np.where(np.isnan(df), np.nan, statistic)
        numbers[f"p_{name}"] = np.asarray(chdtrc(df, statistic))
        numbers[f"log_p_{name}"] = log_chi_square_tail(statistic, df)
    numbers["small"] = run_sums((expected < SMALL).astype(np.float64), fits.first)
    numbers["smallest"] = np.minimum.reduceat(expected, fits.first) if fits.first.size else expected
    return numbers | {"size": fits.categories.astype(np.float64)}


def _exact(
    fits: _Fits, classical: Mapping[str, Floats], largest: int, keys: NDArray[np.uint64], draws: int
) -> dict[str, Floats]:
    """The exact test of every tested cell, and the way it was done."""
    # What the reference excludes has the probability 0, the only possible outcome has 1.
    log_p = np.where(fits.is_possible, 0.0, -np.inf)
    p, way = np.exp(log_p), np.full(fits.n.size, _LISTED)
    several = fits.is_possible & (fits.categories > 1)
    two = several & (fits.categories == 2)  # noqa: PLR2004
    successes = fits.observed[fits.first[two]], fits.n[two], fits.proportion[fits.first[two]]
    p[two], log_p[two] = binomial_test(*successes)
    way[two] = _BINOMIAL
    few = several & ~two & (number_of_outcomes(fits.n, fits.categories) <= largest)
    p[few], log_p[few] = enumerated_p_value(*fits.only(few))
    many = several & ~two & ~few
    if draws:
        p[many], way[many] = simulated_p_value(*fits.only(many), keys[many], draws), _DRAWN
        log_p[many] = np.log(p[many])
    else:
        p[many], way[many] = classical["p_chi_square"][many], _ASYMPTOTIC
        log_p[many] = classical["log_p_chi_square"][many]
    return {"p_exact": p, "log_p_exact": log_p, "way": way.astype(np.float64)}


def _spread(values: Floats, tested: NDArray[np.bool_]) -> pl.Series:
    """Numbers of the tested cells as a column of all cells, null for the others."""
    column = np.full(tested.size, np.nan)
    column[tested] = values
    return pl.Series(column, dtype=pl.Float64, nan_to_null=True)


def _method(term: str, drawn: str, *, rescale: bool) -> pl.Expr:
    """Name the method of a row, or the reason for having none."""
    if term == "exact":
        ways = ["every outcome listed", "two categories: binomial", drawn, "too many outcomes: chi-squared p-value"]
        way = (
            pl.col("way")
            .fill_null(_LISTED)
            .cast(pl.Int64)
            .replace_strict(dict(enumerate(ways)), return_dtype=pl.String)
        )
        name = pl.format("exact multinomial test, {}", way)
    else:
        test = {"chi_square": "chi-squared test", "g": "G test"}[term]
        name = pl.concat_str(pl.lit(f"{test} of fit"), small_expected())
    trouble = (
        pl.when("tested")
        .then(pl.lit("; references divided by their sum" if rescale else ""))
        .when("missing")
        .then(pl.lit("; a category has no reference proportion"))
        .otherwise(pl.format("; the reference proportions add up to {}", pl.col("total").round_sig_figs(6)))
    )
    return pl.concat_str(name, trouble)


def _row(every: pl.DataFrame, term: str, method: pl.Expr) -> pl.DataFrame:
    """The results of one test."""
    statistic = pl.col(f"statistic_{term}") if term != "exact" else pl.lit(None, pl.Float64)
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(~pl.col("tested"))
        .then(pl.when("missing").then(pl.lit("no-reference")).otherwise(pl.lit("invalid-reference")))
        .when(pl.col(f"p_{term}").is_null())
        .then(pl.lit("degenerate"))
        .otherwise(pl.lit("ok"))
    )
    return every.with_columns(
        pl.lit("").alias("outcome"),
        pl.lit(term).alias("term"),
        statistic.alias("estimate"),
        statistic.alias("statistic"),
        (pl.lit(None, pl.Float64) if term == "exact" else pl.col("df")).alias("df"),
        pl.col(f"p_{term}").alias("p_value"),
        pl.col(f"log_p_{term}").alias("log_p_value"),
        pl.lit("cohen_w").alias("effect_kind"),
        method.alias("method"),
        status.alias("status"),
    )
