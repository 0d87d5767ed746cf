"""Divergences against R, scipy, slow twins and their own algebra."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.divergences.divergence import DIVERGENCE_NAMES, divergence

kullback_leibler = partial(divergence, "kullback-leibler")
jensen_shannon = partial(divergence, "jensen-shannon")
total_variation = partial(divergence, "total-variation")
hellinger = partial(divergence, "hellinger")
SMOOTHINGS = ("counts", "proportions")
SUPPORTS = ("declared", "union")
MEASURES = {
    "kullback_leibler": kullback_leibler,
    "jensen_shannon": jensen_shannon,
    "total_variation": total_variation,
    "hellinger": hellinger,
}
SYMMETRIC = (jensen_shannon, total_variation, hellinger)


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


@pytest.mark.parametrize("name", MEASURES)
def test_every_measure_equals_r(oracle, name):
    cells = oracle("divergences")
    p, q = (np.stack([cells[f"{side}.{i}"] for i in (1, 2, 3, 4)], axis=1) for side in "pq")
    compared = 0
    for smoothing in SMOOTHINGS:
        for support in SUPPORTS:
            for epsilon in np.unique(cells["epsilon"]):
                rows = (cells["smoothing"] == smoothing) & (cells["support"] == support) & (cells["epsilon"] == epsilon)
                result = MEASURES[name](p[rows], q[rows], epsilon=float(epsilon), smoothing=smoothing, support=support)
                # R takes roots and differences of what is almost equal: near 0 it is as good as the rounding of 1.
                atol = 1e-8 if name == "hellinger" else 1e-15
                assert_allclose(result, cells[name][rows], rtol=1e-9, atol=atol)
                compared += rows.sum()
    assert compared == (cells["support"] != "common").sum() == 1296


@given(p=COUNTS, q=COUNTS, base=st.sampled_from([2.0, math.e, 10.0]))
def test_measures_equal_scipy(p, q, base):
    from scipy.spatial.distance import jensenshannon
    from scipy.stats import entropy

    with np.errstate(invalid="ignore"):
        assert_allclose(np.sqrt(jensen_shannon(p, q, base=base)), jensenshannon(p, q, base), rtol=1e-7, atol=1e-7)
    relative = float(entropy(p, q, base))
    result = kullback_leibler(p, q, epsilon=0, base=base)
    assert_allclose(result, relative if math.isfinite(relative) else math.nan, rtol=1e-9, atol=1e-14)


def precise_measures(p: list[int], q: list[int]) -> dict[str, float]:
    """Without smoothing, in 60 digits."""
    with localcontext(prec=60):
        a, b = ([Decimal(c) / sum(counts) for c in counts] for counts in (p, q))
        middle = [(x + y) / 2 for x, y in zip(a, b, strict=True)]
        parts = [x * (x / m).ln() for side in (a, b) for x, m in zip(side, middle, strict=True) if x]
        roots = [(x.sqrt() - y.sqrt()) ** 2 for x, y in zip(a, b, strict=True)]
        return {
            "jensen_shannon": float(sum(parts) / 2),
            "total_variation": float(sum(abs(x - y) for x, y in zip(a, b, strict=True)) / 2),
            "hellinger": float((sum(roots) / 2).sqrt()),
        }


@given(p=COUNTS, q=COUNTS)
def test_measures_equal_precise_arithmetic(p, q):
    for name, expected in precise_measures(p, q).items():
        assert_allclose(MEASURES[name](p, q), expected, rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("size", [10**4, 10**6, 10**8])
def test_measures_of_almost_equal_groups_keep_their_digits(size):
    p, q = [size, 2 * size, size + 1], [size + 1, 2 * size, size]
    for name, expected in precise_measures(p, q).items():
        # scipy's Jensen-Shannon divergence is a sum of terms with either sign.
        atol = 1e-16 if name == "jensen_shannon" else 0
        assert_allclose(MEASURES[name](p, q), expected, rtol=1e-15 * size, atol=atol)


@given(p=COUNTS, q=COUNTS, order=st.permutations(range(3)), factor=st.integers(1, 1000))
def test_measures_are_symmetric_and_scale_free(p, q, order, factor):
    for measure in SYMMETRIC:
        value = measure(p, q)
        assert measure(q, p) == value
        assert_allclose(measure([p[i] for i in order], [q[i] for i in order]), value, rtol=1e-12, atol=1e-15)
        assert_allclose(measure(np.multiply(p, factor), q), value, rtol=1e-9, atol=1e-15)
        assert (value == 0) == ([Fraction(c, sum(p)) for c in p] == [Fraction(c, sum(q)) for c in q])
        assert measure(np.multiply(p, factor), p) == 0


@pytest.mark.parametrize("kind", DIVERGENCE_NAMES)
@given(p=COUNTS, q=COUNTS)
def test_no_divergence_exceeds_that_of_disjoint_groups(kind, p, q):
    largest = float(divergence(kind, [7, 0], [0, 3], base=2))
    assert math.isnan(largest) if kind == "kullback-leibler" else largest == 1
    value = float(divergence(kind, p, q, base=2))
    assert math.isnan(value) or 0 <= value <= (math.inf if math.isnan(largest) else largest)


@pytest.mark.parametrize("kind", DIVERGENCE_NAMES)
def test_supports(kind):
    p, q = [4, 0, 6, 0], [1, 5, 2, 0]

    def value(support, first=p, second=q, epsilon=0.5):
        return divergence(kind, first, second, epsilon=epsilon, support=support)

    assert value("union") == value("declared", p[:3], q[:3])
    assert value("union") != value("declared")
    if kind != "kullback-leibler":
        assert value("union", epsilon=0) == value("declared", epsilon=0)
    # Padding is not a category of a union.
    assert value("union", [*p, 0, 0], [*q, 0, 0]) == value("union")
    with np.errstate(all="raise"):
        assert np.isnan(value("union", [1, np.nan], [0, 1]))
        assert np.isnan(value("union", [0, 0], [0, 1]))
        assert np.isnan(value("union", [0, 0], [0, 0]))


def test_impossible_settings_are_named():
    with pytest.raises(ValueError, match=r"^divergence is 'x': expected one of kullback-leibler, "):
        divergence("x", [1, 2], [1, 2])
    with pytest.raises(ValueError, match=r"^support is 'x': expected one of declared, union$"):
        hellinger([1, 2], [1, 2], support="x")
    with pytest.raises(ValueError, match=r"^base is 0.5: expected a number above 1$"):
        jensen_shannon([1, 2], [1, 2], base=0.5)
    with pytest.raises(ValueError, match=r"^counts_q\[0\] is -1"):
        total_variation([1, 2], [-1, 2])
