"""Standard errors of any function of counts: by the jackknife or bootstrap over clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.cells import ALIKE, MANY
from tallybook.statistics.estimates import as_estimates, cells_of, each_cell
from tallybook.statistics.seeds import stream, stream_keys
from tallybook.statistics.tails import critical_value, log_p_value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook_schemas.vocabulary import DegreesOfFreedom, StandardError


LEFT_OUT = "cluster left out"
"""The column of tallies and estimates that names the cluster that was left out."""

_LESS, _WHOLE, _SIZE, _SCALE = "in the cluster: ", "estimate of the whole", "n of the whole", "scale"
_LEAST, _ABOVE = "smallest score", "sum above the smallest score"
_ALL = "\0all"
"""The value that marks the total in the column of clusters."""
DRAWS = 999
"""The number of samples of clusters that a bootstrap draws."""
_DEFINED = 0.95
"""The minimum share of bootstrap samples in which an estimate must be defined."""
_CLUSTERS, _EFFECTIVE, _WEIGHT = "clusters", "effective clusters", "times drawn"
_SAME = 1e-9
"""The relative difference below which estimates count as equal."""
_NOTHING = 1e-12
"""A standard error below this fraction of the combined numbers is rounding error: the clusters do not differ."""


def without_each(
    tally: pl.DataFrame,
    cluster: str,
    by: Sequence[str],
    factors: Sequence[str],
    *,
    values: bool = True,
    rows: int | None = None,
) -> Iterator[pl.DataFrame]:
    """Yield the tally with each cluster left out: the total less the cluster.

    Args:
        by: The columns of the cells; a cluster is left out only of cells in which it occurs.
        values: Whether single scores are kept, including those beside outcomes. Otherwise the scores of a cell are
            replaced by their mean, so that the number of rows does not grow with the number of distinct scores.
        rows: The approximate number of rows of a block; None for all rows at once.

    Yields:
        Concatenated tallies, distinguished by `LEFT_OUT`. If there are several blocks, each contains the total, too, so
        that what does not occur in a block is still known; `jackknifed` skips the total, as its n is that of the whole.
        If there are very many clusters, those of a cell with the same counts are left out only once, and `ALIKE` is
        their number.

    >>> counts = {"item": ["x", "y"], "outcome": "o", "category": "yes", "value": None, "status": "ok"}
    >>> tally = pl.DataFrame(counts | {"count": [2, 5], "first_seen": [0, 1]})
    >>> [block.select(LEFT_OUT, "count").rows() for block in without_each(tally, "item", [], [])]
    [[('x', 5), ('y', 2)]]
    """
    known = {"outcome", "category", "value", "status", "count", "first_seen"}
    scores = [name for name, kind in tally.schema.items() if kind == pl.Float64 and name not in known]
    keys = [*factors, "outcome", "category", *(["value", *scores] if values else []), "status"]
    added, first = [pl.col("count").sum()], pl.col("first_seen").min()
    if averaged := not values and tally.get_column("value").count() > 0:
        # Relative to the smallest score, for accuracy in units of the spread; sorted, so that row order has no effect.
        least = pl.col("value").cast(pl.Float64).min().over(keys)
        tally = tally.with_columns(least.alias(_LEAST)).with_columns(
            ((pl.col("value") - pl.col(_LEAST)) * pl.col("count")).alias(_ABOVE)
        )
        keys, added = [*keys, _LEAST], [*added, pl.col(_ABOVE).sort().sum()]
    parts = tally.group_by([*keys, cluster], maintain_order=True).agg(*added, first)
    total = parts.group_by(keys, maintain_order=True).agg(*added, first)
    named = parts.rename({cluster: LEFT_OUT})
    if rows is not None:
        named = _merge_equal_clusters(
            named, LEFT_OUT, by, [*keys, *(name for name in (_ABOVE, "count") if name in named)]
        )
    less = named.select(
        *keys, LEFT_OUT, *(pl.col(name).alias(_LESS + name) for name in (_ABOVE, "count") if name in named)
    )

    def joined(left: pl.DataFrame, right: pl.DataFrame) -> pl.DataFrame:
        if not by:
            return left.join(right, how="cross", maintain_order="left_right")
        return left.join(right, on=list(by), nulls_equal=True, maintain_order="left_right")

    def left(pairs: pl.DataFrame) -> pl.DataFrame:
        found = (
            joined(total, pairs)
            .join(less, on=[*keys, LEFT_OUT], how="left", nulls_equal=True, maintain_order="left")
            .with_columns(
                pl.col(name) - pl.col(_LESS + name).fill_null(0) for name in (_ABOVE, "count") if name in total
            )
            .filter(pl.col("count") > 0)
        )
        if averaged:
            found = found.with_columns((pl.col(_LEAST) + pl.col(_ABOVE) / pl.col("count")).alias("value"))
        elif not values:
            found = found.with_columns(pl.lit(None, dtype=pl.Float64).alias("value"))
        return found.drop(pl.selectors.starts_with(_LESS), _LEAST, _ABOVE, strict=False)

    pairs = named.select(*by, LEFT_OUT, *(name for name in [ALIKE] if name in named)).unique(maintain_order=True)
    if rows is None:
        yield left(pairs)
        return
    sizes = total.group_by(by, maintain_order=True).agg(pl.len().cast(pl.Int64).alias(_SIZE))
    block = pl.col(_SIZE).cum_sum() // max(rows, 4 * total.height)  # each block also holds the total
    blocks = joined(pairs, sizes).with_columns(block).partition_by(_SIZE, maintain_order=True, include_key=False)
    if len(blocks) < 2:  # noqa: PLR2004
        yield left(pairs)
        return
    whole = pairs.with_columns(pl.lit(_ALL).alias(LEFT_OUT)).unique([*by, LEFT_OUT], maintain_order=True)
    yield from (left(pl.concat([one, whole])) for one in blocks)


def _merge_equal_clusters(parts: pl.DataFrame, cluster: str, by: Sequence[str], counted: Sequence[str]) -> pl.DataFrame:
    """Merge the clusters of a cell that have the same counts, if there are many; `ALIKE` holds their number."""
    if parts.get_column(cluster).n_unique() <= MANY:
        return parts
    rows, own = parts.select(counted), [*by, cluster]
    marks = [f"mark {seed}" for seed in (1, 2)]  # 128 bits, independent of the order of a cluster's rows
    hashed = parts.select(own).with_columns(rows.hash_rows(seed).alias(mark) for seed, mark in enumerate(marks))
    first = hashed.group_by(own).agg(pl.col(*marks).bitwise_xor()).group_by([*by, *marks])
    kept = first.agg(pl.col(cluster).min(), pl.len().cast(pl.Float64).alias(ALIKE)).select(*own, ALIKE)
    return parts.join(kept, on=own, nulls_equal=True, maintain_order="left")


def resampled(
    tally: pl.DataFrame,
    cluster: str,
    by: Sequence[str],
    factors: Sequence[str],
    *,
    seed: int,
    rows: int,
) -> Iterator[pl.DataFrame]:
    """Yield the tallies of bootstrap samples: as many clusters as there are, drawn with replacement.

    Args:
        by: The columns of the cells within which clusters are drawn.
        seed: The seed of the draws, combined with the cell's key.
        rows: The approximate number of rows of a block.

    Yields:
        Concatenated tallies, distinguished by `LEFT_OUT`, the number of the draw, with the number of `clusters`.

    >>> counts = {"item": ["x", "y"], "outcome": "o", "category": "yes", "value": None, "status": "ok"}
    >>> tally = pl.DataFrame(counts | {"count": [2, 5], "first_seen": [0, 1]})
    >>> drawn = pl.concat(resampled(tally, "item", [], [], seed=1, rows=1000))
    >>> sorted(drawn["count"].unique()), drawn.height  # both twice, or each once
    ([4, 7, 10], 999)
    """
    known = {"outcome", "category", "value", "status"}
    scores = [name for name, kind in tally.schema.items() if kind == pl.Float64 and name not in known]
    keys = [*by, *(name for name in factors if name not in by), "outcome", "category", "value", *scores, "status"]
    parts = tally.group_by([*keys, cluster]).agg(pl.col("count").sum(), pl.col("first_seen").min())
    parts = _merge_equal_clusters(parts, cluster, by, [*keys, "count"])
    if ALIKE not in parts.columns:
        parts = parts.with_columns(pl.lit(1.0).alias(ALIKE))
    found = parts.select(*by, cluster, ALIKE).unique().sort([*by, cluster])
    cells = [own for _, own in each_cell(found, by)]
    streams = [stream(key) for key in stream_keys(seed, cells_of(found, by), "clusters")]
    step = max(1, rows // max(parts.height, 1))
    for first in range(0, DRAWS, step):
        weights: list[pl.DataFrame] = []
        for cell, generator in zip(cells, streams, strict=True):
            alike = cell.get_column(ALIKE).to_numpy()
            size = int(alike.sum())
            times = generator.multinomial(size, alike / size, size=min(step, DRAWS - first))
            draw, place = np.nonzero(times)
            own = (
                cell[place]
                .drop(ALIKE)
                .with_columns(
                    pl.Series(LEFT_OUT, first + draw),
                    pl.Series(_WEIGHT, times[draw, place]),
                    pl.lit(float(size)).alias(_CLUSTERS),
                )
            )
            weights.append(own)
        yield (
            pl.concat(weights)
            .join(parts, on=[*by, cluster], nulls_equal=True)
            .group_by([*keys, LEFT_OUT, _CLUSTERS])
            .agg((pl.col("count") * pl.col(_WEIGHT)).sum(), pl.col("first_seen").min())
            .with_columns(pl.col(LEFT_OUT).cast(pl.String))
            .sort([*keys, LEFT_OUT])
        )


def jackknifed(
    whole: pl.DataFrame,
    replicates: pl.DataFrame,
    by: Sequence[str],
    scale: pl.DataFrame,
    *,
    confidence: float = 0.95,
    null_value: float | str | None = None,
    kind: StandardError = "CV3",
    df: DegreesOfFreedom = "clusters",
) -> pl.DataFrame:
    """Add standard errors, intervals and tests of the jackknife over clusters, or of their bootstrap, to estimates.

    With G clusters, t the estimate and t_g that without cluster g: std_error = sqrt((G - 1) / G sum (t_g - t)²), the
    interval t ± Student's quantile times it. For linear regression this is CV3. Levels that share clusters are thereby
    compared within clusters. Equal to R's sandwich::vcovJK(center = "estimate"); CV3J, around the mean of the t_g,
    equals center = "mean". With a bootstrap the standard error is the standard deviation of the replicates that exist,
    which must be at least 95% of all draws.

    Args:
        whole: Estimates of all responses.
        replicates: Estimates without each cluster, with `LEFT_OUT`, and `ALIKE` if one stands for several. A cluster
            counts if n is smaller without it, or the estimate differs (n may refer to only one of several parts). For a
            bootstrap, the estimates of each draw, with the number of `clusters`.
        scale: `by`, `outcome`, `term` and `estimate`: the numbers that each estimate is computed from, whose size sets
            the threshold for rounding errors.
        null_value: The estimate under the null hypothesis, or the column of `whole` that holds it; None for no test.
        kind: `CV3`, `CV3J`, `bootstrap`, or `CR1`, for replicates that give it (see `influences`).
        df: `clusters`: G - 1 degrees of freedom. `effective`: with n_g the size of cluster g, the effective number of
            clusters is G* = (sum n_g)² / sum n_g², and 1 / df = (1 / (G - 1) + 2 / (G* - 1)) / 3, at least 1. With
            clusters of equal sizes both are G - 1. If sizes differ, tests reject too often with G - 1, and too seldom
            with G* - 1, as CV3 then overestimates the variance; the weights are from simulation (docs/coverage.md).

    Returns:
        The estimates. With fewer than two clusters, clusters that do not differ, or an estimate that does not exist
        without one of them, there is no standard error: the status is `degenerate`.

    Source:
        Bell, R. M. & McCaffrey, D. F. (2002). Bias reduction in standard errors for linear regression with multi-stage
        samples. Survey Methodology, 28, 169-181. MacKinnon, J. G., Nielsen, M. Ø. & Webb, M. D. (2023). Fast and
        reliable jackknife and bootstrap methods for cluster-robust inference. Journal of Applied Econometrics, 38,
        671-694. Carter, A. V., Schnepel, K. T. & Steigerwald, D. G. (2017). Asymptotic behavior of a t-test robust to
        cluster heterogeneity. Review of Economics and Statistics, 99, 698-709 (G*, its coefficient of variation from
        sizes alone).
    """
    keys = [*by, "outcome", "term"]
    estimate = pl.col("estimate")
    wholes = whole.select(*keys, estimate.alias(_WHOLE), pl.col("n").alias(_SIZE))
    own = replicates.join(wholes, on=keys, nulls_equal=True).sort([*keys, LEFT_OUT])
    if kind == "bootstrap":
        sums = (
            pl.col(_CLUSTERS).first(),
            # Scaled like the jackknife's squares, so that (G - 1) / G times their sum is the variance.
            (estimate.var() * pl.col(_CLUSTERS).first() / (pl.col(_CLUSTERS).first() - 1)).alias("squares"),
            (estimate.count() < _DEFINED * DRAWS).alias("undefined"),
            pl.col(_CLUSTERS).first().alias(_EFFECTIVE),
        )
    else:
        if ALIKE not in own.columns:
            own = own.with_columns(pl.lit(1.0).alias(ALIKE))
        alike, sizes = pl.col(ALIKE), (pl.col(_SIZE) - pl.col("n")).cast(pl.Float64)
        mean = (estimate * alike).sum() / (estimate.is_not_null() * alike).sum()
        moved = (estimate - pl.col(_WHOLE)).abs() > _SAME * (estimate.abs() + pl.col(_WHOLE).abs()) + _NOTHING
        is_one = pl.col(LEFT_OUT).cast(pl.String) != _ALL
        own = own.filter((pl.col("n") < pl.col(_SIZE)) | (is_one & moved.fill_null(value=True)))
        centre = mean if kind == "CV3J" else pl.col(_WHOLE)
        sums = (
            alike.sum().alias(_CLUSTERS),
            ((estimate - centre).pow(2) * alike).sum().alias("squares"),
            estimate.is_null().any().alias("undefined"),
            ((sizes * alike).sum().pow(2) / (sizes.pow(2) * alike).sum()).alias(_EFFECTIVE),
        )
    spread = own.group_by(keys, maintain_order=True).agg(*sums)
    scales = scale.group_by(keys).agg(estimate.abs().max().alias(_SCALE))
    found = whole.drop(_CLUSTERS, strict=False)
    for part in (spread, scales):
        found = found.join(part, on=keys, how="left", nulls_equal=True, maintain_order="left")
    known = pl.col(null_value) if isinstance(null_value, str) else pl.lit(null_value, dtype=pl.Float64)
    found = found.with_columns(known.alias("null_value"))
    clusters, effective, squares, size, value, null = (
        found.get_column(name).cast(pl.Float64).fill_null(np.nan).to_numpy()
        for name in (_CLUSTERS, _EFFECTIVE, "squares", _SCALE, "estimate", "null_value")
    )
    with np.errstate(all="ignore"):
        error = np.sqrt((clusters - 1.0) / clusters * squares)
        exists = ~found.get_column("undefined").fill_null(value=True).to_numpy() & ~np.isnan(value)
        error = np.where(exists & (clusters > 1) & (error > _NOTHING * size), error, np.nan)
        degrees = clusters - 1.0
        if df == "effective":
            fewer = effective - 1.0
            degrees = np.maximum(3.0 * degrees * fewer / (2.0 * degrees + fewer), 1.0)
        degrees = np.where(np.isnan(error), np.nan, degrees)
        reach = critical_value((1.0 - confidence) / 2.0, degrees) * error
        statistic = (value - null) / error
        log_p = log_p_value(statistic, degrees)
    lacking = pl.Series(np.isnan(error)) & (pl.col("status") == "ok")
    return as_estimates(
        found.with_columns(
            pl.Series("std_error", error),
            pl.Series("ci_low", value - reach),
            pl.Series("ci_high", value + reach),
            pl.lit(confidence).alias("confidence"),
            pl.Series("statistic", statistic),
            pl.Series("df", degrees),
            pl.Series("p_value", np.exp(log_p)),
            pl.Series("log_p_value", log_p),
            pl.when(lacking).then(pl.lit("degenerate")).otherwise("status").alias("status"),
        ),
        by,
    )


def influences(whole: pl.DataFrame, replicates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Convert means without each cluster to replicates whose jackknife standard error is that of linearisation (CR1).

    With m the mean of n numbers x and m_g that of the n_g numbers outside cluster g, the sum of m - x over the cluster
    is n_g (m_g - m): the replicate m + G / (G - 1) n_g (m_g - m) / n gives the standard error sqrt(G / (G - 1) sum over
    clusters (sum of (x - m))²) / n, as R's sandwich::vcovCL of lm(x ~ 1).

    References:
        Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika,
        73, 13-22. Cameron, A. C. & Miller, D. L. (2015). A practitioner's guide to cluster-robust inference. Journal of
        Human Resources, 50, 317-372 (also for the degrees of freedom).
    """
    keys, alike = [*by, "outcome", "term"], pl.col(ALIKE) if ALIKE in replicates.columns else pl.lit(1.0)
    wholes = whole.select(*keys, pl.col("estimate").alias(_WHOLE), pl.col("n").alias(_SIZE))
    own = replicates.join(wholes, on=keys, nulls_equal=True).filter(pl.col("n") < pl.col(_SIZE))
    clusters, moved = alike.sum().over(keys), (pl.col("estimate") - pl.col(_WHOLE)) * (pl.col("n") / pl.col(_SIZE))
    return own.with_columns(pl.col(_WHOLE) + clusters / (clusters - 1) * moved).select(
        pl.col(_WHOLE).alias("estimate"), pl.exclude("estimate", _WHOLE, _SIZE)
    )
