"""Rankings against collections.Counter on the labels in the order of the dump."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.proportions.proportion import most_frequent
from tests.unit.statistics.frames import BY, ROWS, as_rows, cells, numbered, outcome_status, quick, response, tallied

TIES = st.sampled_from(["first-seen", "alphabetical"])
STATUSES = {"all": {"ok", "invalid", "refused"}, "answered": {"ok", "invalid"}, "coded": {"ok"}}
DENOMINATORS = st.sampled_from(["all", "answered", "coded"])
OUTCOMES = st.lists(st.sampled_from(["job", "politics"]), unique=True)


def slow_ranking(members, outcome, denominator, ties):
    """(label, count), the most frequent first; among equals the one seen first, or the first in the alphabet."""
    names = {"refused": "refusal", "invalid": "invalid"}
    labels = [
        names.get(outcome_status(row, outcome), row[outcome])
        for row in members
        if outcome_status(row, outcome) in STATUSES[denominator]
    ]
    return Counter(labels if ties == "first-seen" else sorted(labels)).most_common(), len(labels)


@quick
@given(ROWS, BY, OUTCOMES, DENOMINATORS, TIES)
def test_rankings_equal_counting_labels(rows, by, outcomes, denominator, ties):
    expected = []
    for cell, members in sorted(cells(rows, by).items()):
        for outcome in sorted(outcomes):
            ranking, n = slow_ranking(members, outcome, denominator, ties)
            expected += [
                (*cell, outcome, label, n, k / n, float(rank), "ok") for rank, (label, k) in enumerate(ranking, start=1)
            ]
    ranked = most_frequent(tallied(rows), by, outcomes, denominator=denominator, ties=ties)
    as_rows(ranked, by)
    assert ranked.select(*by, "outcome", "term", "n", "estimate", "statistic", "status").rows() == expected


@quick
@given(ROWS, BY, DENOMINATORS, TIES)
def test_shares_of_a_cell_add_up_to_one(rows, by, denominator, ties):
    ranked = most_frequent(tallied(rows), by, ["job"], denominator=denominator, ties=ties)
    totals = Counter()
    for row in ranked.iter_rows(named=True):
        totals[tuple(row[name] for name in by)] += row["estimate"]
    assert all(total == pytest.approx(1) for total in totals.values())


TIED = ["cook", "baker", "cook", None, "baker", "actor"]


@pytest.mark.parametrize(
    ("denominator", "ties", "expected"),
    [
        ("all", "first-seen", [("cook", 2), ("baker", 2), ("refusal", 2), ("actor", 1)]),
        ("all", "alphabetical", [("baker", 2), ("cook", 2), ("refusal", 2), ("actor", 1)]),
        ("answered", "first-seen", [("cook", 2), ("baker", 2), ("actor", 1)]),
        ("answered", "alphabetical", [("baker", 2), ("cook", 2), ("actor", 1)]),
    ],
)
def test_ties_and_refusals(denominator, ties, expected):
    rows = numbered(response(job=job) if job else response(status="refused", count=2) for job in TIED)
    ranked = most_frequent(tallied(rows), [], ["job"], denominator=denominator, ties=ties)
    n = 7 if denominator == "all" else 5
    assert ranked.select("term", "n", "estimate").rows() == [(term, n, k / n) for term, k in expected]


def test_ties_are_broken_by_the_dump_and_not_by_the_order_of_rows_or_cells():
    rows = numbered([response("young", job="cook"), response("aged", job="baker"), response("young", job="actor")])
    for order in (rows, rows[::-1]):
        assert most_frequent(tallied(order), [], ["job"]).get_column("term").to_list() == ["cook", "baker", "actor"]


def test_a_label_is_as_old_as_its_first_occurrence_in_any_part_of_the_cell():
    seen = [("young", "cook"), ("aged", "baker"), ("young", "baker"), ("aged", "cook")]
    rows = numbered(response(group, job=job) for group, job in seen)
    assert most_frequent(tallied(rows), [], ["job"]).get_column("term").to_list() == ["cook", "baker"]


def test_shares_are_correctly_rounded_in_a_single_cell():
    rows = numbered([response(job="cook", count=17), response(job="nurse", count=2)])
    assert most_frequent(tallied(rows), [], ["job"]).get_column("estimate").to_list() == [17 / 19, 2 / 19]


@pytest.mark.parametrize("status", ["refused", "error"])
def test_a_cell_without_answers_has_no_ranking_of_answers(status):
    rows = numbered([response(status=status, count=3)])
    assert most_frequent(tallied(rows), ["group"], ["job"], denominator="answered").is_empty()
