"""Shares and their tests against row-by-row scipy and statsmodels."""

from __future__ import annotations

import itertools
import math
from functools import cache

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.proportions.proportion import binomial_tests, proportions
from tests.unit.statistics.frames import (
    BY,
    LEVELS,
    ROWS,
    TERMS,
    as_rows,
    cells,
    numbered,
    quick,
    response,
    tallied,
    with_status,
)

EMPTY = dict.fromkeys(("estimate", "std_error", "ci_low", "ci_high", "p_value", "log_p_value", "effect"))
CONFIDENCES = st.sampled_from([0.5, 0.9, 0.95, 0.999])


INTERVALS = {"wilson": "wilson", "clopper-pearson": "beta"}
"""Ours -> as statsmodels calls it."""


@cache
def slow_interval(k, n, confidence, interval):
    from statsmodels.stats.proportion import proportion_confint

    return proportion_confint(k, n, alpha=1 - confidence, method=INTERVALS[interval])


@cache
def slow_test(k, n, reference):
    from scipy.stats import binomtest

    return binomtest(k, n, reference).pvalue


def slow_doubling(k, n, reference):
    """Twice the smaller tail, from the definition."""
    mass = [math.comb(n, i) * reference**i * (1 - reference) ** (n - i) for i in range(n + 1)]
    return min(1.0, 2 * min(math.fsum(mass[: k + 1]), math.fsum(mass[k:])))


def slow_mid_p(k, n, reference):
    """Twice the smaller one-sided mid-p-value, from the definition."""
    mass = [math.comb(n, i) * reference**i * (1 - reference) ** (n - i) for i in range(n + 1)]
    return 2 * min(math.fsum([*mass[:k], mass[k] / 2]), math.fsum([*mass[k + 1 :], mass[k] / 2]))


SLOW_TESTS = {"minimum-likelihood": slow_test, "doubling": slow_doubling, "mid-p": slow_mid_p}


def counted(rows, by, statuses):
    """(cell, outcome, term) -> how many of how many responses; uncoded ones and refusals are terms, too."""
    found = {}
    for cell, members in cells(rows, by).items():
        for outcome, terms in TERMS.items():
            n = len(with_status(members, outcome, *statuses))
            for term, categories in terms.items():
                found[*cell, outcome, term] = (sum(row[outcome] in categories for row in members), n)
            for term, status in (("refusal", "refused"), ("invalid", "invalid")):
                if term == "refusal" or with_status(rows, outcome, "invalid"):
                    found[*cell, outcome, term] = (len(with_status(members, outcome, status)), n)
    return found


def assert_interval(row, k, n, confidence, interval):
    assert row["confidence"] == confidence
    assert_allclose((row["ci_low"], row["ci_high"]), slow_interval(k, n, confidence, interval), rtol=1e-9, atol=1e-15)
    assert 0 <= row["ci_low"] <= row["estimate"] <= row["ci_high"] <= 1


@quick
@given(ROWS, BY, st.sampled_from(["all", "answered", "coded"]), st.sampled_from([*INTERVALS]), CONFIDENCES)
def test_proportions_equal_counting_rows(rows, by, denominator, interval, confidence):
    statuses = {"all": ("ok", "invalid", "refused"), "answered": ("ok", "invalid"), "coded": ("ok",)}[denominator]
    excluded = {"all": set(), "answered": {"refusal"}, "coded": {"refusal", "invalid"}}[denominator]
    expected = {key: value for key, value in counted(rows, by, statuses).items() if key[-1] not in excluded}
    settings = {"denominator": denominator, "interval": interval, "confidence": confidence}
    found = as_rows(proportions(tallied(rows), by, TERMS, **settings), by)
    assert found.keys() == expected.keys()
    for key, (k, n) in expected.items():
        row = found[key]
        assert row["n"] == n
        if n == 0:
            assert row["status"] == "no-data"
            assert row | EMPTY == row
            continue
        share = k / n
        assert row["status"] == "ok"
        assert row["estimate"] == share
        assert_allclose(row["std_error"], math.sqrt(share * (1 - share) / n), rtol=1e-9)
        assert_interval(row, k, n, confidence, interval)


def reference_frame(proportions_of):
    schema = {"group": pl.String, "outcome": pl.String, "category": pl.String, "proportion": pl.Float64}
    return pl.DataFrame([(*key, p) for key, p in proportions_of.items()], schema=schema, orient="row")


KEYS = [(group, outcome, term) for group in LEVELS["group"] for outcome, terms in TERMS.items() for term in terms]
REFERENCES = st.lists(
    st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.5, 0.07]), st.floats(0, 1, width=16)), min_size=1, max_size=7
).map(lambda known: {key: p for key, p in zip(KEYS, itertools.cycle(known)) if p is not None})
"""Some groups and terms without a reference, and references that leave only one possible count."""


@quick
@given(ROWS, REFERENCES, st.sampled_from([*SLOW_TESTS]), st.sampled_from([*INTERVALS]), CONFIDENCES)
def test_tests_equal_one_test_a_row(rows, references, method, interval, confidence):
    by = ["group", "model"]
    expected = {
        key: value
        for key, value in counted(rows, by, ("ok", "invalid")).items()
        if key[-1] not in {"refusal", "invalid"}
    }
    settings = {"method": method, "interval": interval, "confidence": confidence}
    tests = binomial_tests(tallied(rows), by, TERMS, reference_frame(references), ["group"], **settings)
    found = as_rows(tests, by)
    assert found.keys() == expected.keys()
    for (group, model, outcome, term), (k, n) in expected.items():
        row = found[group, model, outcome, term]
        reference = references.get((group, outcome, term))
        assert (row["n"], row["null_value"]) == (n, reference)
        if n == 0:
            assert row["status"] == "no-data"
            assert row | EMPTY == row
            continue
        assert row["estimate"] == k / n
        assert_interval(row, k, n, confidence, interval)
        if reference is None:
            assert (row["status"], row["p_value"], row["effect"]) == ("no-reference", None, None)
            continue
        p = SLOW_TESTS[method](k, n, reference)
        assert row["status"] == "ok"
        assert_allclose(row["p_value"], p, rtol=1e-9)
        assert (row["log_p_value"] is None) == (row["p_value"] == 0)
        assert row["p_value"] == 0 or math.isclose(math.exp(row["log_p_value"]), row["p_value"], rel_tol=1e-9)
        h = 2 * math.asin(math.sqrt(k / n)) - 2 * math.asin(math.sqrt(reference))
        assert_allclose(row["effect"], h, rtol=1e-9, atol=1e-15)
        assert row["effect_kind"] == "cohen_h"
        for end in ("ci_low", "ci_high"):
            assert_allclose(row[f"effect_{end}"], h + 2 * (_angle(row[end]) - _angle(k / n)), rtol=1e-9, atol=1e-12)


def _angle(share):
    return math.asin(math.sqrt(share))


@pytest.mark.parametrize(("reference", "left", "p_value"), [(0.0, 0, 1.0), (0.0, 1, 0.0), (1.0, 3, 1.0), (1.0, 2, 0.0)])
def test_a_certain_reference_is_kept_or_broken(reference, left, p_value):
    rows = numbered([response(politics="left")] * left + [response(politics="right")] * (3 - left))
    references = reference_frame({("young", "politics", "left"): reference})
    tests = as_rows(binomial_tests(tallied(rows), ["group"], TERMS, references, ["group"]), ["group"])
    found = tests["young", "politics", "left"]
    assert (found["p_value"], found["status"]) == (p_value, "ok")
    assert tests["young", "politics", "right"]["status"] == "no-reference"


def test_refusals_are_in_the_denominator_of_shares_and_not_of_tests():
    rows = numbered([response(politics="left", count=9), response(status="refused", count=6)])
    share = as_rows(proportions(tallied(rows), [], TERMS), [])
    assert (share["politics", "left"]["n"], share["politics", "left"]["estimate"]) == (15, 0.6)
    assert share["politics", "refusal"]["estimate"] == 0.4
    references = reference_frame({("young", "politics", "left"): 0.6})
    test = as_rows(binomial_tests(tallied(rows), ["group"], TERMS, references, ["group"]), ["group"])
    assert test["young", "politics", "left"]["n"] == 9
    assert_allclose(test["young", "politics", "left"]["p_value"], slow_test(9, 9, 0.6), rtol=1e-12)


def test_a_reference_without_group_holds_for_every_group():
    rows = numbered([response("young", politics="left"), response("aged", politics="right")])
    everyone = pl.DataFrame({"outcome": ["politics"], "category": ["left"], "proportion": [0.5]})
    tests = as_rows(binomial_tests(tallied(rows), ["group"], TERMS, everyone, []), ["group"])
    assert {tests[group, "politics", "left"]["null_value"] for group in ("young", "aged")} == {0.5}


def test_a_split_finer_than_the_references_tests_each_cell_against_its_group():
    rows = numbered(
        [
            response(group, model=model, politics="left", count=4)
            for group in ("young", "aged")
            for model in LEVELS["model"]
        ]
    )
    references = reference_frame({("young", "politics", "left"): 0.25, ("aged", "politics", "left"): 0.75})
    by = ["model", "group"]
    tests = as_rows(binomial_tests(tallied(rows), by, TERMS, references, ["group"]), by)
    found = {key[:2]: row["p_value"] for key, row in tests.items() if key[-1] == "left"}
    expected = {"young": slow_test(4, 4, 0.25), "aged": slow_test(4, 4, 0.75)}
    assert found == {
        (model, group): pytest.approx(p, rel=1e-12) for model in LEVELS["model"] for group, p in expected.items()
    }


def test_shares_are_correctly_rounded_in_a_single_cell():
    rows = numbered([response(politics="left", count=17), response(politics="right", count=2)])
    terms = {"politics": TERMS["politics"]}
    share = as_rows(proportions(tallied(rows), [], terms), [])["politics", "left"]
    assert (share["estimate"], share["std_error"]) == (17 / 19, math.sqrt(17 / 19 * (1 - 17 / 19) / 19))
    test = binomial_tests(tallied(rows), ["group"], terms, reference_frame({}), ["group"])
    assert as_rows(test, ["group"])["young", "politics", "left"]["estimate"] == 17 / 19


def test_the_interval_is_a_setting():
    from scipy.stats import beta

    rows = numbered([response(politics="left", count=3), response(politics="right", count=5)])
    references = reference_frame({("young", "politics", "left"): 0.5})
    expected = {
        "clopper-pearson": (beta.ppf(0.025, 3, 6), beta.ppf(0.975, 4, 5)),
        "jeffreys": (beta.ppf(0.025, 3.5, 5.5), beta.ppf(0.975, 3.5, 5.5)),
        "wilson": slow_interval(3, 8, 0.95, "wilson"),
    }
    for interval, limits in expected.items():
        share = as_rows(proportions(tallied(rows), [], TERMS, interval=interval), [])["politics", "left"]
        tests = binomial_tests(tallied(rows), ["group"], TERMS, references, ["group"], interval=interval)
        test = as_rows(tests, ["group"])["young", "politics", "left"]
        for row in (share, test):
            assert_allclose((row["ci_low"], row["ci_high"]), limits, rtol=1e-9)
        assert interval.split("-")[0].capitalize() in share["method"]


def test_a_p_value_that_underflows_has_a_logarithm():
    rows = numbered([response(politics="left", count=10**5)])
    references = reference_frame({("young", "politics", "left"): 0.25})
    test = as_rows(binomial_tests(tallied(rows), ["group"], TERMS, references, ["group"]), ["group"])
    found = test["young", "politics", "left"]
    assert (found["p_value"], found["status"]) == (0, "ok")
    assert_allclose(found["log_p_value"], 10**5 * math.log(0.25), rtol=1e-12)
