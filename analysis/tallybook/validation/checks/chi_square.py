"""Pearson's chi-square test of homogeneity, without the libraries that only analyses need."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

_FEWEST_EXPECTED = 5.0


class Homogeneity(NamedTuple):
    """The result of the test."""

    statistic: float  # chi-square
    df: int  # degrees of freedom; 0 where there is nothing to compare
    p_value: float  # the p-value; 1 where there is nothing to compare
    effect: float  # cramér's V, between 0 and 1


def homogeneity(one: Sequence[int], other: Sequence[int]) -> Homogeneity:
    """Test whether two samples have the same distribution over categories.

    Categories of which fewer than 5 are expected in either sample are taken together, after Cochran. The statistic is
    the sum of (observed - expected)² / expected, Cramér's V = sqrt(chi-square / n).

    Source:
        R: chisq.test(rbind(one, other), correct = FALSE).

    >>> test = homogeneity([30, 70], [50, 50])
    >>> round(test.statistic, 4), test.df, round(test.p_value, 6), round(test.effect, 2)
    (8.3333, 1, 0.003892, 0.2)
    """
    n_one, n_other = sum(one), sum(other)
    n = n_one + n_other
    if not n_one or not n_other:
        return Homogeneity(0.0, 0, 1.0, 0.0)
    few = _FEWEST_EXPECTED * n / min(n_one, n_other)
    pairs = [(a, b) for a, b in zip(one, other, strict=True) if a + b >= few]
    rest = (n_one - sum(a for a, _ in pairs), n_other - sum(b for _, b in pairs))
    pairs += [rest] if sum(rest) else []
    df = len(pairs) - 1
    if df < 1:
        return Homogeneity(0.0, 0, 1.0, 0.0)
    statistic = sum(
        (observed - total * (a + b) / n) ** 2 / (total * (a + b) / n)
        for a, b in pairs
        for observed, total in ((a, n_one), (b, n_other))
    )
    return Homogeneity(statistic, df, chi_square_tail(statistic, df), math.sqrt(statistic / n))


def chi_square_tail(statistic: float, df: int) -> float:
    """P(X >= x) for a chi-square variable.

    For whole degrees of freedom the upper tail is a finite sum: with y = x/2 it is the sum of e^-y y^a / Gamma(a + 1)
    over a = df/2 - 1, df/2 - 2, ..., down to 0 if df is even, and to 1/2 plus erfc(sqrt(y)) if it is odd.

    Source:
        DLMF 8.4.9, 8.4.10 and 8.4.14. R: pchisq(x, df, lower.tail = FALSE).

    >>> round(chi_square_tail(3.841458820694124, 1), 6), round(chi_square_tail(9.487729036781154, 4), 6)
    (0.05, 0.05)
    """
    y = statistic / 2.0
    if y <= 0.0:
        return 1.0
    terms = [] if df % 2 == 0 else [math.erfc(math.sqrt(y))]
    orders = (place + df % 2 / 2.0 for place in range(df // 2))
    terms += [math.exp(order * math.log(y) - y - math.lgamma(order + 1.0)) for order in orders]
    return min(1.0, math.fsum(terms))
