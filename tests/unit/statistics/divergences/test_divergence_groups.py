"""Divergences between groups in whole frames: against rows, and themselves in another order."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.divergences.divergence import DIVERGENCE_NAMES, divergence
from tallybook.statistics.divergences.groups import group_divergences
from tests.unit.statistics.frames import as_rows, exactly, few, quick

ANSWERS = pl.DataFrame({
    "model": ["a"] * 6 + ["b"] * 5,
    "group": ["f", "f", "f", "m", "m", "x", "f", "m", "m", "m", "x"],
    "answer": ["yes", "no", "maybe", "yes", "no", "no", "yes", "yes", "no", "never", "yes"],
    "count": [30, 15, 5, 12, 38, 9, 20, 9, 2, 9, 0],
})  # fmt: skip
NUMBERS = ("estimate", "p_value", "log_p_value")


def found(frame=ANSWERS, by=("model",), **settings):
    settings = {"permutations": 99} | settings
    return as_rows(group_divergences(frame, by, "group", "answer", **settings), by)


def table(frame, model, level, categories):
    own = frame.filter((pl.col("model") == model) & (pl.col("group") == level))
    counts = dict(own.group_by("answer").agg(pl.col("count").sum()).iter_rows())
    return [counts.get(category, 0) for category in categories]


@pytest.mark.parametrize("kind", DIVERGENCE_NAMES)
def test_estimates_are_those_of_each_pair(kind):
    rows = found(kind=kind, epsilon=0.01, base=2.0)
    assert list(rows) == [(m, "", t) for m in "ab" for t in ("f || m", "f || x", "m || x")]
    for (model, _, term), row in rows.items():
        first, second = term.split(" || ")
        categories = ANSWERS.filter(
            pl.col("model") == model, pl.col("group").is_in([first, second]), pl.col("count") > 0
        )
        names = categories["answer"].unique().sort()
        p, q = (table(ANSWERS, model, level, names) for level in (first, second))
        assert row["n"] == sum(p) + sum(q)
        if "x" in term and model == "b":
            assert (row["status"], *(row[name] for name in NUMBERS)) == ("no-data", *[None] * 3)
            continue
        expected = divergence(kind, p, q, epsilon=0.01, base=2.0)
        assert row["status"] == "ok"
        assert_allclose(row["estimate"], expected, rtol=1e-12)
        assert row["null_value"] == 0
        assert_allclose(row["log_p_value"], math.log(row["p_value"]), rtol=1e-9, atol=1e-14)


def test_permutation_p_equals_scipy_but_for_simulation():
    from scipy.stats import permutation_test

    f, m = np.repeat([0, 1, 2], [30, 15, 5]), np.repeat([0, 1, 2], [25, 23, 2])

    def statistic(x, y):
        return float(divergence("jensen-shannon", np.bincount(x, minlength=3), np.bincount(y, minlength=3)))

    expected = permutation_test(
        (f, m), statistic, n_resamples=4000, alternative="greater", rng=np.random.default_rng(1)
    ).pvalue
    frame = pl.DataFrame({"group": ["f"] * 3 + ["m"] * 3, "answer": list("abc") * 2, "count": [30, 15, 5, 25, 23, 2]})
    (row,) = found(frame, by=[]).values()
    assert row["method"].endswith("exact permutation test")
    assert_allclose(row["p_value"], expected, atol=5 * math.sqrt(expected * (1 - expected) / 4000))


def test_the_categories_are_those_of_a_pair():
    row = found(kind="kullback-leibler", epsilon=0.5)["a", "", "f || x"]
    assert_allclose(row["estimate"], divergence("kullback-leibler", [30, 15, 5], [0, 9, 0], epsilon=0.5))


def test_levels():
    chosen = found(levels=["x", "f"])
    assert list(chosen) == [(m, "", "x || f") for m in "ab"]
    f, m = [5, 15, 30], [0, 38, 12]
    one, other = (
        found(levels=levels, kind="kullback-leibler", epsilon=1.0)["a", "", " || ".join(levels)]
        for levels in (["f", "m"], ["m", "f"])
    )
    assert_allclose(one["estimate"], divergence("kullback-leibler", f, m, epsilon=1.0))
    assert_allclose(other["estimate"], divergence("kullback-leibler", m, f, epsilon=1.0))


def test_infinite_divergences_are_degenerate():
    row = found(kind="kullback-leibler")["a", "", "f || m"]
    assert (row["status"], *(row[name] for name in NUMBERS)) == ("degenerate", *[None] * 3)


def test_equal_groups():
    frame = pl.DataFrame({"group": ["f", "f", "m", "m"], "answer": list("abab"), "count": [4, 4, 2, 2]})
    with np.errstate(all="raise"):
        (row,) = found(frame, by=[]).values()
    # All resamples lie above 0, or are ties with it.
    assert (row["estimate"], row["p_value"], row["log_p_value"]) == (0, 1, 0)


def test_a_billion_answers():
    frame = pl.DataFrame(
        {"group": ["f", "f", "m", "m"], "answer": list("abab"), "count": [10**9, 10**9, 10**9, 10**9 + 9]}
    )
    (row,) = found(frame, by=[]).values()
    assert row["status"] == "ok"
    assert row["p_value"] is None
    assert 0 < row["estimate"] < 1e-16


ROW = st.tuples(
    st.sampled_from("ab"), st.sampled_from([None, "f", "m", "x"]), st.sampled_from([None, "yes", "no", "maybe"]),
    st.integers(0, 4),
)  # fmt: skip
ROWS = st.lists(ROW, max_size=25)


def random_frame(rows):
    schema = {"model": pl.String, "group": pl.String, "answer": pl.String, "count": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


@pytest.mark.parametrize("settings", [{}, {"kind": "kullback-leibler"}, {"permutations": 30}])
@quick
@given(rows=ROWS, data=st.data())
def test_the_order_of_rows_and_how_they_are_counted_do_not_matter(settings, rows, data):
    settings = {"permutations": 20} | settings
    whole = group_divergences(random_frame(rows), ["model"], "group", "answer", **settings)
    as_rows(whole, ["model"])
    moved = random_frame(data.draw(st.permutations(rows)))
    assert exactly(group_divergences(moved, ["model"], "group", "answer", **settings)) == exactly(whole)
    single = random_frame([(*row[:3], 1) for row in rows for _ in range(row[3])] + [(*row[:3], 0) for row in rows])
    assert exactly(group_divergences(single, ["model"], "group", "answer", **settings)) == exactly(whole)


@few
@given(rows=ROWS)
def test_the_cells_and_groups_beside_a_pair_do_not_matter(rows):
    settings = {"permutations": 20}
    frame = random_frame(rows)
    whole = group_divergences(frame, ["model"], "group", "answer", **settings)
    pair = whole.filter(pl.col("model") == "a", pl.col("term") == "f || m")
    own = frame.filter(pl.col("model") == "a", pl.col("group").is_in(["f", "m"]))
    assert exactly(group_divergences(own, ["model"], "group", "answer", **settings)) == exactly(pair)


def test_a_frame_without_rows():
    assert group_divergences(ANSWERS.head(0), ["model"], "group", "answer").height == 0
    assert group_divergences(ANSWERS.head(0), [], "group", "answer").height == 0


def test_the_test_and_the_interval_can_be_left_out():
    row = found(permutations=0)["a", "", "f || m"]
    assert row["status"] == "ok"
    assert row["estimate"] > 0
    assert all(row[name] is None for name in (*NUMBERS[1:], "confidence"))
    assert row["method"] == "Jensen-Shannon divergence, union categories, base e"
