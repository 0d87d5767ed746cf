"""Means of scores from tallies and from printed means, against single responses and scipy."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.score_means import (
    means_of,
    printed_means,
    printed_moments,
    score_means,
    score_t_tests,
    scored,
)
from tests.unit.statistics.frames import as_rows, exactly, quick

VALUES = st.sampled_from([-1.0, -0.5, 0.0, 0.25, 1.0])
RESPONSES = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["ok", "refused", "invalid", "error"]), VALUES), max_size=40
)


def tally_of(responses):
    """A tally of one score, one row a distinct value."""
    rows = [
        {"cell": cell, "outcome": "d", "category": None, "value": value if status == "ok" else None, "status": status}
        for cell, status, value in responses
    ]
    schema = {"cell": pl.String, "outcome": pl.String, "category": pl.String, "value": pl.Float64, "status": pl.String}
    frame = pl.DataFrame(rows, schema=schema)
    return frame.group_by(list(schema), maintain_order=True).len("count")


def values_of(responses, cell, uncoded):
    """The values of single responses, as a reader of the settings would list them."""
    own = [(status, value) for where, status, value in responses if where == cell and status != "error"]
    return [value if status == "ok" else uncoded for status, value in own if status == "ok" or uncoded is not None]


@quick
@given(RESPONSES, st.sampled_from([None, 0.0, 0.5]), st.sampled_from([0.0, 0.5]))
def test_means_and_tests_are_those_of_single_responses(responses, uncoded, null_value):
    counts = scored(tally_of(responses), ["d"], uncoded)
    tests = as_rows(score_t_tests(moments(counts, ["cell", "outcome"]), ["cell"], null_value=null_value), ["cell"])
    student = as_rows(score_means(counts, ["cell"]), ["cell"])
    normal = as_rows(score_means(counts, ["cell"], interval="normal", confidence=0.9), ["cell"])
    for cell in {cell for cell, _, _ in responses}:
        values = values_of(responses, cell, uncoded)
        for found in (tests, student, normal):
            row = found[cell, "d", "mean"]
            assert row["n"] == len(values)
            assert (row["estimate"] is None) == (not values)
        if len(set(values)) < 2:
            assert tests[cell, "d", "mean"]["p_value"] is None
            continue
        result = stats.ttest_1samp(values, null_value)
        row = tests[cell, "d", "mean"]
        assert_allclose(
            [row["statistic"], row["p_value"], row["df"]], [*result, len(values) - 1], rtol=1e-9, atol=1e-12
        )
        low, high = result.confidence_interval(0.95)
        assert_allclose([student[cell, "d", "mean"]["ci_low"], student[cell, "d", "mean"]["ci_high"]], [low, high])
        assert student[cell, "d", "mean"]["p_value"] is None
        half = 1.6448536269514722 * np.std(values, ddof=1) / math.sqrt(len(values))
        mean = np.mean(values)
        row = normal[cell, "d", "mean"]
        assert_allclose([row["ci_low"], row["ci_high"]], [mean - half, mean + half], rtol=1e-9, atol=1e-12)


@quick
@given(RESPONSES)
def test_a_failed_request_never_counts(responses):
    without = [response for response in responses if response[1] != "error"]
    both = [scored(tally_of(some), ["d"], 0.0).filter(pl.col("value").is_not_null()) for some in (responses, without)]
    with_all, with_some = (score_means(counts, ["cell"]) for counts in both)
    assert exactly(with_all) == exactly(with_some)


def test_bootstrap_intervals_are_those_of_the_bootstrap():
    counts = pl.DataFrame({"outcome": ["d"] * 2, "value": [0.0, 1.0], "count": [30, 70]})
    row = score_means(counts, [], interval="percentile").row(0, named=True)
    assert (row["outcome"], row["term"], row["n"], row["estimate"]) == ("d", "mean", 100, 0.7)
    quantiles = stats.binom(100, 0.7).ppf([0.025, 0.975]) / 100
    assert_allclose([row["ci_low"], row["ci_high"]], quantiles, atol=0.01)


PRINTED = st.lists(st.tuples(st.integers(2, 400), st.floats(-0.9, 0.9), st.floats(0.01, 0.5)), min_size=1, max_size=6)


@quick
@given(PRINTED)
def test_pooled_moments_are_those_of_samples_with_the_printed_means(cells):
    """A sample of n values with mean m and standard deviation s: half of them below, half above (n even)."""
    cells = [(2 * (n // 2 + 1), mean, half) for n, mean, half in cells]
    frame = pl.DataFrame(
        {
            "m": [f"m{place}" for place in range(len(cells))],
            "outcome": "d",
            "n": [n for n, _, _ in cells],
            "mean": [mean for _, mean, _ in cells],
            "ci_low": [mean - half for _, mean, half in cells],
            "ci_high": [mean + half for _, mean, half in cells],
        }
    )
    pooled = printed_moments(frame, ["m"], [], 0.95).row(0, named=True)
    values = []
    for n, mean, half in cells:
        sd = half / 1.959963984540054 * math.sqrt(n)
        away = sd * math.sqrt((n - 1) / n)
        values += [mean - away, mean + away] * (n // 2)
    assert pooled["n"] == len(values)
    assert_allclose(pooled["mean"], np.mean(values), rtol=1e-9, atol=1e-12)
    assert_allclose(pooled["squares"], np.sum((np.array(values) - np.mean(values)) ** 2), rtol=1e-9)
    found = means_of(printed_moments(frame, ["m"], [], 0.95), [], interval="normal").row(0, named=True)
    error = np.std(values, ddof=1) / math.sqrt(len(values))
    assert_allclose(found["std_error"], error, rtol=1e-9)


def test_printed_means_keep_their_intervals():
    frame = pl.DataFrame(
        {
            "m": ["b", "a"],
            "outcome": "d",
            "n": [50, 50],
            "mean": [None, 0.25],
            "ci_low": [None, 0.2],
            "ci_high": [None, 0.4],
        }
    )
    rows = printed_means(frame, ["m"], 0.95, "a figure").rows(named=True)
    assert [(row["m"], row["estimate"], row["ci_low"], row["ci_high"], row["status"]) for row in rows] == [
        ("a", 0.25, 0.2, 0.4, "ok"),
        ("b", None, None, None, "no-data"),
    ]
    assert {row["method"] for row in rows} == {"as given: a figure"}


@pytest.mark.parametrize("interval", ["t", "normal"])
def test_no_responses_no_rows(interval):
    assert score_means(scored(tally_of([]), ["d"]), ["cell"], interval=interval).height == 0
