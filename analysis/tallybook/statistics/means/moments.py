"""Moments of scores, removal of outliers, and values of clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from tallybook.statistics.estimates import counted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Floats


# Column names that no factor uses.
_VALUE, _WITHIN, _ROWS = "value of the row", "squares within the shard", "rows of the cell"


def moments(frame: pl.DataFrame, by: Sequence[str], value: str = "value") -> pl.DataFrame:
    """Compute number, mean and sum of squared deviations of counted values, by a shifted two-pass algorithm.

    With distinct values x and their counts c, n = sum c, and the deviations e = x - min x:
    mean = min x + m with m = sum(c e) / n, squares = sum c (e - m)².
    The mean is subtracted before anything is squared, and is accurate relative to the spread of the values, not only to
    their size: the sum of squares loses no digits however far from 0 the values lie, and is exactly 0 if they are all
    equal. The sample variance is squares / (n - 1).

    Args:
        value: The column of the scores, numbers. Rows where it is null or NaN are not observations.

    Returns:
        One row a cell, sorted: `by`, `n`, `mean`, `squares`. A cell without any observation has n = 0 and nulls. A
        number too large for a float is null.

    References:
        Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). Algorithms for computing the sample variance: analysis and
        recommendations. The American Statistician, 37, 242-247.

    >>> scores = pl.DataFrame({"model": ["a", "a", "b"], "value": [1.0, 3.0, None], "count": [3, 1, 2]})
    >>> moments(scores, ["model"]).rows()
    [('a', 4, 1.5, 3.0), ('b', 0, None, None)]
    """
    scored = counted(frame, by, [value]).select(*by, pl.col(value).cast(pl.Float64).alias(_VALUE), "count")
    # Every cell is kept, with count 0 and no value, so that cells without observations are reported.
    cells = frame.select(*by, "count").with_columns(
        pl.lit(None, pl.Float64).alias(_VALUE), pl.lit(0, pl.Int64).alias("count")
    )
    return _of_cells(pl.concat([scored, cells.select(scored.columns).unique()]), by)


def merged_moments(shards: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Compute the moments of cells from the moments of their parts.

    n = sum n_i, mean = sum(n_i mean_i) / n, squares = sum squares_i + sum n_i (mean_i - mean)², computed with the
    deviations of the means from the smallest one.

    References:
        Chan, T. F., Golub, G. H. & LeVeque, R. J. (1983). The American Statistician, 37, 242-247.
    """
    known = _checked(shards, by, ["mean", "squares"])
    n = pl.col("n")
    # The missing mean of an empty shard is ignored; that of a shard with observations makes the result null.
    parts = known.select(
        *by,
        pl.when(n > 0).then(pl.col("mean").fill_null(float("nan"))).alias(_VALUE),
        n.alias("count"),
        pl.when(n > 0).then(pl.col("squares").fill_null(float("nan"))).otherwise(0.0).alias(_WITHIN),
    )
    return _of_cells(parts, by)


def summary_moments(summaries: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Compute moments from published summaries: number, mean and sample standard deviation.

    squares = (n - 1) sd², with sd that of n - 1.
    """
    known = _checked(summaries, by, ["mean", "sd"])
    negative = known.with_row_index("row").filter(pl.col("sd") < 0)
    if negative.height:
        raise ValueError(f"row {negative['row'][0]} has sd {negative['sd'][0]}: expected a number, at least 0")
    repeated = known.select(*by, pl.lit(0)).is_duplicated()
    if repeated.any():
        raise ValueError(f"row {repeated.arg_true()[0]} names a cell that another row names, too")
    n = pl.col("n")
    squares = pl.when(n > 1).then((n - 1) * pl.col("sd") ** 2).when(n == 1).then(0.0)
    return known.with_columns(squares.alias("squares")).select(
        *by, "n", *(pl.when((n > 0) & pl.col(name).is_finite()).then(pl.col(name)) for name in ("mean", "squares"))
    )


def _checked(frame: pl.DataFrame, by: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Select the named columns, n as a whole number and the others as floats without NaN."""
    wanted = [*by, "n", *numbers]
    missing = [name for name in wanted if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join(wanted)}")
    n = pl.col("n")
    wrong = frame.with_row_index("row").filter(n.is_null() | (n < 0) | (n.cast(pl.Float64) % 1 != 0))
    if wrong.height:
        raise ValueError(f"row {wrong['row'][0]} has n {wrong['n'][0]}: expected a whole number, at least 0")
    return frame.select(*by, n.cast(pl.Int64), *(pl.col(name).cast(pl.Float64).fill_nan(None) for name in numbers))


def _of_cells(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Compute the moments of counted values; if the rows are shards, including the squares within them."""
    # A row without a value has count 0 and comes last in its cell: it may have any value of the cell.
    ordered = rows.sort([*by, *(name for name in rows.columns if name not in by)], nulls_last=True)
    cells = ordered.group_by(by, maintain_order=True).agg(pl.len().alias(_ROWS)).filter(pl.col(_ROWS) > 0)
    size = cells[_ROWS].cast(pl.Int64).to_numpy()
    start = np.cumsum(size) - size
    count = ordered["count"].to_numpy()
    x = ordered[_VALUE].forward_fill().fill_null(0.0).to_numpy()
    with np.errstate(all="ignore"):
        n = np.add.reduceat(count, start) if start.size else count
        origin = x[start]
        deviation = x - np.repeat(origin, size)
        shift = _sums(count * deviation, start) / n
        squares = _sums(count * np.square(deviation - np.repeat(shift, size)), start)
        if _WITHIN in ordered.columns:
            squares += _sums(ordered[_WITHIN].to_numpy(), start)
        numbers = {"mean": origin + shift, "squares": squares}
    return cells.select(
        *by,
        pl.Series("n", n, pl.Int64),
        *(
            pl.Series(name, np.where(np.isfinite(values), values, np.nan), nan_to_null=True)
            for name, values in numbers.items()
        ),
    ).sort(by)


def _sums(values: Floats, start: NDArray[np.intp]) -> Floats:
    """Sum the runs that begin at `start`."""
    return np.add.reduceat(values, start) if start.size else values


Rule = Literal["mad", "iqr", "winsorize"]
_LOW, _HIGH = "_low", "_high"
_NORMAL = 0.6744897501960817
"""The median absolute deviation of the standard normal distribution, which is its upper quartile."""


def without_outliers(counts: pl.DataFrame, cells: Sequence[str], rule: Rule, limit: float) -> pl.DataFrame:
    """Remove the outliers among the scores of each cell, or winsorise the scores.

    "mad" removes values further than `limit` median absolute deviations, scaled by 1 / 0.6745, from the median; "iqr"
    those further than `limit` interquartile ranges below the first or above the third quartile (type 7); "winsorize"
    replaces the int(`limit` n) smallest of n values by the next larger one, and the largest likewise. If at least half
    of the values are equal, "mad" removes none.

    Args:
        counts: The cells, `value` and `count`; rows without a value stay as they are.

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
    """Return the smallest and the largest value of a cell that are not outliers."""
    if rule == "winsorize":
        place, ordered = int(limit * len(values)), np.sort(values)
        return float(ordered[place]), float(ordered[len(values) - 1 - place])
    first, median, third = (float(one) for one in np.quantile(values, (0.25, 0.5, 0.75)))
    if rule == "iqr":
        return first - limit * (third - first), third + limit * (third - first)
    from scipy import stats  # imported here, as it takes as long as reading a small study

    spread = limit * float(stats.median_abs_deviation(values, scale=_NORMAL))
    return (median - spread, median + spread) if spread else (-np.inf, np.inf)


TERM = "term of the cell"
"""The column with the term of a cell, where a test names its own."""


def shares_of_clusters(
    tally: pl.DataFrame, by: Sequence[str], cluster: str, members: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Compute the share of each term among each cluster's coded responses; clusters without any are dropped."""
    coded = _coded(tally, members)
    keys = [*by, cluster, "outcome"]
    sizes = coded.group_by(keys).agg(pl.col("count").sum().alias("n"))
    found: list[pl.DataFrame] = []
    for outcome, terms in members.items():
        for term, categories in terms.items():
            own = (pl.col("category").is_in(list(categories))) & (pl.col("outcome") == outcome)
            counts = coded.filter(own).group_by(keys).agg(pl.col("count").sum())
            every = sizes.filter(pl.col("outcome") == outcome).join(counts, on=keys, how="left", nulls_equal=True)
            share = pl.col("count").fill_null(0) / pl.col("n")
            found.append(every.select(*keys, pl.lit(term).alias(TERM), share.alias("value")))
    return pl.concat(found)


def disagreements_of_clusters(
    tally: pl.DataFrame, by: Sequence[str], cluster: str, members: Mapping[str, Mapping[str, Sequence[str]]]
) -> pl.DataFrame:
    """Compute the share of pairs of a cluster's coded responses that are of different categories.

    With k responses of a category among n: 1 - sum k (k - 1) / (n (n - 1)); of two categories 2 a d / (n (n - 1)).
    Clusters with fewer than two coded responses are dropped.

    References:
        Simpson, E. H. (1949). Measurement of diversity. Nature, 163, 688.
    """
    keys = [*by, cluster, "outcome"]
    counts = _coded(tally, members).group_by([*keys, "category"]).agg(pl.col("count").sum())
    n, k = pl.col("count").sum(), pl.col("count")
    unlike = (n * n - (k * k).sum()) / (n * (n - 1))
    cells = counts.group_by(keys).agg(pl.when(n > 1).then(unlike).alias("value"))
    return cells.with_columns(pl.lit("disagreement").alias(TERM)).drop_nulls("value")


def scores_of_clusters(
    scores: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    measure: Literal["mean", "sum"],
    *,
    divisor: float = 1.0,
    constant: float = 0.0,
) -> pl.DataFrame:
    """Compute the mean or sum of each cluster's scores, divided by `divisor`, plus `constant`."""
    total = (pl.col("value") * pl.col("count")).sum()
    taken = total / pl.col("count").sum() if measure == "mean" else total
    known = scores.filter(pl.col("value").is_not_null()).sort("value")
    cells = known.group_by([*by, cluster, "outcome"], maintain_order=True).agg(
        (taken / divisor + constant).alias("value")
    )
    return cells.with_columns(pl.lit("mean").alias(TERM))


def differences_of_clusters(
    values: pl.DataFrame, by: Sequence[str], cluster: str, factor: str, levels: tuple[str, str]
) -> pl.DataFrame:
    """Compute each cluster's value at one level of a factor less that at another; clusters without both are dropped."""
    first, second = (values.filter(pl.col(factor) == level).drop(factor) for level in levels)
    both = first.join(second, on=[*by, cluster, "outcome", TERM], nulls_equal=True, suffix=" of the second")
    return both.with_columns(pl.col("value") - pl.col("value of the second")).drop("value of the second")


def _coded(tally: pl.DataFrame, members: Mapping[str, object]) -> pl.DataFrame:
    return tally.filter(pl.col("outcome").is_in(list(members)) & (pl.col("status") == "ok"))
