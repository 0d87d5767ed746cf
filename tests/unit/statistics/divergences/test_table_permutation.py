"""Permutation tests of categories against R, scipy and all arrangements of rows."""

from __future__ import annotations

from functools import partial
from itertools import combinations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.divergences.divergence import divergence
from tallybook.statistics.divergences.permutation import PermutationTest, permutation_test
from tallybook.statistics.seeds import stream_keys
from tests.sizes import trials, within
from tests.unit.statistics.frames import quick

kullback_leibler = partial(divergence, "kullback-leibler")
jensen_shannon = partial(divergence, "jensen-shannon")
total_variation = partial(divergence, "total-variation")
hellinger = partial(divergence, "hellinger")


def outcome(p, q, statistic=jensen_shannon, *, permutations=0, **settings):
    p, q = np.atleast_2d(np.asarray(p, np.int64)), np.atleast_2d(np.asarray(q, np.int64))
    keys = stream_keys(0, pl.DataFrame({"pair": range(p.shape[0])}), "permutation")
    tests = [
        permutation_test(*counts, statistic, key, permutations=permutations, **settings) or (np.nan, np.nan, False)
        for *counts, key in zip(p, q, keys, strict=True)
    ]
    return PermutationTest(*map(np.array, zip(*tests, strict=True)))


@pytest.mark.parametrize("name", ["jensen_shannon", "total_variation"])
def test_exact_p_equals_r(oracle, name):
    cells = oracle("table_permutation")
    p, q = (np.stack([cells[f"{side}.{i}"] for i in (1, 2, 3)], axis=1) for side in "pq")
    result = outcome(p, q, {"jensen_shannon": jensen_shannon, "total_variation": total_variation}[name])
    assert result.exact.all()
    assert_allclose(result.log_p_value, cells[name], rtol=1e-9, atol=1e-12)
    assert_allclose(result.p_value, np.exp(cells[name]), rtol=1e-9)
    # 2000 against 2000: far below the smallest float.
    assert result.log_p_value.min() < -2700
    assert result.p_value.min() == 0


COUNTS = st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any)


@quick
@given(COUNTS, COUNTS)
def test_exact_p_equals_that_of_all_arrangements(p, q):
    pooled = np.repeat([0, 1, 2, 0, 1, 2], [*p, *q])
    size, total = sum(p), len(pooled)
    for statistic in (jensen_shannon, total_variation, hellinger):
        observed = float(statistic(p, q))
        tables = [np.bincount(pooled[list(rows)], minlength=3) for rows in combinations(range(total), size)]
        values = statistic(np.array(tables), np.bincount(pooled, minlength=3) - np.array(tables))
        expected = (values >= observed * (1 - 1e-7)).mean()
        result = outcome(p, q, statistic)
        assert result.exact[0]
        assert_allclose(result.p_value, expected, rtol=1e-11)


def test_fishers_tea_drinker():
    """Agresti, Categorical Data Analysis (3rd ed., 2013), section 3.5.2: two-sided P = 0.486."""
    assert round(float(outcome([3, 1], [1, 3], total_variation).p_value[0]), 3) == 0.486


def test_two_categories_are_fishers_test():
    from scipy.stats import fisher_exact

    # Samples of one size: the distance orders the tables as their probability does.
    p, q = [30, 20], [18, 32]
    assert_allclose(outcome(p, q, total_variation).p_value, fisher_exact([p, q]).pvalue, rtol=1e-9)


def test_random_tables_come_close_to_all_tables():
    p, q = np.array([[12, 3, 9], [5, 5, 5], [30, 1, 2]]), np.array([[4, 4, 30], [5, 6, 4], [1, 1, 1]])
    exact = outcome(p, q)
    simulated = outcome(p, q, permutations=9999, most_tables=0)
    assert exact.exact.all()
    assert not simulated.exact.any()
    # Within 5 standard errors, with this seed.
    error = np.sqrt(exact.p_value * (1 - exact.p_value) / 9999)
    assert_allclose(simulated.p_value, exact.p_value, atol=5 * error.max() + 1e-4)
    assert (np.abs(simulated.p_value - exact.p_value) < 5 * error + 1e-4).all()
    assert_allclose(simulated.log_p_value, np.log(simulated.p_value), rtol=1e-15)
    assert_allclose(np.rint(simulated.p_value * 10_000), simulated.p_value * 10_000, rtol=1e-12)


def test_random_tables_never_give_zero():
    result = outcome([500] * 5 + [0] * 5, [0] * 5 + [500] * 5, permutations=99)
    assert result.p_value == 1 / 100


@quick
@given(COUNTS, COUNTS, st.permutations(range(3)))
def test_the_order_of_samples_and_categories_does_not_matter(p, q, order):
    for statistic in (jensen_shannon, total_variation, hellinger):
        result = outcome(p, q, statistic)
        assert_allclose([*outcome(q, p, statistic)], [*result], rtol=1e-12, atol=1e-14)
        moved = outcome([p[i] for i in order], [q[i] for i in order], statistic)
        assert_allclose([*moved], [*result], rtol=1e-12, atol=1e-14)


def test_infinite_divergences_count_as_large():
    def unsmoothed(p, q):
        return kullback_leibler(p, q, epsilon=0)

    # Of the 6 ways to deal {a, a, b, b} to two pairs 4 give the divergence 0, and 2 an infinite one.
    result = outcome([[1, 1], [2, 0]], [[1, 1], [0, 2]], unsmoothed)
    assert result.p_value[0] == 1
    assert np.isnan(result.p_value[1])
    # The same with a fifth answer, listed.
    p, q = [1, 1], [1, 2]
    tables = np.array([[2, 0], [1, 1], [0, 2]])
    values = unsmoothed(tables, np.array([2, 3]) - tables)
    ways = np.array([1, 6, 3])
    expected = ways[~(values < unsmoothed(p, q) * (1 - 1e-7))].sum() / 10
    assert_allclose(outcome(p, q, unsmoothed).p_value, expected)
    assert np.isnan(values).any()


def test_what_cannot_be_drawn_has_no_p():
    many = np.full(12, 10**8)
    result = outcome([many], [many + 10], permutations=9)
    assert np.isnan(result.p_value).all()
    assert not result.exact.any()
    # Two categories of a billion are too many tables to list; few observations among them are not.
    assert outcome([[10**9, 0]], [[10**9 - 3, 3]]).exact.all()


def test_no_permutations_and_too_many_tables_give_no_p():
    assert np.isnan(outcome([[50, 40, 30]], [[60, 20, 10]], most_tables=10).p_value).all()


@pytest.mark.slow
def test_five_percent_are_rejected_under_the_null_hypothesis():
    share = [0.1, 0.2, 0.4, 0.2, 0.1]
    random = np.random.default_rng(8)
    p, q = (random.multinomial(n, share, size=trials(4000)) for n in (50, 60))
    result = outcome(p, q, permutations=999, most_tables=0)
    assert abs((result.p_value <= 0.05).mean() - 0.05) < within(0.01)
