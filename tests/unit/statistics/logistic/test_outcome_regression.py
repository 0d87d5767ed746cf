"""Regressions of categories on scores kept beside them, against the regression of single responses."""

from __future__ import annotations

import polars as pl
from numpy.testing import assert_allclose

from tallybook.statistics.logistic.curve import fitted_probabilities, outcome_curves, outcome_regressions
from tallybook.statistics.logistic.regression import logistic_regression
from tests.unit.statistics.frames import as_rows, exactly

TALLY = pl.DataFrame(
    {
        "cell": ["a"] * 6 + ["b"] * 2,
        "outcome": ["decision"] * 7 + ["other"],
        "category": ["yes", "no", "yes", "no", None, "yes", "no", "yes"],
        "score": [0.0, 0.0, 1.0, 1.0, 1.0, None, 0.5, 0.5],
        "status": ["ok", "ok", "ok", "ok", "refused", "ok", "ok", "ok"],
        "count": [3, 7, 8, 2, 5, 4, 6, 6],
    }
)
COUNTS = pl.DataFrame({"score": [0.0, 0.0, 1.0, 1.0], "y": [1, 0, 1, 0], "count": [3, 7, 8, 2]})


def test_a_regression_is_that_of_the_answers_with_a_score():
    found = as_rows(outcome_regressions(TALLY, ["cell"], ["decision"], "yes", ["score"]), ["cell"])
    expected = as_rows(logistic_regression(COUNTS, [], ["score"], outcome="y"), [])
    for (_, term), row in expected.items():
        own = found["a", "decision", term]
        assert {name: own[name] for name in ("n", "estimate", "std_error", "p_value", "status")} == {
            name: row[name] for name in ("n", "estimate", "std_error", "p_value", "status")
        }
    assert {row["status"] for key, row in found.items() if key[0] == "b"} == {"degenerate"}
    assert {key[1] for key in found} == {"decision"}


def test_the_other_category_turns_the_sign():
    yes, no = (outcome_regressions(TALLY, ["cell"], ["decision"], word, ["score"]) for word in ("yes", "no"))
    slopes = [rows.filter(cell="a", term="score")["estimate"].item() for rows in (yes, no)]
    assert_allclose(slopes[0], -slopes[1], rtol=1e-12)


def test_a_curve_runs_from_the_smallest_to_the_largest_score():
    curve = outcome_curves(TALLY.filter(cell="a"), [], ["decision"], "yes", "score", points=5)
    assert curve["statistic"].to_list() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert curve["term"].to_list() == ["at 0.0", "at 0.25", "at 0.5", "at 0.75", "at 1.0"]
    at = pl.DataFrame({"score": [0.0, 0.25, 0.5, 0.75, 1.0]})
    expected = fitted_probabilities(COUNTS, [], ["score"], at, outcome="y")
    columns = ["estimate", "ci_low", "ci_high", "n"]
    assert exactly(curve.select(columns)) == exactly(expected.select(columns))
    assert outcome_curves(TALLY.clear(), ["cell"], ["decision"], "yes", "score").height == 0
