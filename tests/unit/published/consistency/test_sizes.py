"""The n that an interval implies, and bounds of weighted means, against brute force."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.published.audit.numbers import rounded
from tallybook.published.consistency.listing import Interval, implied_size, largest_variance, weighted_mean

Z = Fraction(196, 100)


def interval(text: str) -> Interval:
    found = [number for part in text.split() if (number := rounded(part))]
    return Interval(*found)


def test_the_n_of_a_share() -> None:
    # The printed digits give 6,635; half a unit more or less gives
    # 1 + .6475 * .3525 * (1.96 / .012)² = 6,090 and 1 + .6465 * .3535 * (1.96 / .011)² = 7,257.
    least, most = implied_size(interval("0.647 0.636 0.659"), Fraction(0), Fraction(1), Z)
    assert most is not None
    assert (round(least), round(most)) == (6090, 7257)
    assert least < 6635 < most


@given(st.integers(30, 5000), st.data())
def test_the_true_n_is_among_those_that_rounding_leaves_open(n: int, data: st.DataObject) -> None:
    ones = data.draw(st.integers(1, n - 1))
    share = ones / n
    half = 1.96 * (share * (1 - share) / (n - 1)) ** 0.5
    printed = interval(f"{share:.3f} {share - half:.3f} {share + half:.3f}")
    least, most = implied_size(printed, Fraction(0), Fraction(1), Z)
    assert least <= n
    assert most is None or n <= most


def test_the_limits_of_the_wrong_way_round_imply_none() -> None:
    with pytest.raises(ValueError, match="wrong way round"):
        implied_size(interval("0.560 0.611 0.609"), Fraction(0), Fraction(1), Z)


def test_limits_that_are_equal_imply_a_smallest_n_only() -> None:
    least, most = implied_size(interval("0.500 0.500 0.500"), Fraction(0), Fraction(1), Z)
    assert most is None
    assert round(least) == 3841597  # 1 + .4995 * .5005 * (1.96 / .0005)²


@pytest.mark.parametrize(
    ("mean", "expected"),
    [
        ("0.5", ("0.2475", "0.25")),  # the largest lies within the bounds
        ("0.1", ("0.0475", "0.1275")),
        ("1.0", ("0", "0.0475")),  # rounding reaches beyond the largest value
        ("2.0", ("0", "0")),
    ],
)
def test_the_largest_variance(mean: str, expected: tuple[str, str]) -> None:
    number = rounded(mean)
    assert number is not None
    assert largest_variance(number, Fraction(0), Fraction(1)) == tuple(Fraction(text) for text in expected)


BOUNDS = st.tuples(st.fractions(-2, 2, max_denominator=20), st.fractions(0, 1, max_denominator=20))
WEIGHTS = st.tuples(st.integers(0, 9), st.integers(0, 9))


@given(st.lists(st.tuples(BOUNDS, WEIGHTS), min_size=1, max_size=6))
def test_weighted_means_against_every_corner(cells: list[tuple[tuple[Fraction, Fraction], tuple[int, int]]]) -> None:
    values = [(low, low + more) for (low, more), _ in cells]
    weights = [(Fraction(low), Fraction(low + more)) for _, (low, more) in cells]
    if not any(high for _, high in weights):
        weights[0] = (Fraction(0), Fraction(1))
    means = [
        sum(weight * value for weight, value in zip(corner, ends, strict=True)) / sum(corner)
        for ends in ([low for low, _ in values], [high for _, high in values])
        for corner in itertools.product(*weights)
        if sum(corner)
    ]
    assert weighted_mean(values, weights) == (min(means), max(means))
