"""Tests of distributions against R, exact arithmetic, raw rows and their own algebra."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction
from unittest import mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.categories import goodness_of_fit as module
from tallybook.statistics.categories.goodness_of_fit import TERMS, goodness_of_fit
from tallybook.statistics.proportions.binomial import two_sided_p_value
from tests.sizes import trials, within
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.tables import BY

CATEGORIES = "pqrs"
ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(CATEGORIES)), max_size=14)
# Eighths, so that the proportions of a cell add up to 1 exactly, or to something else.
PROPORTIONS = st.lists(st.sampled_from([0, 1, 2, 3, 4, None]), min_size=4, max_size=4)
SCHEMA = {"cell": pl.String, "category": pl.String, "count": pl.Int64}


def frame_of(rows):
    return pl.DataFrame([(*row, count) for row, count in Counter(rows).items()], schema=SCHEMA, orient="row")


def references_of(proportions):
    """Proportions of cells: cell -> category -> proportion."""
    rows = [(cell, category, p) for cell, own in proportions.items() for category, p in own.items()]
    schema = {"cell": pl.String, "category": pl.String, "proportion": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def fit(frame, references, **settings):
    return goodness_of_fit(frame, BY, "category", references, BY, **settings)


def exact_p_value(counts, proportions):
    """The sum over all outcomes at most as likely as the observed one, in exact fractions."""
    n, k = sum(counts), len(counts)

    def mass(outcome):
        ways = math.factorial(n)
        for count in outcome:
            ways //= math.factorial(count)
        return ways * math.prod(p**count for p, count in zip(proportions, outcome, strict=True))

    bound = mass(counts) * (1 + Fraction(1, 10**7))
    outcomes = ((*first, n - sum(first)) for first in itertools.product(range(n + 1), repeat=k - 1) if sum(first) <= n)
    return sum(chance for chance in map(mass, outcomes) if chance <= bound)


# --- R ----------------------------------------------------------------------------------------------------------------


def test_every_number_equals_r(oracle):
    cases = oracle("goodness_of_fit")
    counts = [[round(float(part)) for part in text.split()] for text in cases["counts"]]
    proportions = [[float(part) for part in text.split()] for text in cases["proportions"]]
    rows = [(f"{case}", f"{i}", count) for case, own in enumerate(counts) for i, count in enumerate(own)]
    references = references_of(
        {f"{case}": {f"{i}": p for i, p in enumerate(own)} for case, own in enumerate(proportions)}
    )
    found = as_rows(fit(pl.DataFrame(rows, schema=SCHEMA, orient="row"), references), BY)
    compared = 0
    for case, own in enumerate(counts):
        expected = {name: column[case] for name, column in cases.items()}
        chi_square, g, exact = (found[f"{case}", "", term] for term in TERMS)
        assert chi_square["df"] == g["df"] == len(own) - 1
        assert_allclose(chi_square["statistic"], expected["chi_square"], rtol=1e-9)
        assert_allclose(chi_square["p_value"], expected["p_chi_square"], rtol=1e-9, atol=1e-307)
        assert_allclose(chi_square["log_p_value"], expected["log_p_chi_square"], rtol=1e-9)
        # R's sum of O ln(O/E) keeps 1e-7 of a G near 0 at n = 1e9.
        large = sum(own) > 10**6
        assert_allclose(g["statistic"], expected["g"], rtol=1e-6 if large else 1e-9, atol=1e-12)
        assert_allclose(g["log_p_value"], expected["log_p_g"], rtol=1e-6 if large else 1e-9, atol=1e-12)
        assert_allclose(exact["effect"], expected["w"], rtol=1e-9)
        if not math.isnan(expected["p_exact"]):
            compared += 1
            assert_allclose(exact["p_value"], expected["p_exact"], rtol=1e-9)
            assert "Monte Carlo" not in exact["method"]
    assert compared > 12


def test_mendels_peas():
    # Agresti (2002), Categorical Data Analysis (2nd ed.), section 1.5.2: 6022 yellow and 2001 green, X² = 0.015,
    # p = 0.90.
    frame = pl.DataFrame({"category": ["yellow", "green"], "count": [6022, 2001]})
    references = pl.DataFrame({"category": ["green", "yellow"], "proportion": [0.25, 0.75]})
    found = as_rows(goodness_of_fit(frame, [], "category", references, []), [])
    assert round(found["", "chi_square"]["statistic"], 3) == 0.015
    assert round(found["", "chi_square"]["p_value"], 2) == 0.90
    assert found["", "exact"]["p_value"] == float(two_sided_p_value(2001, 8023, 0.25))


# --- raw rows ---------------------------------------------------------------------------------------------------------


def state_of(observed, proportions):
    """What becomes of a cell, and the proportions it is tested with."""
    if not observed:
        return "no-data", None
    total = sum(p for p in proportions.values() if p is not None)
    known = {category: p for category, p in proportions.items() if p is not None}
    if len(known) < len(proportions) or not set(observed) <= set(known):
        return "no-reference", None
    if total != 1:
        return "invalid-reference", None
    return "ok", {category: Fraction(p) for category, p in known.items()}


@quick
@given(ROWS, PROPORTIONS, st.sampled_from([3, 4]))
def test_tests_equal_those_of_raw_rows(rows, eighths, categories):
    from scipy.stats import power_divergence

    proportions = {
        category: None if p is None else p / 8
        for category, p in zip(CATEGORIES[:categories], eighths[:categories], strict=True)
    }
    references = references_of({"a": proportions, "b": proportions})
    found = as_rows(fit(frame_of(rows), references), BY)
    for cell in {row[0] for row in rows}:
        observed = Counter(category for own, category in rows if own == cell)
        status, tested = state_of(observed, proportions)
        chi_square, g, exact = (found[cell, "", term] for term in TERMS)
        assert {row["n"] for row in (chi_square, g, exact)} == {observed.total()}
        if tested is None:
            for row in (chi_square, g, exact):
                assert (row["status"], row["p_value"], row["statistic"], row["effect"]) == (status, None, None, None)
            continue
        allowed = {category: p for category, p in tested.items() if p > 0}
        counts = [observed[category] for category in allowed]
        if sum(counts) < observed.total():
            assert (exact["status"], exact["p_value"], exact["log_p_value"]) == ("ok", 0, None)
            assert {chi_square["status"], g["status"]} == {"degenerate"}
            assert chi_square["effect"] is chi_square["p_value"] is g["statistic"] is None
            continue
        expected = exact_p_value(counts, list(allowed.values()))
        assert exact["status"] == "ok"
        assert_allclose(exact["p_value"], float(expected), rtol=1e-11)
        assert_allclose(exact["log_p_value"], math.log(expected), rtol=1e-11, atol=1e-12)
        assert exact["statistic"] is exact["df"] is exact["estimate"] is None
        if len(allowed) == 1:
            assert (chi_square["status"], exact["p_value"]) == ("degenerate", 1)
            continue
        means = [float(p * observed.total()) for p in allowed.values()]
        for row, name in ((chi_square, "pearson"), (g, "log-likelihood")):
            test = power_divergence(counts, means, lambda_=name)
            assert (row["status"], row["df"]) == ("ok", len(allowed) - 1)
            assert_allclose(row["statistic"], test.statistic, rtol=1e-9, atol=1e-12)
            assert_allclose(row["p_value"], test.pvalue, rtol=1e-9)
            assert_allclose(row["effect"], math.sqrt(chi_square["statistic"] / observed.total()), rtol=1e-12)
            assert ("expected counts below 5" in row["method"]) == (min(means) < 5)


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_order_splitting_and_company_change_no_bit(rows, random):
    listed = module.LARGEST_ENUMERATION
    references = references_of(
        {"a": {"p": 0.5, "q": 0.25, "r": 0.125, "s": 0.125}, "b": dict.fromkeys(CATEGORIES, 0.25)}
    )
    shuffled = list(rows)
    random.shuffle(shuffled)
    one_by_one = pl.DataFrame([(*row, 1) for row in shuffled], schema=SCHEMA, orient="row")
    for most in (listed, 0):
        with mock.patch.object(module, "LARGEST_ENUMERATION", most):
            estimates = fit(frame_of(rows), references)
            again = fit(one_by_one, references.sample(fraction=1, shuffle=True, seed=1))
            assert exactly(again) == exactly(estimates)
            for cell in {row[0] for row in rows}:
                alone = fit(frame_of([row for row in rows if row[0] == cell]), references)
                assert exactly(alone) == exactly(estimates.filter(pl.col("cell") == cell))


# --- the exact test ---------------------------------------------------------------------------------------------------


def test_enumeration_counts_every_outcome():
    # With all outcomes as rare as the mode, p is the sum of all probabilities.
    for counts, proportions in (([5] * 3, [1 / 3] * 3), ([1] * 5, [0.2] * 5)):
        names = [f"{place}" for place in range(len(counts))]
        frame = pl.DataFrame([("a", name, one) for name, one in zip(names, counts, strict=True)], SCHEMA, orient="row")
        found = fit(frame, references_of({"a": dict(zip(names, proportions, strict=True))}), tests=["exact"])
        assert_allclose(found["p_value"].item(), 1, rtol=1e-12)
        assert found["p_value"].item() <= 1


def test_probabilities_too_small_for_a_float_have_a_logarithm():
    references = references_of({"a": {"p": 1e-9, "q": 0.5, "r": 0.5 - 1e-9}})
    frame = pl.DataFrame([("a", "p", 80)], schema=SCHEMA, orient="row")
    exact = as_rows(fit(frame, references), BY)["a", "", "exact"]
    assert exact["p_value"] == 0
    assert_allclose(exact["log_p_value"], 80 * math.log(1e-9), rtol=1e-12)


def test_beyond_the_bound_the_exact_test_is_drawn(monkeypatch):
    references = references_of({cell: {"p": 0.5, "q": 0.3, "r": 0.2} for cell in "abc"})
    rows = [("a", "p", 12), ("a", "q", 9), ("a", "r", 1), ("b", "p", 12), ("b", "q", 9), ("b", "r", 1), ("c", "p", 3)]
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    listed = {cell: row for (cell, _, term), row in as_rows(fit(frame, references), BY).items() if term == "exact"}
    monkeypatch.setattr(module, "LARGEST_ENUMERATION", 100)
    monkeypatch.setattr(module, "DRAWS", 20_000)
    settings = {"seed": 3}
    drawn = as_rows(fit(frame, references, **settings), BY)
    # 276 outcomes of 22 observations, 10 of 3.
    assert drawn["c", "", "exact"] == listed["c"]
    for cell in "ab":
        row = drawn[cell, "", "exact"]
        assert row["method"] == "exact multinomial test, Monte Carlo, 20000 draws, seed 3"
        p = listed[cell]["p_value"]
        assert row["p_value"] == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 20_000))
        assert row["p_value"] * 20_001 == pytest.approx(round(row["p_value"] * 20_001), abs=1e-9)
    # Two cells with the same counts draw differently, and one cell draws the same again; another seed does not.
    assert drawn["a", "", "exact"]["p_value"] != drawn["b", "", "exact"]["p_value"]
    assert as_rows(fit(frame, references, **settings), BY) == drawn
    other = as_rows(fit(frame, references, **settings | {"seed": 4}), BY)
    assert other["a", "", "exact"]["p_value"] != drawn["a", "", "exact"]["p_value"]


def test_the_exact_test_keeps_its_level():
    random = np.random.default_rng(20)
    p = dict(zip(CATEGORIES, (0.5, 0.3, 0.15, 0.05), strict=True))
    counts = random.multinomial(30, [*p.values()], size=trials(1000))
    rows = [(f"{cell}", name, n) for cell, own in enumerate(counts) for name, n in zip(p, own, strict=True)]
    references = pl.DataFrame({"category": [*p], "proportion": [*p.values()]})
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    found = goodness_of_fit(frame, BY, "category", references, [], tests=["exact"])
    assert abs((found["p_value"] <= 0.05).mean() - 0.0475) < within(0.0175)


# --- references and degenerate input ----------------------------------------------------------------------------------


def test_one_reference_may_serve_all_cells():
    frame = frame_of([("a", "p"), ("a", "q"), ("b", "q")])
    everywhere = pl.DataFrame({"category": ["p", "q"], "proportion": [0.5, 0.5]})
    apart = references_of({cell: {"p": 0.5, "q": 0.5} for cell in "ab"})
    assert exactly(goodness_of_fit(frame, BY, "category", everywhere, [])) == exactly(fit(frame, apart))


def test_proportions_that_do_not_add_up_are_told():
    frame = pl.DataFrame([("a", "p", 30), ("a", "q", 20), ("a", "r", 10)], schema=SCHEMA, orient="row")
    as_given = as_rows(fit(frame, references_of({"a": {"p": 0.28, "q": 0.53, "r": 0.18}})), BY)["a", "", "g"]
    assert (as_given["status"], as_given["p_value"]) == ("invalid-reference", None)
    assert as_given["method"].endswith("; the reference proportions add up to 0.99")
    weights = references_of({"a": {"p": 9.0, "q": 3.0, "r": 3.0}})
    assert as_rows(fit(frame, weights), BY)["a", "", "g"]["status"] == "no-reference"


def test_degenerate_input_has_a_status():
    nan = math.nan
    rows = [
        ("none", None, 4), ("none", "p", 0), ("missing", "s", 1), ("missing", "p", 1), ("unknown", "p", 3),
        ("nan", "p", 1), ("negative", "p", 1), ("zero", "p", 1), ("single", "p", 1),
    ]  # fmt: skip
    known = {"p": 0.5, "q": 0.5}
    references = references_of(
        {"none": known, "missing": known, "nan": {"p": 0.5, "q": nan}, "negative": {"p": 1.5, "q": -0.5}}
        | {"zero": {"p": 0.0, "q": 0.0}, "single": known}
    )
    found = as_rows(fit(pl.DataFrame(rows, schema=SCHEMA, orient="row"), references), BY)
    status = {cell: found[cell, "", "chi_square"]["status"] for cell, _, _ in found}
    expected = dict.fromkeys(("missing", "unknown", "nan", "negative"), "no-reference") | {"zero": "invalid-reference"}
    assert status == expected | {"none": "no-data", "single": "ok"}
    assert found["single", "", "exact"]["p_value"] == 1
    empty = pl.DataFrame(schema=SCHEMA)
    assert fit(empty, references).height == 0
    whole = goodness_of_fit(empty, [], "category", references.head(2).drop("cell"), [])
    assert set(whole["status"]) == {"no-data"}


def test_impossible_settings_are_refused():
    frame = frame_of([("a", "p")])
    known = references_of({"a": {"p": 1.0}})
    with pytest.raises(ValueError, match=r"^the references give \('a', 'p'\) twice: expected one proportion$"):
        fit(frame, pl.concat([known, known]))
    with pytest.raises(ValueError, match=r"^the references have no column 'proportion': expected cell, category, "):
        fit(frame, known.drop("proportion"))
    with pytest.raises(ValueError, match=r"^row 0 has count -1"):
        fit(frame.with_columns(pl.lit(-1).alias("count")), known)
