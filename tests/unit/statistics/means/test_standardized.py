"""Cohen's d and Hedges' g against R, published intervals, pingouin, and their own algebra."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from polars.testing import assert_frame_equal

from tallybook.statistics.means.contrasts import one_sample_contrasts
from tallybook.statistics.means.moments import summary_moments
from tallybook.statistics.means.student import hedges_factor, standardized_interval, t_tests
from tests.unit.statistics.frames import quick
from tests.unit.statistics.score_frames import (
    DESIGNS,
    EDGES,
    GROUPS,
    PAIRS,
    ROWS,
    by_cell,
    contrasts_of,
    differences,
    edge_pairs,
    observations,
    oracle_frames,
    pair_frame,
    score_frame,
)

NAMES = {"one-sample": "", "two-sample": "", "welch": "_star", "paired": "_z"}


COLUMNS = ("effect", "effect_ci_low", "effect_ci_high")


def sized(contrasts, effect="cohen_d", confidence=0.95):
    return t_tests(contrasts, ["cell"], effect=effect, effect_interval=True, confidence=confidence)


def test_sizes_and_intervals_equal_r(oracle):
    scores, pairs = oracle_frames(oracle)
    expected = pl.DataFrame({name: column.tolist() for name, column in oracle("standardized").items()})
    for (design, confidence), wanted in expected.group_by("design", "confidence", maintain_order=True):
        contrasts = contrasts_of(design, scores, pairs)
        for effect, names in (("cohen_d", ("d", "low", "high")), ("hedges_g", ("g", "g_low", "g_high"))):
            sizes = sized(contrasts, effect, confidence)
            found = wanted.select("cell").join(sizes, on="cell", how="left", maintain_order="left")
            assert set(found["effect_kind"]) == {effect + NAMES[design]}
            # The oracle's limits of g are scaled as g itself is.
            scale = hedges_factor(wanted["df"].to_numpy()) if effect == "hedges_g" else 1.0
            for ours, theirs, factor in zip(COLUMNS, names, (1.0, scale, scale), strict=True):
                # The data set `offset` lies at 1e9: R's own variance keeps nine digits there, ours all.
                values = found[ours].to_numpy() * factor
                assert_allclose(values, wanted[theirs].to_numpy(), rtol=1e-9, atol=1e-12, err_msg=ours)


def test_the_factor_equals_r(oracle):
    factors = oracle("hedges_factor")
    assert_allclose(hedges_factor(factors["df"]), factors["factor"], rtol=1e-11)


def test_the_factor_of_few_degrees_of_freedom():
    # Gamma functions of halves are rational numbers and roots of pi.
    exact = {
        2: 1 / math.sqrt(math.pi),
        3: math.sqrt(math.pi / 6),
        4: math.sqrt(2 / math.pi),
        5: 3 * math.sqrt(math.pi / 40),
    }
    for df, factor in exact.items():
        assert_allclose(hedges_factor(df), factor, rtol=1e-15)
    # The common approximation, within 0.01 from 2 degrees of freedom on and within 0.0004 from 10 on.
    for df, tolerance in (([2, 3, 4, 5, 7], 0.01), ([10, 20, 50, 1000], 4e-4)):
        assert_allclose(hedges_factor(df), 1 - 3 / (4 * np.array(df) - 1), atol=tolerance)


def test_the_limits_of_mbess():
    # The documented examples of conf.limits.nct(t.value = 2.83, df = 126) and ci.smd(ncp = 2.6, n.1 = 10, n.2 = 10):
    # Kelley, K. (2007), Journal of Statistical Software 20(8); the second from Steiger & Fouladi (1997).
    assert_allclose(standardized_interval(2.83, 126, 1.0), (0.8337502, 4.815359), rtol=1e-6)
    assert_allclose(standardized_interval(2.6 / math.sqrt(5), 18, 5.0), (0.1949, 2.1034), atol=1e-4)


# --- one row at a time ------------------------------------------------------------------------------------------------


def slow_size(design, first, second):
    """Cohen's d of repeated rows, by numpy; pingouin has no one-sample and no Welch version."""
    if design in {"one-sample", "paired"}:
        scores = first - second if design == "paired" else first
        return scores.mean() / scores.std(ddof=1)
    n, m = first.size, second.size
    if design == "welch":
        spread = math.sqrt((first.var(ddof=1) + second.var(ddof=1)) / 2)
    else:
        spread = math.sqrt((n * first.var() + m * second.var()) / (n + m - 2))
    return (first.mean() - second.mean()) / spread


@quick
@given(ROWS, PAIRS, st.sampled_from(DESIGNS))
def test_sizes_equal_numpy_on_repeated_rows(rows, pairs, design):
    contrasts = contrasts_of(design, score_frame(rows), pair_frame(pairs))
    d, g = (by_cell(sized(contrasts, effect)) for effect in ("cohen_d", "hedges_g"))
    status = dict(contrasts.select("cell", "status").iter_rows())
    assert d.keys() == g.keys() == status.keys()
    for cell, row in d.items():
        assert row["status"] == status[cell]
        if row["status"] != "ok":
            assert tuple(row[name] for name in COLUMNS) == (None, None, None)
            continue
        first, second = (
            differences(pairs, cell) if design == "paired" else (observations(rows, cell, group) for group in GROUPS)
        )
        d_low, d_high = row["effect_ci_low"], row["effect_ci_high"]
        assert_allclose(row["effect"], slow_size(design, first, second), rtol=1e-9, atol=1e-12)
        assert d_low - 1e-9 < row["effect"] < d_high + 1e-9
        df = contrasts.filter(cell=cell)["standardizer_df"].item()
        if df > 1:
            assert (g[cell]["effect_ci_low"], g[cell]["effect_ci_high"]) == (d_low, d_high)
            factor = math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)
            assert_allclose(g[cell]["effect"], factor * row["effect"], rtol=1e-9, atol=1e-12)
        else:
            assert tuple(g[cell][name] for name in COLUMNS) == (None, None, None)


def test_two_groups_equal_pingouin():
    import pingouin

    first, second = np.array([1.0, 2, 2, 3, 5, 4]), np.array([2.0, 2, 4, 6, 7])
    rows = [("a", group, value, 1) for group, scores in zip(GROUPS, (first, second), strict=True) for value in scores]
    contrasts = contrasts_of("two-sample", score_frame(rows), pair_frame([]))
    d = by_cell(sized(contrasts))["a"]["effect"]
    g = by_cell(sized(contrasts, "hedges_g"))["a"]["effect"]
    assert_allclose(d, pingouin.compute_effsize(first, second, eftype="cohen"), rtol=1e-12)
    # pingouin takes the approximate factor.
    assert_allclose(g, pingouin.compute_effsize(first, second, eftype="hedges"), rtol=2e-3)


# --- algebra ----------------------------------------------------------------------------------------------------------


@quick
@given(st.floats(-30, 30), st.integers(1, 10**6).map(float), st.floats(0.5, 1e6), st.sampled_from([0.5, 0.95, 0.999]))
def test_the_interval_turns_with_the_sign_and_grows_with_confidence(size, df, effective_n, confidence):
    low, high = standardized_interval(size, df, effective_n, confidence)
    turned_low, turned_high = standardized_interval(-size, df, effective_n, confidence)
    assert_allclose((low, high), (-turned_high, -turned_low), rtol=1e-9, atol=1e-11)
    wider_low, wider_high = standardized_interval(size, df, effective_n, 0.9999)
    assert wider_low < low < high < wider_high


@quick
@given(st.floats(-20, 20), st.integers(2, 10**5))
def test_the_interval_excludes_zero_exactly_where_the_test_rejects(t, n):
    from tallybook.statistics.tails import log_p_value

    low, high = standardized_interval(t / math.sqrt(n), n - 1, n)
    p = math.exp(log_p_value(t, n - 1))
    if abs(p - 0.05) > 1e-9:
        assert (low > 0 or high < 0) == (p < 0.05)


@quick
@given(ROWS, st.sampled_from(["two-sample", "welch"]), st.integers(-30, 30))
def test_the_unit_of_the_scores_does_not_matter(rows, design, exponent):
    scaled = [(cell, group, None if value is None else value * 2.0**exponent, k) for cell, group, value, k in rows]
    here, there = (
        sized(contrasts_of(design, score_frame(r), pair_frame([]))).select("cell", *COLUMNS) for r in (rows, scaled)
    )
    assert_frame_equal(here, there, check_exact=True)


# --- edges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_edge_ends_in_a_status(edge, design):
    rows = EDGES[edge]
    with np.errstate(all="raise"):
        contrasts = contrasts_of(design, score_frame(rows), pair_frame(edge_pairs(rows)))
        for effect in ("cohen_d", "hedges_g"):
            for row in by_cell(sized(contrasts, effect)).values():
                numbers = tuple(row[name] for name in COLUMNS)
                assert (row["status"] in {"no-data", "degenerate"}) <= (None in numbers)
                assert numbers == (None, None, None) or numbers[1] < numbers[0] < numbers[2]


def test_one_degree_of_freedom_has_a_d_and_no_g():
    summary = summary_moments(pl.DataFrame({"cell": ["a"], "n": [2], "mean": [1.0], "sd": [2.0]}), ["cell"])
    contrasts = one_sample_contrasts(summary, ["cell"])
    assert by_cell(sized(contrasts))["a"]["effect"] == 0.5
    g = by_cell(sized(contrasts, "hedges_g"))["a"]
    assert tuple(g[name] for name in COLUMNS) == (None, None, None)
