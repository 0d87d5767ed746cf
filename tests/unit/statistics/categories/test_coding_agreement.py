"""Agreement of an outcome with a factor against statsmodels on raw rows."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.categories.agreement import coding_agreement
from tallybook.tally import merge, tally
from tests.unit.statistics.frames import (
    OUTCOMES,
    ROW,
    as_rows,
    cells,
    coded_frame,
    exactly,
    numbered,
    outcome_status,
    quick,
    response,
)

CODES = ["left", "right", "centre", "some"]
"""What the factor may say as the outcomes do; `none` is no code."""
HAND = st.sampled_from([*CODES, "none"])
ROWS = st.lists(st.tuples(ROW, HAND), max_size=30).map(
    lambda rows: numbered(row | {"hand": hand} for row, hand in rows)
)
LEVELS = st.lists(st.sampled_from(CODES), unique=True, min_size=1)
NUMBERS = ("estimate", "std_error", "ci_low", "ci_high", "statistic", "p_value", "log_p_value")
BY = ["model"]


def tallied(rows, by=("model", "group", "hand")):
    """The tally of rows that have a second coding."""
    codes = pl.Series("hand", [row["hand"] for row in rows], dtype=pl.String)
    plain = [{name: value for name, value in row.items() if name != "hand"} for row in rows]
    return tally(coded_frame(plain).with_columns(codes), by, OUTCOMES)


def both_codes(rows, outcome, levels):
    """The two codes of every response of a cell that has both."""
    return [
        (row["hand"], row[outcome]) for row in rows if row["hand"] in levels and outcome_status(row, outcome) == "ok"
    ]


def agreement(rows, *, levels=("left", "right"), outcomes=("politics",), by=(), **settings):
    return as_rows(coding_agreement(tallied(rows), by, outcomes, "hand", levels, **settings), by)


@quick
@given(ROWS, st.sampled_from([[], ["model"], ["group", "model"]]), LEVELS, st.sampled_from([0.5, 0.95]))
def test_agreement_equals_statsmodels_on_raw_rows(rows, by, levels, confidence):
    from statsmodels.stats.inter_rater import cohens_kappa
    from statsmodels.stats.proportion import proportion_confint

    outcomes = ["politics", "belief"]
    estimates = coding_agreement(tallied(rows), by, outcomes, "hand", levels, confidence=confidence)
    found = as_rows(estimates, by)
    terms = ("agreement", "cohen_kappa")
    assert found.keys() == {
        (*cell, outcome, term) for cell in cells(rows, by) for outcome in outcomes for term in terms
    }
    for cell, members in cells(rows, by).items():
        for outcome in outcomes:
            pairs = both_codes(members, outcome, levels)
            share, kappa = (found[*cell, outcome, term] for term in terms)
            assert share["n"] == kappa["n"] == len(pairs)
            if not pairs:
                assert {row["status"] for row in (share, kappa)} == {"no-data"}
                assert {row[name] for row in (share, kappa) for name in NUMBERS} == {None}
                continue
            alike = sum(a == b for a, b in pairs)
            assert (share["status"], share["estimate"], share["p_value"]) == ("ok", alike / len(pairs), None)
            limits = proportion_confint(alike, len(pairs), alpha=1 - confidence, method="wilson")
            assert_allclose((share["ci_low"], share["ci_high"]), limits, rtol=1e-9, atol=1e-15)
            first, second = (set(codes) for codes in zip(*pairs, strict=True))
            if len(first) == 1 or len(second) == 1 or not first & second:
                assert (kappa["status"], kappa["p_value"]) == ("degenerate", None)
                assert kappa["estimate"] == (None if first == second else 0)
                continue
            known = sorted(first | second)
            table = np.array([[pairs.count((a, b)) for b in known] for a in known])
            expected = cohens_kappa(table)
            assert kappa["status"] == "ok"
            assert_allclose(kappa["estimate"], expected.kappa, rtol=1e-9, atol=1e-12)
            # statsmodels subtracts: near 0 only the square root of its rounding is left.
            assert_allclose(kappa["std_error"] ** 2, expected.var_kappa, rtol=1e-9, atol=1e-12)
            assert_allclose(kappa["statistic"], expected.kappa / expected.std_kappa0, rtol=1e-9, atol=1e-9)
            assert_allclose(kappa["p_value"], expected.pvalue_two_sided, rtol=1e-9)
            assert -1 <= kappa["ci_low"] <= kappa["estimate"] <= kappa["ci_high"] <= 1


@quick
@given(ROWS, LEVELS, st.randoms(use_true_random=False), st.integers(0, 30))
def test_order_splitting_and_merging_of_tallies_change_no_bit(rows, levels, random, where):
    whole = tallied(rows)
    single = [row for row in whole.iter_rows() for _ in range(row[whole.columns.index("count")])]
    random.shuffle(single)
    one_by_one = pl.DataFrame(single, schema=whole.schema, orient="row").with_columns(count=pl.lit(1, pl.Int64))
    parts = merge([tallied(rows[where:]), tallied(rows[:where])], ["model", "group", "hand"])
    coarser = merge([whole], ["model", "hand"])
    random.shuffle(levels)
    expected = exactly(coding_agreement(whole, BY, ["politics"], "hand", levels))
    for other in (one_by_one, parts, coarser):
        assert exactly(coding_agreement(other, BY, ["politics"], "hand", sorted(levels))) == expected


@quick
@given(ROWS)
def test_either_coding_may_be_the_factor(rows):
    """Two codings swapped agree as well as before."""
    swapped = [
        row | {"hand": row["politics"] or "none", "politics": row["hand"] if row["hand"] in CODES else None}
        for row in rows
    ]
    levels = ["left", "right", "centre"]
    kept = [row for row in rows if row["hand"] in {*levels, "none"} and row["status"] != "error"]
    swapped = [row for row in swapped if row["politics"] in {*levels, None} and row["status"] != "error"]
    found, other = (agreement(part, levels=levels, by=BY) for part in (kept, swapped))
    for key in found:
        for name in ("n", "estimate", "std_error", "statistic"):
            pair = found[key][name], other[key][name]
            assert pair[0] == pair[1] is None or math.isclose(*pair, rel_tol=1e-12, abs_tol=1e-12)


RESPONSES = numbered(
    row | {"hand": hand}
    for row, hand in (
        (response(politics="left", count=4), "left"),
        (response(politics="left", count=1), "right"),
        (response(politics="right", count=5), "right"),
    )
)


def test_responses_without_a_code_do_not_count():
    """Neither those that the rules leave without a category nor those that the other coding leaves without a code."""
    more = [
        (response(politics="left", count=9), "none"),
        (response(status="refused", count=9), "left"),
        (response(status="invalid", count=9), "right"),
        (response(status="error", count=9), "left"),
    ]
    both = numbered([*RESPONSES, *(row | {"hand": hand} for row, hand in more)])
    assert agreement(both) == agreement(RESPONSES)
    assert agreement(both)["politics", "agreement"]["n"] == 10
    assert agreement(RESPONSES)["politics", "cohen_kappa"]["estimate"] == 0.8


def test_a_category_that_the_other_coding_does_not_know_is_a_disagreement():
    more = numbered([*RESPONSES, response(politics="centre", count=10) | {"hand": "left"}])
    found = agreement(more)["politics", "agreement"]
    assert (found["n"], found["estimate"]) == (20, 9 / 20)
    assert agreement(more, levels=["right"])["politics", "agreement"]["estimate"] == 5 / 6


def test_no_codes_at_all():
    assert coding_agreement(tallied([]), BY, ["politics"], "hand", CODES).is_empty()
    assert coding_agreement(tallied(RESPONSES), BY, [], "hand", CODES).is_empty()
    assert {row["status"] for row in agreement(RESPONSES, levels=[]).values()} == {"no-data"}
