"""Differences of shares against statsmodels and scipy on raw rows."""

from __future__ import annotations

import math
from itertools import combinations, product

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.stats import binomtest, fisher_exact

from tallybook.statistics.proportions.two_proportions import constant_groups, share_differences
from tallybook.tally import merge
from tests.unit.statistics.frames import (
    FACTORS,
    LEVELS,
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

NUMBERS = ("estimate", "std_error", "ci_low", "ci_high", "p_value", "log_p_value", "effect")
STATUSES = {"all": ("ok", "invalid", "refused"), "answered": ("ok", "invalid"), "coded": ("ok",)}
EXCLUDED = {"all": set(), "answered": {"refusal"}, "coded": {"refusal", "invalid"}}
DENOMINATORS = st.sampled_from([*STATUSES])
PAIR = st.permutations(LEVELS["group"]).map(lambda levels: (levels[0], levels[1]))
SPLITS = st.sampled_from([[], ["model"], ["dimension", "model"]])


def terms_of(rows, outcome, denominator):
    """The terms of an outcome in their order; uncoded responses are one only where there are any."""
    uncoded = ["invalid"] if with_status(rows, outcome, "invalid") else []
    return [term for term in (*TERMS[outcome], "refusal", *uncoded) if term not in EXCLUDED[denominator]]


def share_of(rows, outcome, term, denominator):
    """How many responses are of a term, and of how many."""
    status = {"refusal": "refused", "invalid": "invalid"}.get(term)
    hits = (
        with_status(rows, outcome, status) if status else [row for row in rows if row[outcome] in TERMS[outcome][term]]
    )
    return len(hits), len(with_status(rows, outcome, *STATUSES[denominator]))


def wilson(k, n, z):
    """Where |p - k/n| = z sqrt(p (1 - p) / n), by halving."""
    limits = []
    for side in (0.0, 1.0):
        inside, outside = k / n, side
        for _ in range(200):
            middle = (inside + outside) / 2
            if abs(middle - k / n) <= z * math.sqrt(middle * (1 - middle) / n):
                inside = middle
            else:
                outside = middle
        limits.append(inside)
    return limits


def newcombe(first, second, z):
    (low1, high1), (low2, high2) = (wilson(k, n, z) for k, n in (first, second))
    f1, f2 = (k / n for k, n in (first, second))
    return f1 - f2 - math.hypot(f1 - low1, high2 - f2), f1 - f2 + math.hypot(high1 - f1, f2 - low2)


@quick
@given(ROWS, SPLITS, PAIR, DENOMINATORS, st.sampled_from([0.5, 0.95]))
def test_differences_equal_those_of_raw_rows(rows, by, levels, denominator, confidence):
    from statistics import NormalDist

    from scipy.stats import fisher_exact

    estimates = share_differences(
        tallied(rows), by, TERMS, "group", levels, denominator=denominator, confidence=confidence
    )
    expected = {
        (*cell, outcome, term): members
        for cell, members in sorted(cells(rows, by).items())
        for outcome in sorted(TERMS)
        for term in terms_of(rows, outcome, denominator)
    }
    found = as_rows(estimates, by)
    assert list(found) == list(expected)
    for (*_, outcome, term), row, members in zip(expected, found.values(), expected.values(), strict=True):
        (k1, n1), (k2, n2) = sides = [
            share_of([member for member in members if member["group"] == level], outcome, term, denominator)
            for level in levels
        ]
        assert row["n"] == n1 + n2
        if not n1 or not n2:
            assert row["status"] == "no-data"
            assert {row[name] for name in NUMBERS} == {None}
            continue
        assert (row["status"], row["confidence"], row["null_value"]) == ("ok", confidence, 0)
        assert_allclose(row["estimate"], k1 / n1 - k2 / n2, rtol=1e-12, atol=1e-15)
        variance = sum(k / n * (1 - k / n) / n for k, n in sides)
        assert_allclose(row["std_error"], math.sqrt(variance), rtol=1e-12, atol=1e-15)
        limits = newcombe(*sides, NormalDist().inv_cdf((1 + confidence) / 2))
        assert_allclose((row["ci_low"], row["ci_high"]), limits, rtol=1e-9, atol=1e-9)
        assert_allclose(row["p_value"], fisher_exact([[k1, n1 - k1], [k2, n2 - k2]]).pvalue, rtol=1e-9)


@quick
@given(ROWS, SPLITS, PAIR, DENOMINATORS)
def test_swapping_the_levels_turns_the_signs(rows, by, levels, denominator):
    tally = tallied(rows)
    found, swapped = (
        as_rows(share_differences(tally, by, TERMS, "group", order, denominator=denominator), by)
        for order in (levels, levels[::-1])
    )
    assert list(found) == list(swapped)
    for key, row in found.items():
        assert (swapped[key]["n"], swapped[key]["status"]) == (row["n"], row["status"])
        if row["status"] == "ok":
            assert swapped[key]["estimate"] == -row["estimate"]
            assert_allclose(swapped[key]["p_value"], row["p_value"], rtol=1e-12)
            limits = (-row["ci_high"], -row["ci_low"])
            assert_allclose((swapped[key]["ci_low"], swapped[key]["ci_high"]), limits, rtol=1e-9, atol=1e-15)


@quick
@given(ROWS, PAIR, DENOMINATORS, st.randoms(use_true_random=False), st.integers(0, 30))
def test_order_splitting_and_merging_of_tallies_change_no_bit(rows, levels, denominator, random, where):
    tally = tallied(rows)
    single = [row for row in tally.iter_rows() for _ in range(row[tally.columns.index("count")])]
    random.shuffle(single)
    one_by_one = pl.DataFrame(single, schema=tally.schema, orient="row").with_columns(count=pl.lit(1, pl.Int64))
    parts = merge([tallied(rows[where:]), tallied(rows[:where])], FACTORS)
    coarser = merge([tally], ["model", "group"])
    expected = exactly(share_differences(tally, ["model"], TERMS, "group", levels, denominator=denominator))
    for other in (one_by_one, parts, coarser):
        found = share_differences(other, ["model"], TERMS, "group", levels, denominator=denominator)
        assert exactly(found) == expected


@quick
@given(ROWS, PAIR)
def test_the_differences_of_all_answers_add_up_to_nothing(rows, levels):
    found = as_rows(share_differences(tallied(rows), [], TERMS, "group", levels, denominator="all"), [])
    of_belief = [row["estimate"] for (outcome, _), row in found.items() if outcome == "belief"]
    if of_belief and None not in of_belief:
        assert_allclose(math.fsum(of_belief), 0, atol=1e-12)


def test_failed_requests_never_count_and_refusals_only_where_the_share_is_of_them():
    rows = numbered(
        [
            response("young", politics="left", count=3),
            response("young", "refused", count=1),
            response("aged", politics="right", count=2),
            response("aged", "invalid", count=2),
            response("aged", "error", count=9),
        ]
    )
    sizes = {
        denominator: as_rows(
            share_differences(tallied(rows), [], TERMS, "group", ("young", "aged"), denominator=denominator), []
        )["politics", "left"]["n"]
        for denominator in STATUSES
    }
    assert sizes == {"all": 8, "answered": 7, "coded": 5}


def test_no_responses_give_no_differences():
    assert share_differences(tallied([]), ["model"], TERMS, "group", ("young", "aged")).is_empty()
    rows = numbered([response("young", politics="left")])
    assert share_differences(tallied(rows), ["model"], {}, "group", ("young", "aged")).is_empty()


def counts_of(clusters):
    """A tally of clusters: name -> group -> the number of yes and of no."""
    rows = [
        {"item": name, "group": group, "category": category, "count": count}
        for name, groups in clusters.items()
        for group, counts in groups.items()
        for category, count in zip(("yes", "no"), counts, strict=True)
        if count
    ]
    return pl.DataFrame(rows).with_columns(outcome=pl.lit("o"), status=pl.lit("ok"), value=pl.lit(None))


def constant(clusters, **settings):
    terms = {"o": {"yes": ("yes",), "no": ("no",)}}
    found = constant_groups(counts_of(clusters), [], terms, "group", ("a", "b"), cluster="item", **settings)
    return dict(found.select("term", "exact p").iter_rows())


def arrangements(clusters):
    """Every exchange of the groups: within clusters that have both, and of single groups between clusters."""
    both = [one for one in clusters.values() if len(one) == 2]
    alone = [(group, counts) for one in clusters.values() if len(one) == 1 for group, counts in one.items()]
    firsts = sum(group == "a" for group, _ in alone)
    for flips, chosen in product(product((False, True), repeat=len(both)), combinations(range(len(alone)), firsts)):
        sides = {"a": [], "b": []}
        for flip, one in zip(flips, both, strict=True):
            sides["a"].append(one["b" if flip else "a"])
            sides["b"].append(one["a" if flip else "b"])
        for place, (_, counts) in enumerate(alone):
            sides["a" if place in chosen else "b"].append(counts)
        yield sides


BOTH = {f"i{n}": {"a": (0, 3), "b": (hits, 3 - hits)} for n, hits in enumerate((1, 2, 0, 3, 1))}
ALONE = {f"a{n}": {"a": (0, 3)} for n in range(3)} | {f"b{n}": {"b": (n % 3, 3 - n % 3)} for n in range(4)}


@pytest.mark.parametrize("clusters", [BOTH, ALONE, BOTH | ALONE])
def test_a_group_that_does_not_vary_has_an_exact_test(clusters):
    every = [*arrangements(clusters)]
    nowhere = {side: sum(all(yes == 0 for yes, _ in one[side]) for one in every) / len(every) for side in "ab"}
    for term in ("yes", "no"):  # a share of 1 is one of 0 of the other category
        assert_allclose(constant(clusters)[term], nowhere["a"] + nowhere["b"], rtol=1e-12)
    assert_allclose(constant(clusters, alternative="less")["yes"], nowhere["a"], rtol=1e-12)
    assert_allclose(constant(clusters, alternative="greater")["no"], nowhere["a"], rtol=1e-12)
    assert constant(clusters, alternative="greater")["yes"] == 1


def test_exact_tests_of_groups_are_the_sign_test_and_fishers():
    assert_allclose(constant(BOTH)["yes"], binomtest(4, 4).pvalue, rtol=1e-12)
    assert_allclose(constant(ALONE)["yes"], fisher_exact([[0, 3], [2, 2]]).pvalue, rtol=1e-12)
    apart = {name: {"b": (3, 0)} if "b" in one else one for name, one in ALONE.items()}
    assert_allclose(list(constant(apart).values()), fisher_exact([[0, 3], [4, 0]]).pvalue, rtol=1e-12)


def test_where_groups_differ_in_size_an_occurrence_is_the_likelier_in_the_larger():
    clusters = {name: {"a": (0, 1), "b": (1, 8)} for name in "vwxyz"}
    assert_allclose(constant(clusters)["yes"], 0.9**5 + 0.5**5, rtol=1e-12)


def test_groups_that_vary_and_equal_shares_have_no_exact_test():
    varied = BOTH | {"more": {"a": (1, 2), "b": (1, 2)}}
    assert constant(varied) == {}
    assert constant({name: {"a": (0, 3), "b": (0, 3)} for name in "xyz"}) == {}
