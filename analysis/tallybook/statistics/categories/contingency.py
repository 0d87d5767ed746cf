"""Association of two categories: tests of independence, Cramér's V, and residuals, from their contingency tables."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl
from scipy.special import chdtrc

from tallybook.statistics.chi_square_tail import log_chi_square_tail
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.pairs import cell_by_cell, counted_pairs, run_lengths, run_sums, starts
from tallybook.statistics.proportions.binomial import deviance_part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.pairs import Pairs

    Floats: TypeAlias = NDArray[np.float64]
    Counts: TypeAlias = NDArray[np.int64]

TERMS = ("chi_square", "g", "cramer_v", "cramer_v_corrected", "phi")
"""The rows of `independence`, in their order."""

SMALL = 5
"""Expected counts below this make the chi-squared approximation doubtful (Cochran's rule)."""

_ROUNDING = 16.0 * np.finfo(np.float64).eps


def independence(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, continuity: bool = False) -> pl.DataFrame:
    """Tests of independence and measures of association of every cell's r x c table.

    The table has the r values of x and the c values of y that occur in the cell. With counts O, row totals R, column
    totals C and E = R C / n:

    - chi_square: X² = sum (O - E)² / E, with (r-1)(c-1) degrees of freedom. `continuity` lowers |O - E| by 1/2, or to
      0, in 2 x 2 tables (Yates; R's chisq.test does so by default).
    - g: G = 2 sum O ln(O/E), with the same degrees of freedom.
    - cramer_v: V = sqrt(X² / (n min(r-1, c-1))).
    - cramer_v_corrected: Bergsma's V, sqrt(max(0, X²/n - (r-1)(c-1)/(n-1)) / min(r'-1, c'-1)) with
      r' = r - (r-1)²/(n-1) and c' = c - (c-1)²/(n-1), which is close to 0 under independence.
    - phi: sqrt(X²/n); in 2 x 2 tables negative where O < E in the cell of the first values, in sorted order.

    The measures use X² without continuity correction, and carry its test. O n - R C is taken exactly, so no digits
    are lost near independence.

    Args:
        frame: Counts: `by`, the categories `x` and `y` (of any type), and `count`.
        by: The columns whose combinations are the cells; may be empty.
        x: The column of the rows.
        y: The column of the columns.
        continuity: Whether Yates' correction is applied to the chi-squared tests of 2 x 2 tables.

    Returns:
        Estimates, one a cell and term: n, estimate, statistic, df, p_value, log_p_value; V is the `effect` of the two
        tests. `method` says how many expected counts lie below 5, and the smallest, where there is any: the tests are
        then approximate. A cell without complete pairs is `no-data`; one in which x or y is constant is `degenerate`,
        as is a corrected V that does not exist (n = 2, say).

    Raises:
        ValueError: A column is missing, a count is impossible, or a cell has more than 3e9 observations.

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
    tables = _tables(pairs)
    columns = {name: pairs.spread(values) for name, values in _measured(tables, continuity=continuity).items()}
    every = pairs.cells.with_columns(pl.lit("").alias("outcome"), **columns)
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
                _status(pl.col(term)).alias("status"),
            )
        )
    return as_estimates(cell_by_cell(parts), by)


def small_expected() -> pl.Expr:
    """What `method` says about expected counts below 5: nothing where there are none.

    Returns:
        A text from the columns `small` (how many there are), `size` (of how many) and `smallest`, null or NaN where
        there are no expected counts.

    >>> frame = pl.DataFrame({"small": [0.0, 2.0, None], "size": [4.0, 4.0, None], "smallest": [6.0, 0.123, None]})
    >>> frame.select(small_expected().alias("note"))["note"].to_list()
    ['', '; 2 of 4 expected counts below 5, the smallest 0.12', '']
    """
    small, size, smallest = (pl.col(name).fill_nan(None) for name in ("small", "size", "smallest"))
    whole = (number.cast(pl.Int64) for number in (small, size))
    note = pl.format("; {} of {} expected counts below 5, the smallest {}", *whole, smallest.round_sig_figs(2))
    return pl.when(small > 0).then(note).otherwise(pl.lit(""))


def standardised_residuals(frame: pl.DataFrame, by: Sequence[str], x: str, y: str) -> pl.DataFrame:
    """How far every count of every table lies from independence, in standard errors.

    (O - E) / sqrt(E (1 - R/n)(1 - C/n)), approximately standard normal under independence (R: chisq.test()$stdres;
    also called adjusted residuals).

    Args:
        frame: Counts: `by`, the categories `x` and `y`, and `count`.
        by: The columns whose combinations are the cells; may be empty.
        x: The column of the rows.
        y: The column of the columns.

    Returns:
        One row a cell of every table, zeros included, sorted: `by`, `x`, `y`, `count`, `expected` and `residual`, which
        is null in a table with a constant variable.

    Raises:
        ValueError: As for `independence`.

    References:
        Haberman, S. J. (1973). The analysis of residuals in cross-classified tables. Biometrics, 29, 205-220.

    >>> counts = pl.DataFrame({"x": ["a", "a", "b", "b"], "y": [0, 1, 0, 1], "count": [10, 20, 25, 15]})
    >>> standardised_residuals(counts, [], "x", "y")["residual"].round(4).to_list()
    [-2.4152, 2.4152, 2.4152, -2.4152]
    """
    pairs = counted_pairs(frame, by, x, y, numeric=False)
    tables = _tables(pairs)
    n = tables.n[tables.cell].astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(tables.expected * (1.0 - tables.row_total / n) * (1.0 - tables.column_total / n))
        residual = np.where(spread > 0, tables.excess / spread, np.nan)
    return (
        pairs.rows[tables.x_at]
        .select(*by, x)
        .with_columns(
            pairs.rows.get_column(y)[tables.y_at],
            pl.Series("count", tables.observed, dtype=pl.Int64),
            pl.Series("expected", tables.expected),
            pl.Series("residual", residual).fill_nan(None),
        )
    )


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables of all occupied cells, entry by entry, zeros included: rows by x, and by y within."""

    cell: NDArray[np.intp]
    first: NDArray[np.intp]
    """The first entry of every table."""
    observed: Counts
    expected: Floats
    excess: Floats
    """Observed less expected."""
    row_total: Counts
    column_total: Counts
    x_at: NDArray[np.intp]
    """A row of the pairs that has the entry's x."""
    y_at: NDArray[np.intp]
    """A row of the pairs that has its y."""
    n: Counts
    rows: Counts
    """The number of rows of every table."""
    columns: Counts
    """The number of columns of every table."""


def _tables(pairs: Pairs) -> _Tables:
    order = np.lexsort((pairs.y, pairs.cell))
    x_runs, y_runs = starts(pairs.cell, pairs.x), starts(pairs.cell, pairs.y[order])
    x_totals, y_totals = run_sums(pairs.count, x_runs), run_sums(pairs.count[order], y_runs)
    # The runs of a cell are its rows and its columns; `x_first` and `y_first` are the first ones of every cell.
    x_first, y_first = starts(pairs.cell[x_runs]), starts(pairs.cell[y_runs])
    rows, columns = run_lengths(x_first, x_runs.size), run_lengths(y_first, y_runs.size)
    sizes = rows * columns
    first = np.cumsum(sizes) - sizes
    cell = np.repeat(np.arange(sizes.size), sizes)
    within = np.arange(cell.size) - first[cell]
    i, j = x_first[cell] + within // columns[cell], y_first[cell] + within % columns[cell]
    y_run = np.empty_like(order)
    y_run[order] = np.repeat(np.arange(y_runs.size), run_lengths(y_runs, order.size))
    x_run = np.repeat(np.arange(x_runs.size), run_lengths(x_runs, order.size))
    observed = np.zeros(cell.size, np.int64)
    of = pairs.cell
    observed[first[of] + (x_run - x_first[of]) * columns[of] + (y_run - y_first[of])] = pairs.count
    n = run_sums(pairs.count, pairs.first)
    products = x_totals[i] * y_totals[j]
    return _Tables(
        cell=cell,
        first=first,
        observed=observed,
        expected=products / n[cell],
        excess=(observed * n[cell] - products) / n[cell],
        row_total=x_totals[i],
        column_total=y_totals[j],
        x_at=x_runs[i],
        y_at=order[y_runs[j]],
        n=n,
        rows=rows.astype(np.int64),
        columns=columns.astype(np.int64),
    )


def _measured(tables: _Tables, *, continuity: bool) -> dict[str, Floats]:
    """The numbers of every occupied cell; NaN where a variable is constant."""
    first, size = tables.first, tables.rows * tables.columns
    df = ((tables.rows - 1) * (tables.columns - 1)).astype(np.float64)
    df[df == 0] = np.nan
    plain = run_sums(np.square(tables.excess) / tables.expected, first)
    fourfold = (tables.rows == 2) & (tables.columns == 2)  # noqa: PLR2004
    lowered = np.maximum(np.abs(tables.excess) - np.where(continuity & fourfold[tables.cell], 0.5, 0.0), 0.0)
    corrected = run_sums(np.square(lowered) / tables.expected, first)
    parts = deviance_part(tables.observed.astype(np.float64), tables.expected, -tables.excess)
    likelihood = 2.0 * run_sums(parts, first)
    n = tables.n.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        v = np.sqrt(plain / (n * (np.minimum(tables.rows, tables.columns) - 1)))
        unbiased = plain / n - df / (n - 1.0)
        # What rounding leaves of 0 would be a V of 1e-8.
        unbiased = np.where(unbiased > _ROUNDING * plain / n, unbiased, 0.0)
        # r' - 1 = (r-1)(n-r) / (n-1): 0 where all values of x differ.
        rest = np.minimum(*((levels - 1) * (n - levels) / (n - 1.0) for levels in (tables.rows, tables.columns)))
        bergsma = np.where(rest > 0, np.sqrt(unbiased / rest), np.nan)
    sign = np.where(fourfold & (tables.excess[first] < 0), -1.0, 1.0)
    undefined = np.isnan(df)
    numbers = {
        "df": df,
        "chi_square": corrected,
        "g": likelihood,
        "cramer_v": v,
        "cramer_v_corrected": bergsma,
        "phi": sign * np.sqrt(plain / n),
        "p_chi_square": chdtrc(df, corrected),
        "p_g": chdtrc(df, likelihood),
        "log_p_chi_square": log_chi_square_tail(corrected, df),
        "log_p_g": log_chi_square_tail(likelihood, df),
        "small": run_sums((tables.expected < SMALL).astype(np.float64), first),
        "smallest": np.minimum.reduceat(tables.expected, first) if first.size else n,
        "size": size.astype(np.float64),
    }
    return {name: np.where(undefined, np.nan, values) for name, values in numbers.items()}


def _status(estimate: pl.Expr) -> pl.Expr:
    return (
        pl.when(pl.col("n") == 0)
        .then(pl.lit("no-data"))
        .when(estimate.is_nan())
        .then(pl.lit("degenerate"))
        .otherwise(pl.lit("ok"))
    )
