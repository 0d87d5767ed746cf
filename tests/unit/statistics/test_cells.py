"""Counts of terms against counting the rows one by one."""

from __future__ import annotations

from collections import Counter

import polars as pl
import pytest
from hypothesis import given

from tallybook.statistics.cells import shares, term_counts, totals
from tests.unit.statistics.frames import (
    BY,
    OUTCOMES,
    ROWS,
    TERMS,
    cells,
    numbered,
    quick,
    response,
    tallied,
    with_status,
)


def slow_term_counts(rows, by, terms):
    """Outcomes in alphabetical order within cells, terms in their own order, then refusals, then uncoded ones."""
    expected = []
    for cell, members in sorted(cells(rows, by).items()):
        for outcome in sorted(terms):
            counts = {
                term: sum(row[outcome] in categories for row in members) for term, categories in terms[outcome].items()
            }
            counts["refusal"] = len(with_status(members, outcome, "refused"))
            if with_status(rows, outcome, "invalid"):
                counts["invalid"] = len(with_status(members, outcome, "invalid"))
            delivered = len(with_status(members, outcome, "ok", "invalid", "refused"))
            answered = len(with_status(members, outcome, "ok", "invalid"))
            coded = len(with_status(members, outcome, "ok"))
            expected += [(*cell, outcome, term, k, delivered, answered, coded) for term, k in counts.items()]
    return expected


@quick
@given(ROWS, BY)
def test_counts_equal_counting_rows(rows, by):
    counted = term_counts(tallied(rows), by, TERMS)
    assert counted.columns == [*by, "outcome", "term", "k", "all", "answered", "coded", "n"]
    assert counted["n"].equals(counted["all"])
    assert counted.drop("n").rows() == slow_term_counts(rows, by, TERMS)


@quick
@given(ROWS, BY)
def test_totals_equal_counting_rows(rows, by):
    expected = {
        (*cell, outcome): (
            len(with_status(members, outcome, "ok", "invalid", "refused")),
            len(with_status(members, outcome, "ok", "invalid")),
            len(with_status(members, outcome, "ok")),
        )
        for cell, members in cells(rows, by).items()
        for outcome in OUTCOMES
    }
    found = {tuple(row[:-3]): tuple(row[-3:]) for row in totals(tallied(rows), by).rows()}
    assert found == expected


@quick
@given(ROWS, BY)
def test_categories_and_statuses_add_up_to_all_responses(rows, by):
    parts = {"politics": {name: (name,) for name in ("left", "right", "centre")}, "belief": TERMS["belief"]}
    added, delivered = Counter(), {}
    for row in term_counts(tallied(rows), by, parts).iter_rows(named=True):
        cell = tuple(row[name] for name in (*by, "outcome"))
        added[cell] += row["k"]
        delivered[cell] = row["all"]
    assert dict(added) == delivered


def test_a_union_counts_its_categories_together_and_each_once():
    rows = numbered([response(politics="left", count=2), response(politics="right"), response(politics="centre")])
    terms = {"politics": {"wing": ("left", "right", "left"), "nobody": ()}}
    counted = term_counts(tallied(rows), [], terms)
    assert dict(counted.select("term", "k").rows()) == {"wing": 3, "nobody": 0, "refusal": 0}


def test_outcomes_and_categories_without_terms_are_counted_in_the_denominators_only():
    rows = numbered([response(politics="left", belief="some", count=2), response(politics="left", belief="centre")])
    counted = term_counts(tallied(rows), ["model"], {"belief": {"some": ("some",)}})
    assert counted.select("outcome", "term", "all", "answered", "k").rows() == [
        ("belief", "some", 3, 3, 2),
        ("belief", "refusal", 3, 3, 0),
    ]


def test_a_cell_of_failed_requests_has_no_responses():
    rows = numbered([response("young", "error", count=3), response("aged", "refused", politics=None)])
    counted = term_counts(tallied(rows), ["group"], {"politics": TERMS["politics"]})
    assert {(row["group"], row["all"], row["answered"]) for row in counted.iter_rows(named=True)} == {
        ("young", 0, 0),
        ("aged", 1, 0),
    }


def test_uncoded_responses_are_a_term_of_every_cell_of_an_outcome_that_has_any():
    rows = numbered([response("young", politics=None, belief="some"), response("aged", politics="left", belief="some")])
    counted = term_counts(tallied(rows), ["group"], TERMS)
    found = {(row["group"], row["outcome"]): row["k"] for row in counted.filter(term="invalid").iter_rows(named=True)}
    assert found == {("young", "politics"): 1, ("aged", "politics"): 0}


@pytest.mark.parametrize("others", [0, 1], ids=["one cell", "two cells"])
def test_shares_are_correctly_rounded_however_many_cells_there_are(others):
    """17 times the reciprocal of 19 is not 17/19; which of them is computed must not depend on other cells."""
    rows = [response(politics="left", count=17), response(politics="right", count=2)]
    rows += [response("aged", politics="left", count=23)] * others
    counted = term_counts(tallied(numbered(rows)), ["group"], {"politics": TERMS["politics"]})
    found = counted.with_columns(shares(counted, "all").alias("share")).filter(group="young")
    assert dict(found.select("term", "share").rows()) == {
        "wing": 1.0,
        "right": 2 / 19,
        "left": 17 / 19,
        "centre": 0.0,
        "refusal": 0.0,
    }


def test_a_share_of_nothing_is_null():
    counts = pl.DataFrame({"k": [0, 0, 3], "all": [0, 1, 4]})
    assert shares(counts, "all").to_list() == [None, 0.0, 0.75]
    assert shares(counts.clear(), "all").to_list() == []
