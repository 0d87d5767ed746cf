"""One-sided exact tests of shares, against scipy table by table, and what they are in a family."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy import stats

from tallybook.statistics.proportions.binomial import binomial_test
from tallybook.statistics.proportions.hypergeometric import fisher_p_value
from tests.unit.statistics.test_jackknife import counted, estimates_of

SIDES = pytest.mark.parametrize("side", ["greater", "less"])


@SIDES
def test_binomial_tests_are_those_of_scipy(side):
    for n, share in product((1, 7, 40), (0.0, 0.03, 0.5, 1.0)):
        k = np.arange(n + 1)
        p, log_p = binomial_test(k, np.full(n + 1, n), np.full(n + 1, share), side)
        expected = [stats.binomtest(int(one), n, share, alternative=side).pvalue for one in k]
        assert p == pytest.approx(expected, rel=1e-9, abs=1e-300)
        assert np.exp(log_p) == pytest.approx(p, rel=1e-9)


@SIDES
def test_fisher_tests_are_those_of_scipy(side):
    tables = [(a, m, b, n) for m, n in ((1, 1), (5, 3), (4, 9), (30, 25)) for a in range(m + 1) for b in range(n + 1)]
    a, m, b, n = np.array(tables, dtype=float).T
    p, log_p = fisher_p_value((a, m), (b, n), side)
    expected = [
        stats.fisher_exact([[x, first - x], [y, second - y]], alternative=side)[1] for x, first, y, second in tables
    ]
    assert p == pytest.approx(expected, rel=1e-9)
    assert np.exp(log_p) == pytest.approx(p, rel=1e-9)


def test_far_out_and_in_long_tails():
    first, second = (np.array([3900.0]), np.array([4000.0])), (np.array([100.0]), np.array([4000.0]))
    assert fisher_p_value(first, second, "greater")[1][0] < -700
    assert fisher_p_value(first, second, "less")[0][0] == 1.0
    near = (np.array([2010.0]), np.array([4000.0])), (np.array([2000.0]), np.array([4000.0]))
    expected = stats.hypergeom.sf(2009, 8000, 4010, 4000)
    assert fisher_p_value(*near, "greater")[0][0] == pytest.approx(expected, rel=1e-9)


def test_a_category_and_its_complement_are_two_hypotheses():
    times = {("a", "yes"): 7, ("a", "no"): 5, ("b", "yes"): 2, ("b", "no"): 9}
    tally = counted([("m", group, "i", said, 0.0, count) for (group, said), count in times.items()])
    settings = {"statistic": "difference", "outcomes": ["answer"], "by": [], "factor": "group", "levels": ["a", "b"]}
    settings |= {"denominator": "coded", "family": {"method": "bonferroni"}}
    for side, size in (("two-sided", 1), ("greater", 2)):
        found = estimates_of(tally, gap=settings | {"alternative": side}).drop_nulls("p_value")
        assert set(found["family_size"]) == {size}
    p = dict(zip(found["term"], found["p_value"], strict=True))
    assert p["yes"] == pytest.approx(stats.fisher_exact([[7, 5], [2, 9]], alternative="greater")[1], rel=1e-9)
    assert p["no"] == pytest.approx(stats.fisher_exact([[5, 7], [9, 2]], alternative="greater")[1], rel=1e-9)
