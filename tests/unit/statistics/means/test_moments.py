"""Moments against exact arithmetic, NIST's certified values, and their own algebra."""

from __future__ import annotations

import math
import statistics
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from polars.testing import assert_frame_equal

from tallybook.statistics.means.moments import merged_moments, moments, summary_moments
from tests.unit.statistics.frames import quick

CELLS = st.sampled_from(["a", "b", None])
VALUES = st.one_of(st.sampled_from([0.0, 0.1, 1.0, -2.5]), st.floats(-1e6, 1e6), st.none(), st.just(math.nan))
ROWS = st.lists(st.tuples(CELLS, VALUES, st.integers(0, 4)), max_size=30)


def counts(rows):
    return pl.DataFrame(rows, schema={"cell": pl.String, "value": pl.Float64, "count": pl.Int64}, orient="row")


def of_values(values_and_counts):
    """n, mean and squares of one cell."""
    return moments(counts([("a", float(value), count) for value, count in values_and_counts.items()]), []).row(0)


def slow_moments(rows):
    """Cell -> n, mean and squares in exact arithmetic, a value a row."""
    found = {}
    for cell, value, count in rows:
        observed = [] if value is None or math.isnan(value) else [Fraction(value)] * count
        found.setdefault(cell, []).extend(observed)
    return {
        cell: (len(values), float(statistics.mean(values)), float(statistics.pvariance(values) * len(values)))
        if values
        else (0, None, None)
        for cell, values in found.items()
    }


@quick
@given(ROWS)
def test_moments_equal_exact_arithmetic_on_repeated_values(rows):
    found = {cell: rest for cell, *rest in moments(counts(rows), ["cell"]).iter_rows()}
    expected = slow_moments(rows)
    assert found.keys() == expected.keys()
    for cell, (n, mean, squares) in expected.items():
        assert found[cell][0] == n
        if n == 0:
            assert found[cell] == [0, None, None]
            continue
        spread = math.sqrt(squares)
        assert_allclose(found[cell][1], mean, rtol=1e-14, atol=1e-14 * spread)
        # The square of a spread below 1e-154 is too small for a float.
        assert_allclose(found[cell][2], squares, rtol=1e-13, atol=1e-300)


@quick
@given(ROWS, st.randoms())
def test_the_order_of_the_rows_does_not_change_a_bit(rows, shuffling):
    shuffled = shuffling.sample(rows, len(rows))
    assert_frame_equal(moments(counts(rows), ["cell"]), moments(counts(shuffled), ["cell"]), check_exact=True)


@quick
@given(ROWS)
def test_counts_are_repeated_rows_and_rows_may_be_split(rows):
    repeated = [(cell, value, 1) for cell, value, count in rows for _ in range(count)]
    repeated += [(cell, value, 0) for cell, value, _ in rows]
    assert_frame_equal(moments(counts(rows), ["cell"]), moments(counts(repeated), ["cell"]), check_exact=True)


@quick
@given(ROWS, st.integers(1, 4), st.randoms())
def test_merged_shards_equal_the_whole(rows, shards, shuffling):
    parts = [[] for _ in range(shards)]
    for row in rows:
        shuffling.choice(parts).append(row)
    together = pl.concat([moments(counts(part), ["cell"]) for part in parts])
    merged, whole = merged_moments(together, ["cell"]), moments(counts(rows), ["cell"])
    assert_frame_equal(merged.select("cell", "n"), whole.select("cell", "n"))
    for part, complete in zip(merged.iter_rows(named=True), whole.iter_rows(named=True), strict=True):
        assert (part["mean"] is None) == (complete["n"] == 0)
        if complete["n"]:
            spread = math.sqrt(complete["squares"])
            assert_allclose(part["mean"], complete["mean"], rtol=1e-13, atol=1e-13 * spread)
            assert_allclose(part["squares"], complete["squares"], rtol=1e-9, atol=1e-20 * complete["mean"] ** 2)
    reversed_shards = together.sample(fraction=1.0, shuffle=True, seed=1)
    assert_frame_equal(merged, merged_moments(reversed_shards, ["cell"]), check_exact=True)


@quick
@given(st.dictionaries(st.integers(-1000, 1000), st.integers(1, 9), min_size=1), st.integers(-40, 40))
def test_scaling_by_a_power_of_two_scales_every_digit(values, exponent):
    n, mean, squares = of_values(values)
    scale = 2.0**exponent
    assert of_values({scale * value: count for value, count in values.items()}) == (n, scale * mean, scale**2 * squares)


@quick
@given(st.floats(-1e300, 1e300), st.integers(1, 10**9))
def test_constant_scores_have_no_spread_at_all(value, times):
    assert of_values({value: times}) == (times, value, 0.0)


def test_a_billion_of_each_value_has_the_moments_of_one_of_each():
    n, mean, squares = of_values(dict.fromkeys((1, 2, 3, 4, 5), 10**9))
    assert (n, mean) == (5 * 10**9, 3.0)
    assert_allclose(squares, 1e10, rtol=1e-15)


# NIST, Statistical Reference Datasets, univariate summary statistics: certified mean and sample standard deviation.
# What the digits in their files can hold in float64 bounds the agreement of NumAcc3 and NumAcc4.
NIST = {
    "NumAcc1": ({10000001: 1, 10000003: 1, 10000002: 1}, 10000002, 1, 1e-15),
    "NumAcc2": ({1.2: 1, 1.1: 500, 1.3: 500}, 1.2, 0.1, 1e-14),
    "NumAcc3": ({1000000.2: 1, 1000000.1: 500, 1000000.3: 500}, 1000000.2, 0.1, 1e-9),
    "NumAcc4": ({10000000.2: 1, 10000000.1: 500, 10000000.3: 500}, 10000000.2, 0.1, 1e-8),
}


@pytest.mark.parametrize("name", NIST)
def test_moments_equal_nists_certified_values(name):
    values, mean, sd, tolerance = NIST[name]
    n, found_mean, squares = of_values(values)
    assert n == sum(values.values())
    assert_allclose(found_mean, mean, rtol=2e-16)
    assert_allclose(math.sqrt(squares / (n - 1)), sd, rtol=tolerance)
    _, exact_mean, exact_squares = slow_moments([("a", value, count) for value, count in values.items()])["a"]
    assert_allclose((found_mean, squares), (exact_mean, exact_squares), rtol=1e-15)


def test_michelsons_speed_of_light_has_nists_certified_moments(oracle):
    # NIST's Michelso; R keeps the same hundred measurements as `morley`.
    cells = oracle("t_test_counts")
    chosen = cells["cell"] == "michelson"
    rows = zip(cells["cell"][chosen], cells["value"][chosen], cells["count"][chosen].astype(int), strict=True)
    n, mean, squares = moments(counts(list(rows)), []).row(0)
    assert n == 100
    assert_allclose(mean, 299.852400000000, rtol=1e-15)
    assert_allclose(math.sqrt(squares / 99), 0.0790105478190518, rtol=1e-12)


def test_cells_without_observations_stay():
    rows = counts([("a", None, 3), ("b", math.nan, 1), ("c", 1.0, 0), ("d", 1.0, 1)])
    nothing = [(cell, 0, None, None) for cell in "abc"]
    assert moments(rows, ["cell"]).rows() == [*nothing, ("d", 1, 1.0, 0.0)]
    assert moments(rows.head(3), []).rows() == [(0, None, None)]
    for by in ([], ["cell"]):
        assert moments(rows.clear(), by).is_empty()
        assert merged_moments(moments(rows.clear(), by), by).is_empty()


def test_what_is_too_large_for_a_float_is_null():
    assert moments(counts([("a", 1e200, 1), ("a", -1e200, 1)]), []).rows() == [(2, 0.0, None)]
    assert moments(counts([("a", math.inf, 1), ("a", 1.0, 1)]), []).rows() == [(2, None, None)]


def test_shards_whose_moments_are_unknown_leave_the_whole_unknown():
    shards = pl.DataFrame({"n": [2, 3, 0], "mean": [1.0, None, None], "squares": [2.0, None, None]})
    assert merged_moments(shards, []).rows() == [(5, None, None)]
    assert merged_moments(shards[[0, 2]], []).rows() == [(2, 1.0, 2.0)]


@quick
@given(st.dictionaries(st.floats(-1e3, 1e3), st.integers(1, 5), min_size=1))
def test_summaries_give_the_moments_that_they_were_made_from(values):
    n, mean, squares = of_values(values)
    sd = math.sqrt(squares / (n - 1)) if n > 1 else None
    summary = pl.DataFrame({"n": [n], "mean": [mean], "sd": [sd]}, schema_overrides={"sd": pl.Float64})
    found = summary_moments(summary, []).row(0)
    assert found[:2] == (n, mean)
    assert_allclose(found[2], squares, rtol=1e-15, atol=1e-300)


def test_summaries_may_be_incomplete():
    summary = pl.DataFrame(
        {
            "cell": ["a", "b", "c", "d"],
            "n": [0, 5, 5, 1],
            "mean": [9.0, None, 2.0, 2.0],
            "sd": [1.0, 1.0, None, math.nan],
        }
    )
    assert summary_moments(summary, ["cell"]).rows() == [
        ("a", 0, None, None),
        ("b", 5, None, 4.0),
        ("c", 5, 2.0, None),
        ("d", 1, 2.0, 0.0),
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"n": [1, -1]}, r"^row 1 has n -1: expected a whole number"),
        ({"n": [1, None]}, r"^row 1 has n None: "),
        ({"n": [1.5, 2.0]}, r"^row 0 has n 1\.5: "),
        ({"sd": [1.0, -0.5]}, r"^row 1 has sd -0\.5: expected a number, at least 0$"),
        ({"cell": ["a", "a"]}, r"^row 0 names a cell that another row names, too$"),
    ],
)
def test_impossible_summaries_are_named(columns, message):
    summary = {"cell": ["a", "b"], "n": [3, 4], "mean": [1.0, 2.0], "sd": [1.0, 1.0]} | columns
    with pytest.raises(ValueError, match=message):
        summary_moments(pl.DataFrame(summary), ["cell"])


def test_a_missing_column_is_named():
    with pytest.raises(ValueError, match=r"^no column 'sd': expected cell, n, mean, sd$"):
        summary_moments(pl.DataFrame({"cell": [], "n": [], "mean": []}), ["cell"])
    with pytest.raises(ValueError, match=r"^no column 'score': "):
        moments(counts([]), ["cell"], "score")
    with pytest.raises(ValueError, match=r"^row 0 has count -1: "):
        moments(counts([("a", 1.0, -1)]), ["cell"])


def test_ten_thousand_cells_are_as_exact_as_one():
    rows = [
        (str(cell), value, 1 + cell * (order + 7) % 99)
        for cell in range(10_000)
        for order, value in enumerate((1.0, 2.0, 4.0))
    ]
    found = moments(counts(rows), ["cell"]).sort(pl.col("cell").cast(pl.Int64))
    for cell in (0, 1, 5000, 9999):
        assert found.row(cell) == moments(counts(rows[3 * cell : 3 * cell + 3]), ["cell"]).row(0)
