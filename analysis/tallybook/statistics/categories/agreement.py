"""Agreement of two codings of the same responses: percent agreement and Cohen's kappa from their joint counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy.special import ndtri

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.normal_tail import two_sided_normal
from tallybook.statistics.pairs import cell_by_cell, codes, counted_pairs, run_sums, starts
from tallybook.statistics.proportions.intervals import proportion_interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.pairs import Pairs

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]
    Codes: TypeAlias = NDArray[np.intp]


def agreement(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, confidence: float = 0.95) -> pl.DataFrame:
    """How far two codings of the same responses agree in every cell.

    With p and q the shares of the categories in either coding:

    - agreement: the share Po of responses coded alike, with its Wilson interval
    - cohen_kappa: (Po - Pe) / (1 - Pe), Pe = sum p q. Its std_error is the asymptotic one under multinomial sampling
      (Fleiss, Cohen & Everitt 1969), sqrt(sum f g²) / n with sums over pairs of categories (i, j) and their counts f,
      g = [([i = j] - Po)(1 - Pe) - (q_i + p_j - 2 Pe)(1 - Po)] / (1 - Pe)²; the interval is kappa ± z std_error, kept
      within [-1, 1]. The test of kappa = 0 has a standard error of its own, the one under independence:
      z = kappa (1 - Pe) sqrt(n) / sqrt(sum p q [(1-p)(1-q) + Pe - p q]).

    Args:
        frame: Counts: `by`, the two codings `x` and `y`, of one type, and `count`.
        by: The columns whose combinations are the cells; may be empty.
        x: The column of the first coding.
        y: The column of the second.
        confidence: The level of the intervals.

    Returns:
        Estimates, one a cell and term: n, estimate, std_error, interval, and for kappa null_value 0, statistic z,
        p_value and log_p_value. A response that either coding leaves null does not count. A cell without any is
        `no-data`. Where both codings know one and the same category only, kappa does not exist; where one of them does,
        kappa is 0 and its test does not exist: both are `degenerate`.

    Raises:
        ValueError: A column is missing, the codings differ in type, a count is impossible, a cell has more than 3e9
            observations, or the confidence lies outside (0, 1).

    References:
        Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement,
        20, 37-46. Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Large sample standard errors of kappa and weighted
        kappa. Psychological Bulletin, 72, 323-327.

    >>> counts = pl.DataFrame({"a": [True, True, False, False], "b": [True, False] * 2, "count": [20, 5, 10, 15]})
    >>> found = agreement(counts, [], "a", "b")
    >>> [(row["term"], round(row["estimate"], 4), round(row["std_error"], 4)) for row in found.iter_rows(named=True)]
    [('agreement', 0.7, 0.0648), ('cohen_kappa', 0.4, 0.127)]
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence is {confidence}: expected a number between 0 and 1, both excluded")
    if {x, y} <= set(frame.columns) and frame.schema[x] != frame.schema[y]:
        raise ValueError(f"{x!r} is {frame.schema[x]} and {y!r} is {frame.schema[y]}: expected one type")
    pairs = counted_pairs(frame, by, x, y, numeric=False)
    first, second = np.split(codes(pl.concat([pairs.rows.get_column(name).alias(x) for name in (x, y)])), 2)
    agree = first == second
    agreeing = run_sums(np.where(agree, pairs.count, 0), pairs.first)
    parts = [
        pairs.cells.with_columns(
            pl.lit(term).alias("term"),
            pl.lit(method).alias("method"),
            *(pairs.spread(values).alias(name) for name, values in columns.items()),
        )
        for term, method, columns in (
            ("agreement", "percent agreement, Wilson interval", _share(pairs, agreeing, confidence)),
            (
                "cohen_kappa",
                "Cohen's kappa, asymptotic standard error",
                _kappa(pairs, _Margins.of(pairs, first, second), agree, agreeing, confidence),
            ),
        )
    ]
    status = (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when((pl.col("term") == "cohen_kappa") & pl.col("p_value").is_nan())
        .then(pl.lit("degenerate"))
        .otherwise(pl.lit("ok"))
    )
    results = cell_by_cell(parts).with_columns(
        pl.lit("").alias("outcome"), pl.lit(confidence).alias("confidence"), status.alias("status")
    )
    return as_estimates(results, by)


class _Margins(NamedTuple):
    """What either coding says about the categories of the other."""

    other_of_first: Counts
    """For every row how often the second coding gives the row's first category."""
    other_of_second: Counts
    """For every row how often the first coding gives the row's second category."""
    chance: Counts
    """For every occupied cell the sum, over the categories, of the product of both totals: n² Pe."""
    null_square: Floats
    """For every occupied cell sum p q [(1-p)(1-q) + Pe - p q]."""

    @classmethod
    def of(cls, pairs: Pairs, first: Codes, second: Codes) -> _Margins:
        """The margins of coded rows."""
        largest = max(first.max(initial=0), second.max(initial=0)) + 1
        keys = [pairs.cell * largest + codes for codes in (first, second)]
        known, totals = zip(*(_totals(key, pairs.count) for key in keys), strict=True)
        # The categories of the first coding; one that only the second knows has the product 0.
        cell = known[0] // largest
        runs = starts(cell)
        other = _looked_up(known[0], known[1], totals[1])
        products = totals[0] * other
        chance = run_sums(products, runs)
        n = run_sums(pairs.count, pairs.first)
        # All four factors are whole numbers, and no term is negative: n² times each of them.
        rest = (n[cell] - totals[0]).astype(np.float64) * (n[cell] - other) + (chance[cell] - products)
        size = n.astype(np.float64)
        return cls(
            other_of_first=_looked_up(keys[0], known[1], totals[1]),
            other_of_second=_looked_up(keys[1], known[0], totals[0]),
            chance=chance,
            null_square=run_sums(products * rest, runs) / np.square(np.square(size)),
        )


def _share(pairs: Pairs, agreeing: Counts, confidence: float) -> dict[str, Floats]:
    n = run_sums(pairs.count, pairs.first)
    share = agreeing / n
    low, high = proportion_interval(agreeing, n, confidence)
    return {"estimate": share, "std_error": np.sqrt(share * (1.0 - share) / n), "ci_low": low, "ci_high": high}


def _kappa(
    pairs: Pairs, margins: _Margins, agree: NDArray[np.bool_], agreeing: Counts, confidence: float
) -> dict[str, Floats]:
    n = run_sums(pairs.count, pairs.first)
    size = n.astype(np.float64)
    # 1 - Pe and 1 - Po from whole numbers: both may be small.
    off_chance = (n * n - margins.chance) / np.square(size)
    off_agreement = (n - agreeing) / size
    mean = margins.chance / np.square(size)

    def rows(values: Floats) -> Floats:
        return values[pairs.cell]

    shares = (margins.other_of_first + margins.other_of_second) / rows(size)
    hit = np.where(agree, rows(off_agreement), rows(off_agreement) - 1.0)
    slopes = hit * rows(off_chance) - (shares - 2.0 * rows(mean)) * rows(off_agreement)
    with np.errstate(divide="ignore", invalid="ignore"):
        kappa = (n * agreeing - margins.chance) / (n * n - margins.chance)
        std_error = np.sqrt(run_sums(pairs.count * np.square(slopes), pairs.first)) / (size * np.square(off_chance))
        z = kappa * off_chance * np.sqrt(size / margins.null_square)
    # One category alone gives 0 / 0, a coding of one category 0 times infinity.
    p, log_p = two_sided_normal(z)
    reach = -float(ndtri((1.0 - confidence) / 2.0)) * std_error
    return {
        "estimate": kappa,
        "std_error": std_error,
        "ci_low": np.clip(kappa - reach, -1.0, 1.0),
        "ci_high": np.clip(kappa + reach, -1.0, 1.0),
        "null_value": np.where(np.isnan(kappa), np.nan, 0.0),
        "statistic": z,
        "p_value": p,
        "log_p_value": log_p,
    }


def _totals(keys: Codes, count: Counts) -> tuple[Codes, Counts]:
    """The distinct keys, sorted, and the sum of the counts of each."""
    order = np.argsort(keys, kind="stable")
    runs = starts(keys[order])
    return keys[order][runs], run_sums(count[order], runs)


def _looked_up(wanted: Codes, known: Codes, totals: Counts) -> Counts:
    """The total of every wanted key; 0 for one that is not known."""
    if not known.size:
        return np.zeros(wanted.size, np.int64)
    place = np.minimum(np.searchsorted(known, wanted), known.size - 1)
    return np.where(known[place] == wanted, totals[place], 0)
