"""Summaries of scores against numpy and against exact arithmetic on repeated values."""

from __future__ import annotations

import statistics
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.means.score_means import score_summaries
from tests.unit.statistics.frames import BY, ROWS, as_rows, cells, numbered, quick, response, tallied, with_status

DDOFS = st.sampled_from([0, 1])


def summary(values, ddof=0):
    """Term -> estimate of one cell with these values."""
    rows = numbered(response(score=value) for value in values)
    found = as_rows(score_summaries(tallied(rows), [], ["score"], ddof=ddof), [])
    return {term: row["estimate"] for (_, term), row in found.items()}


@quick
@given(ROWS, BY, DDOFS)
def test_summaries_equal_numpy_on_repeated_values(rows, by, ddof):
    found = as_rows(score_summaries(tallied(rows), by, ["score"], ddof=ddof), by)
    assert {key[:-2] for key in found} == set(cells(rows, by))
    for cell, members in cells(rows, by).items():
        values = np.array([row["score"] for row in members if row["score"] is not None])
        delivered = len(with_status(members, "score", "ok", "invalid", "refused"))
        term = {name: found[*cell, "score", name] for name in ("mean", "median", "sd", "missing")}
        assert [term[name]["n"] for name in term] == [values.size] * 3 + [delivered]
        if delivered:
            assert term["missing"]["estimate"] == (delivered - values.size) / delivered
        assert term["missing"]["status"] == ("ok" if delivered else "no-data")
        if values.size == 0:
            assert all(term[name]["estimate"] is None for name in ("mean", "median", "sd"))
            assert all(term[name]["status"] == "no-data" for name in ("mean", "median", "sd"))
            continue
        scale = np.abs(values).max()
        assert_allclose(term["mean"]["estimate"], values.mean(), rtol=1e-9, atol=1e-14 * scale)
        assert term["median"]["estimate"] == np.median(values)
        if values.size <= ddof:
            assert (term["sd"]["estimate"], term["sd"]["status"]) == (None, "degenerate")
        else:
            assert_allclose(term["sd"]["estimate"], values.std(ddof=ddof), rtol=1e-9, atol=1e-14 * scale)


@quick
@given(st.lists(st.floats(-1e6, 1e6).map(lambda value: round(value, 9)), min_size=2, max_size=40), DDOFS)
def test_moments_equal_exact_arithmetic(values, ddof):
    exact = [Fraction(value) for value in values]
    variance = statistics.variance(exact) if ddof else statistics.pvariance(exact)
    found = summary(values, ddof)
    # The mean is exact to the spread of the values, not only to their size: what is far from 0 keeps its sd.
    assert_allclose(found["mean"], float(statistics.mean(exact)), rtol=1e-14, atol=1e-14 * float(np.ptp(values)))
    assert_allclose(found["sd"], float(variance) ** 0.5, rtol=1e-9)
    assert found["median"] == float(statistics.median(exact))


@quick
@given(st.floats(-1e9, 1e9), st.integers(2, 60), DDOFS)
def test_a_constant_score_has_no_spread_at_all(value, times, ddof):
    assert summary([value] * times, ddof) == {"mean": value, "median": value, "sd": 0.0, "missing": 0.0}


def test_values_far_from_zero_keep_the_digits_of_their_spread():
    assert summary([1e9, 1e9 + 2**-20])["sd"] == 2**-21


@pytest.mark.parametrize(("ddof", "sd"), [(0, 2.0), (1, (32 / 7) ** 0.5)])
def test_a_textbook_sample(ddof, sd):
    assert summary([2, 4, 4, 4, 5, 5, 7, 9], ddof) == {
        "mean": 5.0,
        "median": 4.5,
        "sd": pytest.approx(sd, rel=1e-15),
        "missing": 0.0,
    }


@pytest.mark.parametrize(
    ("values", "median"),
    [([3.0], 3.0), ([1.0, 2.0], 1.5), ([5.0, 1.0, 3.0], 3.0), ([1.0, 1.0, 1.0, 9.0], 1.0), ([0.0, 0.0, 1.0, 1.0], 0.5)],
)
def test_medians(values, median):
    assert summary(values)["median"] == median


@pytest.mark.parametrize(
    ("values", "impossible"),
    [
        ([1e200, -1e200], {"sd"}),  # the square is too large for a float, the mean is not
        ([1.7e308, 1.7e308, -1.7e308], {"mean", "median", "sd"}),
        ([1.7e308, 1.7e308], {"median"}),
    ],
)
def test_what_is_too_large_for_a_float_has_no_number_but_a_status(values, impossible):
    rows = numbered(response(score=value) for value in values)
    found = as_rows(score_summaries(tallied(rows), [], ["score"]), [])
    for term in ("mean", "median", "sd"):
        row = found["score", term]
        assert row["status"] == ("degenerate" if term in impossible else "ok")
        assert (row["estimate"] is None) == (term in impossible)


def test_the_method_names_ddof():
    summaries = score_summaries(tallied(numbered([response(score=1.0)])), [], ["score"], ddof=1)
    assert summaries.get_column("method").to_list() == ["mean", "median", "sd with ddof 1", "missing"]
