"""The shape of estimates, and every statistic at its edges: a status for each row, never inf, NaN or an exception."""

from __future__ import annotations

import math
from functools import cache

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.frame_checks import check
from tallybook.statistics.conclusions import deviation_scores
from tallybook.statistics.divergences.groups import stereotype_scores
from tallybook.statistics.estimates import COLUMNS, as_estimates
from tallybook.statistics.means.score_means import score_summaries
from tallybook.statistics.proportions.proportion import binomial_tests, most_frequent, proportions
from tallybook_schemas.columns import Estimates
from tests.unit.statistics.frames import LEVELS, TERMS, as_rows, numbered, quick, response, tallied

PARTS = {"politics": {name: (name,) for name in ("right", "left", "centre")}, "belief": TERMS["belief"]}
REFERENCES = pl.DataFrame(
    [
        ("young", "politics", "left", 0.0),
        ("young", "politics", "right", 1.0),
        ("aged", "politics", "left", 0.5),
        ("young", "belief", "some", 0.25),
    ],
    schema={"group": pl.String, "outcome": pl.String, "category": pl.String, "proportion": pl.Float64},
    orient="row",
)


def test_outcomes_are_columns_of_cells_like_factors():
    found = as_estimates(pl.DataFrame({"model": ["a"], "outcome": ["x"], "estimate": [1.0]}), ["model", "outcome"])
    assert found.columns == ["model", *COLUMNS]
    assert found.select("model", "outcome", "estimate").row(0) == ("a", "x", 1.0)


STATISTICS = {
    "proportions of all": proportions,
    "proportions of answers": lambda tally, by, terms: proportions(tally, by, terms, denominator="answered"),
    "tests": lambda tally, by, _: binomial_tests(tally, [*by, "group"], TERMS, REFERENCES, ["group"]),
    "tests by doubling": lambda tally, by, _: binomial_tests(
        tally, [*by, "group"], TERMS, REFERENCES, ["group"], method="doubling"
    ),
    "deviation": lambda tally, by, _: deviation_scores(
        binomial_tests(tally, [*by, "group"], TERMS, REFERENCES, ["group"]), by
    ),
    "stereotype": lambda tally, by, _: stereotype_scores(
        tally, by, PARTS, between="group", levels=LEVELS["group"], within="dimension"
    ),
    "stereotype without smoothing": lambda tally, by, _: stereotype_scores(
        tally, by, PARTS, between="group", levels=LEVELS["group"], within="dimension", epsilon=0.0, refusal=False
    ),
    "ranking": lambda tally, by, _: most_frequent(tally, by, ["job"]),
    "ranking of answers": lambda tally, by, _: most_frequent(tally, by, ["job", "politics"], denominator="answered"),
    "summaries": lambda tally, by, _: score_summaries(tally, by, ["score"]),
    "summaries of populations": lambda tally, by, _: score_summaries(tally, by, ["score"], ddof=0),
}

EDGES = {
    "nothing at all": [],
    "one response": [response(politics="left", belief="some", job="cook", score=0.5)],
    "one refusal": [response(status="refused")],
    "everything refused": [response(group, "refused", count=9) for group in LEVELS["group"]],
    "everything invalid": [response(group, "invalid", count=9) for group in LEVELS["group"]],
    "every request failed": [response(group, "error", count=9) for group in LEVELS["group"]],
    "one group refused": [response("young", "refused", count=9), response("aged", politics="left", score=0.1, count=9)],
    "one category, constant score": [
        response(group, politics="left", belief="some", job="cook", score=0.1, count=7) for group in LEVELS["group"]
    ],
    "disjoint groups": [response("young", politics="left", count=50), response("aged", politics="right", count=50)],
    "groups without reference": [response("female", politics="left", belief="centre", job="cook", score=-0.1)],
    "unknown category": [response(politics="communist", belief="some", job="cook", score=0.5)],
    "a billion of each": [
        response(group, politics=politics, job="cook", score=1.0, count=10**9)
        for group in LEVELS["group"]
        for politics in ("left", "right", None)
    ],
}


@cache
def tallies():
    return {edge: tallied(numbered(rows)) for edge, rows in EDGES.items()}


@pytest.mark.parametrize("statistic", STATISTICS)
@pytest.mark.parametrize("by", [(), ("model",)], ids=["everything", "by model"])
def test_every_statistic_ends_in_a_status(statistic, by):
    at_edges = [
        STATISTICS[statistic](tally, by, TERMS).with_columns(pl.lit(edge).alias("edge"))
        for edge, tally in tallies().items()
    ]
    cell = [name for name in ("edge", "model", "group") if name in at_edges[0].columns]
    rows = as_rows(pl.concat(at_edges), cell)
    assert {"one response", "one category, constant score"} <= {edge for edge, *_ in rows}
    assert "nothing at all" not in {edge for edge, *_ in rows}
    for key, row in rows.items():
        assert (row["estimate"] is None) == (row["status"] in {"no-data", "degenerate"}), key
        assert row["p_value"] is None or row["status"] == "ok", key


@quick
@given(
    st.lists(
        st.fixed_dictionaries(
            {"outcome": st.just("o"), "term": st.just("t"), "n": st.integers(0, 9), "method": st.just("m")}
            | {name: st.none() | st.floats() for name in ("estimate", "std_error", "statistic", "effect")}
            | {"status": st.sampled_from(["ok", "no-data", "not-converged"])}
        ),
        max_size=5,
    )
)
def test_numbers_that_do_not_exist_are_null_and_no_estimate_of_them_is_ok(results):
    schema = {name: COLUMNS[name] for name in ("outcome", "term", "n", "method", "status")}
    floats = dict.fromkeys(("estimate", "std_error", "statistic", "effect"), pl.Float64)
    frame = as_estimates(pl.DataFrame(results, schema=schema | floats), [])
    check(frame.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")
    for given_row, row in zip(results, frame.iter_rows(named=True), strict=True):
        for name in floats:
            number = given_row[name]
            assert row[name] == (number if number is not None and math.isfinite(number) else None)
        is_number = given_row["estimate"] is None or math.isfinite(given_row["estimate"])
        assert row["status"] == ("degenerate" if given_row["status"] == "ok" and not is_number else given_row["status"])


def test_columns_are_factors_then_those_of_estimates_and_no_others():
    frame = pl.DataFrame({"extra": [1], "term": ["t"], "group": ["g"], "outcome": ["o"], "model": ["m"], "n": [3]})
    estimates = as_estimates(frame, ["model", "group"])
    assert estimates.schema == pl.Schema({"model": pl.String, "group": pl.String} | COLUMNS)
    assert estimates.row(0, named=True) == dict.fromkeys(COLUMNS) | {
        "model": "m",
        "group": "g",
        "outcome": "o",
        "term": "t",
        "n": 3,
        "status": "ok",
    }


def test_no_results_have_the_shape_of_estimates_too():
    estimates = as_estimates(pl.DataFrame(schema={"model": pl.String}), ["model"])
    assert estimates.is_empty()
    assert estimates.schema == pl.Schema({"model": pl.String} | COLUMNS)


def test_the_named_columns_are_those_of_the_schema():
    assert list(COLUMNS) == list(Estimates.columns)
