"""Counts of categories against counting rows."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.cells import excluded_terms
from tallybook.statistics.proportions.proportion import category_counts, proportions
from tallybook.tally import merge
from tests.unit.statistics.frames import (
    BY,
    FACTORS,
    ROWS,
    TERMS,
    as_rows,
    cells,
    exactly,
    numbered,
    quick,
    response,
    tallied,
    with_status,
)


@quick
@given(ROWS, BY)
def test_counts_equal_counting_rows(rows, by):
    found = as_rows(category_counts(tallied(rows), by, TERMS), by)
    expected = {}
    for cell, members in sorted(cells(rows, by).items()):
        for outcome in sorted(TERMS):
            n = len(with_status(members, outcome, "ok", "invalid", "refused"))
            counts = {term: sum(row[outcome] in names for row in members) for term, names in TERMS[outcome].items()}
            counts["refusal"] = len(with_status(members, outcome, "refused"))
            if with_status(rows, outcome, "invalid"):
                counts["invalid"] = len(with_status(members, outcome, "invalid"))
            for term, count in counts.items():
                expected[*cell, outcome, term] = (n, count if n else None, "ok" if n else "no-data")
    assert list(found) == list(expected)
    assert {key: (row["n"], row["estimate"], row["status"]) for key, row in found.items()} == expected
    others = ("std_error", "ci_low", "ci_high", "confidence", "statistic", "p_value", "effect")
    assert {row[name] for row in found.values() for name in others} <= {None}


@quick
@given(ROWS, BY)
def test_a_count_is_the_share_of_all_responses_times_their_number(rows, by):
    counts = as_rows(category_counts(tallied(rows), by, TERMS), by)
    shares = as_rows(proportions(tallied(rows), by, TERMS, denominator="all"), by)
    assert list(counts) == list(shares)
    for key, row in counts.items():
        assert row["n"] == shares[key]["n"]
        if row["n"]:
            assert row["estimate"] / row["n"] == shares[key]["estimate"]


@quick
@given(ROWS, st.randoms(use_true_random=False), st.integers(0, 30))
def test_order_splitting_and_merging_of_tallies_change_no_bit(rows, random, where):
    tally = tallied(rows)
    single = [row for row in tally.iter_rows() for _ in range(row[tally.columns.index("count")])]
    random.shuffle(single)
    one_by_one = pl.DataFrame(single, schema=tally.schema, orient="row").with_columns(count=pl.lit(1, pl.Int64))
    parts = merge([tallied(rows[where:]), tallied(rows[:where])], FACTORS)
    expected = exactly(category_counts(tally, ["model"], TERMS))
    for other in (one_by_one, parts, merge([tally], ["model"])):
        assert exactly(category_counts(other, ["model"], TERMS)) == expected


def test_where_every_request_failed_there_is_no_count():
    rows = numbered([response("young", "error", count=3), response("aged", politics="left")])
    found = as_rows(category_counts(tallied(rows), ["group"], TERMS), ["group"])
    young, aged = (found[group, "politics", "left"] for group in ("young", "aged"))
    assert (young["n"], young["estimate"], young["status"]) == (0, None, "no-data")
    assert (aged["n"], aged["estimate"], aged["status"]) == (1, 1, "ok")
    assert category_counts(tallied([]), ["group"], TERMS).is_empty()


@pytest.mark.parametrize(
    ("denominator", "excluded"),
    [("all", []), ("answered", ["refusal"]), ("coded", ["refusal", "invalid"])],
)
def test_what_is_not_among_the_responses_of_a_share(denominator, excluded):
    assert excluded_terms(denominator) == excluded
    rows = numbered([response(politics="left"), response(status="refused"), response(status="invalid")])
    terms = {term for outcome, term in as_rows(proportions(tallied(rows), [], TERMS, denominator=denominator), [])}
    assert {"refusal", "invalid"} - terms == set(excluded)
