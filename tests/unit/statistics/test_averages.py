"""Unweighted means against exact fractions of plain rows."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from statistics import NormalDist

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.estimates import COLUMNS, as_estimates
from tallybook.statistics.of_estimates import unweighted_means
from tallybook.statistics.proportions.proportion import proportions
from tests.unit.statistics.frames import BY, LEVELS, ROWS, TERMS, as_rows, exactly, quick, tallied

FACTORS = ["model", "group"]
NUMBERS = ("estimate", "std_error", "ci_low", "ci_high", "confidence")
VALUE = st.one_of(st.none(), st.sampled_from([0.0, 1.0, 0.1, 1 / 3]), st.floats(-1e6, 1e6))
ERROR = st.one_of(st.none(), st.sampled_from([0.0, 0.25]), st.floats(0, 1e3))
CELL = st.tuples(st.sampled_from(LEVELS["model"]), st.sampled_from(LEVELS["group"]), st.sampled_from(["x", "y"]))
ESTIMATES = st.dictionaries(CELL, st.tuples(st.integers(0, 99), VALUE, ERROR), max_size=16)
"""Model, group and term -> n, estimate and standard error."""


def frame_of(estimates):
    kinds = dict.fromkeys((*FACTORS, "term"), pl.String) | {"n": pl.Int64}
    rows = [(*key, *numbers) for key, numbers in estimates.items()]
    schema = kinds | {"estimate": pl.Float64, "std_error": pl.Float64}
    return as_estimates(
        pl.DataFrame(rows, schema=schema, orient="row").with_columns(
            pl.lit("politics").alias("outcome"), pl.lit("x").alias("method")
        ),
        FACTORS,
    )


@quick
@given(ESTIMATES, st.sampled_from([[], ["model"], ["group"], FACTORS]), st.sampled_from([0.5, 0.95]))
def test_means_equal_those_of_exact_fractions(estimates, by, confidence):
    cells = {}
    for (model, group, term), numbers in estimates.items():
        cell = tuple({"model": model, "group": group}[name] for name in by)
        cells.setdefault((*cell, "politics", term), []).append(numbers)
    found = as_rows(unweighted_means(frame_of(estimates), by, confidence=confidence), by)
    assert list(found) == list(cells)
    for key, members in cells.items():
        row, kept = found[key], [member for member in members if member[1] is not None]
        assert row["n"] == sum(n for n, *_ in kept)
        of = f"{len(kept)}" if len(kept) == len(members) else f"{len(kept)} of {len(members)}"
        assert row["method"] == f"unweighted mean of {of} estimates"
        assert row["confidence"] == confidence
        if not kept:
            assert row["status"] == "no-data"
            assert row["estimate"] is row["std_error"] is row["ci_low"] is row["ci_high"] is None
            continue
        assert row["status"] == "ok"
        mean = sum(Fraction(value) for _, value, _ in kept) / len(kept)
        largest = max(abs(value) for _, value, _ in kept)
        assert_allclose(row["estimate"], float(mean), rtol=1e-14, atol=1e-14 * largest)
        if any(error is None for *_, error in kept):
            assert row["std_error"] is row["ci_low"] is row["ci_high"] is None
            continue
        std_error = math.sqrt(sum(Fraction(error) ** 2 for *_, error in kept)) / len(kept)
        assert_allclose(row["std_error"], std_error, rtol=1e-13)
        reach = NormalDist().inv_cdf((1 + confidence) / 2) * std_error
        limits = (float(mean) - reach, float(mean) + reach)
        assert_allclose((row["ci_low"], row["ci_high"]), limits, rtol=1e-9, atol=1e-9 * (largest + reach))


@quick
@given(ESTIMATES, st.randoms(use_true_random=False))
def test_the_order_of_the_estimates_changes_no_bit_of_a_mean(estimates, random):
    shuffled = list(estimates.items())
    random.shuffle(shuffled)
    in_order, other_order = (
        unweighted_means(frame_of(part), ["model"]).sort("model", "term") for part in (estimates, dict(shuffled))
    )
    assert exactly(in_order) == exactly(other_order)


@quick
@given(ROWS, BY)
def test_the_mean_over_nothing_is_the_estimate(rows, by):
    shares = proportions(tallied(rows), by, TERMS)
    found = as_rows(unweighted_means(shares, by), by)
    assert list(found) == list(as_rows(shares, by))
    for key, row in as_rows(shares, by).items():
        of = "0 of 1" if row["status"] == "no-data" else "1"
        assert found[key]["method"] == f"unweighted mean of {of} estimates"
        for name in ("n", "estimate", "status"):
            assert found[key][name] == row[name]
        assert row["std_error"] == (None if row["n"] == 0 else pytest.approx(found[key]["std_error"], rel=1e-15))


def test_every_cell_has_the_same_weight():
    estimates = {("zeta", "young", "x"): (10, 0.5, 0.3), ("zeta", "aged", "x"): (990, 0.1, 0.4)}
    found = as_rows(unweighted_means(frame_of(estimates), ["model"]), ["model"])["zeta", "politics", "x"]
    assert (found["n"], found["estimate"], found["std_error"]) == (1000, 0.3, 0.25)


def test_numbers_of_any_size_are_added_in_an_order_of_their_own():
    # In some orders the sums of either differ in their last digit.
    errors = (1 / 3, 6.482028045623744, 7026.255527287853, 0.001, 1 / 3)
    numbers = zip([1] * 5, (1e16, 1.0, -1e16, 0.1, 3.0), errors, strict=True)
    of_groups = [(("zeta", group, "x"), of_group) for group, of_group in zip(LEVELS["group"], numbers, strict=True)]
    means = {exactly(unweighted_means(frame_of(dict(order)), [])) for order in permutations(of_groups)}
    assert len(means) == 1


def test_the_shape_is_that_of_estimates():
    for estimates in ({}, {("zeta", "young", "x"): (1, None, None)}):
        found = unweighted_means(frame_of(estimates), ["group"])
        assert found.schema == pl.Schema({"group": pl.String()} | COLUMNS)
        assert found.height == len(estimates)
        assert set(found.get_column("p_value")) <= {None}
