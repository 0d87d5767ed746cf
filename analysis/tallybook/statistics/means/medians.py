"""Intervals of medians of clustered responses, such as repeated responses to the same items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from scipy.special import logit, stdtrit

from tallybook.statistics.estimates import each_cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_TWO = 2


def median_intervals(
    scores: pl.DataFrame, by: Sequence[str], cluster: str, *, confidence: float = 0.95
) -> pl.DataFrame:
    """Compute the interval of the median in every cell, by inverting tests that half of the scores lie on each side.

    A value x is within the interval if the share of scores below x is not significantly above 1/2, and the share of
    scores up to x not significantly below 1/2. The standard errors of the shares' log odds are computed by leaving out
    one of the G clusters at a time (CV3; if a share without one cluster is 0 or 1, the standard error of the share over
    p (1 - p)), with Student's t on G - 1 degrees of freedom. The median itself is not jackknifed, as that would be
    inconsistent.

    Args:
        scores: `by`, the cluster, `value` and `count`; rows without a value are not observations.

    Returns:
        `by`, `clusters`, `ci_low` and `ci_high`, a row a cell with scores; limits are null with fewer than two
        clusters, or if scores are constant, so that the error of the median is unknown.

    References:
        Francisco, C. A. & Fuller, W. A. (1991). Quantile estimation with a complex survey design. Annals of
        Statistics, 19, 454-469. Miller, R. G. (1974). The jackknife: a review. Biometrika, 61, 1-15.

    >>> scores = {"item": ["a", "a", "b", "c", "c"], "value": [1.0, 2.0, 2.0, 3.0, 4.0], "count": [5, 5, 10, 5, 5]}
    >>> median_intervals(pl.DataFrame(scores), [], "item", confidence=0.8).row(0)
    (3, 1.0, 4.0)
    """
    known = scores.filter(pl.col("value").is_not_null() & (pl.col("count") > 0)).select(*by, cluster, "value", "count")
    cells = each_cell(known, by) if known.height else ()
    rows = [(*key.values(), *_limits(own, cluster, confidence)) for key, own in cells]
    numbers = {"clusters": pl.Int64, "ci_low": pl.Float64, "ci_high": pl.Float64}
    return pl.DataFrame(rows, {**{name: scores.schema[name] for name in by}, **numbers}, orient="row")


def _limits(own: pl.DataFrame, cluster: str, confidence: float) -> tuple[int, float | None, float | None]:
    """Return the number of clusters and the limits of a cell."""
    values, at = np.unique(own.get_column("value").to_numpy(), return_inverse=True)
    groups, of = np.unique(own.get_column(cluster).to_numpy(), return_inverse=True)
    if groups.size < _TWO or values.size < _TWO:
        return groups.size, None, None
    counts = np.zeros((groups.size, values.size))
    np.add.at(counts, (of, at), own.get_column("count").to_numpy())
    sizes = counts.sum(axis=1, keepdims=True)
    reach = float(stdtrit(groups.size - 1, (1 + confidence) / 2))
    up_to = counts.cumsum(axis=1)

    def log_odds(part: NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the log odds of shares, and the half-widths of their intervals."""
        total, n = part.sum(axis=0), sizes.sum()
        whole, left = total / n, (total - part) / (n - sizes)
        with np.errstate(all="ignore"):
            scaled = np.square(left - whole).sum(axis=0) / np.square(whole * (1 - whole))
            moved: NDArray[np.float64] = np.square(logit(left) - logit(whole)).sum(axis=0)
            squares = np.where(np.isfinite(moved), moved, scaled)
            return logit(whole), reach * np.sqrt((groups.size - 1) / groups.size * squares)

    (below, near), (until, around) = log_odds(up_to - counts), log_odds(up_to)
    inside = values[~(below > near) & ~(until < -around)]
    return groups.size, float(inside.min()), float(inside.max())
