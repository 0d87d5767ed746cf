"""Weighted sums of estimates over levels."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.of_estimates import weighted_sums
from tests.unit.statistics.frames import quick

WEIGHTS = {"a": 1.0, "b": -2.0}
NUMBER = st.floats(-10, 10)


def frame(rows):
    """Estimates of the levels a, b and c of one factor."""
    schema = {"type": pl.String, "outcome": pl.String, "term": pl.String, "n": pl.Int64, "estimate": pl.Float64}
    return pl.DataFrame(rows, schema=schema | {"std_error": pl.Float64}, orient="row")


@quick
@given(st.tuples(NUMBER, st.floats(0, 5)), st.tuples(NUMBER, st.floats(0, 5)), NUMBER, st.permutations(range(3)))
def test_sums(first, second, constant, order):
    (x, x_error), (y, y_error) = first, second
    rows = [("a", "o", "t", 3, x, x_error), ("b", "o", "t", 4, y, y_error), ("c", "o", "t", 5, 99.0, 1.0)]
    row = weighted_sums(frame([rows[place] for place in order]), [], "type", WEIGHTS, constant=constant).row(
        0, named=True
    )
    assert row["estimate"] == pytest.approx(x - 2 * y + constant, abs=1e-9)
    assert row["std_error"] == pytest.approx(math.hypot(x_error, 2 * y_error), abs=1e-9)
    assert row["ci_high"] - row["ci_low"] == pytest.approx(2 * 1.959963984540054 * row["std_error"], abs=1e-9)
    assert (row["n"], row["status"]) == (7, "ok")


def test_a_level_without_an_estimate_leaves_no_sum():
    missing = weighted_sums(frame([("a", "o", "t", 3, 0.5, 0.1)]), [], "type", WEIGHTS).row(0, named=True)
    assert (missing["estimate"], missing["status"]) == (None, "no-data")
    null = weighted_sums(frame([("a", "o", "t", 3, 0.5, 0.1), ("b", "o", "t", 0, None, None)]), [], "type", WEIGHTS)
    assert null["status"].to_list() == ["no-data"]


def test_without_a_standard_error_there_is_no_interval():
    row = weighted_sums(frame([("a", "o", "t", 3, 0.5, None), ("b", "o", "t", 4, 1.0, 0.1)]), [], "type", WEIGHTS)
    assert row.select("estimate", "std_error", "ci_low", "status").row(0) == (-1.5, None, None, "ok")
