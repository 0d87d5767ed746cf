"""Stacks of positive definite matrices against numpy, one matrix at a time."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.logistic.definite import cholesky, inverse, inverse_factor, log_determinant


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5))
def test_a_stack_equals_numpy_matrix_by_matrix(seed, size, count):
    factors = np.random.default_rng(seed).normal(size=(count, size, size + 3))
    matrices = factors @ np.swapaxes(factors, 1, 2)
    for index, matrix in enumerate(matrices):
        lower = np.linalg.cholesky(matrix)
        assert_allclose(cholesky(matrices)[index], lower, rtol=1e-9, atol=1e-12)
        assert_allclose(inverse_factor(cholesky(matrices))[index] @ lower, np.eye(size), atol=1e-8)
        assert_allclose(inverse(matrices)[index], np.linalg.inv(matrix), rtol=1e-6, atol=1e-9)
        assert_allclose(log_determinant(matrices)[index], np.linalg.slogdet(matrix)[1], rtol=1e-9, atol=1e-9)
        assert_array_equal(inverse(matrices)[index], inverse(matrices[index : index + 1])[0])


def test_a_matrix_that_is_not_positive_definite_spoils_no_other():
    matrices = np.array([[[4.0, 2.0], [2.0, 3.0]], [[1.0, 2.0], [2.0, 1.0]], [[np.inf, 0.0], [0.0, np.nan]]])
    with np.errstate(all="raise"):
        assert_allclose(inverse(matrices)[0], np.array([[3, -2], [-2, 4]]) / 8)
        assert np.isnan(inverse(matrices)[1:, 1, 1]).all()
        assert log_determinant(matrices).tolist()[1:] == [-np.inf, -np.inf]


def test_a_matrix_without_rows_has_determinant_1():
    assert log_determinant(np.zeros((3, 0, 0))).tolist() == [0, 0, 0]
    assert inverse(np.zeros((3, 0, 0))).shape == (3, 0, 0)
