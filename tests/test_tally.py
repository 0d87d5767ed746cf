"""The tally against counting rows, and its algebra: parts add up, order and weights do not matter."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.tally import merge, tally
from schemas.checking import check
from schemas.frames import Tallies
from tests.statistics.frames import (
    BY,
    FACTORS,
    LEVELS,
    OUTCOMES,
    ROWS,
    coded_frame,
    exactly,
    numbered,
    outcome_status,
    quick,
    response,
    responses,
    tallied,
)

SPLITS = st.lists(st.integers(0, 2), max_size=40)


def slow_tally(rows, by):
    """(cell, outcome, category, value, status) -> count and first position, in the order of a tally."""
    counts, first = Counter(), {}
    for row in responses(rows):
        for outcome in OUTCOMES:
            status = outcome_status(row, outcome)
            category, value = (None, row[outcome]) if outcome == "score" else (row[outcome], None)
            key = (*(row[name] for name in by), outcome, category, value, status)
            counts[key] += 1
            first.setdefault(key, row["position"])

    def place(key):
        *cell, outcome, category, value, status = key
        return (*cell, outcome, status, (category is None, category), (value is None, value))

    return [(*key, counts[key], first[key]) for key in sorted(counts, key=place)]


@quick
@given(ROWS, BY)
def test_a_tally_equals_counting_rows(rows, by):
    counted = tallied(rows, by)
    assert counted.columns == [*by, "outcome", "category", "value", "status", "count", "first_seen"]
    assert counted.rows() == slow_tally(rows, by)


@quick
@given(ROWS.flatmap(lambda rows: st.tuples(st.just(rows), st.permutations(rows))), BY)
def test_the_order_of_rows_does_not_matter(both, by):
    rows, other_order = both
    assert exactly(tallied(rows, by)) == exactly(tallied(other_order, by))


@quick
@given(ROWS, BY)
def test_a_count_stands_for_repeated_rows(rows, by):
    repeated = [row | {"count": 1} for row in rows for _ in range(row["count"])]
    assert exactly(tallied(rows, by)) == exactly(tallied(repeated, by))


@quick
@given(ROWS, SPLITS, BY)
def test_merging_shards_equals_the_tally_of_the_whole(rows, splits, by):
    shards = [[], [], []]
    for number, row in enumerate(rows):
        shards[splits[number] if number < len(splits) else 0].append(row)
    tallies = [tallied(shard) for shard in shards]
    assert exactly(merge(tallies, by)) == exactly(tallied(rows, by))
    assert exactly(merge(tallies[::-1], by)) == exactly(tallied(rows, by))
    in_steps = merge([merge(tallies[:2], FACTORS), tallies[2]], by)
    assert exactly(in_steps) == exactly(tallied(rows, by))


@quick
@given(ROWS, BY)
def test_merging_one_tally_changes_nothing(rows, by):
    assert exactly(merge([tallied(rows, by)], by)) == exactly(tallied(rows, by))


@quick
@given(ROWS, st.permutations(LEVELS["group"]))
def test_renamed_levels_only_move_rows(rows, names):
    new_name = dict(zip(LEVELS["group"], names, strict=True))
    renamed = tallied([row | {"group": new_name[row["group"]]} for row in rows])
    moved = tallied(rows).with_columns(pl.col("group").replace(new_name))
    assert sorted(map(repr, renamed.rows())) == sorted(map(repr, moved.rows()))


@quick
@given(ROWS)
def test_every_response_is_counted_once_for_every_outcome(rows):
    sums = dict(tallied(rows).group_by("outcome").agg(pl.col("count").sum()).rows())
    assert sums == (dict.fromkeys(OUTCOMES, len(responses(rows))) if rows else {})


def test_a_lazy_frame_gives_the_same_tally():
    rows = numbered([response(politics="left", score=0.5), response(status="refused", count=3)])
    assert exactly(tally(coded_frame(rows).lazy(), FACTORS, OUTCOMES)) == exactly(tallied(rows))


@pytest.mark.parametrize(
    ("status", "counted"),
    [("ok", "invalid"), ("partial", "invalid"), ("invalid", "invalid"), ("refused", "refused"), ("error", "error")],
)
def test_a_missing_outcome_takes_its_status_from_the_response(status, counted):
    missing = tallied(numbered([response(status=status)]))
    assert missing.get_column("status").to_list() == [counted] * len(OUTCOMES)
    assert missing.get_column("category").null_count() == missing.get_column("value").null_count() == len(OUTCOMES)


def test_outcomes_of_a_partial_response_are_counted_each_for_itself():
    partial = tallied(numbered([response(status="partial", politics="left", score=0.5)]), [])
    found = {row["outcome"]: (row["status"], row["category"], row["value"]) for row in partial.iter_rows(named=True)}
    assert found == {
        "politics": ("ok", "left", None),
        "belief": ("invalid", None, None),
        "job": ("invalid", None, None),
        "score": ("ok", None, 0.5),
    }


def test_zero_is_one_value_whatever_its_sign():
    for values in ((0.0, -0.0), (-0.0, 0.0)):
        rows = numbered(response(score=value) for value in values)
        zeros = tallied(rows, []).filter(outcome="score")
        assert exactly(zeros.select("value", "count")) == exactly(pl.DataFrame({"value": [0.0], "count": [2]}))


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_a_score_that_is_no_number_is_invalid(number):
    counted = tallied(numbered([response(score=number), response(score=0.5)]), []).filter(outcome="score")
    assert counted.select("value", "status", "count").rows() == [(None, "invalid", 1), (0.5, "ok", 1)]


def test_no_responses_have_the_shape_of_a_tally_too():
    empty = tallied([])
    assert empty.is_empty()
    assert empty.schema == tallied(numbered([response(score=0.5)])).schema
    check(merge([empty, empty], ["group"]), Tallies, where="nothing")


def test_counts_beyond_32_bits_add_up():
    rows = numbered([response(politics="left", count=2**40), response(politics="left", count=2**40)])
    counted = merge([tallied(rows), tallied(rows)], [])
    assert counted.filter(outcome="politics").get_column("count").to_list() == [2**42]
