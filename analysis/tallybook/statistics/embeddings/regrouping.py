"""Permutation tests of the difference between two small groups, many tests of one size at once."""

from __future__ import annotations

from itertools import chain, combinations, islice
from math import comb
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

import numpy as np

from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Keys: TypeAlias = NDArray[np.uint64]

Ties: TypeAlias = Literal["reach", "exceed"]

_BLOCK = 2**21
"""Numbers that are held at a time."""
_TOLERANCE = 1e-12
"""Sums that differ by this share of all absolute values are equal: added in another order, the same values may."""


def regroupings(first: int, second: int) -> int:
    """In how many ways values can be divided into groups of the given sizes."""
    return comb(first + second, first)


def exact_p_values(x: ArrayLike, y: ArrayLike, ties: Ties) -> Floats:
    """The share of all regroupings whose first group has as large a sum.

    With the sizes given, the difference of sums, the difference of means and the sum of the first group order the
    regroupings alike.

    Returns:
        One-sided p-values, tests: small where the first group is the larger one. NaN where a value is NaN.
    """
    check_ties(ties)
    values, observed, slack = _prepared(x, y)
    size, total = np.asarray(x).shape[-1], values.shape[1]
    counts = np.zeros(observed.size)
    for members in _memberships(total, size, max(1, _BLOCK // max(total, observed.size, 1))):
        counts += _as_large(values @ members.T, observed, slack, ties).sum(axis=1)
    return np.where(np.isnan(observed + slack), np.nan, counts / comb(total, size))


def sampled_p_values(x: ArrayLike, y: ArrayLike, ties: Ties, *, samples: int, keys: Keys) -> Floats:
    """The same from regroupings drawn at random.

    Returns:
        One-sided p-values, tests; NaN where a value is NaN.

    References:
        Phipson, B. & Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications in
        Genetics and Molecular Biology, 9, article 39.
    """
    check_ties(ties)
    if samples < 1:
        raise ValueError(f"samples is {samples}: expected a whole number, at least 1")
    values, observed, slack = _prepared(x, y)
    size, total = np.asarray(x).shape[-1], values.shape[1]
    counts = np.zeros(observed.size)
    block = max(1, _BLOCK // max(total, 1))
    for test, key in enumerate(keys):
        random = stream(key)
        for start in range(0, samples, block):
            drawn = np.tile(values[test], (min(block, samples - start), 1))
            sums = random.permuted(drawn, axis=1)[:, :size].sum(axis=1)
            counts[test] += _as_large(sums[None, :], observed[test, None], slack[test, None], ties).sum()
    p = (1 + counts) / (1 + samples) if ties == "reach" else counts / samples
    return np.where(np.isnan(observed + slack), np.nan, p)


def check_ties(ties: str) -> None:
    """Refuse an unknown way to count ties."""
    if ties not in get_args(Ties):
        raise ValueError(f"ties is {ties!r}: expected one of {', '.join(get_args(Ties))}")


def _prepared(x: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """All values of every test, the observed sums, and how far sums may differ by rounding."""
    first, second = np.asarray(x, np.float64), np.asarray(y, np.float64)
    values = np.concatenate([first, second], axis=1)
    return values, first.sum(axis=1), _TOLERANCE * np.abs(values).sum(axis=1)


def _as_large(sums: Floats, observed: Floats, slack: Floats, ties: Ties) -> NDArray[np.bool_]:
    if ties == "reach":
        return sums >= (observed - slack)[:, None]
    return sums > (observed + slack)[:, None]


def _memberships(total: int, size: int, block: int) -> Iterator[Floats]:
    """Which values are in the first group, regroupings x values, in blocks."""
    groups = combinations(range(total), size)
    while chosen := list(islice(groups, block)):
        members = np.zeros((len(chosen), total))
        places = np.fromiter(chain.from_iterable(chosen), np.intp, len(chosen) * size)
        members[np.arange(len(chosen)).repeat(size), places] = 1.0
        yield members
