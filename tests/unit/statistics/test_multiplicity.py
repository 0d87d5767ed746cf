"""Adjusted p-values against R, statsmodels and their definitions."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from polars.testing import assert_frame_equal

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.multiplicity import with_adjusted_p_values
from tests.unit.statistics.frames import quick

METHODS = {
    "bonferroni": "bonferroni",
    "holm": "holm",
    "hochberg": "simes-hochberg",
    "benjamini-hochberg": "fdr_bh",
    "benjamini-yekutieli": "fdr_by",
}
"""Ours, and what statsmodels calls them."""
P_VALUES = st.one_of(st.none(), st.sampled_from([0.0, 0.01, 0.05, 1.0]), st.floats(0, 1))
TESTS = st.lists(st.tuples(st.sampled_from(["a", "b", None]), st.sampled_from(["x", "y"]), P_VALUES), max_size=40)


def frame(tests):
    schema = {"model": pl.String, "group": pl.String, "p_value": pl.Float64}
    return pl.DataFrame(tests, schema=schema, orient="row")


def adjusted(tests, family, method):
    return with_adjusted_p_values(frame(tests), family, method)["p_adjusted"].to_list()


@pytest.mark.parametrize("method", METHODS)
def test_adjusted_p_values_equal_r(oracle, method):
    cells = oracle("p_adjust")
    tests = pl.DataFrame({"family": cells["family"].tolist(), "p_value": cells["p"].tolist()}).with_columns(
        pl.col("p_value").fill_nan(None)
    )
    found = with_adjusted_p_values(tests, ["family"], method)["p_adjusted"]
    assert_allclose(found.to_numpy(), cells[method.replace("-", "_")], rtol=1e-14, atol=5e-324)
    assert found.null_count() == 4


@quick
@given(TESTS, st.sampled_from([(), ("model",), ("group", "model")]), st.sampled_from(sorted(METHODS)))
def test_adjusted_p_values_equal_statsmodels_family_by_family(tests, family, method):
    from statsmodels.stats.multitest import multipletests

    found = adjusted(tests, family, method)
    members = {}
    for position, (model, group, p) in enumerate(tests):
        key = tuple({"model": model, "group": group}[name] for name in family)
        if p is None:
            assert found[position] is None
        else:
            members.setdefault(key, []).append((position, p))
    for of_family in members.values():
        expected = multipletests([p for _, p in of_family], method=METHODS[method])[1]
        assert_allclose([found[position] for position, _ in of_family], expected, rtol=1e-12, atol=1e-300)


@quick
@given(TESTS, st.sampled_from(sorted(METHODS)), st.randoms())
def test_the_order_of_the_rows_does_not_matter(tests, method, shuffling):
    order = shuffling.sample(range(len(tests)), len(tests))
    found = adjusted(tests, ["model"], method)
    assert adjusted([tests[position] for position in order], ["model"], method) == [found[i] for i in order]


@quick
@given(TESTS, st.lists(st.sampled_from(["a", "b", None]), max_size=20), st.sampled_from(sorted(METHODS)))
def test_tests_without_a_p_value_count_in_no_family(tests, models, method):
    more = [*tests, *((model, "x", None) for model in models)]
    assert adjusted(more, ["model"], method)[: len(tests)] == adjusted(tests, ["model"], method)


@quick
@given(TESTS)
def test_the_methods_are_ordered(tests):
    found = {method: adjusted(tests, ["model"], method) for method in METHODS}
    for position, (_, _, p) in enumerate(tests):
        if p is None:
            continue
        value = {method: found[method][position] for method in METHODS}
        slack = 1 + 1e-12
        assert p <= value["benjamini-hochberg"] * slack <= value["hochberg"] * slack**2
        assert value["hochberg"] <= value["holm"] * slack <= value["bonferroni"] * slack**2 <= slack**2
        assert value["benjamini-hochberg"] <= value["benjamini-yekutieli"] * slack


def test_the_example_of_benjamini_and_hochberg():
    # Benjamini & Hochberg (1995), section 4.1: of fifteen hypotheses Bonferroni's and Hochberg's procedures reject the
    # same three at .05, theirs rejects four.
    p = [
        0.0001,
        0.0004,
        0.0019,
        0.0095,
        0.0201,
        0.0278,
        0.0298,
        0.0344,
        0.0459,
        0.3240,
        0.4262,
        0.5719,
        0.6528,
        0.7590,
        1,
    ]
    tests = [("a", "x", value) for value in p]
    rejected = {method: sum(value <= 0.05 for value in adjusted(tests, [], method)) for method in METHODS}
    assert rejected["bonferroni"] == 3
    assert rejected["hochberg"] == 3
    assert rejected["benjamini-hochberg"] == 4


def test_estimates_keep_their_rows_and_columns():
    tests = frame([("b", "x", 0.02), ("a", "y", None), ("a", "x", 0.5), ("b", "y", 0.01)])
    estimates = as_estimates(tests.with_columns(pl.lit(1.0).alias("p_adjusted")), ["model", "group"])
    found = with_adjusted_p_values(estimates, ["model"], "holm")
    assert found.schema == estimates.schema
    assert found["p_adjusted"].to_list() == [0.02, None, 0.5, 0.02]
    own = ["p_adjusted", "log_p_adjusted", "family_size"]
    assert_frame_equal(found.drop(own), estimates.drop(own))
    assert found["family_size"].to_list() == [2, None, 1, 2]
    assert_frame_equal(with_adjusted_p_values(found, ["model"], "holm"), found)


@quick
@given(TESTS, st.sampled_from([(), ("model",)]), st.sampled_from(sorted(METHODS)))
def test_tests_of_one_hypothesis_count_once(tests, family, method):
    """As adjusting only the largest p-value of each group within its model, and giving it to all of them."""
    keys = ["model", "group"]
    rows = frame(tests)
    found = with_adjusted_p_values(rows, family, method, hypothesis=keys)
    largest = rows.group_by(keys, maintain_order=True).agg(pl.col("p_value").max())
    alone = with_adjusted_p_values(largest, family, method)
    joined = rows.select(keys).join(alone, on=keys, how="left", nulls_equal=True, maintain_order="left")
    for name in ("p_adjusted", "family_size"):
        expected = pl.select(pl.when(rows["p_value"].is_not_null()).then(joined[name])).to_series().to_list()
        assert found[name].to_list() == expected


def test_a_test_without_hypothesis_counts_in_no_family():
    tests = frame([("a", "x", 0.01), ("a", None, 0.02), ("a", "y", 0.03), ("a", "x", 0.01)])
    found = with_adjusted_p_values(tests, [], "bonferroni", hypothesis=["model", "group"])
    assert found["p_adjusted"].to_list() == [0.02, None, 0.06, 0.02]
    assert found["family_size"].to_list() == [2, None, 2, 2]


@pytest.mark.parametrize("method", METHODS)
def test_logarithms_are_right_where_p_values_underflow(method):
    """As the p-values 10^700 times as large, adjusted; the largest is far from 1."""
    logs = [-1700.0, -1690.5, -1690.4, -1688.0, -1650.0]
    tests = pl.DataFrame({"p_value": [0.0] * 5, "log_p_value": logs})
    found = with_adjusted_p_values(tests, [], method)
    assert found["p_adjusted"].to_list() == [0.0] * 5
    shift = 1400.0
    larger = with_adjusted_p_values(pl.DataFrame({"p_value": [math.exp(log + shift) for log in logs]}), [], method)
    expected = [math.log(p) - shift for p in larger["p_adjusted"]]
    assert_allclose(found["log_p_adjusted"].to_numpy(), expected, rtol=1e-12)
    assert_allclose(larger["log_p_adjusted"].to_numpy(), [log + shift for log in expected], rtol=1e-12)


def test_a_p_value_that_is_exactly_zero_has_no_logarithm():
    found = with_adjusted_p_values(pl.DataFrame({"p_value": [0.0, 0.5]}), [])
    assert found["log_p_adjusted"].to_list() == [None, math.log(0.5)]


def test_no_tests_at_all():
    for method in METHODS:
        assert with_adjusted_p_values(frame([]), ["model"], method).is_empty()
        assert adjusted([("a", "x", None)], [], method) == [None]
    unknown = pl.DataFrame({"p_value": [None, None]})
    assert with_adjusted_p_values(unknown, [])["p_adjusted"].to_list() == [None, None]
