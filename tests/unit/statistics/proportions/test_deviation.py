"""Deviation scores against counting p-values."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.conclusions import deviation_scores
from tallybook.statistics.estimates import as_estimates
from tests.unit.statistics.frames import LEVELS, as_rows, exactly, quick

FACTORS = ("model", "group")


def estimates_of_tests(tests):
    """Estimates of tests from (model, group, outcome, p-value or None)."""
    schema = dict.fromkeys([*FACTORS, "outcome"], pl.String) | {"p_value": pl.Float64}
    return as_estimates(pl.DataFrame(tests, schema=schema, orient="row"), FACTORS)


TESTS = st.lists(
    st.tuples(
        st.sampled_from(LEVELS["model"]),
        st.sampled_from(LEVELS["group"]),
        st.sampled_from(["politics", "belief"]),
        st.one_of(st.none(), st.sampled_from([0.0, 0.01, 0.05, 0.05000000000000001, 1.0]), st.floats(0, 1)),
    )
)


@quick
@given(
    TESTS,
    st.lists(st.sampled_from(FACTORS), unique=True),
    st.sampled_from([0.05, 0.01, 0.5]),
)
def test_scores_equal_counting(tests, by, alpha):
    cells = {}
    for model, group, outcome, p_value in tests:
        level = {"model": model, "group": group}
        cells.setdefault((*(level[name] for name in by), outcome, "significant"), []).append(p_value)
    found = as_rows(deviation_scores(estimates_of_tests(tests), by, alpha=alpha), by)
    assert found.keys() == cells.keys()
    for key, p_values in cells.items():
        valid = [p for p in p_values if p is not None]
        expected = (len(valid), sum(p < alpha for p in valid) / len(valid), "ok") if valid else (0, None, "no-data")
        assert (found[key]["n"], found[key]["estimate"], found[key]["status"]) == expected


@quick
@given(TESTS.flatmap(lambda tests: st.tuples(st.just(tests), st.permutations(tests))))
def test_the_order_of_tests_does_not_matter(both):
    given_order, other_order = (exactly(deviation_scores(estimates_of_tests(tests), ["model"])) for tests in both)
    assert given_order == other_order


@pytest.mark.parametrize(("alpha", "expected"), [(0.05, 0.25), (0.050001, 0.5), (0.001, 0.25), (1e-300, 0.25)])
def test_only_a_p_value_below_alpha_counts(alpha, expected):
    tests = estimates_of_tests([("zeta", "young", "politics", p) for p in (0.0, 0.05, 0.3, 1.0, None)])
    score = as_rows(deviation_scores(tests, ["model"], alpha=alpha), ["model"])["zeta", "politics", "significant"]
    assert (score["n"], score["estimate"]) == (4, expected)


def test_the_method_names_alpha():
    tests = estimates_of_tests([("zeta", "young", "politics", 0.2)])
    assert deviation_scores(tests, [], alpha=0.01).get_column("method").to_list() == ["share of tests with p < 0.01"]
