"""The tally against counting rows, and its algebra: parts add up, order and weights do not matter."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.analyses.estimating import estimate
from tallybook.core.frame_checks import check
from tallybook.study.model import Study
from tallybook.tally import merge, tally
from tallybook_schemas.columns import Tallies
from tests.unit.statistics.frames import (
    BY,
    DECLARATION,
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


def slow_tally(rows, by, outcomes=OUTCOMES):
    """(cell, outcome, category, value, score beside, status) -> count and first position, in the order of a tally."""
    counts, first = Counter(), {}
    with_score = any(outcome.beside for outcome in outcomes.values())
    for row in responses(rows):
        for name, outcome in outcomes.items():
            if any(row[factor] not in levels for factor, levels in outcome.where.items()):
                continue
            status = outcome_status(row, name)
            category, value = (None, row[name]) if name == "score" else (row[name], None)
            beside = [row["score"] if outcome.beside else None] if with_score else []
            key = (*(row[factor] for factor in by), name, category, value, *beside, status)
            counts[key] += 1
            first.setdefault(key, row["position"])

    def place(key):
        cell, (outcome, category, value, *beside, status) = key[: len(by)], key[len(by) :]
        return (*cell, outcome, status, *((found is None, found) for found in (category, value, *beside)))

    return [(*key, counts[key], first[key]) for key in sorted(counts, key=place)]


def changed(**settings):
    """The outcomes, some of them with other settings."""
    return {name: outcome.model_copy(update=settings.get(name, {})) for name, outcome in OUTCOMES.items()}


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


WHERE = st.fixed_dictionaries({
    name: st.dictionaries(
        st.sampled_from(["group", "model"]),
        st.lists(st.sampled_from([*LEVELS["group"], *LEVELS["model"]]), max_size=5).map(tuple),
    )
    for name in OUTCOMES
})  # fmt: skip


@quick
@given(ROWS, WHERE, BY)
def test_only_responses_that_have_an_outcome_count(rows, where, by):
    outcomes = changed(**{name: {"where": levels} for name, levels in where.items()})
    assert tally(coded_frame(rows), by, outcomes).rows() == slow_tally(rows, by, outcomes)


def test_one_level_needs_no_list():
    rows = numbered([response("young", politics="left"), response("aged", politics="right")])
    asked = {"politics": DECLARATION["outcomes"]["politics"] | {"where": {"group": "aged"}}}
    outcomes = Study.model_validate(DECLARATION | {"outcomes": asked}).outcomes
    counted = tally(coded_frame(rows), ["group"], outcomes)
    assert counted.select("group", "category", "first_seen").rows() == [("aged", "right", 1)]


BESIDE = st.sets(st.sampled_from(list(OUTCOMES)), min_size=1).map(
    lambda names: changed(**{name: {"beside": ("score",)} for name in names})
)
"""Some outcomes beside which the score is kept; it may stand beside itself."""


class TestScoresBeside:
    """Scores kept beside other outcomes, response by response."""

    @quick
    @given(ROWS, BESIDE, BY)
    def test_equal_counting_rows(self, rows, outcomes, by):
        counted = check(tally(coded_frame(rows), by, outcomes), Tallies, where="tally")
        assert counted.columns == [*by, "outcome", "category", "value", "score", "status", "count", "first_seen"]
        assert counted.schema["score"] == pl.Float64
        assert counted.rows() == slow_tally(rows, by, outcomes)

    @quick
    @given(ROWS, SPLITS, BESIDE, BY)
    def test_merge_over_parts_and_factors(self, rows, splits, outcomes, by):
        shards = [[], [], []]
        for number, row in enumerate(rows):
            shards[splits[number] if number < len(splits) else 0].append(row)
        tallies = [tally(coded_frame(shard), FACTORS, outcomes) for shard in shards]
        whole = tally(coded_frame(rows), by, outcomes)
        assert exactly(merge(tallies, by, ["score"])) == exactly(whole)
        assert exactly(merge([merge(tallies[:2], FACTORS, ["score"]), tallies[2]], by, ["score"])) == exactly(whole)

    @quick
    @given(ROWS, BESIDE, BY)
    def test_left_out_they_leave_the_tally_without_them(self, rows, outcomes, by):
        kept = tally(coded_frame(rows), FACTORS, outcomes)
        assert exactly(merge([kept], by)) == exactly(tallied(rows, by))
        assert kept.get_column("count").sum() == tallied(rows).get_column("count").sum()

    @quick
    @given(ROWS, BESIDE)
    def test_they_change_no_estimate(self, rows, outcomes):
        analyses = {
            "share": {"statistic": "proportion", "outcomes": ["politics", "belief"], "by": ["group"]},
            "jobs": {"statistic": "most-frequent", "outcomes": ["job"], "by": ["model"]},
            "scores": {"statistic": "score-summary", "outcomes": ["score"], "by": []},
        }
        study = Study.model_validate(DECLARATION | {"analyses": analyses})
        with_beside = study.model_copy(update={"outcomes": outcomes})
        kept = estimate(with_beside, tally(coded_frame(rows), FACTORS, outcomes), {})
        assert exactly(kept) == exactly(estimate(study, tallied(rows), {}))

    def test_equal_answers_with_different_scores_are_different_rows(self):
        rows = numbered(
            response(politics=side, score=score)
            for side, score in (("left", 0.5), ("left", None), ("left", -1.0), ("left", 0.5), (None, 0.5), (None, None))
        )
        counted = tally(coded_frame(rows), [], changed(politics={"beside": ("score",)})).filter(outcome="politics")
        assert counted.select("category", "score", "status", "count", "first_seen").rows() == [
            (None, 0.5, "invalid", 1, 4),
            (None, None, "invalid", 1, 5),
            ("left", -1.0, "ok", 1, 2),
            ("left", 0.5, "ok", 2, 0),
            ("left", None, "ok", 1, 1),
        ]

    def test_several_scores_each_where_it_is_declared(self):
        second = OUTCOMES["score"].model_copy(update={"attribute": "second_label"})
        declared = {"politics": ("second", "score"), "belief": ("score",), "job": ("second", "second")}
        outcomes = changed(**{name: {"beside": beside} for name, beside in declared.items()}) | {"second": second}
        rows = numbered([response(politics="left", belief="some", job="cook", score=0.5)])
        coded = coded_frame(rows).with_columns(pl.lit(2.0).alias("second"))
        counted = tally(coded, [], outcomes)
        assert counted.columns == [
            "outcome", "category", "value", "second", "score", "status", "count", "first_seen",
        ]  # fmt: skip
        assert counted.select("outcome", "value", "second", "score").rows() == [
            ("belief", None, None, 0.5),
            ("job", None, 2.0, None),
            ("politics", None, 2.0, 0.5),
            ("score", 0.5, None, None),
            ("second", 2.0, None, None),
        ]
        only_one = merge([counted], [], ["score"])
        assert only_one.columns == ["outcome", "category", "value", "score", "status", "count", "first_seen"]
