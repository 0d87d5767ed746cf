"""Two one-sided tests against R, statsmodels on repeated rows, and their own algebra."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.means.contrasts import equivalence_tests, one_sample_contrasts, two_sample_contrasts
from tallybook.statistics.means.moments import summary_moments
from tests.unit.statistics.frames import quick
from tests.unit.statistics.score_frames import (
    DESIGNS,
    EDGES,
    GROUPS,
    ROWS,
    by_cell,
    contrasts_of,
    edge_pairs,
    observations,
    oracle_frames,
    pair_frame,
    score_frame,
)


def test_log_p_values_equal_r(oracle):
    scores, pairs = oracle_frames(oracle)
    expected = pl.DataFrame({name: column.tolist() for name, column in oracle("equivalence").items()})
    for (design, half), wanted in expected.group_by("design", "half", maintain_order=True):
        tests = equivalence_tests(contrasts_of(design, scores, pairs), ["cell"], low=-half, high=half)
        found = wanted.select("cell").join(tests, on="cell", how="left", maintain_order="left")
        assert_allclose(found["log_p_value"].to_numpy(), wanted["log_p"].to_numpy(), rtol=1e-9, atol=1e-15)
        assert_allclose(found["p_value"].to_numpy(), np.exp(wanted["log_p"].to_numpy()), rtol=1e-9)


def test_the_example_of_lakens():
    # Lakens (2017), the example of two independent groups: means 5.25 and 5.22, sd 0.95 and 0.83, n 95 and 89, bounds
    # of d = 0.43 either way; t = -2.69, p = .004.
    printed = {"group": ["first", "second"], "n": [95, 89], "mean": [5.25, 5.22], "sd": [0.95, 0.83]}
    summary = summary_moments(pl.DataFrame(printed), ["group"])
    half = 0.43 * math.sqrt((0.95**2 + 0.83**2) / 2)
    for variances, df in (("equal", 182), ("unequal", 181.1)):
        contrasts = two_sample_contrasts(summary, [], "group", GROUPS, variances=variances)
        row = equivalence_tests(contrasts, [], low=-half, high=half).row(0, named=True)
        assert_allclose(row["df"], df, atol=0.05)
        assert_allclose(row["statistic"], -2.69, atol=0.01)
        assert_allclose(row["p_value"], 0.004, atol=2e-4)


@quick
@given(ROWS, st.sampled_from(["two-sample", "welch"]), st.floats(-3, 3), st.floats(0.01, 4))
def test_tests_equal_statsmodels_on_repeated_rows(rows, design, low, width):
    from statsmodels.stats.weightstats import ttost_ind

    contrasts = contrasts_of(design, score_frame(rows), pair_frame([]))
    for cell, row in by_cell(equivalence_tests(contrasts, ["cell"], low=low, high=low + width)).items():
        if row["status"] != "ok":
            assert (row["p_value"], row["log_p_value"], row["statistic"], row["ci_low"]) == (None,) * 4
            continue
        first, second = (observations(rows, cell, group) for group in GROUPS)
        if min(first.size, second.size) < 2:
            continue  # statsmodels has no variance of one observation
        pooling = "pooled" if design == "two-sample" else "unequal"
        p, lower, upper = ttost_ind(first, second, low, low + width, usevar=pooling)
        assert_allclose(row["p_value"], p, rtol=1e-9, atol=1e-15)
        assert_allclose(row["statistic"], lower[0] if lower[1] >= upper[1] else upper[0], rtol=1e-9, atol=1e-11)
        assert row["null_value"] == (low if lower[1] >= upper[1] else low + width)


@quick
@given(st.floats(-2, 2), st.floats(0.1, 3), st.integers(2, 500), st.floats(0.01, 1), st.sampled_from([0.01, 0.05, 0.2]))
def test_the_interval_lies_within_the_bounds_exactly_where_p_is_below_alpha(mean, sd, n, half, alpha):
    summary = summary_moments(pl.DataFrame({"n": [n], "mean": [mean], "sd": [sd]}), [])
    contrasts = one_sample_contrasts(summary, [], null_value=0.5)
    row = equivalence_tests(contrasts, [], low=-half, high=half, alpha=alpha).row(0, named=True)
    assume(abs(row["p_value"] - alpha) > 1e-9)
    assert (row["p_value"] < alpha) == (0.5 - half < row["ci_low"] and row["ci_high"] < 0.5 + half)
    assert_allclose(row["confidence"], 1 - 2 * alpha)
    assert row["null_value"] in {0.5 - half, 0.5 + half}


def test_turning_the_scores_turns_the_bounds():
    rows = EDGES["one against many"] + [("a", "first", 4.0, 3)]
    turned = [(cell, group, -value, count) for cell, group, value, count in rows]
    here, there = (contrasts_of("welch", score_frame(r), pair_frame([])) for r in (rows, turned))
    one, other = (
        equivalence_tests(contrasts, ["cell"], low=low, high=high).row(0, named=True)
        for contrasts, low, high in ((here, -0.2, 1.0), (there, -1.0, 0.2))
    )
    assert one["p_value"] == other["p_value"]
    assert (one["statistic"], one["null_value"]) == (-other["statistic"], -other["null_value"])


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_edge_ends_in_a_status(edge, design):
    rows = EDGES[edge]
    with np.errstate(all="raise"):
        contrasts = contrasts_of(design, score_frame(rows), pair_frame(edge_pairs(rows)))
        tests = equivalence_tests(contrasts, ["cell"], low=-0.5, high=0.5)
    for row in by_cell(tests).values():
        is_tested = row["status"] == "ok"
        for name in ("statistic", "df", "p_value", "log_p_value", "ci_low", "ci_high"):
            assert (row[name] is not None) == is_tested
        assert row["term"] == "equivalence"


def test_without_a_null_value_there_is_no_test():
    summary = pl.DataFrame({"cell": ["a"], "n": [9], "mean": [1.0], "squares": [8.0], "census": [None]})
    contrasts = one_sample_contrasts(summary, ["cell"], null_value="census")
    row = by_cell(equivalence_tests(contrasts, ["cell"], low=-1, high=1))["a"]
    assert (row["status"], row["null_value"], row["p_value"]) == ("no-reference", None, None)
