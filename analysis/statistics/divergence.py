"""Divergences between distributions given as counts of categories."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from analysis.statistics.binomial import deviance_part, first_index

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

Smoothing: TypeAlias = Literal["counts", "proportions"]


def kullback_leibler(
    counts_p: ArrayLike,
    counts_q: ArrayLike,
    *,
    epsilon: float,
    smoothing: Smoothing = "counts",
    base: float = math.e,
) -> NDArray[np.float64]:
    """Kullback-Leibler divergence KL(P || Q) = sum P ln(P / Q) / ln(base) of smoothed counts, row by row.

    smoothing "counts": P = (c + epsilon) / sum(c + epsilon);
    "proportions": P = (c / sum(c) + epsilon) / sum(c / sum(c) + epsilon).
    Where the groups are disjoint, epsilon sets the value: two groups of 50 and epsilon = 1e-12 on counts give
    ln(50 / 1e-12) = 31.543.

    Args:
        counts_p: Counts (or weights) of P, cells x categories: the last axis is the categories, the others broadcast.
        counts_q: Counts of Q, likewise.
        epsilon: What is added to every count or proportion; 0 adds nothing.
        smoothing: What epsilon is added to.
        base: Base of the logarithm; e gives nats, 2 gives bits.

    Returns:
        An array without the last axis. Never negative or infinite, and 0 exactly where P = Q. NaN where the divergence
        does not exist: a row without any count (no data are not a uniform distribution), a missing count, or a
        category with P > 0 and Q = 0, which needs epsilon = 0.

    Raises:
        ValueError: A count is negative or infinite (the message names the first), the shapes or numbers of categories
            do not fit, or a setting is out of range.

    References:
        Kullback, S. & Leibler, R. A. (1951). On information and sufficiency. Annals of Mathematical
        Statistics, 22, 79-86.

    >>> kullback_leibler([[50, 0], [3, 1]], [[0, 50], [1, 1]], epsilon=1e-12).round(6)
    array([31.543044,  0.130812])
    """
    if not (epsilon >= 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon is {epsilon}: expected a finite number, at least 0")
    if not (base > 0 and base != 1 and math.isfinite(base)):
        raise ValueError(f"base is {base}: expected a finite positive number other than 1")
    if smoothing not in get_args(Smoothing):
        raise ValueError(f"smoothing is {smoothing!r}: expected one of {', '.join(get_args(Smoothing))}")
    p = _smoothed("counts_p", counts_p, epsilon, smoothing)
    q = _smoothed("counts_q", counts_q, epsilon, smoothing)
    if p.shape[-1] != q.shape[-1]:
        raise ValueError(f"counts_p has {p.shape[-1]} categories, counts_q has {q.shape[-1]}")
    p, q = np.broadcast_arrays(p, q)
    with np.errstate(all="ignore"):
        # P ln(P/Q) + Q - P has the same sum, as P and Q both add up to 1, and no negative term for rounding to favour.
        divergence = deviance_part(p, q, q - p).sum(axis=-1) / math.log(base)
    return np.where(np.isfinite(divergence), divergence, np.nan)


def _smoothed(name: str, counts: ArrayLike, epsilon: float, smoothing: Smoothing) -> NDArray[np.float64]:
    """The smoothed distribution of every row; NaN throughout a row without any count."""
    c = np.asarray(counts, np.float64)
    if c.ndim == 0 or c.shape[-1] == 0:
        raise ValueError(f"{name} has no categories: expected them along the last axis")
    wrong = (c < 0) | np.isinf(c)
    if wrong.any():
        index = first_index(wrong)
        raise ValueError(f"{name}{list(index)} is {c[index]:.15g}: expected a finite count, at least 0")
    with np.errstate(divide="ignore", invalid="ignore"):
        total = c.sum(axis=-1, keepdims=True)
        # 0 / 0 marks the empty row before epsilon could fill it.
        shifted = (c if smoothing == "counts" else c / total) + epsilon
        return np.where(total > 0, shifted / shifted.sum(axis=-1, keepdims=True), np.nan)
