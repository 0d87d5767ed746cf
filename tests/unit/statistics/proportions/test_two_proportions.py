"""Comparisons of two proportions against R, statsmodels on raw rows and their own algebra."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.proportions.intervals import newcombe
from tallybook.statistics.proportions.two_proportions import TERMS, two_proportions
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.tables import BY

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["new", "old", "other"]), st.booleans()), max_size=40)
SCHEMA = {"cell": pl.String, "group": pl.String, "success": pl.Boolean, "count": pl.Int64}
LEVELS = ("new", "old")


def frame_of(rows):
    return pl.DataFrame([(*row, count) for row, count in Counter(rows).items()], schema=SCHEMA, orient="row")


def compare(frame, by=BY, **settings):
    return two_proportions(frame, by, "group", "success", levels=LEVELS, **settings)


def test_every_number_equals_r(oracle):
    cells = oracle("fisher")
    for confidence in np.unique(cells["confidence"]):
        rows = {name: column[cells["confidence"] == confidence] for name, column in cells.items()}
        frame = pl.DataFrame(
            [
                (f"{row}", group, success, int(count))
                for row, (k1, n1, k2, n2) in enumerate(
                    zip(*(rows[name] for name in ("k1", "n1", "k2", "n2")), strict=True)
                )
                for group, k, n in (("new", k1, n1), ("old", k2, n2))
                for success, count in ((True, k), (False, n - k))
            ],
            schema=SCHEMA,
            orient="row",
        )
        found = as_rows(compare(frame, confidence=float(confidence)), BY)
        for row in range(rows["k1"].size):
            values = {term: found[f"{row}", "", term] for term in TERMS}
            expected = {name: float(column[row]) for name, column in rows.items()}
            for value in values.values():
                assert_allclose(value["p_value"], expected["p"], rtol=1e-9, atol=1e-307)
                assert_allclose(value["log_p_value"], expected["log_p"], rtol=1e-12, atol=1e-11)
                assert_allclose(value["effect"], expected["h"], rtol=1e-9, atol=1e-15)
            sample = values["odds_ratio"]
            if math.isnan(expected["se"]):
                assert sample["std_error"] is sample["ci_low"] is None
            else:
                assert_allclose(math.log(sample["estimate"]), expected["sample_log_odds"], rtol=1e-9, atol=1e-12)
                assert_allclose(sample["std_error"], expected["se"], rtol=1e-12)
                assert_allclose((sample["ci_low"], sample["ci_high"]), (expected["low"], expected["high"]), rtol=1e-9)


def test_aspirin_and_heart_attacks():
    # Agresti (2007), Introduction to Categorical Data Analysis (2nd ed.), sections 2.2 and 2.3: difference of
    # proportions 0.0077 with standard error 0.0015, sample odds ratio 1.832 with interval (1.44, 2.33).
    counts = pl.DataFrame(
        {"group": ["old", "old", "new", "new"], "success": [1, 0] * 2, "count": [189, 10845, 104, 10933]}
    )
    found = as_rows(two_proportions(counts, [], "group", "success", levels=("old", "new")), [])
    difference, odds = found["", "risk_difference"], found["", "odds_ratio"]
    assert (round(difference["estimate"], 4), round(difference["std_error"], 4)) == (0.0077, 0.0015)
    assert (round(odds["estimate"], 3), round(odds["ci_low"], 2), round(odds["ci_high"], 2)) == (1.832, 1.44, 2.33)


@quick
@given(ROWS)
def test_comparisons_equal_those_of_raw_rows(rows):
    from scipy.stats import fisher_exact
    from statsmodels.stats.contingency_tables import Table2x2

    found = as_rows(compare(frame_of(rows)), BY)
    assert found.keys() == {(cell, "", term) for cell in {row[0] for row in rows} for term in TERMS}
    for cell in {row[0] for row in rows}:
        hits = {level: [row[2] for row in rows if row[:2] == (cell, level)] for level in LEVELS}
        k1, n1, k2, n2 = (number for level in LEVELS for number in (sum(hits[level]), len(hits[level])))
        values = {term: found[cell, "", term] for term in TERMS}
        assert {value["n"] for value in values.values()} == {n1 + n2}
        if not n1 or not n2:
            for value in values.values():
                assert value["status"] == "no-data"
                assert value["estimate"] is value["p_value"] is value["ci_low"] is value["effect"] is None
            continue
        table = [[k1, n1 - k1], [k2, n2 - k2]]
        for value in values.values():
            assert_allclose(value["p_value"], fisher_exact(table).pvalue, rtol=1e-9)
            assert_allclose(value["log_p_value"], math.log(value["p_value"]), rtol=1e-9, atol=1e-13)
        difference = values["risk_difference"]
        assert_allclose(difference["estimate"], k1 / n1 - k2 / n2, rtol=1e-12, atol=1e-15)
        assert_allclose((difference["ci_low"], difference["ci_high"]), newcombe((k1, n1), (k2, n2)), rtol=1e-12)
        variances = [k / n * (1 - k / n) / n for k, n in ((k1, n1), (k2, n2))]
        assert_allclose(difference["std_error"], math.sqrt(sum(variances)), rtol=1e-12)
        h = 2 * math.asin(math.sqrt(k1 / n1)) - 2 * math.asin(math.sqrt(k2 / n2))
        assert_allclose(difference["effect"], h, rtol=1e-12, atol=1e-15)
        if min(k1, n1 - k1, k2, n2 - k2) > 0:
            other = Table2x2(np.array(table), shift_zeros=False)
            sample = values["odds_ratio"]
            assert_allclose(sample["estimate"], other.oddsratio, rtol=1e-12)
            assert_allclose((sample["ci_low"], sample["ci_high"]), other.oddsratio_confint(), rtol=1e-9)
        else:
            assert values["odds_ratio"]["estimate"] in {None, 0}
            assert (values["odds_ratio"]["status"] == "ok") == (values["odds_ratio"]["estimate"] == 0)


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_order_and_splitting_of_rows_change_no_bit(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    one_by_one = pl.DataFrame([(*row, 1) for row in shuffled], schema=SCHEMA, orient="row")
    assert exactly(compare(one_by_one)) == exactly(compare(frame_of(rows)))


@quick
@given(ROWS)
def test_swapping_the_groups_turns_the_signs(rows):
    frame = frame_of(rows)
    found = as_rows(compare(frame), BY)
    swapped = as_rows(two_proportions(frame, BY, "group", "success", levels=LEVELS[::-1]), BY)
    for (cell, outcome, term), row in found.items():
        other = swapped[cell, outcome, term]
        if row["status"] == other["status"] == "ok":
            if "odds" not in term:
                assert_allclose(other["estimate"], -row["estimate"], rtol=1e-12, atol=1e-15)
                assert_allclose(other["ci_low"], -row["ci_high"], rtol=1e-12, atol=1e-15)
            elif row["estimate"] and other["estimate"]:
                assert_allclose(other["estimate"], 1 / row["estimate"], rtol=1e-9)
            assert_allclose(other["p_value"], row["p_value"], rtol=1e-12)


def test_extreme_tables_have_a_status():
    rows = [
        ("none", "new", True, 5), ("none", "new", False, 4), ("never", "new", False, 4), ("never", "old", False, 9),
        ("apart", "new", True, 7), ("apart", "old", False, 7), ("zero", "new", False, 5), ("zero", "old", True, 2),
        ("zero", "old", False, 4), ("huge", "new", True, 10**9), ("huge", "old", True, 1),
        ("huge", "old", False, 10**9),
        ("empty", "new", None, 10), ("empty", None, True, 10), ("empty", "old", True, 0),
    ]  # fmt: skip
    found = as_rows(compare(pl.DataFrame(rows, schema=SCHEMA, orient="row")), BY)
    status = {(cell, term): row["status"] for (cell, _, term), row in found.items()}
    assert {status["none", term] for term in TERMS} == {status["empty", term] for term in TERMS} == {"no-data"}
    assert found["none", "", "odds_ratio"]["n"] == 9
    assert found["never", "", "risk_difference"]["estimate"] == 0
    assert found["never", "", "risk_difference"]["p_value"] == 1
    assert status["never", "odds_ratio"] == status["apart", "odds_ratio"] == "degenerate"
    assert_allclose(found["apart", "", "odds_ratio"]["p_value"], 2 / math.comb(14, 7), rtol=1e-12)
    assert (found["zero", "", "odds_ratio"]["estimate"], found["zero", "", "odds_ratio"]["ci_low"]) == (0, None)
    assert (found["huge", "", "odds_ratio"]["p_value"], status["huge", "odds_ratio"]) == (0, "degenerate")
    assert found["huge", "", "odds_ratio"]["log_p_value"] < -1e9
    empty = pl.DataFrame(schema=SCHEMA)
    assert compare(empty).height == 0
    assert set(compare(empty, [])["status"]) == {"no-data"}


def test_impossible_settings_are_refused():
    frame = frame_of([("a", "new", True)])
    with pytest.raises(ValueError, match=r"^'success' is 2 in a row: expected True and False, or 1 and 0$"):
        compare(frame.with_columns(pl.lit(2).alias("success")))
    with pytest.raises(ValueError, match=r"^both levels are 'new': expected two groups$"):
        two_proportions(frame, BY, "group", "success", levels=("new", "new"))
    with pytest.raises(ValueError, match=r"^confidence is 0: "):
        compare(frame, confidence=0)
    with pytest.raises(ValueError, match=r"^no column 'success'"):
        compare(frame.drop("success"))


def test_only_the_measures_asked_for_are_computed():
    frame = frame_of([("1", "new", True), ("1", "old", False)])
    assert compare(frame, measures=["odds_ratio", "risk_difference"])["term"].to_list() == [
        "odds_ratio",
        "risk_difference",
    ]
    with pytest.raises(ValueError, match=r"^measures are \['ratio'\]: expected some of risk_difference, odds_ratio$"):
        compare(frame, measures=["ratio"])
