"""Outlier rules for scores: which values of a cell do not count, or count as the nearest one that does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl
from scipy import stats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Rule = Literal["mad", "iqr", "winsorize"]
_LOW, _HIGH = "_low", "_high"
_NORMAL = 0.6744897501960817
"""The median absolute deviation of a standard normal variable: its upper quartile."""


def without_outliers(counts: pl.DataFrame, cells: Sequence[str], rule: Rule, limit: float) -> pl.DataFrame:
    """Take the outliers out of the scores of each cell, or winsorize them.

    "mad": values further than `limit` median absolute deviations, scaled by 1 / 0.6745, from the median are out;
    "iqr": values further than `limit` interquartile ranges below the first or above the third quartile (type 7) are;
    "winsorize": of n values the int(`limit` n) smallest count as the next one, as do the largest. Where half of the
    values and more are equal, "mad" takes out none.

    Args:
        counts: The cells, `value` and `count`; rows without a value stay as they are.
        cells: The columns whose combinations are the cells.
        rule: The rule.
        limit: Its limit.

    Returns:
        The frame; the value of an outlier is null.

    References:
        Leys, C. et al. (2013). Detecting outliers: do not use standard deviation around the mean, use absolute
        deviation around the median. Journal of Experimental Social Psychology, 49, 764-766. Tukey, J. W. (1977).
        Exploratory data analysis. Addison-Wesley.
    """
    known = counts.filter(pl.col("value").is_not_null()).group_by(*cells).agg("value", "count")
    bounds = [_bounds(np.repeat(*row), rule, limit) for row in known.select("value", "count").iter_rows()]
    found = known.select(cells).with_columns(
        pl.Series(name, [one[place] for one in bounds], dtype=pl.Float64) for place, name in enumerate((_LOW, _HIGH))
    )
    joined = counts.join(found, on=list(cells), how="left", nulls_equal=True, maintain_order="left")
    value = pl.col("value")
    clipped = value.clip(_LOW, _HIGH)
    kept = clipped if rule == "winsorize" else pl.when(value == clipped).then(value)
    return joined.with_columns(kept.alias("value")).drop(_LOW, _HIGH)


def _bounds(values: NDArray[np.float64], rule: Rule, limit: float) -> tuple[float, float]:
    """Get the smallest and the largest value of a cell that count."""
    if rule == "winsorize":
        place, ordered = int(limit * len(values)), np.sort(values)
        return float(ordered[place]), float(ordered[len(values) - 1 - place])
    first, median, third = (float(one) for one in np.quantile(values, (0.25, 0.5, 0.75)))
    if rule == "iqr":
        return first - limit * (third - first), third + limit * (third - first)
    spread = limit * float(stats.median_abs_deviation(values, scale=_NORMAL))
    return (median - spread, median + spread) if spread else (-np.inf, np.inf)
