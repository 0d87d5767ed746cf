"""Tests of the distribution of a category against reference proportions."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl
from scipy.special import chdtrc, gammaln, xlogy

from tallybook.statistics.categories.contingency import (
    SMALL,
    SUM_TOLERANCE,
    corrected_rows,
    rao_scott,
    small_expected,
)
from tallybook.statistics.estimates import COLUMNS, as_estimates, cells_of, counted, each_cell, estimates_of
from tallybook.statistics.proportions.binomial import TIE_TOLERANCE, binomial_test, deviance_part
from tallybook.statistics.seeds import IN_KEYS, stream, stream_keys
from tallybook.statistics.tails import log_chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats

Test: TypeAlias = Literal["chi_square", "g", "exact"]

TERMS: tuple[Test, ...] = ("chi_square", "g", "exact")
"""The rows of `goodness_of_fit`, in their order."""
LARGEST_ENUMERATION = 50_000
"""The maximum number of outcomes that the exact test enumerates; enough for 50 observations of 4 categories."""
DRAWS = 9_999
"""The number of random outcomes that are drawn instead if there are more."""


def goodness_of_fit(
    frame: pl.DataFrame,
    by: Sequence[str],
    category: str,
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    tests: Sequence[Test] = TERMS,
    seed: int = 0,
) -> pl.DataFrame:
    """Test the distribution of a category in every cell against its reference.

    With counts O of n observations, proportions p and E = n p, over the k categories with p > 0:

    - chi_square: X² = sum (O - E)² / E, with k - 1 degrees of freedom
    - g: G = 2 sum O ln(O/E), likewise
    - exact: the probability of all outcomes at most as likely as the observed one under the multinomial distribution,
      P(outcome) <= P(observed) (1 + 1e-7); for k = 2 the exact binomial test (minimum likelihood). Beyond 50,000
      outcomes, (n+k-1)! / (n! (k-1)!), it is estimated from 9,999 draws: (1 + those at most as likely) / (1 + draws).

    The effect of all three is Cohen's w = sqrt(X²/n).

    Args:
        frame: Counts: `by`, `category` and `count`.
        by: The columns whose combinations are the cells; may be empty.
        category: The column of the categories.
        references: `reference_by`, `category` and `proportion`; a category that is not observed counts, too.
        reference_by: The columns of `by` that identify a reference; none if one reference serves all cells.
        tests: The tests to compute.
        seed: The seed of the draws, combined with the cell's key; other cells have no effect on them.

    Returns:
        Estimates, one a cell and term: n, estimate and statistic (null for the exact test), df, p_value, log_p_value,
        effect. Without observations the status is `no-data`. It is `no-reference` where a category that was observed
        or referred to has no proportion, `invalid-reference` where the proportions do not add up to 1, to 1.5e-8
        (`method` gives their sum). Where something was observed that the reference excludes (p = 0), the exact p is 0
        and the other two are `degenerate`, as they are where the reference leaves one category only.

    Raises:
        ValueError: A column is missing, a count is impossible, or a reference is given twice.

    References:
        Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley, section 1.5. Cohen, J. (1988). Statistical
        Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 7 (w). Read, T. R. C. & Cressie, N. A. C.
        (1988). Goodness-of-Fit Statistics for Discrete Multivariate Data. Springer, section 5.3 (exact).

    >>> counts = pl.DataFrame({"seed": ["yellow", "green"], "count": [6022, 2001]})
    >>> mendel = pl.DataFrame({"seed": ["yellow", "green"], "proportion": [0.75, 0.25]})
    >>> found = goodness_of_fit(counts, [], "seed", mendel, [])
    >>> [(row["term"], round(row["p_value"], 4)) for row in found.iter_rows(named=True)]
    [('chi_square', 0.9025), ('g', 0.9025), ('exact', 0.9076)]
    """
    rows: list[dict[str, Any]] = []
    cells = list(_beside(frame, by, category, references, reference_by))
    keys = stream_keys(seed, cells_of(frame, by).rename(IN_KEYS, strict=False), "goodness of fit")
    for (cell, counts, p, status, trouble), key in zip(cells, keys, strict=True):
        common = {**cell, "n": int(counts.sum()), "effect_kind": "cohen_w"}
        for test in tests:
            found = {"method": f"{_NAMES[test]}{trouble}", "status": status}
            if status == "ok":
                found |= _tested(test, counts[0], p, key, seed)
            rows.append({**common, "term": test, **found})
    schema = {name: kind for name, kind in COLUMNS.items() if name != "outcome"}
    schema |= {name: frame.schema[name] for name in by} | dict.fromkeys(_EXPECTED, pl.Float64())
    made = pl.DataFrame(rows, schema=schema, orient="row")
    return as_estimates(made.with_columns(pl.concat_str("method", small_expected()).alias("method")), by)


def clustered_fit(
    frame: pl.DataFrame,
    by: Sequence[str],
    category: str,
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    cluster: str,
) -> pl.DataFrame:
    """Test distributions of categories against references, treating clusters as independent.

    Returns:
        Estimates with the term `chi_square` (F; see `rao_scott`) and Cohen's w as effect; statuses are those of
        `goodness_of_fit`.
    """
    rows: list[Mapping[str, Any]] = []
    for cell, counts, p, status, _ in _beside(frame, by, category, references, reference_by, cluster=cluster):

        def excess(each: Floats, e: Floats = p) -> tuple[Floats, Floats, Floats]:
            shares = each / each.sum(axis=-1, keepdims=True)
            # Scaled by e, 11% of true null hypotheses are rejected if one of two categories has a share of .1.
            return shares - e, e, shares

        impossible = status == "ok" and bool(counts.sum(axis=0)[p == 0].any())
        found = rao_scott(counts if status == "ok" and not impossible else counts[:0], excess)
        rows += corrected_rows(cell, counts, found, ("cohen_w", found.effect), None if status == "ok" else status)
    return estimates_of(rows, frame, by)


_NAMES: dict[Test, str] = {
    "chi_square": "chi-squared test of fit",
    "g": "G test of fit",
    "exact": "exact multinomial test",
}
_EXPECTED = ("small", "size", "smallest")
"""The columns of `small_expected`."""
_Cell: TypeAlias = "tuple[dict[str, Any], Floats, Floats, str, str]"
"""The cell, its counts (clusters x categories), the proportions, a status and, if it is not ok, the reason."""


def _beside(
    frame: pl.DataFrame,
    by: Sequence[str],
    category: str,
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    cluster: str | None = None,
) -> Iterator[_Cell]:
    """Yield every cell with its counts, aligned with the reference proportions of their categories."""
    known = _proportions(references, reference_by, category)
    within = [] if cluster is None else [cluster]
    for cell, own in each_cell(frame, by, counted(frame, [*by, *within], [category])):
        reference = known.get(tuple(cell[name] for name in reference_by), {})
        names = sorted({*reference, *own[category]})
        whole = np.zeros(own.height, np.int64)
        groups, at = np.unique(own[cluster].to_numpy() if cluster else whole, return_inverse=True)
        counts = np.zeros((max(groups.size, int(cluster is None)), len(names)))
        np.add.at(counts, (at, np.array([names.index(one) for one in own[category]], np.intp)), own["count"].to_numpy())
        given = [reference.get(name) for name in names]
        p = np.array([math.nan if one is None else one for one in given], np.float64)
        total = float(pl.Series(given, dtype=pl.Float64).sum())
        status, trouble = "ok", ""
        if not counts.sum():
            status = "no-data"
        elif np.isnan(p).any():
            status, trouble = "no-reference", "; a category has no reference proportion"
        elif abs(total - 1) >= SUM_TOLERANCE:
            status, trouble = "invalid-reference", f"; the reference proportions add up to {total:.6g}"
        yield cell, counts, p / total if status == "ok" else p, status, trouble


def _proportions(
    references: pl.DataFrame, by: Sequence[str], category: str
) -> dict[tuple[Any, ...], dict[Any, float | None]]:
    """Map each reference to the proportions of its categories; those outside [0, 1] are None."""
    missing = [name for name in (*by, category, "proportion") if name not in references.columns]
    if missing:
        raise ValueError(
            f"the references have no column {missing[0]!r}: expected {', '.join((*by, category, 'proportion'))}"
        )
    twice = references.filter(references.select(*by, category).is_duplicated()).select(*by, category)
    if twice.height:
        raise ValueError(f"the references give {twice.row(0)} twice: expected one proportion")
    found: dict[tuple[Any, ...], dict[Any, float | None]] = {}
    for *group, name, proportion in references.select(*by, category, "proportion").iter_rows():
        own: float = math.nan if proportion is None else float(proportion)
        found.setdefault(tuple(group), {})[name] = own if 0 <= own <= 1 else None
    return found


def _tested(test: Test, counts: Floats, p: Floats, key: NDArray[np.uint64], seed: int) -> dict[str, Any]:
    """Test the counts of one cell; categories that the reference excludes have p = 0."""
    n, allowed = counts.sum(), p > 0
    observed, proportions = counts[allowed], p[allowed]
    is_possible, expected = observed.sum() == n, n * proportions
    chi_square = _sum(np.square(observed - expected) / expected)
    effect = {"effect": math.sqrt(chi_square / n)} if is_possible else {}
    if test == "exact":
        p_value, log_p, way = _exact(observed.astype(np.int64), proportions, key, seed) if is_possible else _EXCLUDED
        return {**effect, "method": f"{_NAMES[test]}, {way}", "p_value": p_value, "log_p_value": log_p}
    small = dict(zip(_EXPECTED, ((expected < SMALL).sum(), expected.size, expected.min()), strict=True))
    if not is_possible or observed.size == 1:
        return {**effect, **small, "status": "degenerate"}
    df = observed.size - 1.0
    value = chi_square if test == "chi_square" else 2.0 * _sum(deviance_part(observed, expected, expected - observed))
    p_value, log_p = float(chdtrc(df, value)), float(log_chi_square_tail(value, df))
    tested = {"estimate": value, "statistic": value, "df": df, "p_value": p_value, "log_p_value": log_p}
    return {**effect, **small, **tested}


_EXCLUDED = (0.0, -math.inf, "every outcome listed")
"""The result of the exact test for observations that are impossible under the reference."""


def _sum(values: Floats) -> float:
    return float(np.add.reduceat(values, [0])[0])


def _exact(observed: Counts, proportions: Floats, key: NDArray[np.uint64], seed: int) -> tuple[float, float, str]:
    """Compute the exact test: p, its logarithm, and a description of the computation."""
    n, k = int(observed.sum()), observed.size
    if k == 1:
        return 1.0, 0.0, "every outcome listed"
    if k == 2:  # noqa: PLR2004
        p, log_p = binomial_test(observed[:1], np.array([n]), proportions[:1])
        return float(p[0]), float(log_p[0]), "two categories: binomial"
    bound = _log_weight(observed, proportions).sum() + np.log1p(TIE_TOLERANCE)
    if math.comb(n + k - 1, k - 1) > LARGEST_ENUMERATION:
        drawn = stream(key).multinomial(n, proportions, size=DRAWS)
        p = (1.0 + np.count_nonzero(_log_weight(drawn, proportions).sum(axis=1) <= bound)) / (1.0 + DRAWS)
        return p, math.log(p), f"Monte Carlo, {DRAWS} draws, seed {seed}"
    # Stars and bars: every placement of k - 1 bars among n observations is an outcome.
    bars = np.array(list(combinations(range(n + k - 1), k - 1)))
    weights = _log_weight(np.diff(bars, prepend=-1, append=n + k - 1, axis=1) - 1, proportions).sum(axis=1)
    log_p = min(0.0, float(np.logaddexp.reduce(weights[weights <= bound]) + gammaln(n + 1.0)))
    return math.exp(log_p), log_p, "every outcome listed"


def _log_weight(counts: Counts, proportions: Floats) -> Floats:
    """Compute each category's term in the logarithm of a multinomial probability, apart from n!."""
    return xlogy(counts, proportions) - gammaln(counts + 1.0)
