"""Separation against exact arithmetic, and the status of a fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.logistic.fit import Fit, fit_logit, is_separated
from tallybook.statistics.logistic.likelihood import Design
from tests.unit.statistics import logistic_frames
from tests.unit.statistics.frames import quick

COUNT = st.sampled_from([0, 0, 1, 3, 10**6])
POINT = st.tuples(st.integers(-3, 3), st.integers(0, 4), COUNT, COUNT)


def design_of(points):
    """Points (x, z, ones, zeros) of one fit."""
    x, z, ones, zeros = (np.array(column, dtype=np.float64) for column in zip(*points, strict=True))
    return Design(np.array([np.ones(len(points)), x, z]), ones, zeros, np.eye(3))


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
@given(st.lists(POINT, min_size=3, max_size=9))
def test_the_linear_program_equals_exact_arithmetic(points):
    points, full = known(points)
    if full:
        assert is_separated(design_of(points)) == exactly_separated(points)


@quick
@given(st.lists(POINT, min_size=3, max_size=9))
def test_the_status_of_a_fit_is_that_of_its_data(points):
    points, full = known(points)
    if not full or not sum(point[2] for point in points) or not sum(point[3] for point in points):
        return
    design = design_of(points)
    status = {
        estimator: "ok" if isinstance(fit, Fit) else fit
        for estimator in ("maximum-likelihood", "firth")
        for fit in (fit_logit(design.columns, design.successes, design.failures, estimator),)
    }
    # An estimate may exist where the likelihood is flat to the last digit; nothing is ever taken as the other.
    possible = {"separated"} if exactly_separated(points) else {"ok", "not-converged"}
    assert status["maximum-likelihood"] in possible
    assert status["firth"] in {"ok", "not-converged"}


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
    assert is_separated(design_of(points)) == separated


def test_a_large_separated_design_is_decided_quickly():
    x = np.linspace(-1, 1, 5001)
    ones = np.where(x > 0, 2.0, 0.0)
    design = Design(np.array([np.ones(x.size), x, np.sin(9 * x)]), ones, 2.0 - ones, np.eye(3))
    assert is_separated(design)
