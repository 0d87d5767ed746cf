"""Pearson's and Spearman's correlations against R, NIST, raw rows and their own algebra."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.association.correlation import pearson, spearman
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.tables import BY, OBSERVATIONS, cells_of, counted_frame, table_of

NUMBERS = ("estimate", "std_error", "ci_low", "ci_high", "statistic", "df", "p_value", "log_p_value")
BOTH = pytest.mark.parametrize(("correlate", "term"), [(pearson, "pearson_r"), (spearman, "spearman_rho")])


def oracle_frame(oracle):
    rows = [
        (cell, x, y, count)
        for cell, xs, ys in zip(oracle["table"], oracle["x"], oracle["y"], strict=True)
        for x, counts in zip(map(float, str(xs).split()), table_of(cell), strict=True)
        for y, count in zip(map(float, str(ys).split()), counts, strict=True)
    ]
    return pl.DataFrame(rows, schema=["cell", "x", "y", "count"], orient="row")


def columns(found, cells, term, *names):
    return [np.array([found[cell, "", term][name] for cell in cells], np.float64) for name in names]


def finite(numbers):
    """What is infinite in R is not a number in an estimate."""
    return np.where(np.isinf(numbers), np.nan, numbers)


def test_pearson_equals_r(oracle):
    tables = oracle("correlation")
    found = as_rows(pearson(oracle_frame(tables), BY, "x", "y"), BY)
    assert len(found) == tables["n"].size
    r, t, log_p, low, high = columns(
        found, tables["table"], "pearson_r", "estimate", "statistic", "log_p_value", "ci_low", "ci_high"
    )
    # The means near 1e6 cost R's cov.wt and cor some digits.
    assert_allclose(r, tables["r"], rtol=1e-9, atol=1e-13)
    assert_allclose(t, tables["t"], rtol=1e-9, atol=1e-10)
    assert_allclose(log_p, tables["log_p"], rtol=1e-9, atol=1e-12)
    assert_allclose(low, tables["low"], rtol=1e-9, atol=1e-12)
    assert_allclose(high, tables["high"], rtol=1e-9, atol=1e-12)
    assert tables["log_p"].min() < -1e6


def test_spearman_equals_r(oracle):
    tables = oracle("correlation")
    frame = oracle_frame(tables)
    found = as_rows(spearman(frame, BY, "x", "y"), BY)
    rho, t, p, log_p, low = columns(
        found, tables["table"], "spearman_rho", "estimate", "statistic", "p_value", "log_p_value", "ci_low"
    )
    assert_allclose(rho, tables["rho"], rtol=1e-9, atol=1e-13)
    assert_allclose(t, finite(tables["t_rho"]), rtol=1e-9, atol=1e-9)
    assert_allclose(p, tables["p_rho"], rtol=1e-9, atol=1e-307)
    assert_allclose(log_p, finite(tables["log_p_rho"]), rtol=1e-9, atol=1e-12)
    assert_allclose(low, tables["low_bonett_wright"], rtol=1e-9, atol=1e-12)


def test_the_norris_data():
    # NIST StRD, linear regression, Norris: certified R-squared, slope and its standard error.
    y = [
        0.1, 338.8, 118.1, 888.0, 9.2, 228.1, 668.5, 998.5, 449.1, 778.9, 559.2, 0.3,
        0.1, 778.1, 668.8, 339.3, 448.9, 10.8, 557.7, 228.3, 998.0, 888.8, 119.6, 0.3,
        0.6, 557.6, 339.3, 888.0, 998.5, 778.9, 10.2, 117.6, 228.9, 668.4, 449.2, 0.2,
    ]  # fmt: skip
    x = [
        0.2, 337.4, 118.2, 884.6, 10.1, 226.5, 666.3, 996.3, 448.6, 777.0, 558.2, 0.4,
        0.6, 775.5, 666.9, 338.0, 447.5, 11.6, 556.0, 228.1, 995.8, 887.6, 120.2, 0.3,
        0.3, 556.8, 339.1, 887.2, 999.0, 779.0, 11.1, 118.3, 229.2, 669.1, 448.9, 0.5,
    ]  # fmt: skip
    found = as_rows(pearson(pl.DataFrame({"x": x, "y": y, "count": 1}), [], "x", "y"), [])["", "pearson_r"]
    assert found["estimate"] ** 2 == pytest.approx(0.999993745883712, rel=1e-14)
    assert found["statistic"] == pytest.approx(1.00211681802045 / 0.429796848199937e-03, rel=1e-11)


@quick
@given(OBSERVATIONS)
def test_correlations_equal_scipy_on_raw_rows(rows):
    from scipy import stats

    frame = counted_frame(rows)
    linear, ranked = as_rows(pearson(frame, BY, "x", "y"), BY), as_rows(spearman(frame, BY, "x", "y"), BY)
    cells = cells_of(rows)
    assert len(linear) == len(ranked) == len(cells)
    for cell, pairs in cells.items():
        x, y = map(np.array, zip(*pairs, strict=True))
        found = linear[cell, "", "pearson_r"], ranked[cell, "", "spearman_rho"]
        if len(set(x)) == 1 or len(set(y)) == 1:
            for row in found:
                assert row["status"] == "degenerate"
                assert all(row[number] is None for number in NUMBERS)
            continue
        if len(pairs) == 2:
            for row in found:
                assert (row["status"], abs(row["estimate"]), row["p_value"]) == ("degenerate", 1, None)
            continue
        expected = stats.pearsonr(x, y), stats.pearsonr(stats.rankdata(x), stats.rankdata(y))
        for row, test in zip(found, expected, strict=True):
            assert (row["status"], row["n"]) == ("ok", len(pairs))
            assert_allclose(row["estimate"], test.statistic, rtol=1e-9, atol=1e-12)
            if abs(row["estimate"]) < 1 - 1e-9:
                assert_allclose(row["p_value"], test.pvalue, rtol=1e-8)
                assert_allclose(row["log_p_value"], math.log(row["p_value"]), rtol=1e-9, atol=1e-13)
                assert_allclose(row["statistic"] * row["std_error"], row["estimate"], rtol=1e-12, atol=1e-15)
            assert (row["ci_low"] is None) == (len(pairs) < 4)
            if row["ci_low"] is not None:
                assert -1 <= row["ci_low"] <= row["estimate"] <= row["ci_high"] <= 1
        if len(pairs) > 3 and abs(found[0]["estimate"]) < 1 - 1e-9:
            limits = expected[0].confidence_interval()
            assert_allclose((found[0]["ci_low"], found[0]["ci_high"]), limits, rtol=1e-8, atol=1e-10)


def test_pearson_is_exact_beside_fractions():
    from fractions import Fraction

    random = np.random.default_rng(8)
    for offset, spread in ((0, 1), (10**9, 3), (-(10**6), 100)):
        x = random.integers(0, spread + 1, 50) + offset
        y = np.where(random.random(50) < 0.8, x, random.integers(0, spread + 1, 50) + offset)
        frame = pl.DataFrame({"x": x, "y": y, "count": 1})
        found = pearson(frame, [], "x", "y")["estimate"].item()
        xs, ys = ([Fraction(int(value)) for value in values] for values in (x, y))
        u, v = ([value - sum(values) / 50 for value in values] for values in (xs, ys))
        square = sum(a * b for a, b in zip(u, v, strict=True)) ** 2 / (sum(a * a for a in u) * sum(b * b for b in v))
        assert found**2 == pytest.approx(float(square), rel=1e-14)


def test_correlations_close_to_one_keep_their_digits():
    # y = x + e w with w orthogonal to x: r² = 1 / (1 + e²), which is 1 in float64, and t = sqrt(2) / e.
    for e in (1e-3, 1e-6, 1e-9, 1e-11):
        frame = pl.DataFrame({"x": [-1.0, -1.0, 1.0, 1.0], "y": [-1.0 - e, -1.0 + e, 1.0 - e, 1.0 + e], "count": 1})
        row = as_rows(pearson(frame, [], "x", "y"), [])["", "pearson_r"]
        assert_allclose(row["statistic"], math.sqrt(2) / e, rtol=1e-14 + 1e-15 / e)
        assert row["p_value"] > 0


@BOTH
def test_more_observations_than_the_root_of_64_bits(correlate, term):
    few = pl.DataFrame({"x": [1, 2, 3, 4], "y": [1, 3, 2, 5], "count": [2, 1, 1, 1]})
    expected = correlate(few, [], "x", "y")["estimate"].item()
    for times in (10**9, 10**18):
        row = as_rows(correlate(few.with_columns(pl.col("count") * times), [], "x", "y"), [])["", term]
        t = expected * math.sqrt((5.0 * times - 2.0) / (1.0 - expected**2))
        assert (row["n"], row["status"]) == (5 * times, "ok")
        assert_allclose([row["estimate"], row["statistic"]], [expected, t], rtol=1e-12)


@BOTH
def test_a_perfect_correlation(correlate, term):
    for slope in (1, -3):
        frame = pl.DataFrame({"x": [0.1, 0.2, 0.7, 1e5], "y": [slope * x for x in (0.1, 0.2, 0.7, 1e5)], "count": 2})
        row = as_rows(correlate(frame, [], "x", "y"), [])["", term]
        sign = math.copysign(1, slope)
        assert (row["estimate"], row["ci_low"], row["ci_high"], row["std_error"]) == (sign, sign, sign, 0)
        assert (row["p_value"], row["log_p_value"], row["statistic"], row["status"]) == (0, None, None, "ok")


@BOTH
@quick
@given(rows=OBSERVATIONS, random=st.randoms(use_true_random=False))
def test_order_and_splitting_of_rows_change_no_bit(correlate, term, rows, random):
    frame = counted_frame(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    one_by_one = pl.DataFrame([(*row, 1) for row in shuffled], schema=frame.schema, orient="row")
    estimates = correlate(frame, BY, "x", "y")
    assert exactly(correlate(one_by_one, BY, "x", "y")) == exactly(estimates)
    for cell in cells_of(rows):
        alone = correlate(frame.filter(pl.col("cell") == cell), BY, "x", "y")
        assert exactly(alone) == exactly(estimates.filter(pl.col("cell") == cell))
    assert set(estimates["term"]) <= {term}


@BOTH
@quick
@given(rows=OBSERVATIONS, scale=st.sampled_from([1e-300, 1e-9, 2.0, 1e290]))
def test_scale_sign_and_axes(correlate, term, rows, scale):
    frame = counted_frame(rows)
    found = as_rows(correlate(frame, BY, "x", "y"), BY)
    scaled = as_rows(correlate(frame.with_columns(pl.col("x") * scale), BY, "x", "y"), BY)
    turned = as_rows(correlate(frame.with_columns(-pl.col("y")), BY, "x", "y"), BY)
    swapped = as_rows(correlate(frame, BY, "y", "x"), BY)
    for key, row in found.items():
        for other in (scaled[key], swapped[key], turned[key]):
            assert other["status"] == row["status"]
        if row["status"] == "ok":
            for name in ("estimate", "p_value"):
                assert_allclose(scaled[key][name], row[name], rtol=1e-9, atol=1e-13)
                assert_allclose(swapped[key][name], row[name], rtol=1e-9, atol=1e-13)
                sign = -1 if name == "estimate" else 1
                assert_allclose(turned[key][name], sign * row[name], rtol=1e-9, atol=1e-13)
    assert {key[-1] for key in found} <= {term}


@BOTH
def test_degenerate_input_has_a_status(correlate, term):
    inf = math.inf
    rows = [
        ("constant", 0.1, 1.0, 3), ("constant", 0.1, 2.0, 3), ("single", 1.0, 1.0, 1), ("none", None, 1.0, 5),
        ("none", 1.0, math.nan, 5), ("none", 1.0, 1.0, 0), ("two", 1.0, 1.0, 1), ("two", 2.0, 1.5, 1),
        ("three", 1.0, 1.0, 1), ("three", 2.0, 2.0, 1), ("three", 4.0, 0.0, 1),
        ("infinite", -inf, 1.0, 2), ("infinite", 1.0, 2.0, 2), ("infinite", inf, 4.0, 2),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["cell", "x", "y", "count"], orient="row")
    found = {key[0]: row for key, row in as_rows(correlate(frame, BY, "x", "y"), BY).items()}
    expected = dict.fromkeys(("constant", "single", "two"), "degenerate") | {"none": "no-data", "three": "ok"}
    # An infinite score has a rank, but no distance from the mean.
    expected["infinite"] = "ok" if correlate is spearman else "degenerate"
    assert {cell: row["status"] for cell, row in found.items()} == expected
    assert (found["two"]["estimate"], found["two"]["p_value"], found["two"]["std_error"]) == (1, None, None)
    assert found["three"]["ci_low"] is None
    empty = as_rows(correlate(frame.clear(), [], "x", "y"), [])
    assert (empty["", term]["n"], empty["", term]["status"]) == (0, "no-data")
    assert correlate(frame.clear(), BY, "x", "y").height == 0


def test_impossible_settings_are_refused():
    frame = counted_frame([("a", 1.0, 2.0)])
    for correlate in (pearson, spearman):
        with pytest.raises(ValueError, match=r"^confidence is 0: "):
            correlate(frame, BY, "x", "y", confidence=0)
        with pytest.raises(ValueError, match=r"^column 'cell' is String: expected numbers$"):
            correlate(frame, [], "cell", "y")
