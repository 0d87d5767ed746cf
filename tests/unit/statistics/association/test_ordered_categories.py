"""Ordinal association of outcomes with a factor against scipy on raw rows."""

from __future__ import annotations

import math

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.association.rank_association import COEFFICIENTS, ordered_association
from tallybook.tally import merge
from tests.unit.statistics.frames import (
    FACTORS,
    LEVELS,
    ROWS,
    as_rows,
    cells,
    exactly,
    numbered,
    outcome_status,
    quick,
    response,
    tallied,
)

RISING = {"politics": ["right", "centre", "left"], "belief": ["some", "centre"]}
"""Two outcomes with a category of the same name, in an order of their own."""
NUMBERS = ("estimate", "std_error", "ci_low", "ci_high", "statistic", "p_value", "log_p_value")
COUNTED = st.fixed_dictionaries(
    {
        "politics": st.lists(st.sampled_from(["right", "left"]), unique=True).flatmap(
            lambda others: st.permutations([*others, "centre"])
        ),
        "belief": st.sampled_from([["some", "centre"], ["centre", "some"], ["centre"]]),
    }
)
"""Outcome -> the categories that count, rising; `centre` always does."""
UNCODED = st.sampled_from([None, "centre"])
CHOSEN = st.lists(st.sampled_from(LEVELS["group"]), unique=True, min_size=1)


def observed(rows, outcome, rising, levels, uncoded):
    """The pairs of ranks of a cell's responses."""
    pairs = []
    for row in rows:
        answer = row[outcome]
        if answer is None and outcome_status(row, outcome) != "error":
            answer = uncoded
        if row["group"] in levels and answer in rising:
            pairs.append((levels.index(row["group"]), rising.index(answer)))
    return pairs


def is_constant(pairs):
    return any(len(set(values)) < 2 for values in zip(*pairs, strict=True))


def slow(pairs):
    """Every coefficient, by counting pairs of responses."""

    def sign(value):
        return (value > 0) - (value < 0)

    differences = [(sign(a - c), sign(b - d)) for i, (a, b) in enumerate(pairs) for c, d in pairs[:i]]
    surplus = sum(x * y for x, y in differences)
    x_untied, y_untied = (sum(difference[side] != 0 for difference in differences) for side in (0, 1))
    m, n = min(len(set(values)) for values in zip(*pairs, strict=True)), len(pairs)
    return {
        "tau_b": surplus / math.sqrt(x_untied * y_untied),
        "tau_c": 2 * m * surplus / (n * n * (m - 1)),
    }


@quick
@given(ROWS, st.sampled_from([[], ["model"], ["dimension", "model"]]), COUNTED, CHOSEN, UNCODED)
def test_kendalls_tau_equals_scipy_on_raw_rows(rows, by, rising, levels, uncoded):
    from scipy.stats import kendalltau

    for coefficient, variant in (("tau_b", "b"), ("tau_c", "c")):
        estimates = ordered_association(
            tallied(rows), by, rising, "group", levels, uncoded=uncoded, coefficient=coefficient
        )
        found = as_rows(estimates, by)
        assert found.keys() == {(*cell, outcome, coefficient) for cell in cells(rows, by) for outcome in rising}
        for cell, members in cells(rows, by).items():
            for outcome, categories in rising.items():
                row = found[*cell, outcome, coefficient]
                pairs = observed(members, outcome, categories, levels, uncoded)
                assert row["n"] == len(pairs)
                if not pairs or is_constant(pairs):
                    assert row["status"] == ("degenerate" if pairs else "no-data")
                    assert {row[name] for name in NUMBERS} == {None}
                    continue
                assert row["status"] == "ok"
                x, y = zip(*pairs, strict=True)
                tau = kendalltau(x, y, variant=variant)
                assert_allclose(row["estimate"], tau.statistic, rtol=1e-12, atol=1e-15)
                assert -1 <= row["ci_low"] <= row["estimate"] <= row["ci_high"] <= 1
                if len(pairs) > 2:  # scipy divides by n - 2
                    p = kendalltau(x, y, variant=variant, method="asymptotic").pvalue
                    assert_allclose(row["p_value"], p, rtol=1e-9)
                    assert_allclose(row["log_p_value"], math.log(p), rtol=1e-9, atol=1e-12)


@quick
@given(ROWS, COUNTED, CHOSEN, UNCODED)
def test_every_coefficient_equals_counting_pairs_of_responses(rows, rising, levels, uncoded):
    for coefficient in COEFFICIENTS:
        found = as_rows(
            ordered_association(
                tallied(rows), ["model"], rising, "group", levels, uncoded=uncoded, coefficient=coefficient
            ),
            ["model"],
        )
        for (model, outcome, term), row in found.items():
            members = cells(rows, ["model"])[model,]
            pairs = observed(members, outcome, rising[outcome], levels, uncoded)
            expected = None if not pairs or is_constant(pairs) else slow(pairs)[coefficient]
            assert term == coefficient
            assert row["estimate"] == (None if expected is None else pytest.approx(expected, rel=1e-12, abs=1e-15))


@quick
@given(ROWS, COUNTED, CHOSEN, UNCODED, st.randoms(use_true_random=False))
def test_order_and_splitting_of_a_tally_change_no_bit(rows, rising, levels, uncoded, random):
    tally = tallied(rows)
    single = [row for row in tally.iter_rows() for _ in range(row[tally.columns.index("count")])]
    random.shuffle(single)
    one_by_one = pl.DataFrame(single, schema=tally.schema, orient="row").with_columns(count=pl.lit(1, pl.Int64))
    coarser = merge([tally], ["model", "group"])
    expected = exactly(ordered_association(tally, ["model"], rising, "group", levels, uncoded=uncoded))
    for other in (one_by_one, coarser):
        assert exactly(ordered_association(other, ["model"], rising, "group", levels, uncoded=uncoded)) == expected


@quick
@given(ROWS, st.integers(0, 30), UNCODED)
def test_tallies_of_parts_give_the_association_of_the_whole(rows, where, uncoded):
    together = merge([tallied(rows[where:]), tallied(rows[:where])], FACTORS)
    parts, whole = (
        exactly(ordered_association(tally, ["model"], RISING, "group", LEVELS["group"], uncoded=uncoded))
        for tally in (together, tallied(rows))
    )
    assert parts == whole


@quick
@given(ROWS, CHOSEN, UNCODED, st.sampled_from(COEFFICIENTS))
def test_turning_an_order_turns_the_sign(rows, levels, uncoded, coefficient):
    tally, backward = tallied(rows), {outcome: names[::-1] for outcome, names in RISING.items()}
    found, turned, both = (
        as_rows(
            ordered_association(tally, ["model"], rising, "group", order, uncoded=uncoded, coefficient=coefficient),
            ["model"],
        )
        for rising, order in ((RISING, levels), (backward, levels), (backward, levels[::-1]))
    )
    for key, row in found.items():
        assert turned[key]["status"] == both[key]["status"] == row["status"]
        if row["status"] == "ok":
            assert turned[key]["estimate"] == -row["estimate"]
            assert both[key]["estimate"] == row["estimate"]
            assert turned[key]["p_value"] == both[key]["p_value"] == row["p_value"]
            limits = (-row["ci_high"], -row["ci_low"])
            assert_allclose((turned[key]["ci_low"], turned[key]["ci_high"]), limits, rtol=1e-9, atol=1e-12)


RESPONSES = numbered(
    [
        response("young", politics="right", count=6),
        response("young", politics="left", count=2),
        response("aged", politics="right", count=1),
        response("aged", politics="left", count=5),
        response("young", "refused", count=3),
        response("aged", "invalid", count=4),
        response("young", "error", count=7),
    ]
)


def association(rows, **settings):
    levels = settings.pop("levels", ["young", "aged"])
    found = ordered_association(tallied(rows), [], {"politics": ["right", "left"]}, "group", levels, **settings)
    return as_rows(found, [])["politics", settings.get("coefficient", "tau_b")]


def test_refusals_and_invalid_responses_count_as_uncoded_and_failed_requests_never():
    assert association(RESPONSES)["n"] == 14
    counted = association(RESPONSES, uncoded="left")
    assert counted["n"] == 14 + 3 + 4
    coded = [
        row | {"status": "ok", "politics": "left"} if row["status"] in {"refused", "invalid"} else row
        for row in RESPONSES
    ]
    assert [counted[name] for name in NUMBERS] == [association(coded)[name] for name in NUMBERS]
    failed = numbered([response("young", "error"), response("aged", "error")])
    assert (association(failed, uncoded="left")["n"], association(failed)["status"]) == (0, "no-data")


def test_a_level_that_is_not_named_does_not_count():
    more = numbered([*RESPONSES, response("male", politics="left", count=50)])
    assert association(more) == association(RESPONSES)
    alone = association(RESPONSES, levels=["young"])
    assert (alone["n"], alone["status"], alone["estimate"]) == (8, "degenerate", None)


def test_the_confidence_is_a_setting():
    from statistics import NormalDist

    half, usual = (association(RESPONSES, confidence=confidence) for confidence in (0.5, 0.95))
    for row in (half, usual):
        reach = NormalDist().inv_cdf((1 + row["confidence"]) / 2) * row["std_error"]
        assert_allclose((row["ci_low"], row["ci_high"]), (row["estimate"] - reach, row["estimate"] + reach), rtol=1e-9)
    assert (half["confidence"], usual["confidence"], half["p_value"]) == (0.5, 0.95, usual["p_value"])


def test_no_responses_give_no_estimates():
    assert ordered_association(tallied([]), ["model"], RISING, "group", ["young", "aged"]).is_empty()
    assert ordered_association(tallied(RESPONSES), ["model"], {}, "group", ["young", "aged"]).is_empty()
