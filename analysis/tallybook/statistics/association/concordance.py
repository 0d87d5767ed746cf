"""Exact counts of concordant and discordant pairs of observations, from the distinct values and their counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tallybook.statistics.pairs import run_lengths, run_sums, stable_order, starts

if TYPE_CHECKING:
    from tallybook.statistics.arrays import Codes, Counts, Floats


LARGEST_TOTAL = 3_000_000_000
"""The largest number of observations whose square fits into a 64-bit integer."""


class Concordance(NamedTuple):
    """The parts of every coefficient of ordinal association. The first four have an entry a row, the rest a cell."""

    agreeing: Counts
    """The number of observations concordant with one of the row: lower in both variables, or higher in both."""
    opposing: Counts
    """The number of discordant ones: lower in one variable and higher in the other."""
    x_total: Counts
    """The number that share the row's x, including its own."""
    y_total: Counts
    """The number that share its y."""
    n: Counts
    """The number of observations."""
    concordant: Counts
    """Ordered concordant pairs: twice the number of pairs."""
    discordant: Counts
    """Ordered discordant pairs."""
    x_untied: Counts
    """Ordered pairs that differ in x: n² less the sum of the squared totals of x."""
    y_untied: Counts
    """Ordered pairs that differ in y."""
    x_levels: Counts
    """The number of distinct values of x."""
    y_levels: Counts
    """The number of distinct values of y."""
    null_variance: Floats
    """The variance of S = (concordant - discordant) / 2 if x and y are independent, given both margins."""


def concordance(cell: Codes, x: Codes, y: Codes, count: Counts) -> Concordance:
    """Count the concordant and discordant pairs for every row and cell.

    The counts are exact: 64-bit integers, or Python integers for more than 3e9 observations, which have up to n² pairs.
    The observations that are lower in both variables are counted bit by bit of y: the highest bit in which two values
    differ decides which is lower, and for each bit one running sum over x serves all rows. So the work grows with the
    number of rows times the logarithm of the number of values of y, not with the size of the tables.

    With t and u the totals of the values of x and y, the variance of S given the margins is usually written
    [n(n-1)(2n+5) - sum t(t-1)(2t+5) - sum u(u-1)(2u+5)] / 18 + sum t(t-1) sum u(u-1) / (2n(n-1))
    + sum t(t-1)(t-2) sum u(u-1)(u-2) / (9n(n-1)(n-2)).
    As t(t-1)(2t+5) = 2t(t-1)(t-2) + 9t(t-1), it is the sum of two products, X2 Y2 / (2n(n-1)) + X3 Y3 / (9n(n-1)(n-2)),
    with X2 = sum t(n-t) and X3 = sum t(n-t)(n+t-3), the ordered pairs and triples that x does not tie altogether
    (Y2, Y3 likewise). No term is negative and nothing is subtracted: float64 gives it to a few units in the last
    place, whereas the products of the usual form exceed 64 bits from about 100,000 observations on.

    References:
        Kendall, M. G. (1970). Rank Correlation Methods (4th ed.). Griffin, chapter 4 (the variance).
    """
    first = starts(cell)
    n = run_sums(count, first)
    of_row = np.repeat(n, run_lengths(first, cell.size))
    cell_x, cell_y = _joined(cell, x), _joined(cell, y)
    # A stable sort keeps the order of x among rows of one y.
    order = stable_order(cell_y)
    by_y, count_by_y = cell_y[order], count[order]
    x_runs, y_runs = starts(cell_x), starts(by_y)
    x_lower, x_total = _spread_over_runs(_running(count, first), count, x_runs)
    y_lower, y_total = (
        _unsort(part, order) for part in _spread_over_runs(_running(count_by_y, first), count_by_y, y_runs)
    )
    same_x_lower_y = _running(count, x_runs)
    same_y_lower_x = _unsort(_running(count_by_y, y_runs), order)
    both_lower = _lower_in_both(cell, cell_x, y, count)
    lower_higher = x_lower - both_lower - same_y_lower_x
    higher_lower = y_lower - both_lower - same_x_lower_y
    x_higher = of_row - x_lower - x_total
    both_higher = x_higher - higher_lower - (y_total - same_y_lower_x - count)
    agreeing, opposing = both_lower + both_higher, lower_higher + higher_lower
    pairs_of: Any = count.astype(object) if n.max(initial=0) > LARGEST_TOTAL else count
    x_triples, y_triples = (_three_way(of_row, total, count, first) for total in (x_total, y_total))
    x_untied, y_untied = (run_sums(pairs_of * (of_row - total), first) for total in (x_total, y_total))
    return Concordance(
        agreeing=agreeing,
        opposing=opposing,
        x_total=x_total,
        y_total=y_total,
        n=n,
        concordant=run_sums(pairs_of * agreeing, first),
        discordant=run_sums(pairs_of * opposing, first),
        x_untied=x_untied,
        y_untied=y_untied,
        x_levels=np.bincount(cell[x_runs], minlength=first.size).astype(np.int64),
        y_levels=np.bincount(cell[y_runs], minlength=first.size).astype(np.int64),
        null_variance=_null_variance(n, x_untied, y_untied, x_triples, y_triples),
    )


def _joined(cell: Codes, codes: Codes) -> Codes:
    """Encode cell and code in one number that preserves the order of both."""
    return cell * (codes.max(initial=0) + 1) + codes


def _three_way(of_row: Counts, total: Counts, count: Counts, first: Codes) -> Floats:
    """Compute the sum of t (n-t) (n+t-3) over the values of a variable, as a sum over rows."""
    n, t = of_row.astype(np.float64), total.astype(np.float64)
    return run_sums(count * (n - t) * (n + t - 3.0), first)


def _null_variance(n: Counts, x_pairs: Counts, y_pairs: Counts, x_triples: Floats, y_triples: Floats) -> Floats:
    size = n.astype(np.float64)
    # Where n is too small for a pair or triple, the numerator is 0 as well: 0 / 1.
    of_pairs = np.maximum(2.0 * size * (size - 1.0), 1.0)
    of_triples = np.maximum(9.0 * size * (size - 1.0) * (size - 2.0), 1.0)
    return x_pairs.astype(np.float64) * (y_pairs.astype(np.float64) / of_pairs) + x_triples * (y_triples / of_triples)


def _lower_in_both(cell: Codes, cell_x: Codes, y: Codes, count: Counts) -> Counts:
    """Count for every row the observations of its cell that are lower in both x and y."""
    found = np.zeros_like(count)
    for bit in range(int(y.max(initial=0)).bit_length()):
        # Rows whose y agrees above this bit, still in the order of x.
        group = _joined(cell, y >> (bit + 1))
        order = stable_order(group)
        group, of_x = group[order], cell_x[order]
        upper = ((y[order] >> bit) & 1).astype(np.bool_)
        running = _running(np.where(upper, 0, count[order]), starts(group))
        # All rows with the same x get the running sum before the first of them.
        runs = starts(group, of_x)
        seen = np.repeat(running[runs], run_lengths(runs, y.size))
        found[order] += np.where(upper, seen, 0)
    return found


def _running(count: Counts, runs: Codes) -> Counts:
    """Compute for every row the sum of the preceding counts in its run."""
    total = np.cumsum(count) - count
    return total - np.repeat(total[runs], run_lengths(runs, count.size))


def _spread_over_runs(before: Counts, count: Counts, runs: Codes) -> tuple[Counts, Counts]:
    """Return for every row the value of `before` at the start of its run, and the total of the run."""
    lengths = run_lengths(runs, count.size)
    return np.repeat(before[runs], lengths), np.repeat(run_sums(count, runs), lengths)


def _unsort(values: Counts, order: Codes) -> Counts:
    """Restore the original order of sorted values."""
    result = np.empty_like(values)
    result[order] = values
    return result
