"""Stereotype scores against loops over dimensions and ordered pairs of groups, with scipy.stats.entropy."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.divergences.groups import stereotype_scores
from tests.unit.statistics.frames import LEVELS, ROWS, as_rows, cells, numbered, quick, response, tallied, with_status

TERMS = {
    "politics": {"left": ("left",), "others": ("right", "centre")},
    "belief": {"some": ("some",), "centre": ("centre",), "silence": ("silence",)},
}
NATURAL = {"epsilon": 1e-12, "smoothing": "counts", "both_directions": False, "base": math.e, "refusal": True}


def scores(rows, by=(), terms=TERMS, levels=LEVELS["group"], **settings):
    found = stereotype_scores(
        tallied(rows), by, terms, between="group", levels=levels, within="dimension", **(NATURAL | settings)
    )
    return as_rows(found, by)


def divergence(p, q, epsilon, smoothing, base):
    """KL(P || Q) in nats over ln(base), each distribution written out; infinite where Q lacks what P has."""
    from scipy.stats import entropy

    def smoothed(counts):
        total = sum(counts)
        shifted = [(count if smoothing == "counts" else count / total) + epsilon for count in counts]
        return [value / math.fsum(shifted) for value in shifted]

    return float(entropy(smoothed(p), smoothed(q))) / math.log(base)


def slow_scores(rows, by, *, epsilon, smoothing, both_directions, base, refusal):
    """(cell, outcome, dimension or `mean`) -> number of divergences or dimensions, score, whether one is infinite."""
    expected = {}
    for cell, members in cells(rows, by).items():
        for outcome, terms in TERMS.items():
            largest = []
            for dimension in {row["dimension"] for row in members}:
                counts = {}
                for group in LEVELS["group"]:
                    own = [row for row in members if (row["dimension"], row["group"]) == (dimension, group)]
                    counts[group] = [sum(row[outcome] in categories for row in own) for categories in terms.values()]
                    if refusal:
                        counts[group].append(len(with_status(own, outcome, "refused")))
                found = []
                for first, second in itertools.combinations(LEVELS["group"], 2):
                    for p, q in [(first, second)] + [(second, first)] * both_directions:
                        if sum(counts[p]) and sum(counts[q]):
                            found.append(divergence(counts[p], counts[q], epsilon, smoothing, base))
                finite = [value for value in found if math.isfinite(value)]
                largest.append(max(found, default=math.nan))
                expected[*cell, outcome, dimension] = (len(finite), largest[-1])
            mean = math.inf if math.inf in largest else math.fsum(largest) / len(largest)
            expected[*cell, outcome, "mean"] = (len(largest), mean)
    return expected


def assert_scores(found, expected):
    assert found.keys() == expected.keys()
    for key, (n, score) in expected.items():
        row = found[key]
        assert row["n"] == n
        if math.isfinite(score):
            assert row["status"] == "ok"
            # The sum with signs of scipy is, near 0, only as good as the rounding of 1.
            assert_allclose(row["estimate"], score, rtol=1e-9, atol=1e-14)
        else:
            assert (row["status"], row["estimate"]) == ("no-data" if math.isnan(score) else "degenerate", None)


@quick
@given(
    ROWS,
    st.lists(st.sampled_from(["model"]), unique=True),
    st.fixed_dictionaries(
        {
            "epsilon": st.sampled_from([1e-12, 0.0, 0.5, 3.0]),
            "smoothing": st.sampled_from(["counts", "proportions"]),
            "both_directions": st.booleans(),
            "base": st.sampled_from([math.e, 2.0]),
            "refusal": st.booleans(),
        }
    ),
)
def test_scores_equal_loops_over_pairs(rows, by, settings):
    assert_scores(scores(rows, by, **settings), slow_scores(rows, by, **settings))


def pair(first, second, groups=("young", "aged")):
    """Two groups with these counts of left, others and refusals."""
    return numbered(
        response(group, status, politics=politics, count=count)
        for group, counts in zip(groups, (first, second), strict=True)
        for (status, politics), count in zip([("ok", "left"), ("ok", "right"), ("refused", None)], counts, strict=True)
        if count
    )


POLITICS = {"politics": TERMS["politics"]}


def test_disjoint_groups_of_fifty_show_epsilon():
    score = scores(pair((50, 0, 0), (0, 50, 0)), terms=POLITICS)["politics", "mean"]
    assert score["estimate"] == pytest.approx(math.log(50 / 1e-12), rel=1e-12)
    assert f"{score['estimate']:.3f}" == "31.543"


def test_equal_distributions_do_not_diverge_at_all():
    assert scores(pair((6, 3, 0), (2, 1, 0)), terms=POLITICS, epsilon=0.0)["politics", "age"]["estimate"] == 0.0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, 0.25 * math.log(0.5) + 0.75 * math.log(1.5)),
        ({"base": 2.0}, 0.25 * math.log2(0.5) + 0.75 * math.log2(1.5)),
        ({"both_directions": True}, 0.5 * math.log(2) + 0.5 * math.log(2 / 3)),
        ({"epsilon": 1.0}, 1 / 3 * math.log(2 / 3) + 2 / 3 * math.log(4 / 3)),
        ({"epsilon": 1.0, "smoothing": "proportions"}, 5 / 12 * math.log(5 / 6) + 7 / 12 * math.log(7 / 6)),
    ],
)
def test_two_small_groups_by_hand(settings, expected):
    """Left and others: 1 and 3 of 4 against 1 and 1 of 2."""
    rows = pair((1, 3, 0), (1, 1, 0))
    settings = {"epsilon": 0.0, "refusal": False} | settings
    assert scores(rows, terms=POLITICS, **settings)["politics", "mean"]["estimate"] == pytest.approx(
        expected, rel=1e-12
    )


def test_the_divergence_runs_from_the_earlier_level_and_not_from_the_earlier_row_or_letter():
    rows = pair((9, 1, 0), (5, 5, 0))
    forward = scores(rows, terms=POLITICS)["politics", "mean"]["estimate"]
    assert forward == pytest.approx(0.9 * math.log(1.8) + 0.1 * math.log(0.2))
    assert scores(rows[::-1], terms=POLITICS)["politics", "mean"]["estimate"] == forward
    backward = scores(rows, terms=POLITICS, levels=LEVELS["group"][::-1])["politics", "mean"]["estimate"]
    assert backward == pytest.approx(0.5 * math.log(5 / 9) + 0.5 * math.log(5))
    both = scores(rows, terms=POLITICS, both_directions=True)["politics", "mean"]["estimate"]
    assert both == max(forward, backward)


def test_refusal_is_a_term_or_is_left_out():
    rows = pair((1, 1, 8), (4, 4, 2))
    assert scores(rows, terms=POLITICS)["politics", "mean"]["estimate"] > 0.1
    assert scores(rows, terms=POLITICS, refusal=False)["politics", "mean"]["estimate"] == pytest.approx(0, abs=1e-12)


def test_the_mean_is_over_dimensions_and_the_maximum_within_them():
    rows = numbered(pair((9, 1, 0), (5, 5, 0)) + pair((2, 8, 0), (5, 5, 0), groups=("male", "female")))
    found = scores(rows, terms=POLITICS)
    age, gender = (found["politics", dimension]["estimate"] for dimension in ("age", "gender"))
    assert age == pytest.approx(0.9 * math.log(1.8) + 0.1 * math.log(0.2))
    assert gender == pytest.approx(0.2 * math.log(0.4) + 0.8 * math.log(1.6))
    assert found["politics", "mean"]["estimate"] == pytest.approx((age + gender) / 2, rel=1e-15)
    assert found["politics", "mean"]["n"] == 2


def test_a_dimension_of_one_group_has_no_score_and_neither_has_the_mean():
    rows = numbered([*pair((9, 1, 0), (5, 5, 0)), response("male", politics="left")])
    found = scores(rows, terms=POLITICS)
    assert found["politics", "age"]["status"] == "ok"
    for term, n in (("gender", 0), ("mean", 2)):
        row = found["politics", term]
        assert (row["n"], row["estimate"], row["status"]) == (n, None, "no-data")


def test_a_group_without_data_is_passed_over():
    rows = numbered([*pair((9, 1, 0), (5, 5, 0)), response("middle", "error", count=5)])
    assert scores(rows, terms=POLITICS)["politics", "age"]["n"] == 1
    assert scores(rows, terms=POLITICS)["politics", "age"]["status"] == "ok"


def test_an_infinite_divergence_is_not_passed_over():
    """Without smoothing the largest of these is infinite: the finite rest must not stand for it."""
    rows = numbered([*pair((5, 5, 0), (9, 1, 0)), response("middle", politics="right", count=10)])
    found = scores(rows, terms=POLITICS, epsilon=0.0)
    for term in ("age", "mean"):
        assert (found["politics", term]["estimate"], found["politics", term]["status"]) == (None, "degenerate")


def test_the_method_names_the_direction():
    for both, words in ((False, "earlier to later group"), (True, "both directions")):
        found = scores(pair((1, 0, 0), (0, 1, 0)), terms=POLITICS, both_directions=both)
        assert {row["method"] for row in found.values()} == {f"largest Kullback-Leibler divergence, {words}"}
