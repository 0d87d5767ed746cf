"""Separation against exact arithmetic, and what both proofs say of the same data."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.logistic.design import GroupedDesign, grouped_design, grouped_rows
from tallybook.statistics.logistic.fit import fit_logits
from tallybook.statistics.logistic.separation import is_separated, proves_overlap
from tests.statistics import logistic_frames
from tests.statistics.frames import quick

COUNT = st.sampled_from([0, 0, 1, 3, 10**6])
POINT = st.tuples(st.integers(-3, 3), st.integers(0, 4), COUNT, COUNT)


def design_of(points):
    """Points (x, z, ones, zeros) of one fit."""
    x, z, ones, zeros = (np.array(column, dtype=np.float64) for column in zip(*points, strict=True))
    return GroupedDesign(np.array([np.ones(len(points)), x, z]), ones, zeros, np.array([0]))


def exactly_separated(points):
    rows = [
        ((1, x, z), outcome) for x, z, *counts in points for outcome, count in zip((1, 0), counts, strict=True) if count
    ]
    return logistic_frames.is_separated(np.array([row for row, _ in rows]), np.array([outcome for _, outcome in rows]))


def known(points):
    """The points that hold a response, and whether their design has full rank."""
    points = [point for point in points if sum(point[2:])]
    rank = np.linalg.matrix_rank(design_of(points).columns) if points else 0
    return points, rank == 3


@quick
@given(st.lists(st.lists(POINT, min_size=3, max_size=9), min_size=1, max_size=6))
def test_the_linear_program_equals_exact_arithmetic(data):
    data = [points for points, full in map(known, data) if full]
    if not data:
        return
    parts = [design_of(points) for points in data]
    together = GroupedDesign(
        np.concatenate([part.columns for part in parts], axis=1),
        np.concatenate([part.successes for part in parts]),
        np.concatenate([part.failures for part in parts]),
        np.cumsum([0, *(part.successes.size for part in parts[:-1])]),
    )
    assert is_separated(together).tolist() == [exactly_separated(points) for points in data]


@quick
@given(st.lists(POINT, min_size=3, max_size=9))
def test_a_proof_of_overlap_is_never_given_for_separated_data(points):
    points, full = known(points)
    if not full:
        return
    design = design_of(points)
    for scale in (0.0, 1.0, 30.0, 800.0):  # predictors that are no estimates at all prove nothing either
        eta = scale * np.sin(np.arange(len(points)))
        assert not (proves_overlap(design, eta)[0] and exactly_separated(points))


@quick
@given(st.lists(POINT, min_size=3, max_size=9))
def test_the_status_of_a_fit_is_that_of_its_data(points):
    points, full = known(points)
    if not full or not sum(point[2] for point in points) or not sum(point[3] for point in points):
        return
    frame = pl.DataFrame(points, schema=["x", "z", "ones", "zeros"], orient="row")
    _, design = grouped_design(grouped_rows(frame, [], ["x", "z"], ("ones", "zeros")), [], ["x", "z"])
    status = fit_logits(design, "maximum-likelihood").status[0]
    # An estimate may exist where the likelihood is flat to the last digit; nothing is ever taken as the other.
    assert status in ({"separated"} if exactly_separated(points) else {"ok", "not-converged"})
    assert fit_logits(design, "firth").status[0] in {"ok", "not-converged"}


@pytest.mark.parametrize(
    ("points", "separated"),
    [
        # A predictor that is 1 among the successes only.
        ([(0, 0, 5, 7), (0, 1, 4, 4), (1, 0, 3, 0), (1, 1, 2, 0)], True),
        # Separated at a single point that both outcomes share.
        ([(0, 0, 0, 3), (1, 0, 2, 2), (2, 1, 3, 0), (1, 1, 1, 1)], True),
        ([(0, 0, 0, 3), (1, 0, 2, 2), (2, 1, 3, 1), (1, 1, 1, 1)], False),
        # One response in a billion overlaps.
        ([(0, 0, 1, 10**9), (1, 0, 10**9, 1), (0, 1, 5, 10**9), (1, 1, 7, 0)], False),
        ([(0, 0, 0, 10**9), (1, 0, 10**9, 1), (0, 1, 0, 10**9), (1, 1, 7, 0)], True),
    ],
)
def test_known_data(points, separated):
    assert exactly_separated(points) == separated
    assert is_separated(design_of(points)).tolist() == [separated]


def test_a_large_separated_design_is_decided_quickly():
    x = np.linspace(-1, 1, 5001)
    ones = np.where(x > 0, 2.0, 0.0)
    design = GroupedDesign(np.array([np.ones(x.size), x, np.sin(9 * x)]), ones, 2.0 - ones, np.array([0]))
    assert is_separated(design).tolist() == [True]


def test_no_fits_no_flags():
    empty = GroupedDesign(np.zeros((2, 0)), np.zeros(0), np.zeros(0), np.zeros(0, np.intp))
    assert is_separated(empty).size == 0
