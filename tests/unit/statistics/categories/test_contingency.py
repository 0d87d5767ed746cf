"""Contingency tables against R, scipy on raw rows, textbook tables and their own algebra."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.categories.contingency import TERMS, independence, standardised_residuals
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.tables import BY, OBSERVATIONS, cells_of, counted_frame, frame_of_tables, table_of

NUMBERS = ("estimate", "statistic", "df", "p_value", "log_p_value")


def dense(pairs):
    """The table of raw rows, levels in sorted order."""
    xs, ys = (sorted(set(values)) for values in zip(*pairs, strict=True))
    return np.array([[pairs.count((x, y)) for y in ys] for x in xs])


def test_every_number_equals_r(oracle):
    tables = oracle("contingency")
    frame = frame_of_tables(tables["table"])
    found = as_rows(independence(frame, BY, "x", "y"), BY)
    corrected = as_rows(independence(frame, BY, "x", "y", continuity=True), BY)
    residuals = standardised_residuals(frame, BY, "x", "y").group_by("cell").first()
    first_residual = dict(residuals.select("cell", "residual").iter_rows())
    for row, table in enumerate(tables["table"]):
        values = {term: found[table, "", term] for term in TERMS}
        expected = {name: column[row] for name, column in tables.items()}
        for test, p, log_p in (("chi_square", "p", "log_p"), ("g", "p_g", "log_p_g")):
            assert_allclose(values[test]["estimate"], expected[test], rtol=1e-9, atol=1e-7 if test == "g" else 1e-12)
            assert values[test]["statistic"] == values[test]["estimate"]
            assert values[test]["df"] == expected["df"]
            # At n = 1e9 R's sum of O ln(O/E) keeps 1e-8 of G, and p as many digits as its logarithm is small.
            assert_allclose(
                values[test]["log_p_value"], expected[log_p], rtol=1e-9, atol=1e-7 if test == "g" else 1e-12
            )
            assert_allclose(values[test]["p_value"], expected[p], rtol=1e-6 if test == "g" else 1e-9, atol=1e-307)
        assert_allclose(values["cramer_v"]["estimate"], expected["v"], rtol=1e-9, atol=1e-12)
        assert_allclose(abs(values["phi"]["estimate"]), expected["phi"], rtol=1e-9, atol=1e-12)
        if math.isinf(expected["v_corrected"]) or math.isnan(expected["v_corrected"]):
            assert values["cramer_v_corrected"]["status"] == "degenerate"
        else:
            assert_allclose(values["cramer_v_corrected"]["estimate"], expected["v_corrected"], rtol=1e-9, atol=1e-12)
        assert_allclose(first_residual[table], expected["residual"], rtol=1e-9, atol=1e-12)
        assert_allclose(corrected[table, "", "chi_square"]["p_value"], expected["p_yates"], rtol=1e-9, atol=1e-307)
        size = len(table_of(table)) * len(table_of(table)[0])
        note = f"; {expected['small']:.0f} of {size} expected counts below 5, the smallest "
        assert (note in values["chi_square"]["method"]) == (expected["small"] > 0)
    assert (tables["p"] == 0).any()


def test_the_gender_gap():
    # Agresti (2007), Introduction to Categorical Data Analysis (2nd ed.), tables 2.5 and 2.8: X² = 30.1, G² = 30.0,
    # df = 2; adjusted residuals of women: 4.50 Democrats, 0.70 independents, -5.32 Republicans.
    frame = frame_of_tables(["762 327 468/484 239 477"])
    found = as_rows(independence(frame, [], "x", "y"), [])
    assert found["", "chi_square"]["estimate"] == pytest.approx(30.07, abs=0.005)
    assert found["", "g"]["estimate"] == pytest.approx(30.02, abs=0.005)
    residuals = standardised_residuals(frame, [], "x", "y")["residual"].to_list()
    assert_allclose(residuals, [4.502, 0.699, -5.316, -4.502, -0.699, 5.316], atol=5e-4)


@quick
@given(OBSERVATIONS)
def test_tests_equal_scipy_on_raw_rows(rows):
    from scipy.stats import chi2_contingency
    from scipy.stats.contingency import association

    frame = counted_frame(rows)
    found = as_rows(independence(frame, BY, "x", "y"), BY)
    residuals = standardised_residuals(frame, BY, "x", "y")
    cells = cells_of(rows)
    assert found.keys() == {(cell, "", term) for cell in cells for term in TERMS}
    for cell, pairs in cells.items():
        table = dense(pairs)
        own = residuals.filter(pl.col("cell") == cell)
        assert own["count"].to_list() == table.ravel().tolist()
        if min(table.shape) < 2:
            for term in TERMS:
                row = found[cell, "", term]
                assert row["status"] == "degenerate"
                assert all(row[name] is None for name in NUMBERS)
            assert own["residual"].is_null().all()
            continue
        for term, method in (("chi_square", "pearson"), ("g", "log-likelihood")):
            test = chi2_contingency(table, correction=False, lambda_=method)
            row = found[cell, "", term]
            assert (row["status"], row["n"], row["df"]) == ("ok", len(pairs), test.dof)
            assert_allclose(row["estimate"], test.statistic, rtol=1e-9, atol=1e-12)
            assert_allclose(row["p_value"], test.pvalue, rtol=1e-9)
            assert row["effect_kind"] == "cramer_v"
        assert_allclose(own["expected"], test.expected_freq.ravel(), rtol=1e-12)
        v = association(table, method="cramer")
        assert_allclose(found[cell, "", "cramer_v"]["estimate"], v, rtol=1e-9, atol=1e-12)
        assert_allclose(found[cell, "", "g"]["effect"], v, rtol=1e-9, atol=1e-12)
        if table.shape == (2, 2):
            yates = chi2_contingency(table, correction=True)
            corrected = as_rows(independence(frame.filter(pl.col("cell") == cell), [], "x", "y", continuity=True), [])
            assert_allclose(corrected["", "chi_square"]["p_value"], yates.pvalue, rtol=1e-9)
            determinant = table[0, 0] * table[1, 1] - table[0, 1] * table[1, 0]
            phi = determinant / math.sqrt(math.prod([*table.sum(axis=0).tolist(), *table.sum(axis=1).tolist()]))
            assert_allclose(found[cell, "", "phi"]["estimate"], phi, rtol=1e-9, atol=1e-12)


def test_independence_is_zero_to_the_last_digit_at_a_billion():
    # 1e9 observations, one of which is out of place: X² = 4e-9, which differences of rounded products would not show.
    found = as_rows(independence(frame_of_tables(["250000001 249999999/249999999 250000001"]), [], "x", "y"), [])
    assert_allclose(found["", "chi_square"]["estimate"], 4 / 250000000, rtol=1e-12)
    # G is a difference of sums of the size of n.
    assert_allclose(found["", "g"]["estimate"], 4 / 250000000, rtol=0, atol=1e-6)
    same = as_rows(independence(frame_of_tables(["333333333 111111111/666666666 222222222"]), [], "x", "y"), [])
    assert same["", "chi_square"]["estimate"] == pytest.approx(0, abs=1e-20)
    assert same["", "g"]["estimate"] == pytest.approx(0, abs=1e-6)
    assert same["", "chi_square"]["p_value"] == pytest.approx(1)


def test_more_observations_than_the_root_of_64_bits():
    few = as_rows(independence(frame_of_tables(["10 20/25 15"]), [], "x", "y"), [])
    many = as_rows(
        independence(frame_of_tables([f"10{'0' * 16} 20{'0' * 16}/25{'0' * 16} 15{'0' * 16}"]), [], "x", "y"), []
    )
    for term in ("chi_square", "g"):
        assert_allclose(many["", term]["estimate"], few["", term]["estimate"] * 1e16, rtol=1e-9)
    assert_allclose(many["", "cramer_v"]["estimate"], few["", "cramer_v"]["estimate"], rtol=1e-12)


def test_the_bias_correction_takes_away_what_chance_gives():
    random = np.random.default_rng(2)
    rows = [(str(cell), *pair) for cell in range(200) for pair in random.integers(0, 5, (60, 2)).tolist()]
    found = independence(counted_frame(rows), BY, "x", "y")
    mean = {
        term: found.filter(pl.col("term") == term)["estimate"].mean() for term in ("cramer_v", "cramer_v_corrected")
    }
    assert mean["cramer_v"] > 0.2
    assert mean["cramer_v_corrected"] < 0.1
    perfect = as_rows(independence(frame_of_tables(["9 0 0/0 5 0/0 0 7"]), [], "x", "y"), [])
    assert perfect["", "cramer_v"]["estimate"] == pytest.approx(1, rel=1e-15)
    assert perfect["", "cramer_v_corrected"]["estimate"] == pytest.approx(1, rel=1e-14)


@quick
@given(OBSERVATIONS, st.randoms(use_true_random=False))
def test_order_and_splitting_of_rows_change_no_bit(rows, random):
    frame = counted_frame(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    one_by_one = pl.DataFrame([(*row, 1) for row in shuffled], schema=frame.schema, orient="row")
    for statistic in (independence, standardised_residuals):
        estimates = statistic(frame, BY, "x", "y")
        assert exactly(statistic(one_by_one, BY, "x", "y")) == exactly(estimates)
        for cell in cells_of(rows):
            alone = statistic(frame.filter(pl.col("cell") == cell), BY, "x", "y")
            assert exactly(alone) == exactly(estimates.filter(pl.col("cell") == cell))


@quick
@given(OBSERVATIONS)
def test_axes_and_labels_do_not_matter(rows):
    frame = counted_frame(rows)
    found = as_rows(independence(frame, BY, "x", "y"), BY)
    swapped = as_rows(independence(frame, BY, "y", "x"), BY)
    labelled = frame.with_columns(pl.format("é{}", pl.col("x")).alias("x"), pl.col("y") > 0)
    assert independence(labelled, BY, "x", "y").height == len(found)
    for key, row in found.items():
        assert swapped[key]["status"] == row["status"]
        if row["status"] == "ok":
            assert_allclose(swapped[key]["estimate"], row["estimate"], rtol=1e-12, atol=1e-13)
            assert_allclose(swapped[key]["p_value"], row["p_value"], rtol=1e-11)


def test_an_enum_is_in_its_declared_order():
    levels = pl.Enum(["low", "high"])
    frame = pl.DataFrame({"x": ["low", "low", "high", "high"], "y": ["a", "b", "a", "b"], "count": [9, 1, 2, 8]})
    plain = as_rows(independence(frame, [], "x", "y"), [])["", "phi"]["estimate"]
    declared = frame.with_columns(pl.col("x").cast(levels))
    assert as_rows(independence(declared, [], "x", "y"), [])["", "phi"]["estimate"] == -plain > 0
    assert standardised_residuals(declared, [], "x", "y")["x"].to_list() == ["low", "low", "high", "high"]


def test_degenerate_input_has_a_status():
    rows = [
        ("constant", "a", "b", 3), ("constant", "a", "c", 4), ("single", "a", "b", 1), ("none", None, "b", 3),
        ("none", "a", "b", 0), ("pair", "a", "b", 1), ("pair", "b", "a", 1),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["cell", "x", "y", "count"], orient="row")
    found = as_rows(independence(frame, BY, "x", "y"), BY)
    statuses = {(cell, term): row["status"] for (cell, _, term), row in found.items()}
    for term in TERMS:
        assert statuses["constant", term] == statuses["single", term] == "degenerate"
        assert statuses["none", term] == "no-data"
        assert statuses["pair", term] == ("degenerate" if term == "cramer_v_corrected" else "ok")
    assert found["pair", "", "chi_square"]["method"].endswith("; 4 of 4 expected counts below 5, the smallest 0.5")
    assert independence(frame.clear(), BY, "x", "y").height == 0
    assert set(independence(frame.clear(), [], "x", "y")["status"]) == {"no-data"}
    assert standardised_residuals(frame.clear(), [], "x", "y").height == 0
    with pytest.raises(ValueError, match=r"^no column 'z'"):
        independence(frame, BY, "x", "z")
