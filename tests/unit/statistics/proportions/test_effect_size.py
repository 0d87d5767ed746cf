"""Cohen's h against R and its own algebra."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.proportions.intervals import cohens_h

PROPORTIONS = st.floats(0, 1)


def test_h_equals_r(oracle):
    cells = oracle("cohens_h")
    assert_allclose(cohens_h(cells["proportion"], cells["reference"]), cells["h"], rtol=1e-13, atol=1e-15)


def test_h_equals_the_pairs_of_cohens_table():
    # Cohen (1988), table 6.2.2: phi = 2 asin sqrt(P) of .05, .25, .50, .75 is .451, 1.047, 1.571, 2.094.
    result = cohens_h([0.05, 0.25, 0.50, 0.75], 0.0)
    assert_allclose(result, [0.451, 1.047, 1.571, 2.094], atol=5e-4)


@given(PROPORTIONS, PROPORTIONS)
def test_h_is_antisymmetric_and_bounded(f, p0):
    h = cohens_h(f, p0)
    assert h == -cohens_h(p0, f)
    assert abs(h) <= math.pi
    assert (h > 0) <= (f > p0)
    # Successes and failures change places: only the sign changes.
    assert_allclose(h, -cohens_h(1 - f, 1 - p0), rtol=0, atol=1e-7)


@given(PROPORTIONS)
def test_h_of_equal_proportions_is_zero(f):
    assert cohens_h(f, f) == 0


def test_what_is_undefined_is_nan_without_a_warning():
    with np.errstate(all="raise"):
        result = cohens_h([np.nan, 0.5, -0.1, 0.5, 1.1, 0.5, np.inf], [0.5, np.nan, 0.5, -0.1, 0.5, 1.1, 0.5])
    assert np.isnan(result).all()


def test_arguments_broadcast():
    table = cohens_h(np.array([[0.1], [0.9]]), np.array([0.0, 0.5, 1.0]))
    assert table.shape == (2, 3)
    assert_array_equal(table[1, 2], cohens_h(0.9, 1.0))
