"""Fisher's exact test against R, exact arithmetic and their own algebra."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.proportions.hypergeometric import Tables, fisher_p_value, log_hypergeometric_mass
from tests.unit.statistics.frames import quick

GROUP = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TABLES = st.lists(st.tuples(GROUP, GROUP), min_size=1, max_size=20)


def groups_of(tables):
    """Lists of pairs of groups as the kernels take them."""
    (k1, n1), (k2, n2) = (np.array(group).T for group in zip(*tables, strict=True))
    return (k1, n1), (k2, n2)


def masses(n1, successes, n2):
    """Support and exact numerators of the hypergeometric probabilities, and their sum."""
    support = range(max(0, successes - n2), min(n1, successes) + 1)
    return support, [math.comb(n1, i) * math.comb(n2, successes - i) for i in support]


def exact_p_value(k1, n1, k2, n2):
    support, numerators = masses(n1, k1 + k2, n2)
    bound = numerators[k1 - support.start] * (10**7 + 1)
    return Fraction(sum(mass for mass in numerators if mass * 10**7 <= bound), sum(numerators))


# --- Fisher's test ----------------------------------------------------------------------------------------------------


def test_p_values_equal_r(oracle):
    cells = oracle("fisher")
    p, log_p = fisher_p_value((cells["k1"], cells["n1"]), (cells["k2"], cells["n2"]))
    # R sums probabilities with errors of dhyper: 7e-12 for n = 1e5.
    assert_allclose(p, cells["p"], rtol=1e-9, atol=1e-307)
    assert_allclose(log_p, cells["log_p"], rtol=1e-12, atol=1e-11)
    assert ((cells["p"] == 0) & (log_p < -800)).any()


@quick
@given(TABLES)
def test_p_values_equal_exact_arithmetic(tables):
    p, log_p = fisher_p_value(*groups_of(tables))
    exact = [float(exact_p_value(*first, *second)) for first, second in tables]
    assert_allclose(p, exact, rtol=1e-12)
    assert_allclose(log_p, np.log(exact), rtol=1e-12, atol=1e-13)


def test_the_lady_tasting_tea():
    # Fisher (1935), The Design of Experiments: all eight cups right, 1 in 70 for one side; 3 of 4: p = 34/70.
    p, _ = fisher_p_value(([4, 3], [4, 4]), ([0, 1], [4, 4]))
    assert_allclose(p, [2 / 70, 34 / 70], rtol=1e-14)


@pytest.mark.parametrize("z", [0, 1, 6, 30, 60])
@pytest.mark.parametrize(
    ("n1", "n2", "successes"),
    [
        (10**9, 10**9, 10**9),
        (10**9, 7 * 10**8, 3 * 10**6),
        (10**6, 2 * 10**6, 10**5),
        (10**9, 10**9, 40),
        (4000, 9000, 6000),
    ],
)
def test_tails_equal_sums_of_ratios(n1, n2, successes, z):
    """p by adding up the tail term by term, from the exact first one."""
    total = n1 + n2
    spread = math.sqrt(n1 * n2 / total * (successes / total) * (1 - successes / total))
    k1 = int(n1 * successes / total + z * spread) + 1
    if k1 > min(n1, successes):
        return
    steps = np.arange(min(min(n1, successes) - k1, int(14 * spread + 2000)), dtype=np.float64)
    ratios = (n1 - k1 - steps) * (successes - k1 - steps) / ((k1 + steps + 1) * (n2 - successes + k1 + steps + 1))
    tail = 1 + float(np.cumprod(ratios).sum())
    mass = float(log_hypergeometric_mass(Tables(*(np.array([float(part)]) for part in (k1, n1, n2, successes))))[0])
    _, log_p = fisher_p_value(([k1], [n1]), ([successes - k1], [n2]))
    upper = mass + math.log(tail)
    # Both tails: between one and two times the upper one, exactly two in a symmetric table.
    assert upper - 1e-11 * abs(upper) <= log_p[0] <= upper + math.log(2.2)
    if n1 == n2:
        assert log_p[0] == pytest.approx(min(0.0, upper + math.log(2)), rel=1e-11, abs=1e-4 if z == 0 else 1e-10)


@quick
@given(TABLES)
def test_fisher_does_not_mind_which_is_which(tables):
    first, second = groups_of(tables)
    p, log_p = fisher_p_value(first, second)
    others = (
        (second, first),
        ((first[1] - first[0], first[1]), (second[1] - second[0], second[1])),
        # Rows for columns.
        ((first[0], first[0] + second[0]), (first[1] - first[0], first[1] + second[1] - first[0] - second[0])),
    )
    for other in others:
        found, logarithm = fisher_p_value(*other)
        sizes = (np.asarray(other[0][1]) > 0) & (np.asarray(other[1][1]) > 0)
        assert_allclose(found[sizes], p[sizes], rtol=1e-12)
        assert_allclose(logarithm[sizes], log_p[sizes], rtol=1e-12, atol=1e-13)


def test_a_table_gives_the_same_bits_in_any_company():
    random = np.random.default_rng(12)
    n = np.ceil(10 ** random.uniform(0, 7, (2, 150)))
    k = random.binomial(n.astype(np.int64), random.random(150))
    everyone = fisher_p_value((k[0], n[0]), (k[1], n[1]))
    for chosen in (slice(0, 150, 7), [3], [149, 3]):
        first, second = ((k[group][chosen], n[group][chosen]) for group in (0, 1))
        alone = fisher_p_value(first, second)
        for some, every in zip(alone, everyone, strict=True):
            assert_array_equal(some, every[chosen])


def test_missing_and_empty_groups_are_nan_without_a_warning():
    nan = np.nan
    with np.errstate(all="raise"):
        p, log_p = fisher_p_value(([0, 1, nan, 1], [0, 2, 2, 2]), ([1, 0, 1, nan], [2, 0, 2, 5]))
        assert fisher_p_value(([], []), ([], []))[0].size == 0
    assert np.isnan([p, log_p]).all()


def test_impossible_counts_and_settings_are_refused():
    with pytest.raises(ValueError, match=r"^successes\[0\] is 3: expected at most the number of trials, 2$"):
        fisher_p_value(([3], [2]), ([1], [2]))
