"""Student's and Welch's t tests against R, scipy on repeated rows, textbooks, and their own algebra."""

from __future__ import annotations

import itertools
import math
import warnings

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from polars.testing import assert_frame_equal

from tallybook.statistics.means.contrasts import COLUMNS, one_sample_contrasts, paired_contrasts, two_sample_contrasts
from tallybook.statistics.means.moments import moments, summary_moments
from tallybook.statistics.means.student import standardized_difference, standardized_interval, t_tests
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

ALTERNATIVES = st.sampled_from(["two-sided", "greater", "less"])
NOTHING = ("std_error", "ci_low", "ci_high", "statistic", "df", "p_value", "log_p_value", "effect")


# --- R ----------------------------------------------------------------------------------------------------------------


def test_tests_equal_r(oracle):
    scores, pairs = oracle_frames(oracle)
    expected = pl.DataFrame({name: column.tolist() for name, column in oracle("t_tests").items()})
    settings = expected.select("design", "alternative", "confidence", "mu").unique(maintain_order=True)
    assert settings.height == 72
    for design, alternative, confidence, mu in settings.iter_rows():
        tests = t_tests(
            contrasts_of(design, scores, pairs, mu), ["cell"], alternative=alternative, confidence=confidence
        )
        wanted = expected.filter(design=design, alternative=alternative, confidence=confidence, mu=mu)
        found = wanted.select("cell").join(tests, on="cell", how="left", maintain_order="left")
        for ours, theirs, smallest in (
            ("statistic", "t", 1e-14),
            ("df", "df", 0),
            ("std_error", "std_error", 0),
            ("p_value", "p", 1e-307),
            ("log_p_value", "log_p", 1e-15),
            ("ci_low", "low", 1e-14),
            ("ci_high", "high", 1e-14),
        ):
            assert_allclose(found[ours].to_numpy(), wanted[theirs].to_numpy(), rtol=1e-9, atol=smallest, err_msg=ours)
        assert set(found["status"]) == {"ok"}


def test_the_log_p_value_goes_on_where_the_p_value_ends(oracle):
    scores, pairs = oracle_frames(oracle)
    decisive = by_cell(t_tests(contrasts_of("one-sample", scores, pairs), ["cell"]))["decisive"]
    assert (decisive["p_value"], decisive["status"]) == (0.0, "ok")
    assert decisive["log_p_value"] < -5000


# --- textbooks --------------------------------------------------------------------------------------------------------


def test_students_sleep(oracle):
    # Student (1908), table in section IX; the values are those of R's example(t.test).
    scores, pairs = oracle_frames(oracle)
    for design, t, df, p in (
        ("paired", -4.0621, 9, 0.002833),
        ("welch", -1.8608, 17.776, 0.07939),
        ("two-sample", -1.8608, 18, 0.07919),
    ):
        row = by_cell(t_tests(contrasts_of(design, scores, pairs), ["cell"]))["sleep"]
        assert_allclose(row["statistic"], t, atol=5e-5)
        assert_allclose(row["df"], df, atol=5e-4)
        assert_allclose(row["p_value"], p, rtol=2e-4)
        assert_allclose(row["estimate"], -1.58, rtol=1e-14)


# NIST, Statistical Reference Datasets, analysis of variance, AtmWtAg: two instruments, seven constant leading digits.
ATOMIC_WEIGHTS = {
    "first": "568 465 572 785 446 903 526 494 616 587 519 486 419 569 508 672 385 518 662 424 360 333 610 477",
    "second": "079 344 513 197 604 385 642 365 151 082 517 448 198 482 334 609 101 512 469 360 254 261 450 368",
}


def test_two_groups_have_nists_certified_f():
    rows = [
        ("silver", group, float(f"107.8681{digits}"), 1)
        for group, weights in ATOMIC_WEIGHTS.items()
        for digits in weights.split()
    ]
    row = by_cell(t_tests(contrasts_of("two-sample", score_frame(rows), pair_frame([])), ["cell"]))["silver"]
    assert row["df"] == 46
    # F of two groups is t². The weights as float64 hold it to nine digits.
    assert_allclose(row["statistic"] ** 2, 15.9467335677930, rtol=1e-8)


# --- one row at a time ------------------------------------------------------------------------------------------------


def slow_test(design, rows, pairs, cell, settings):
    """Scipy on one value an observation; None where there is no test."""
    from scipy import stats

    alternative, confidence, null_value = settings
    first, second = (observations(rows, cell, group) for group in GROUPS)
    if design == "paired":
        first, second = differences(pairs, cell)
    if first.size == 0 or (design != "one-sample" and second.size == 0):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scipy warns of what is degenerate here
        if design in {"one-sample", "paired"}:
            scores = first - second if design == "paired" else first
            result = stats.ttest_1samp(scores, null_value, alternative=alternative)
            spreads = np.ptp(scores)
            estimate = scores.mean()
        else:
            result = stats.ttest_ind(
                first - null_value, second, equal_var=design == "two-sample", alternative=alternative
            )
            spreads = np.ptp(first) + np.ptp(second)
            estimate = first.mean() - second.mean()
        enough = min(first.size, second.size) > 1 if design == "welch" else result.df > 0
        if not (enough and spreads > 0):
            return estimate
        interval = result.confidence_interval(confidence)
    shift = null_value if design in {"two-sample", "welch"} else 0.0
    return estimate, result.statistic, result.df, result.pvalue, interval.low + shift, interval.high + shift


@quick
@given(
    ROWS,
    PAIRS,
    st.sampled_from(DESIGNS),
    st.tuples(ALTERNATIVES, st.sampled_from([0.5, 0.95]), st.sampled_from([0.0, 2.0])),
)
def test_tests_equal_scipy_on_repeated_rows(rows, pairs, design, settings):
    alternative, confidence, null_value = settings
    contrasts = contrasts_of(design, score_frame(rows), pair_frame(pairs), null_value)
    found = by_cell(t_tests(contrasts, ["cell"], alternative=alternative, confidence=confidence))
    of_design = pairs if design == "paired" else [row for row in rows if design != "one-sample" or row[1] == "first"]
    assert found.keys() == {row[0] for row in of_design}
    for cell, row in found.items():
        expected = slow_test(design, rows, pairs, cell, settings)
        if expected is None:
            assert row["status"] == "no-data"
            assert all(row[name] is None for name in (*NOTHING, "estimate"))
        elif isinstance(expected, float):
            assert row["status"] == "degenerate"
            assert_allclose(row["estimate"], expected, rtol=1e-12, atol=1e-14)
            assert all(row[name] is None for name in NOTHING if name != "std_error")
        else:
            assert row["status"] == "ok"
            numbers = [row[name] for name in ("estimate", "statistic", "df", "p_value", "ci_low", "ci_high")]
            # The open end of a one-sided interval is infinite in scipy.
            numbers = [np.copysign(math.inf, end) if x is None else x for x, end in zip(numbers, expected, strict=True)]
            assert_allclose(numbers, expected, rtol=1e-9, atol=1e-12)
            assert_allclose(math.exp(row["log_p_value"]), row["p_value"], rtol=1e-13)


@quick
@given(st.integers(1, 10**9).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_ones_among_zeros_have_the_t_of_their_share(cell):
    k, n = cell
    rows = [("a", "first", 1.0, k), ("a", "first", 0.0, n - k)]
    row = by_cell(t_tests(contrasts_of("one-sample", score_frame(rows), pair_frame([]), 0.5), ["cell"]))["a"]
    p = k / n
    assert row["n"] == n
    assert_allclose(row["estimate"], p, rtol=1e-15)
    if 0 < k < n:
        assert row["status"] == "ok"
        assert_allclose(row["statistic"], (k - n / 2) / n * math.sqrt((n - 1) / (p * (1 - p))), rtol=1e-9, atol=1e-12)
    else:
        assert row["status"] == "degenerate"


def test_the_decisions_of_a_published_study():
    # Bai et al. (2025): 26,529 scored decisions against one half; t and p as their notebook prints them. The only
    # whole number of biased decisions with this t is 16,146.
    rows = [("a", "first", 1.0, 16146), ("a", "first", 0.0, 26529 - 16146)]
    row = by_cell(t_tests(contrasts_of("one-sample", score_frame(rows), pair_frame([]), 0.5), ["cell"]))["a"]
    assert row["df"] == 26528
    assert_allclose(row["statistic"], 36.24740975506726, rtol=1e-14)
    assert_allclose(row["p_value"], 7.742145278030203e-281, rtol=1e-11)


# --- algebra ----------------------------------------------------------------------------------------------------------


@quick
@given(ROWS, PAIRS, st.sampled_from(DESIGNS), st.randoms())
def test_the_order_of_the_rows_does_not_change_a_bit(rows, pairs, design, shuffling):
    def tests(rows, pairs):
        return t_tests(contrasts_of(design, score_frame(rows), pair_frame(pairs)), ["cell"])

    shuffled = tests(shuffling.sample(rows, len(rows)), shuffling.sample(pairs, len(pairs)))
    assert_frame_equal(tests(rows, pairs), shuffled, check_exact=True)


@quick
@given(ROWS, PAIRS, st.sampled_from(["two-sample", "welch", "paired"]), ALTERNATIVES)
def test_exchanging_the_groups_turns_the_signs(rows, pairs, design, alternative):
    other = {"first": "second", "second": "first"}
    swapped_rows = [(cell, other[group], value, count) for cell, group, value, count in rows]
    swapped_pairs = [(cell, second, first, count) for cell, first, second, count in pairs]
    turned = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[alternative]
    here = t_tests(contrasts_of(design, score_frame(rows), pair_frame(pairs)), ["cell"], alternative=alternative)
    there = t_tests(
        contrasts_of(design, score_frame(swapped_rows), pair_frame(swapped_pairs)), ["cell"], alternative=turned
    )
    for name in ("estimate", "statistic", "effect"):
        assert_allclose(here[name].to_numpy(), -there[name].to_numpy(), rtol=1e-11, atol=1e-13)
    for name in ("p_value", "log_p_value", "std_error", "df"):
        assert_allclose(here[name].to_numpy(), there[name].to_numpy(), rtol=1e-9, atol=1e-13)
    assert_allclose(here["ci_low"].to_numpy(), -there["ci_high"].to_numpy(), rtol=1e-9, atol=1e-12)
    assert here["status"].to_list() == there["status"].to_list()


@quick
@given(ROWS, st.sampled_from(["two-sample", "welch"]), st.integers(-30, 30))
def test_the_unit_of_the_scores_does_not_change_the_test(rows, design, exponent):
    scaled = [
        (cell, group, None if value is None else value * 2.0**exponent, count) for cell, group, value, count in rows
    ]
    here, there = (t_tests(contrasts_of(design, score_frame(r), pair_frame([])), ["cell"]) for r in (rows, scaled))
    dimensionless = ["cell", "n", "statistic", "df", "p_value", "log_p_value", "effect", "status"]
    assert_frame_equal(here.select(dimensionless), there.select(dimensionless), check_exact=True)


@quick
@given(ROWS)
def test_summaries_give_the_test_of_their_scores(rows):
    whole = moments(score_frame(rows), ["cell", "group"])
    printed = whole.select(
        "cell",
        "group",
        "n",
        "mean",
        pl.when(pl.col("n") > 1).then(pl.col("squares") / (pl.col("n") - 1)).sqrt().alias("sd"),
    )
    from_print = summary_moments(printed, ["cell", "group"])
    for variances in ("equal", "unequal"):
        here, there = (
            t_tests(two_sample_contrasts(summary, ["cell"], "group", GROUPS, variances=variances), ["cell"])
            for summary in (whole, from_print)
        )
        assert_frame_equal(here, there, rel_tol=1e-9, abs_tol=1e-12)


# --- edges ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("design", DESIGNS)
def test_every_edge_ends_in_a_status(edge, design):
    rows = EDGES[edge]
    for alternative, effect in itertools.product(("two-sided", "greater"), ("cohen_d", "hedges_g")):
        with np.errstate(all="raise"):
            contrasts = contrasts_of(design, score_frame(rows), pair_frame(edge_pairs(rows)))
            tests = t_tests(contrasts, ["cell"], alternative=alternative, effect=effect)
        for row in by_cell(tests).values():
            if row["status"] == "ok":
                assert None not in (row["statistic"], row["df"], row["p_value"], row["log_p_value"], row["ci_low"])
            else:
                assert row["status"] in {"no-data", "degenerate"}
                assert all(row[name] is None for name in NOTHING if name != "std_error")
            assert (row["estimate"] is None) <= (row["status"] != "ok")


def test_statuses_of_some_edges():
    def status(edge, design):
        return contrasts_of(design, score_frame(EDGES[edge]), pair_frame(edge_pairs(EDGES[edge])))["status"].to_list()

    assert status("no rows at all", "one-sample") == []
    assert status("nothing observed", "welch") == ["no-data"]
    assert status("one group only", "welch") == ["no-data"]
    assert status("one group only", "one-sample") == ["ok"]
    assert status("one observation each", "two-sample") == ["degenerate"]
    assert status("one against many", "two-sample") == ["ok"]
    assert status("one against many", "welch") == ["degenerate"]
    assert status("one group constant", "welch") == ["ok"]
    assert status("a billion and one", "one-sample") == ["ok"]
    assert status("infinite", "one-sample") == ["degenerate"]


def test_without_a_null_value_there_is_no_test():
    summary = summary_moments(
        pl.DataFrame({"cell": ["a", "b"], "n": [9, 9], "mean": [1.0, 1.0], "sd": [1.0, 1.0]}), ["cell"]
    )
    known = summary.with_columns(pl.Series("census", [0.5, None]))
    rows = by_cell(t_tests(one_sample_contrasts(known, ["cell"], null_value="census"), ["cell"]))
    assert (rows["a"]["statistic"], rows["a"]["null_value"], rows["a"]["status"]) == (1.5, 0.5, "ok")
    assert (rows["b"]["statistic"], rows["b"]["p_value"], rows["b"]["status"]) == (None, None, "no-reference")
    assert rows["b"]["estimate"] == 1.0


def test_other_groups_are_left_out_and_cells_without_both_groups_have_no_data():
    rows = [("a", "first", 1.0, 2), ("a", "first", 2.0, 2), ("a", "second", 5.0, 3), ("a", "second", 6.0, 3)]
    others = [("a", "third", 99.0, 9), ("b", "third", 1.0, 5)]
    here, there = (contrasts_of("welch", score_frame(r), pair_frame([])) for r in (rows, rows + others))
    assert_frame_equal(here, there.filter(cell="a"))
    assert there.filter(cell="b").select("n", "status").row(0) == (0, "no-data")


def test_no_column_to_split_by():
    rows = score_frame(
        [("a", "first", 1.0, 2), ("b", "first", 2.0, 2), ("b", "second", 5.0, 3), ("a", "second", 6.0, 3)]
    )
    pairs = pair_frame([("a", 1.0, 2.0, 3), ("b", 2.0, 2.0, 3)])
    summary = moments(rows, ["group"])
    for contrasts, n in (
        (one_sample_contrasts(moments(rows, []), []), 10),
        (two_sample_contrasts(summary, [], "group", GROUPS), 10),
        (paired_contrasts(pairs, [], "first", "second"), 6),
    ):
        assert contrasts.columns == list(COLUMNS)
        estimates = t_tests(contrasts, [])
        assert (estimates["n"].item(), estimates["status"].item(), estimates["outcome"].item()) == (n, "ok", "")
    assert t_tests(two_sample_contrasts(summary.clear(), [], "group", GROUPS), []).is_empty()
    assert t_tests(paired_contrasts(pairs.clear(), [], "first", "second"), []).is_empty()


def test_an_outcome_among_the_factors_is_the_estimates_outcome():
    rows = pl.DataFrame({"model": ["m", "m"], "outcome": ["o", "o"], "value": [1.0, 2.0], "count": [3, 3]})
    by = ["model", "outcome"]
    estimates = t_tests(one_sample_contrasts(moments(rows, by), by), by)
    assert estimates.select("model", "outcome", "term", "n").row(0) == ("m", "o", "mean", 6)


def test_terms_effects_and_methods_name_the_design():
    rows, pairs = score_frame(EDGES["a billion"]), pair_frame([("a", 1.0, 2.0, 2), ("a", 1.0, 1.0, 2)])
    named = {
        design: t_tests(contrasts_of(design, rows, pairs), ["cell"], effect="hedges_g", alternative="less")
        .select("term", "effect_kind", "method")
        .row(0)
        for design in DESIGNS
    }
    assert named == {
        "one-sample": ("mean", "hedges_g", "one-sample t test, less"),
        "two-sample": ("mean_difference", "hedges_g", "Student's two-sample t test, less"),
        "welch": ("mean_difference", "hedges_g_star", "Welch's two-sample t test, less"),
        "paired": ("mean_difference", "hedges_g_z", "paired t test, less"),
    }


@pytest.mark.parametrize("effect", ["cohen_d", "hedges_g"])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_interval_of_the_effect_is_that_of_the_standardised_difference(design, effect):
    rows = score_frame([*EDGES["a billion"], ("one", "first", 1.0, 1)])
    pairs = pair_frame([("a", 1.0, 2.0, 2), ("a", 1.0, 1.0, 2), ("one", 1.0, 2.0, 1)])
    contrasts = contrasts_of(design, rows, pairs)
    tests = t_tests(contrasts, ["cell"], effect=effect, confidence=0.9, effect_interval=True)
    known = contrasts.with_columns(tests["effect", "effect_ci_low", "effect_ci_high"]).filter(
        pl.col("effect_ci_low").is_not_null()
    )
    assert known.height
    d = standardized_difference(known, "cohen_d")
    limits = standardized_interval(d, known["standardizer_df"].to_numpy(), known["effective_n"].to_numpy(), 0.9)
    assert_allclose(known["effect"], standardized_difference(known, effect), rtol=1e-14)
    assert_allclose((known["effect_ci_low"], known["effect_ci_high"]), limits, rtol=1e-12)
    assert t_tests(contrasts, ["cell"])["effect_ci_low"].is_null().all()
