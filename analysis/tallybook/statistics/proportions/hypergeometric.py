"""The hypergeometric distribution of 2 x 2 tables with given margins, and Fisher's exact test, for whole arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tallybook.statistics.proportions.binomial import TIE_TOLERANCE, binomial_counts, fewest_steps, log_mass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.arrays import Floats
    from tallybook_schemas.vocabulary import Alternative


# Sums are truncated where the remaining terms are below e⁻⁴⁰ of the preceding ones.
_DROP = 40.0
# The number of terms held in memory at a time.
_AT_ONCE = 1_000_000


class Tables(NamedTuple):
    """2 x 2 tables with given margins, an entry a table."""

    x: Floats
    """Successes of the first group."""
    first: Floats
    """Its size."""
    second: Floats
    """The size of the second group."""
    successes: Floats
    """Successes of both groups."""

    @property
    def lowest(self) -> Floats:
        """The smallest x that the margins allow."""
        return np.maximum(0.0, self.successes - self.second)

    @property
    def highest(self) -> Floats:
        """The largest x that the margins allow."""
        return np.minimum(self.first, self.successes)

    def mirrored(self) -> Tables:
        """Exchange successes and failures, so that the lower tail of x becomes the upper one."""
        total = self.first + self.second
        return Tables(self.first - self.x, self.first, self.second, total - self.successes)

    def at(self, x: Floats) -> Tables:
        """Return tables with the same margins and other x."""
        return self._replace(x=x)

    def only(self, chosen: NDArray[np.bool_] | NDArray[np.intp]) -> Tables:
        """Select some of the tables."""
        return Tables(*(column[chosen] for column in self))


def tables_of(
    first: tuple[ArrayLike, ArrayLike], second: tuple[ArrayLike, ArrayLike]
) -> tuple[Tables, NDArray[np.bool_]]:
    """Check counts and convert them to tables; the mask tells which are complete."""
    columns = np.broadcast_arrays(*binomial_counts(*first), *binomial_counts(*second))
    k1, n1, k2, n2 = (np.atleast_1d(column) for column in columns)
    whole = (n1 > 0) & (n2 > 0) & ~np.isnan(k1) & ~np.isnan(k2)
    return Tables(k1[whole], n1[whole], n2[whole], (k1 + k2)[whole]), whole


def log_hypergeometric_mass(tables: Tables) -> Floats:
    """Compute the logarithm of the probability of x given the margins, if the groups do not differ.

    Loader's form: ln b(x; n1, p) + ln b(K - x; n2, p) - ln b(K; n1 + n2, p), with b the binomial probabilities, K the
    successes of both groups and p = K / (n1 + n2); any p gives the same. R: dhyper.
    """
    x, first, second, successes = tables
    total = first + second
    p = successes / total
    with np.errstate(all="ignore"):
        inner = log_mass(x, first, p) + log_mass(successes - x, second, p) - log_mass(successes, total, p)
    # Without successes, or without failures, there is only one table.
    return np.where((p > 0) & (p < 1), inner, 0.0)


def fisher_p_value(
    first: tuple[ArrayLike, ArrayLike],
    second: tuple[ArrayLike, ArrayLike],
    alternative: Alternative = "two-sided",
) -> tuple[Floats, Floats]:
    """Compute Fisher's exact test that two groups have the same proportion.

    p is the sum of the probabilities of all tables with the same margins that are at most as likely as the observed
    one, times 1 + 1e-7, as in R's fisher.test. Both tails are summed away from the mode, without subtraction, as far as
    their terms matter: their length grows with the square root of the counts. One-sided, p is the probability of at
    least (`greater`) or at most (`less`) as many successes in the first group.

    Returns:
        p-values and their natural logarithms; NaN where a group has no trials or a count is NaN.

    References:
        Fisher, R. A. (1935). The logic of inductive inference. Journal of the Royal Statistical Society, 98, 39-82.
    """
    tables, whole = tables_of(first, second)
    p, log_p = np.full(whole.shape, np.nan), np.full(whole.shape, np.nan)
    if alternative == "two-sided":
        low, high = _as_rare(tables)
        log_lower = _log_tail(tables.at(low).mirrored())
        log_upper = _log_tail(tables.at(high))
        found = np.where(high == low + 1.0, 0.0, np.minimum(0.0, np.logaddexp(log_lower, log_upper)))
    else:
        found = _at_least(tables if alternative == "greater" else tables.mirrored())
    p[whole], log_p[whole] = np.exp(found), found
    return p, log_p


def _at_least(tables: Tables) -> Floats:
    """Compute the logarithm of P(X >= x) for any x; below the mode, from the other tail."""
    above, result = tables.x >= _mode(tables), np.empty(tables.x.shape)
    result[above] = _log_tail(tables.only(above))
    below = tables.only(~above)
    with np.errstate(divide="ignore"):
        result[~above] = np.log1p(-np.exp(np.minimum(0.0, _log_tail(below.at(below.x - 1.0).mirrored()))))
    return np.minimum(0.0, result)


def _mode(tables: Tables) -> Floats:
    mode = np.floor((tables.successes + 1.0) * ((tables.first + 1.0) / (tables.first + tables.second + 2.0)))
    return np.clip(mode, tables.lowest, tables.highest)


def _as_rare(tables: Tables) -> tuple[Floats, Floats]:
    """Find the x nearest to the mode on either side that are as rare as the observed x; one beyond if there is none."""
    mode = _mode(tables)
    bound = log_hypergeometric_mass(tables) + np.log1p(TIE_TOLERANCE)

    def rare_below(steps: Floats) -> NDArray[np.bool_]:
        return log_hypergeometric_mass(tables.at(mode - steps)) <= bound

    def rare_above(steps: Floats) -> NDArray[np.bool_]:
        return log_hypergeometric_mass(tables.at(mode + 1.0 + steps)) <= bound

    low = mode - fewest_steps(rare_below, mode - tables.lowest + 1.0)
    return low, mode + 1.0 + fewest_steps(rare_above, tables.highest - mode)


def _log_tail(tables: Tables) -> Floats:
    """Compute the logarithm of P(X >= x) for x at the mode or above; -inf for x beyond its upper bound."""
    result = np.full(tables.x.shape, -np.inf)
    inside = tables.x <= tables.highest
    part = tables.only(inside)
    share = part.successes / (part.first + part.second)
    found = np.zeros(part.x.shape)
    for cells, nodes, weights in _in_chunks(_tail_terms(part)):
        terms = _log_ratios(part.only(cells), nodes, share[cells])
        found[cells] = np.log((weights * np.exp(terms)).sum(axis=1))
    result[inside] = log_hypergeometric_mass(part) + found
    return result


def _tail_terms(tables: Tables) -> Floats:
    """Bound the number of tail terms that matter: terms decay at least geometrically, and like a normal tail."""
    x, first, second, successes = tables
    total = first + second
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.sqrt(first * (successes / total) * (second / total) * ((total - successes) / (total - 1.0)))
        fall = -np.log((first - x) * (successes - x) / ((x + 1.0) * (second - successes + x + 1.0)))
        geometric = np.where(fall > 0, _DROP / fall, np.inf)
    return np.minimum(tables.highest - x, np.minimum(12.0 * spread + _DROP, geometric)) // 1.0 + 1.0


def _in_chunks(terms: Floats) -> Iterator[tuple[NDArray[np.intp], Floats, Floats]]:
    """Yield chunks of tables with the indices 0, 1, ... of their terms, and weights that are 0 beyond the last term."""
    # Powers of two, so that sums are added up in the same order whatever other rows there are.
    sizes = np.left_shift(1, np.frexp(np.maximum(terms, 1.0))[1].astype(np.int64))
    for size in np.unique(sizes):
        cells = np.flatnonzero(sizes == size)
        for some in np.array_split(cells, -(-cells.size * int(size) // _AT_ONCE)):
            nodes = np.tile(np.arange(size, dtype=np.float64), (some.size, 1))
            yield some, nodes, (nodes < terms[some, None]).astype(np.float64)


def _log_ratios(tables: Tables, steps: Floats, share: Floats) -> Floats:
    """Compute the logarithms of P(x + steps) / P(x) given the margins, by binomials with the share of successes."""
    x, first, second, successes, p = (column[:, None] for column in (*tables, share))
    at = x + steps
    inside = (at <= tables.highest[:, None]) & (at >= tables.lowest[:, None])
    at = np.where(inside, at, x)
    with np.errstate(all="ignore"):
        ratios = (
            log_mass(at, *np.broadcast_arrays(first, p, at)[:2])
            + log_mass(successes - at, *np.broadcast_arrays(second, p, at)[:2])
            - log_mass(x, first, p)
            - log_mass(successes - x, second, p)
        )
    return np.where(inside, ratios, -np.inf)
