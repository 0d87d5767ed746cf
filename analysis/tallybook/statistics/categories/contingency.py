"""Tests of independence of two categorical variables, Cramér's V, residuals, and design-corrected chi-squared tests."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from scipy import stats

from tallybook.statistics.estimates import as_estimates, counted, each_cell, estimates_of, status_of
from tallybook.statistics.pairs import cell_by_cell, counted_pairs
from tallybook.statistics.tails import log_chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats
    from tallybook.statistics.pairs import Pairs


TERMS = ("chi_square", "g", "cramer_v", "cramer_v_corrected", "phi")
"""The rows of `independence`, in their order."""

SMALL = 5
"""The expected count below which the chi-squared approximation is doubtful (Cochran's rule)."""

_ROUNDING = 16.0 * np.finfo(np.float64).eps
_NUMBERS = ("df", *TERMS, "p_chi_square", "p_g", "small", "smallest", "size")


def independence(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, continuity: bool = False) -> pl.DataFrame:
    """Compute tests of independence and measures of association for the r x c table of every cell.

    The table has the r values of x and the c values of y that occur in the cell. With counts O and expected counts E:

    - chi_square: X² = sum (O - E)² / E, with (r-1)(c-1) degrees of freedom, by scipy's `chi2_contingency`.
      `continuity` lowers |O - E| by 1/2, or to 0, in 2 x 2 tables (Yates; R's chisq.test does so by default).
    - g: G = 2 sum O ln(O/E), likewise.
    - cramer_v: V = sqrt(X² / (n min(r-1, c-1))).
    - cramer_v_corrected: Bergsma's V, sqrt(max(0, X²/n - (r-1)(c-1)/(n-1)) / min(r'-1, c'-1)) with
      r' = r - (r-1)²/(n-1) and c' = c - (c-1)²/(n-1), which is close to 0 under independence.
    - phi: sqrt(X²/n); in 2 x 2 tables negative where O < E in the cell of the first values, in sorted order.

    The measures use X² without continuity correction; their rows show the chi-squared test.

    Args:
        continuity: Whether Yates' correction is applied to the chi-squared tests of 2 x 2 tables.

    Returns:
        Estimates, one a cell and term: n, estimate, statistic, df, p_value, log_p_value; V is the `effect` of the two
        tests. If expected counts lie below 5, `method` gives their number and the smallest: the tests are then
        approximate. A cell without complete pairs is `no-data`; one in which x or y is constant is `degenerate`, as is
        a corrected V that does not exist (n = 2, say).

    References:
        Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley, section 3.2. Cramér, H. (1946). Mathematical
        Methods of Statistics. Princeton, section 21.9. Bergsma, W. (2013). A bias-correction for Cramér's V and
        Tschuprow's T. Journal of the Korean Statistical Society, 42, 323-328.

    >>> counts = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": [0, 1, 0, 1], "count": [10, 20, 25, 15]})
    >>> found = independence(counts, [], "x", "y").select("term", "estimate", "p_value")
    >>> [(row[0], round(row[1], 4), round(row[2], 4)) for row in found.rows()][:3]
    [('chi_square', 5.8333, 0.0157), ('g', 5.9247, 0.0149), ('cramer_v', 0.2887, 0.0157)]
    """
    pairs = counted_pairs(frame, by, x, y, numeric=False)
    numbers = np.array([_measured(table, continuity=continuity) for table, _ in _tables(pairs)])
    columns: dict[str, Floats] = dict(zip(_NUMBERS, numbers.reshape(-1, len(_NUMBERS)).T, strict=True))
    columns |= {f"log_p_{test}": log_chi_square_tail(columns[test], columns["df"]) for test in ("chi_square", "g")}
    every = pairs.cells.with_columns(**{name: pairs.spread(values) for name, values in columns.items()})
    parts: list[pl.DataFrame] = []
    for term in TERMS:
        test = "g" if term == "g" else "chi_square"
        name = "G test" if term == "g" else "chi-squared test" + (" with Yates' correction in 2 x 2" * continuity)
        parts.append(
            every.with_columns(
                pl.lit(term).alias("term"),
                pl.col(term).alias("estimate"),
                pl.col(test).alias("statistic"),
                pl.col(f"p_{test}").alias("p_value"),
                pl.col(f"log_p_{test}").alias("log_p_value"),
                pl.when(pl.lit(term == test)).then(pl.col("cramer_v")).alias("effect"),
                pl.when(pl.lit(term == test)).then(pl.lit("cramer_v")).alias("effect_kind"),
                pl.concat_str(pl.lit(f"{name} of independence"), small_expected()).alias("method"),
                status_of(degenerate=pl.col(term).is_nan()),
            )
        )
    return as_estimates(cell_by_cell(parts), by)


def small_expected() -> pl.Expr:
    """Describe how many expected counts (`small`, of `size`) lie below 5, and the `smallest`; empty if none does."""
    small, size, smallest = (pl.col(name).fill_nan(None) for name in ("small", "size", "smallest"))
    whole = (number.cast(pl.Int64) for number in (small, size))
    note = pl.format("; {} of {} expected counts below 5, the smallest {}", *whole, smallest.round_sig_figs(2))
    return pl.when(small > 0).then(note).otherwise(pl.lit(""))


def standardised_residuals(frame: pl.DataFrame, by: Sequence[str], x: str, y: str) -> pl.DataFrame:
    """Compute the standardised residuals from independence of every cell of every table, by statsmodels.

    (O - E) / sqrt(E (1 - R/n)(1 - C/n)), approximately standard normal under independence (R: chisq.test()$stdres;
    also called adjusted residuals).

    Returns:
        One row a cell of every table, zeros included, sorted: `by`, `x`, `y`, `count`, `expected` and `residual`, which
        is null in a table with a constant variable.

    References:
        Haberman, S. J. (1973). The analysis of residuals in cross-classified tables. Biometrics, 29, 205-220.

    >>> counts = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": [0, 1, 0, 1], "count": [10, 20, 25, 15]})
    >>> standardised_residuals(counts, [], "x", "y")["residual"].round(4).to_list()
    [-2.4152, 2.4152, 2.4152, -2.4152]
    """
    from statsmodels.stats import contingency_tables

    pairs = counted_pairs(frame, by, x, y, numeric=False)
    parts = [
        pairs.rows[:0].select(*by, x, y, "count", pl.lit(0.0).alias("expected"), pl.lit(0.0).alias("residual")),
    ]
    for table, rows in _tables(pairs):
        here: Any = contingency_tables.Table(table, shift_zeros=False)
        constant = min(table.shape) == 1
        residual = np.full(table.size, np.nan) if constant else here.standardized_resids.ravel()
        own = pairs.rows[rows]
        levels = own.select(*by, x).unique(maintain_order=True).join(own.select(y).unique().sort(y), how="cross")
        parts.append(
            levels.with_columns(
                pl.Series("count", table.ravel(), dtype=pl.Int64),
                pl.Series("expected", here.fittedvalues.ravel()),
                pl.Series("residual", residual).fill_nan(None),
            )
        )
    return pl.concat(parts)


def _tables(pairs: Pairs) -> list[tuple[Counts, NDArray[np.intp]]]:
    """Build the contingency table of every non-empty cell, levels sorted, with the indices of its rows in the pairs."""
    found: list[tuple[Counts, NDArray[np.intp]]] = []
    for rows in np.split(np.arange(pairs.count.size), pairs.first[1:]) if pairs.count.size else []:
        i, j = (np.unique(codes[rows], return_inverse=True)[1] for codes in (pairs.x, pairs.y))
        table = np.zeros((i.max() + 1, j.max() + 1), np.int64)
        table[i, j] = pairs.count[rows]
        found.append((table, rows))
    return found


def _measured(table: Counts, *, continuity: bool) -> list[float]:
    """Compute the statistics of a table in the order of `_NUMBERS`; NaN where a variable is constant."""
    if min(table.shape) == 1:
        return [np.nan] * len(_NUMBERS)
    n, (r, c) = float(table.sum()), table.shape
    plain: Any = stats.chi2_contingency(table, correction=False)
    g: Any = stats.chi2_contingency(table, correction=False, lambda_="log-likelihood")
    tested: Any = stats.chi2_contingency(table, correction=continuity)
    square, expected = plain.statistic / n, plain.expected_freq
    unbiased = square - plain.dof / (n - 1.0)
    # A rounding error in place of 0 would give a V of 1e-8.
    unbiased = unbiased if unbiased > _ROUNDING * square else 0.0
    # r' - 1 = (r-1)(n-r) / (n-1): 0 where all values of x differ.
    rest = min((levels - 1) * (n - levels) / (n - 1.0) for levels in (r, c))
    negative = (r, c) == (2, 2) and table[0, 0] < expected[0, 0]
    return [
        float(plain.dof),
        tested.statistic,
        max(g.statistic, 0.0),  # a difference of sums: rounding may make 0 negative
        np.sqrt(square / (min(r, c) - 1)),
        np.sqrt(unbiased / rest) if rest > 0 else np.nan,
        np.sqrt(square) * (-1.0 if negative else 1.0),
        tested.pvalue,
        g.pvalue,
        float((expected < SMALL).sum()),
        float(expected.min()),
        float(table.size),
    ]


class _Corrected(NamedTuple):
    """A design-corrected test; NaN where undefined."""

    statistic: float
    df: float
    p_value: float
    log_p_value: float
    second_df: float
    effect: float


_NOTHING = _Corrected(*(math.nan,) * 6)
SUM_TOLERANCE = 1.5e-8
"""The largest deviation from 1 of the sum of valid proportions, as in R's chisq.test."""


def rao_scott(tables: Floats, excess: Callable[[Floats], tuple[Floats, Floats, Floats]]) -> _Corrected:
    """Compute the second-order Rao-Scott test of a table that is a sum over clusters.

    With y the shares less the expected ones e, n the number of responses and V the jackknife covariance of y over G
    clusters: X² = n sum y² / e, and under the null hypothesis X² is a weighted sum of chi-squared variables whose
    weights are the eigenvalues of L = n V / sqrt(s s'), where s is e, or another estimate of the shares. F = X² / tr L,
    with tr(L)² / tr(L²) numerator degrees of freedom and G - 1 times as many in the denominator.

    Args:
        tables: The counts of each cluster, clusters first.
        excess: A function that returns y, e and s for tables of counts.

    Returns:
        F, its first degrees of freedom, p, ln p, and sqrt(X² / n).

    Source:
        Rao, J. N. K. & Scott, A. J. (1984). Annals of Statistics, 12, 46-60. Thomas, D. R. & Rao, J. N. K. (1987).
        Small-sample comparisons of level and power for simple goodness-of-fit statistics under cluster sampling. JASA,
        82, 630-636 (the F form).
    """
    whole = tables.sum(axis=0)
    clusters, n = len(tables), whole.sum()
    if clusters < 2:  # noqa: PLR2004
        return _NOTHING
    with np.errstate(all="ignore"):
        own, expected, scale = (each.ravel() for each in excess(whole))
        parts = excess(whole - tables)[0].reshape(clusters, -1)
        covariance = (clusters - 1) / clusters * (parts - own).T @ (parts - own)
        seen, possible = scale > 0, expected > 0
        scaled = n * covariance[np.ix_(seen, seen)] / np.sqrt(np.outer(scale[seen], scale[seen]))
        square = float(n * (own[possible] ** 2 / expected[possible]).sum())
        trace, spread = float(np.trace(scaled)), float(np.square(scaled).sum())
    if not (math.isfinite(trace) and math.isfinite(square) and trace > 1e-12):  # noqa: PLR2004
        return _NOTHING
    first = trace**2 / spread
    second, f = first * (clusters - 1), square / trace
    log_p = float(stats.f.logsf(f, first, second))
    return _Corrected(f, first, math.exp(log_p), log_p, second, math.sqrt(square / n))


def clustered_independence(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, cluster: str) -> pl.DataFrame:
    """Test the independence of two categorical variables, treating clusters as independent.

    Args:
        x: The rows of the tables.

    Returns:
        Estimates with the terms `chi_square` (F; see `rao_scott`) and `cramer_v`, which carries its test.
    """

    def excess(counts: Floats) -> tuple[Floats, Floats, Floats]:
        shares = counts / counts.sum(axis=(-2, -1), keepdims=True)
        expected = shares.sum(axis=-1, keepdims=True) * shares.sum(axis=-2, keepdims=True)
        return shares - expected, expected, expected

    rows: list[Mapping[str, Any]] = []
    for cell, tables, _ in _cluster_tables(frame, by, cluster, [x, y]):
        fewest = min(tables.shape[1:]) - 1
        found = rao_scott(tables, excess) if fewest else _NOTHING
        rows += corrected_rows(cell, tables, found, ("cramer_v", found.effect / math.sqrt(max(fewest, 1))))
    return estimates_of(rows, frame, by)


def _cluster_tables(
    frame: pl.DataFrame, by: Sequence[str], cluster: str, columns: Sequence[str]
) -> Iterator[tuple[dict[str, Any], Floats, list[list[Any]]]]:
    """Yield every cell with its table of counts, clusters first, and the values along the other axes."""
    for key, cell in each_cell(counted(frame, [*by, cluster], columns), by):
        codes = [np.unique(cell[name].to_numpy(), return_inverse=True) for name in (cluster, *columns)]
        table = np.zeros([len(values) for values, _ in codes])
        table[tuple(places for _, places in codes)] = cell["count"].to_numpy()
        yield key, table, [values.tolist() for values, _ in codes[1:]]


def corrected_rows(
    cell: Mapping[str, Any], tables: Floats, found: _Corrected, measure: tuple[str, float], trouble: str | None = None
) -> list[dict[str, Any]]:
    """Build the rows of a corrected test: F, and Cramér's V (if it is the measure) with the same test."""
    exists = math.isfinite(found.statistic)
    status = trouble or ("ok" if exists else "degenerate" if tables.sum() else "no-data")
    common = {
        **cell,
        "n": int(tables.sum()),
        "clusters": len(tables),
        "statistic": found.statistic,
        "df": found.df,
        "df2": found.second_df,
        "p_value": found.p_value,
        "log_p_value": found.log_p_value,
        "effect": measure[1],
        "effect_kind": measure[0],
        "method": "Rao-Scott F test",
        "status": status,
    }
    chi_square = common | {"term": "chi_square", "estimate": found.statistic}
    return [chi_square, *([common | {"term": measure[0], "estimate": measure[1]}] if measure[0] == "cramer_v" else [])]
