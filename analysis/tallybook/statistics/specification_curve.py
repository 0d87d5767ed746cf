"""Specification curves: summaries of an estimate over many specifications, and a permutation test of all of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.seeds import stream, stream_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

TERMS = ("median", "min", "max", "share_significant", "share_opposite")
"""The rows of `specification_curve`, in their order."""
DRAW = "draw of the test"
"""The column with the number of the draw."""


def exchanged(
    tally: pl.DataFrame, cluster: str, factor: str, levels: Sequence[str], *, seed: int, draws: range
) -> pl.DataFrame:
    """Build tallies under the null hypothesis of no effect of a factor, by permuting its levels within clusters.

    Levels are permuted within each cluster that has several (two levels are swapped with probability 1/2); clusters
    with a single level exchange their levels with each other. A cluster's responses at one level stay together.

    Args:
        tally: Counts by `cluster` and `factor`, among others; rows of other levels are left out.
        seed: The study's seed; each draw has its own random stream.
        draws: The numbers of the draws.

    Returns:
        The permuted tallies of all draws, which the column `DRAW` numbers.
    """
    own = tally.filter(pl.col(factor).is_in(list(levels))).with_columns(pl.col(factor).cast(pl.String))
    present = own.select(cluster, factor).unique().sort(cluster, factor)
    rows = present.with_row_index("row").group_by(cluster, maintain_order=True).agg("row").get_column("row").to_list()
    matrices = [np.array([own for own in rows if len(own) == size]) for size in sorted({*map(len, rows)})]
    numbered = pl.DataFrame({DRAW: [str(draw) for draw in draws]})
    taken = np.tile(np.arange(present.height), (len(draws), 1))  # draws x rows: the row whose level each gets
    for new, key in zip(taken, stream_keys(seed, numbered, "specification curve"), strict=True):
        generator = stream(key)
        for members in matrices:
            alone = members.shape[1] == 1
            new[members] = generator.permutation(members) if alone else generator.permuted(members, axis=1)
    given = numbered.join(present, how="cross", maintain_order="left_right")
    given = given.with_columns(present.get_column(factor).gather(taken.ravel()).alias("new"))
    joined = own.join(given, on=[cluster, factor])
    return joined.with_columns(pl.col("new").alias(factor)).select(*tally.columns, DRAW)


def without(tally: pl.DataFrame, cluster: str) -> pl.DataFrame:
    """Sum a tally over its clusters."""
    keys = [name for name in tally.columns if name not in {cluster, "count", "first_seen"}]
    return tally.group_by(keys, maintain_order=True).agg(pl.col("count").sum(), pl.col("first_seen").min())


def specification_curve(
    found: pl.DataFrame, by: Sequence[str], draws: pl.DataFrame | None = None, *, alpha: float = 0.05
) -> pl.DataFrame:
    """Compute median, range and significant share of an estimate over its specifications, with resampling tests.

    `share_significant` is the share of the specifications with a p-value whose p is below alpha, in the direction in
    which more of them are; `share_opposite` is the share of the specifications on the other side of the null value than
    the median. With draws under the null hypothesis, the p-values of `median` and `share_significant` are
    (1 + k) / (1 + draws), k being the number of draws whose median is at least as far from the null value, or whose
    share is at least as large. Draws in which the statistic is undefined are included in k; if it is undefined in all,
    there is no p-value. Distances from a null value of 1 (ratios) are logarithms.

    Args:
        found: `by`, `outcome`, `term`, `estimate`, `null_value`, `p` (the adjusted one where there is a correction)
            and `specification`.
        draws: The same columns for each draw, with `DRAW`.

    Returns:
        Estimates, five for each term, which is named `term: median` and so on; n is the number of specifications with
        an estimate.

    Source:
        Simonsohn, U., Simmons, J. P. & Nelson, L. D. (2020). Specification curve analysis. Nature Human Behaviour, 4,
        1208-1214.

    >>> frame = pl.DataFrame(
    ...     {
    ...         "outcome": "o",
    ...         "term": "yes",
    ...         "specification": ["a", "b", "c"],
    ...         "estimate": [0.1, 0.3, -0.1],
    ...         "null_value": 0.0,
    ...         "p": [0.03, 0.01, 0.2],
    ...     }
    ... )
    >>> specification_curve(frame, []).select("term", pl.col("estimate").round(3)).rows()[:4]
    [('yes: median', 0.1), ('yes: min', -0.1), ('yes: max', 0.3), ('yes: share_significant', 0.667)]
    """
    keys = [*by, "outcome", "term"]
    whole = _curves(found, keys, alpha)
    if draws is not None:
        drawn = _curves(draws, [*keys, DRAW], alpha).join(whole, on=keys, nulls_equal=True, suffix="_observed")
        reached = {
            "median": pl.col("distance").abs() >= pl.col("distance_observed").abs() * (1 - 1e-9),
            "share_significant": pl.col("share_significant") >= pl.col("share_significant_observed") - 1e-9,
        }
        share = [
            pl.when(one.is_not_null().any())
            .then((1 + one.fill_null(value=True).sum()) / (1 + pl.len()))
            .alias(f"p of {name}")
            for name, one in reached.items()
        ]
        whole = whole.join(
            drawn.group_by(keys).agg(share), on=keys, how="left", nulls_equal=True, maintain_order="left"
        )
    parts = [
        whole.select(
            *keys,
            "n",
            pl.col(name).alias("estimate"),
            pl.lit(place).alias("place"),
            pl.when(pl.col(name).is_not_null()).then(p := _p_value(whole, name)).alias("p_value"),
            pl.when(pl.col(name).is_not_null()).then(p.log()).alias("log_p_value"),
            pl.when(pl.lit(name == "median") & p.is_not_null()).then("null_value").alias("null_value"),
            pl.format("{} of {} specifications", pl.lit(name.replace("_", " ")), "specifications").alias("method"),
            status_of(pl.col(name).is_null() & (pl.col("n") == 0), degenerate=pl.col(name).is_null()),
        )
        for place, name in enumerate(TERMS)
    ]
    every = pl.concat(parts).sort(*keys, "place")
    named = pl.format("{}: {}", "term", pl.col("place").replace_strict(dict(enumerate(TERMS)), return_dtype=pl.String))
    return as_estimates(every.with_columns(named.alias("term")), by)


def _p_value(whole: pl.DataFrame, name: str) -> pl.Expr:
    column = f"p of {name}"
    return pl.col(column) if column in whole.columns else pl.lit(None, dtype=pl.Float64)


def _curves(found: pl.DataFrame, keys: Sequence[str], alpha: float) -> pl.DataFrame:
    """Summarise all specifications of each cell."""
    value, null, p = pl.col("estimate"), pl.col("null_value").fill_null(0.0), pl.col("p")
    distance = pl.when(null == 1.0).then(value.log()).otherwise(value - null)
    is_significant, middle = (p < alpha).fill_null(value=False), pl.col("away").median()
    sides = [(is_significant & side).sum() for side in (pl.col("away") > 0, pl.col("away") < 0)]
    tested = pl.when(p.is_not_null().any()).then(p.is_not_null().sum())
    return (
        found.with_columns(pl.when(distance.is_finite()).then(distance).alias("away"))
        .group_by(keys, maintain_order=True)
        .agg(
            value.count().cast(pl.Int64).alias("n"),
            pl.len().alias("specifications"),
            null.first().alias("null_value"),
            middle.alias("distance"),
            value.median().alias("median"),
            value.min().alias("min"),
            value.max().alias("max"),
            (pl.max_horizontal(sides) / tested).alias("share_significant"),
            (pl.col("away").sign() == -middle.sign()).mean().alias("share_opposite"),
        )
    )
