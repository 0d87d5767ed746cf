"""Divergences between groups in every cell, and the stereotype score."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tallybook.statistics.cells import term_counts
from tallybook.statistics.divergences.divergence import DIVERGENCE_NAMES, divergence
from tallybook.statistics.divergences.permutation import (
    by_cluster,
    cluster_permutation,
    clustered_tables,
    permutation_test,
)
from tallybook.statistics.estimates import as_estimates, counted, estimates_of
from tallybook.statistics.seeds import IN_KEYS, stream_keys
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.statistics.arrays import Counts, Floats
    from tallybook.statistics.divergences.divergence import Divergence, Smoothing


# A column name that no frame uses.
_RANK = "rank of the level"


def group_divergences(
    frame: pl.DataFrame,
    by: Sequence[str],
    between: str,
    category: str,
    *,
    kind: Divergence = "jensen-shannon",
    epsilon: float = 0.0,
    base: float = math.e,
    levels: Sequence[object] | None = None,
    permutations: int = 9999,
    seed: int = 0,
    cluster: str | None = None,
) -> pl.DataFrame:
    """Compute the divergence of every pair of groups in every cell, with a permutation test.

    Args:
        between: The factor whose levels are compared; a row without a level belongs to no group.
        category: The column of categories; rows without a category are not observations.
        kind: The divergence; see `divergence`.
        epsilon: The constant added to the counts of the categories that occur in a pair (or its permutation); with 0 a
            Kullback-Leibler divergence may be infinite.
        base: Base of the logarithm.
        levels: The levels that are compared, in order; by default all that occur, sorted. A divergence runs from the
            earlier level P to the later one Q.
        permutations: The number of random tables that are drawn if there are too many to list (see `permutation_test`);
            0 for no test.
        seed: The seed from which the random streams are derived, together with the keys of cells and groups
            (`stream_keys`).
        cluster: The column of the clusters: all responses of a cluster at a level are permuted together (see
            `cluster_permutation`). If None, single responses are permuted.

    Returns:
        Estimates, a row a cell and pair of levels: term `P || Q`, n the observations of both, the divergence, null
        value 0 and p of the permutation test. A pair of which one level has no observations is `no-data`; it is
        `degenerate` where the divergence does not exist (it is infinite, or no category counts). p is null if tables of
        1e9 observations or more would have to be drawn.

    >>> answers = pl.DataFrame(
    ...     {"group": ["f", "f", "m", "m"], "answer": ["yes", "no", "yes", "no"], "count": [30, 20, 18, 32]}
    ... )
    >>> result = group_divergences(answers, [], "group", "answer", kind="total-variation")
    >>> result.select("term", "estimate", pl.col("p_value").round(6)).rows()
    [('f || m', 0.24, 0.027184)]
    """

    def measure(counts_p: Floats, counts_q: Floats) -> Floats:
        return divergence(kind, counts_p, counts_q, epsilon=epsilon, support="union", base=base)

    pairs = _level_pairs(frame, by, between, levels)
    tables = _tables(counted(frame, [*by, between], [category]), pairs)
    parts = None if cluster is None else by_cluster(frame, by, between, category, cluster)
    keys = stream_keys(seed, pairs.rename(IN_KEYS, strict=False), "permutation")
    of = "" if cluster is None else f" of clusters ({cluster})"
    rows: list[dict[str, Any]] = []
    for pair, (p, q), key in zip(pairs.rows(), tables, keys, strict=True):
        empty = not p.sum() or not q.sum()
        estimate = np.nan if empty else float(measure(p.astype(np.float64), q.astype(np.float64)))
        tested = permutations > 0 and math.isfinite(estimate)
        test = None
        if tested and parts is not None:
            blocks = clustered_tables(parts, pair)
            test = cluster_permutation(*blocks, measure, key, permutations=permutations)
        elif tested:
            test = permutation_test(p, q, measure, key, permutations=permutations)
        p_value, log_p_value, exact = test or (np.nan, np.nan, False)
        how = "exact permutation test" if exact else f"{permutations} permutations" if test else ""
        rows.append(
            {
                **dict(zip(by, pair, strict=False)),
                "term": " || ".join(map(str, pair[-2:])),
                "n": int(p.sum() + q.sum()),
                "estimate": estimate,
                "null_value": 0.0,
                "p_value": p_value,
                "log_p_value": log_p_value,
                "method": _described(kind, epsilon, base) + (f", {how}{of}" if how else ""),
                "status": "no-data" if empty else "ok" if math.isfinite(estimate) else "degenerate",
            }
        )
    return estimates_of(rows, frame, by)


def _described(kind: Divergence, epsilon: float, base: float) -> str:
    text = f"{DIVERGENCE_NAMES[kind]}, union categories"
    if kind not in {"total-variation", "hellinger"}:
        text += ", base e" if base == math.e else f", base {base:g}"
    return f"{text}, epsilon {epsilon:g} on counts" if epsilon else text


def _level_pairs(frame: pl.DataFrame, by: Sequence[str], between: str, levels: Sequence[object] | None) -> pl.DataFrame:
    """List the pairs of levels P and Q, in order, for which a cell has rows."""
    known = frame.get_column(between).drop_nulls().unique().sort()
    order = known if levels is None else pl.Series(between, levels, dtype=known.dtype).unique(maintain_order=True)
    groups = frame.select(*by, between).unique().join(order.to_frame().with_row_index(_RANK), on=between)
    first, second = (groups.rename({between: f"{between}: {side}", _RANK: f"{_RANK} {side}"}) for side in "PQ")
    pairs = first.join(second, on=by, nulls_equal=True) if by else first.join(second, how="cross")
    p, q = pl.col(f"{_RANK} P"), pl.col(f"{_RANK} Q")
    wanted = pairs.filter(p < q).sort(*by, p, q)
    return wanted.select(*by, f"{between}: P", f"{between}: Q")


def _tables(counts: pl.DataFrame, pairs: pl.DataFrame) -> list[tuple[Counts, Counts]]:
    """Return the counts of P and Q for every pair, over the categories that occur in either."""
    groups: dict[tuple[Any, ...], dict[Any, int]] = {}
    for *group, value, count in counts.iter_rows():
        groups.setdefault(tuple(group), {})[value] = count
    tables: list[tuple[Counts, Counts]] = []
    for *cell, first, second in pairs.iter_rows():
        p, q = (groups.get((*cell, level), {}) for level in (first, second))
        sides = [np.array([own.get(name, 0) for name in sorted({*p, *q})], np.int64) for own in (p, q)]
        tables.append((sides[0], sides[1]))
    return tables


def stereotype_scores(
    tally: pl.DataFrame,
    by: Sequence[str],
    terms: Mapping[str, Mapping[str, Sequence[str]]],
    *,
    between: str,
    levels: Sequence[str],
    within: str,
    refusal: bool = True,
    epsilon: float = 1e-12,
    smoothing: Smoothing = "counts",
    both_directions: bool = False,
    base: float = math.e,
) -> pl.DataFrame:
    """Compute the mean over dimensions of the largest divergence between two groups of the dimension.

    score = mean over d of max over i < j of KL(P_i || P_j), with P the distribution over an outcome's terms.

    Args:
        by: The factors for whose combinations scores are computed.
        terms: Outcome -> term -> the categories it counts. Terms must not overlap: they are one distribution.
        between: The factor whose levels are compared.
        levels: These levels in order; the divergence runs from an earlier to a later one.
        within: The factor whose levels hold the groups that are compared with each other.
        refusal: Whether refusal is one of the terms.
        epsilon: The constant added to each term; for disjoint groups it largely determines the score.
        both_directions: Whether KL(P_j || P_i) is compared as well.

    Returns:
        Estimates: term `mean`, whose n is the number of dimensions, and one term for each dimension, whose n is the
        number of defined divergences. A dimension without two groups that have data is `no-data`, and so is the
        mean over it. Where a divergence is infinite, which only occurs with epsilon 0, both are `degenerate`, as the
        largest of the finite ones is not the maximum.

    Source:
        Wang, Brignac, Mao & Fang (2025), stereotype bias; Kullback, S. & Leibler, R. A. (1951), Annals of
        Mathematical Statistics 22, 79-86.
    """
    cell = [*by, "outcome", within]
    excluded = [INVALID] if refusal else [INVALID, REFUSAL]
    groups = (
        term_counts(tally, list(dict.fromkeys([*by, within, between])), terms)
        .filter(~pl.col("term").is_in(excluded))
        .group_by([*cell, between], maintain_order=True)
        .agg(pl.col("k"))
        .with_columns(
            pl.col(between).replace_strict(list(levels), range(len(levels)), return_dtype=pl.Int64).alias("rank")
        )
    )
    pairs = groups.join(groups, on=cell, suffix="_other").filter(pl.col("rank") < pl.col("rank_other"))
    pairs = pairs.sort([*cell, "rank", "rank_other"])
    if both_directions:
        reverse = pairs.with_columns(pl.col("k_other").alias("k"), pl.col("k").alias("k_other"))
        pairs = pl.concat([pairs, reverse])
    both_have_data = (pl.col("k").list.sum() > 0) & (pl.col("k_other").list.sum() > 0)
    measured = _divergences(pairs, epsilon=epsilon, smoothing=smoothing, base=base).with_columns(
        (pl.col("divergence").is_null() & both_have_data).alias("infinite")
    )
    largest = (
        groups.select(cell)
        .unique()
        .join(measured, on=cell, how="left")
        .group_by(cell)
        .agg(
            pl.col("divergence").count().alias("n"),
            pl.col("infinite").any(),
            pl.when(~pl.col("infinite").any()).then(pl.col("divergence").max()).alias("estimate"),
        )
        .sort(cell)
    )
    complete = pl.col("estimate").is_not_null().all()
    mean = (
        largest.group_by([*by, "outcome"], maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.col("infinite").any(),
            pl.when(complete).then(pl.col("estimate").mean()).alias("estimate"),
        )
        .with_columns(pl.lit("mean").alias("term"), pl.col("n").cast(pl.Int64))
    )
    dimension = largest.with_columns(pl.col(within).alias("term"), pl.col("n").cast(pl.Int64)).drop(within)
    direction = "both directions" if both_directions else "earlier to later group"
    return as_estimates(
        pl.concat([mean.select(dimension.columns), dimension]).with_columns(
            pl.lit(f"largest Kullback-Leibler divergence, {direction}").alias("method"),
            pl.when(pl.col("infinite"))
            .then(pl.lit("degenerate"))
            .when(pl.col("estimate").is_null())
            .then(pl.lit("no-data"))
            .otherwise(pl.lit("ok"))
            .alias("status"),
        ),
        by,
    )


def _divergences(pairs: pl.DataFrame, *, epsilon: float, smoothing: Smoothing, base: float) -> pl.DataFrame:
    """Compute the divergence of every pair; outcomes with equally many terms are computed together."""
    measured = [
        part.with_columns(
            pl.Series(
                "divergence",
                divergence(
                    "kullback-leibler",
                    part.get_column("k").list.to_array(width).to_numpy(),
                    part.get_column("k_other").list.to_array(width).to_numpy(),
                    epsilon=epsilon,
                    smoothing=smoothing,
                    base=base,
                ),
                nan_to_null=True,
            )
        )
        for width, part in ((int(part.get_column("k").list.len()[0]), part) for part in _by_width(pairs))
    ]
    if not measured:
        return pairs.with_columns(pl.lit(None, dtype=pl.Float64).alias("divergence"))
    return pl.concat(measured)


def _by_width(pairs: pl.DataFrame) -> list[pl.DataFrame]:
    widths = pairs.get_column("k").list.len().alias("width")
    return pairs.with_columns(widths).partition_by("width", include_key=False)
