"""Divergences between distributions given as counts of categories."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

import numpy as np
import polars as pl

from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.proportions.binomial import deviance_part, first_index

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from tallybook.statistics.arrays import Floats


Smoothing: TypeAlias = Literal["counts", "proportions"]
"""The place of epsilon: P = (c + epsilon) / sum(c + epsilon) for counts c, or the same for proportions c / sum(c)."""

Support: TypeAlias = Literal["declared", "union"]
"""The categories included: all given ones, or those that occur in P or Q; this matters only with smoothing."""

Divergence: TypeAlias = Literal["kullback-leibler", "jensen-shannon", "total-variation", "hellinger"]

_ROUNDING = 8.0 * np.finfo(np.float64).eps

DIVERGENCE_NAMES: dict[Divergence, str] = {
    "kullback-leibler": "Kullback-Leibler divergence",
    "jensen-shannon": "Jensen-Shannon divergence",
    "total-variation": "total variation distance",
    "hellinger": "Hellinger distance",
}
"""The printed names of the divergences."""


def divergence(
    kind: Divergence,
    counts_p: ArrayLike,
    counts_q: ArrayLike,
    *,
    epsilon: float = 0.0,
    smoothing: Smoothing = "counts",
    support: Support = "declared",
    base: float = math.e,
) -> Floats:
    """Compute a divergence of smoothed counts, row by row.

    - kullback-leibler: KL(P || Q) = sum P ln(P / Q) / ln(base). scipy's `rel_entr` loses its sign and its size where
      epsilon is tiny. Where the groups are disjoint, epsilon sets the value: two groups of 50 and epsilon = 1e-12 on
      counts give ln(50 / 1e-12) = 31.543.
    - jensen-shannon: (KL(P || M) + KL(Q || M)) / 2 with M = (P + Q) / 2, by scipy's `jensenshannon`; between 0 and
      ln 2 / ln(base), the value of disjoint groups.
    - total-variation: sum |P - Q| / 2, the largest difference of any event's probability.
    - hellinger: sqrt(sum (sqrt P - sqrt Q)² / 2).

    smoothing "counts": P = (c + epsilon) / sum(c + epsilon);
    "proportions": P = (c / sum(c) + epsilon) / sum(c / sum(c) + epsilon).

    Args:
        kind: The divergence.
        counts_p: Counts (or weights) of P, cells x categories: the last axis is the categories, the others broadcast.
        counts_q: Counts of Q, likewise.
        epsilon: The constant added to every count or proportion.
        smoothing: Whether epsilon is added to counts or to proportions.
        support: The categories that count: all that are given, or those that occur in P or Q.
        base: Base of the logarithm of the first two; e gives nats, 2 gives bits.

    Returns:
        An array without the last axis. Never negative or infinite, and 0 exactly where P = Q. NaN where the divergence
        does not exist: a row without any count (no data are not a uniform distribution), a missing count, no category
        that counts, or for Kullback-Leibler a category with P > 0 and Q = 0, which only occurs with epsilon = 0.

    Raises:
        ValueError: Shapes do not broadcast, a count is negative, or a setting is unknown.

    References:
        Kullback, S. & Leibler, R. A. (1951), Annals of Mathematical Statistics 22, 79-86. Lin, J. (1991), IEEE
        Transactions on Information Theory 37, 145-151. Levin, D. A., Peres, Y. & Wilmer, E. L. (2017), Markov Chains
        and Mixing Times, section 4.1. Le Cam, L. & Yang, G. L. (2000), Asymptotics in Statistics, section 3.2.

    >>> divergence("kullback-leibler", [[50, 0], [3, 1]], [[0, 50], [1, 1]], epsilon=1e-12).round(6)
    array([31.543044,  0.130812])
    >>> divergence("jensen-shannon", [[50, 0], [3, 1]], [[0, 50], [1, 1]], base=2).round(6)
    array([1.      , 0.048795])
    """
    if kind not in get_args(Divergence):
        raise ValueError(f"divergence is {kind!r}: expected one of {', '.join(get_args(Divergence))}")
    p, q = _distributions(counts_p, counts_q, epsilon, smoothing, support)
    with np.errstate(all="ignore"):
        match kind:
            case "kullback-leibler":
                # P ln(P/Q) + Q - P has the same sum, as P and Q both add up to 1, and no negative terms, so that
                # rounding cannot make the sum negative.
                return _finite(deviance_part(p, q, q - p).sum(axis=-1) / _log_base(base))
            case "total-variation":
                return _finite(np.minimum(np.abs(p - q).sum(axis=-1) / 2.0, 1.0))
            case "hellinger":
                # sqrt P - sqrt Q without cancellation.
                root = np.where(p == q, 0.0, (p - q) / (np.sqrt(p) + np.sqrt(q)))
                return _finite(np.minimum(np.sqrt(np.square(root).sum(axis=-1) / 2.0), 1.0))
            case _:
                return _jensen_shannon(p, q, base)


def _jensen_shannon(p: Floats, q: Floats, base: float) -> Floats:
    from scipy.spatial import distance

    jensenshannon: Any = distance.jensenshannon
    log_base = _log_base(base)
    if log_base < 0:
        raise ValueError(f"base is {base}: expected a number above 1")
    # Through rounding, scipy gives NaN where P is nearly Q, and not exactly ln 2 for disjoint groups.
    nats = np.nan_to_num(np.square(jensenshannon(p, q, axis=-1)))
    nats = np.where(nats > math.log(2.0) * (1.0 - _ROUNDING), math.log(2.0), nats)
    exists = np.isfinite(p.sum(axis=-1) + q.sum(axis=-1))
    return np.where(exists, nats, np.nan) / log_base


def _finite(values: Floats) -> Floats:
    return np.where(np.isfinite(values), values, np.nan)


def _log_base(base: float) -> float:
    if not (base > 0 and base != 1 and math.isfinite(base)):
        raise ValueError(f"base is {base}: expected a finite positive number other than 1")
    return math.log(base)


def _distributions(
    counts_p: ArrayLike, counts_q: ArrayLike, epsilon: float, smoothing: Smoothing, support: Support
) -> tuple[Floats, Floats]:
    """Compute the smoothed distributions of every row, broadcast; NaN throughout a row without any count."""
    if not (epsilon >= 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon is {epsilon}: expected a finite number, at least 0")
    for name, setting, known in (("smoothing", smoothing, Smoothing), ("support", support, Support)):
        if setting not in get_args(known):
            raise ValueError(f"{name} is {setting!r}: expected one of {', '.join(get_args(known))}")
    p, q = _checked("counts_p", counts_p), _checked("counts_q", counts_q)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(f"counts_p has {p.shape[-1]} categories, counts_q has {q.shape[-1]}")
    if support == "declared":
        p, q = np.broadcast_arrays(_smoothed(p, epsilon, smoothing), _smoothed(q, epsilon, smoothing))
        return p, q
    # A category with a missing count is kept, so that the result is NaN.
    counts = (p != 0) | (q != 0)
    p, q = (_smoothed(np.where(counts, own, 0.0), epsilon * counts, smoothing) for own in (p, q))
    return p, q


def _checked(name: str, counts: ArrayLike) -> Floats:
    c = np.asarray(counts, np.float64)
    if c.ndim == 0 or c.shape[-1] == 0:
        raise ValueError(f"{name} has no categories: expected them along the last axis")
    wrong = (c < 0) | np.isinf(c)
    if wrong.any():
        index = first_index(wrong)
        raise ValueError(f"{name}{list(index)} is {c[index]:.15g}: expected a finite count, at least 0")
    return c


def _smoothed(counts: Floats, epsilon: float | Floats, smoothing: Smoothing) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        total = counts.sum(axis=-1, keepdims=True)
        if np.ndim(epsilon) == 0 and epsilon == 0:
            return counts / total
        # The total is taken before smoothing, so that an empty row stays NaN.
        shifted = (counts if smoothing == "counts" else counts / total) + epsilon
        return np.where(total > 0, shifted / shifted.sum(axis=-1, keepdims=True), np.nan)


def distances_from_reference(
    counts: pl.DataFrame, by: Sequence[str], categories: Sequence[str], references: pl.DataFrame, shared: Sequence[str]
) -> pl.DataFrame:
    """Compute the similarity of the shares of ordered categories to known proportions, in every cell.

    With shares p and proportions q of N categories, and their sums P and Q up to each category:
    alignment = 1 - W / (N - 1), where W = sum |P - Q| is the Wasserstein distance with neighbouring categories at
    distance 1: 1 where both distributions are equal, 0 where one is concentrated at one end and the other at the other
    end. total_variation = sum |p - q| / 2.

    Args:
        categories: All categories, in their order, at least two.
        references: `shared`, `category` and `proportion`.
        shared: The columns of `by` that the proportions are split by.

    Returns:
        Estimates, two a cell: n and estimate. A cell without responses is `no-data`, one without the proportions of all
        categories `no-reference`, and one whose proportions do not add up to 1 `invalid-reference`.

    References:
        Durmus, E. et al. (2024). Towards measuring the representation of subjective global opinions in language models.
        COLM 2024. Santurkar, S. et al. (2023). Whose opinions do language models reflect? ICML 2023.
    """
    places = pl.DataFrame({"category": list(categories), "_place": range(len(categories))})
    every = counts.select(by).unique().join(places, how="cross")
    known = references.filter(pl.col("category").is_in(list(categories))).select(*shared, "category", "proportion")
    sums = counts.group_by([*by, "category"]).agg(pl.col("count").sum())
    on = [*by, "category"]
    table = (
        every.join(sums, on=on, how="left", nulls_equal=True)
        .join(known, on=[*shared, "category"], how="left", nulls_equal=True)
        .with_columns(pl.col("count").fill_null(0))
        .sort(*by, "_place")
    )
    n, q = pl.col("count").sum(), pl.col("proportion")
    p = pl.col("count") / pl.col("count").sum()
    wanted = [
        n.cast(pl.Int64).alias("n"),
        (1 - (p - q).cum_sum().abs().sum() / (len(categories) - 1)).alias("alignment"),
        ((p - q).abs().sum() / 2).alias("total_variation"),
        q.null_count().alias("_lacking"),
        q.sum().alias("_whole"),
    ]
    found = table.group_by(by, maintain_order=True).agg(wanted)
    is_wrong = (pl.col("_whole") - 1).abs() > _TOLERANCE
    rows = found.with_columns(status_of(no_reference=pl.col("_lacking") > 0, invalid_reference=is_wrong))
    parts = [
        rows.with_columns(
            pl.when(pl.col("status") == "ok").then(term).alias("estimate"),
            pl.lit(term).alias("term"),
            pl.lit(method).alias("method"),
        )
        for term, method in (
            ("alignment", "1 - Wasserstein / (N - 1)"),
            ("total_variation", "total variation distance"),
        )
    ]
    return as_estimates(pl.concat(parts), by)


_TOLERANCE = 1e-6
"""The largest deviation from 1 of the sum of valid proportions."""
