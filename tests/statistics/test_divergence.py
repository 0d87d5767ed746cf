"""Kullback-Leibler divergences against R, a slow twin and their own algebra."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from analysis.statistics.divergence import kullback_leibler

SMOOTHINGS = ("counts", "proportions")


def precise_divergence(p: list[int], q: list[int], epsilon: float, smoothing: str) -> float:
    """Distributions in exact fractions, logarithms in 60 digits."""

    def smoothed(counts: list[int]) -> list[Fraction]:
        total = sum(counts)
        shifted = [(Fraction(c) if smoothing == "counts" else Fraction(c, total)) + Fraction(epsilon) for c in counts]
        return [value / sum(shifted) for value in shifted]

    with localcontext(prec=60):
        terms = []
        for a, b in zip(smoothed(p), smoothed(q), strict=True):
            if a:
                if not b:
                    return math.nan
                ratio = a / b
                log = Decimal(ratio.numerator).ln() - Decimal(ratio.denominator).ln()
                terms.append(Decimal(a.numerator) / a.denominator * log)
        return float(sum(terms))


COUNTS = st.lists(st.integers(0, 2000), min_size=3, max_size=3).filter(any)
EPSILONS = st.sampled_from([0.0, 1e-200, 1e-12, 1e-3, 0.5, 1.0])


def test_divergence_equals_r(oracle):
    cells = oracle("kullback_leibler")
    p, q = (np.stack([cells[f"{side}.{i}"] for i in (1, 2, 3, 4)], axis=1) for side in "pq")
    compared = 0
    for smoothing in SMOOTHINGS:
        for epsilon in np.unique(cells["epsilon"]):
            for base in np.unique(cells["base"]):
                rows = (cells["smoothing"] == smoothing) & (cells["epsilon"] == epsilon) & (cells["base"] == base)
                result = kullback_leibler(
                    p[rows], q[rows], epsilon=float(epsilon), smoothing=smoothing, base=float(base)
                )
                # R adds the terms with their signs: near 0 it is only as good as the rounding of 1.
                assert_allclose(result, cells["divergence"][rows], rtol=1e-12, atol=1e-15)
                compared += rows.sum()
    assert compared == cells["divergence"].size


def test_epsilon_sets_the_divergence_of_disjoint_groups():
    assert_allclose(kullback_leibler([50, 0], [0, 50], epsilon=1e-12), math.log(50 / 1e-12), rtol=1e-12)
    assert round(float(kullback_leibler([50, 0], [0, 50], epsilon=1e-12)), 3) == 31.543
    # On proportions the size of the groups does not matter.
    result = kullback_leibler([50, 0], [0, 7], epsilon=1e-12, smoothing="proportions")
    assert_allclose(result, math.log(1 / 1e-12), rtol=1e-11)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@given(p=COUNTS, q=COUNTS, epsilon=EPSILONS)
def test_divergence_equals_precise_arithmetic(smoothing, p, q, epsilon):
    result = kullback_leibler(p, q, epsilon=epsilon, smoothing=smoothing)
    # The distributions themselves are rounded: a divergence near 0 carries the square of that.
    assert_allclose(result, precise_divergence(p, q, epsilon, smoothing), rtol=1e-11, atol=1e-25)


@given(p=COUNTS, q=COUNTS)
def test_divergence_is_zero_for_equal_proportions_only(p, q):
    result = kullback_leibler(p, q, epsilon=0)
    equal = [Fraction(c, sum(p)) for c in p] == [Fraction(c, sum(q)) for c in q]
    undefined = any(a and not b for a, b in zip(p, q, strict=True))
    assert np.isnan(result) == undefined
    if not undefined:
        assert result >= 0
        assert (result == 0) == equal


@pytest.mark.parametrize("size", [10**4, 10**6, 10**8])
def test_divergence_of_almost_equal_groups_keeps_its_digits(size):
    # The terms P ln(P / Q) cancel each other here, down to a divergence below the rounding error of a single one.
    p, q = [size, 2 * size, size + 1], [size + 1, 2 * size, size]
    expected = precise_divergence(p, q, 0.0, "counts")
    assert_allclose(kullback_leibler(p, q, epsilon=0), expected, rtol=1e-15 * size)


def test_rounding_never_makes_a_divergence_negative():
    # Proportional counts that epsilon leaves 1e-13 apart: the plain sum of P ln(P / Q) is rounding, ± 1e-17.
    multiples = np.arange(2, 200)[:, None] * np.array([1, 2, 3, 4, 7])
    result = kullback_leibler(multiples, [1, 2, 3, 4, 7], epsilon=1e-12)
    assert (result >= 0).all()
    assert (result < 1e-24).all()


@given(COUNTS, st.integers(1, 1000), st.sampled_from(SMOOTHINGS))
def test_divergence_of_proportional_counts_is_exactly_zero(counts, factor, smoothing):
    multiple = [factor * c for c in counts]
    assert kullback_leibler(counts, multiple, epsilon=0, smoothing=smoothing) == 0
    assert kullback_leibler(counts, multiple, epsilon=1e-3, smoothing="proportions") == 0


@given(p=COUNTS, q=COUNTS, epsilon=EPSILONS, order=st.permutations(range(3)), smoothing=st.sampled_from(SMOOTHINGS))
def test_the_order_of_the_categories_does_not_matter(p, q, epsilon, order, smoothing):
    def divergence(a, b):
        return kullback_leibler(a, b, epsilon=epsilon, smoothing=smoothing)

    reordered = divergence([p[i] for i in order], [q[i] for i in order])
    assert_allclose(reordered, divergence(p, q), rtol=1e-12, atol=1e-25)


def test_the_base_divides():
    nats = kullback_leibler([3, 1], [1, 1], epsilon=0)
    assert_allclose(kullback_leibler([3, 1], [1, 1], epsilon=0, base=2), nats / math.log(2), rtol=1e-15)
    assert_allclose(kullback_leibler([3, 1], [1, 1], epsilon=0, base=10), nats / math.log(10), rtol=1e-15)


def test_absent_categories():
    result = kullback_leibler([[1, 0], [1, 1], [2, 0], [0, 0.5]], [[1, 1], [1, 0], [3, 0], [1, 3]], epsilon=0)
    assert_allclose(result, [math.log(2), np.nan, 0, math.log(4 / 3)], rtol=1e-15)


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("epsilon", [0, 1e-12, 1])
def test_groups_without_data_have_no_divergence(smoothing, epsilon):
    p = [[0, 0], [1, 2], [0, 0], [np.nan, 1], [1, 2]]
    q = [[1, 2], [0, 0], [0, 0], [1, 2], [1, np.nan]]
    with np.errstate(all="raise"):
        assert np.isnan(kullback_leibler(p, q, epsilon=epsilon, smoothing=smoothing)).all()
        assert kullback_leibler(np.empty((0, 2)), np.empty((0, 2)), epsilon=epsilon).shape == (0,)


@pytest.mark.parametrize("epsilon", [1e-290, 1e-300, 1e-308])
def test_the_smallest_epsilons_give_finite_values(epsilon):
    # P / Q overflows here; its logarithm does not.
    expected = math.log(50) - math.log(epsilon)
    assert_allclose(kullback_leibler([50, 0], [0, 50], epsilon=epsilon), expected, rtol=1e-12)


def test_an_epsilon_lost_to_rounding_gives_nan_not_infinity():
    assert np.isnan(kullback_leibler([50, 0], [0, 50], epsilon=5e-324))


def test_rows_broadcast():
    groups = np.array([[5, 5, 0], [1, 2, 3], [0, 4, 4]])
    pairs = kullback_leibler(groups[:, None, :], groups[None, :, :], epsilon=1e-12)
    assert pairs.shape == (3, 3)
    assert_array_equal(np.diag(pairs), np.zeros(3))
    assert pairs[0, 2] == kullback_leibler(groups[0], groups[2], epsilon=1e-12)


@pytest.mark.parametrize(
    ("p", "q", "settings", "message"),
    [
        ([[1, 2], [3, -1]], [1, 2], {}, r"^counts_p\[1, 1\] is -1: expected a finite count"),
        ([1, 2], [np.inf, 2], {}, r"^counts_q\[0\] is inf: "),
        ([1, 2], [1, 2, 3], {}, r"^counts_p has 2 categories, counts_q has 3$"),
        ([1], [1, 2, 3], {}, r"^counts_p has 1 categories, counts_q has 3$"),
        (3, [1, 2], {}, r"^counts_p has no categories"),
        ([1, 2], [[], []], {}, r"^counts_q has no categories"),
        ([1, 2], [1, 2], {"epsilon": -1e-12}, r"^epsilon is "),
        ([1, 2], [1, 2], {"epsilon": math.nan}, r"^epsilon is "),
        ([1, 2], [1, 2], {"epsilon": math.inf}, r"^epsilon is "),
        ([1, 2], [1, 2], {"base": 1}, r"^base is "),
        ([1, 2], [1, 2], {"base": -2}, r"^base is "),
        ([1, 2], [1, 2], {"smoothing": "none"}, r"expected one of counts, proportions$"),
    ],
)
def test_impossible_input_is_named(p, q, settings, message):
    with pytest.raises(ValueError, match=message):
        kullback_leibler(p, q, **{"epsilon": 0.5} | settings)
