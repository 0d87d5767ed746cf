"""Stacks of small positive definite matrices, where one bad matrix must not spoil the others.

numpy.linalg raises for a whole stack as soon as one of its matrices is singular, which in a table of regressions is
an ordinary cell. Here such a matrix gives NaN and the others their numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from tallybook.statistics.arrays import Floats


def cholesky(matrices: Floats) -> Floats:
    """The lower triangular factors L of A = L L'."""
    lower = np.zeros_like(matrices)
    with np.errstate(all="ignore"):
        for j in range(matrices.shape[-1]):
            done = lower[:, j:, :j]
            column = matrices[:, j:, j] - (done @ done[:, 0, :, None])[:, :, 0]
            pivot = np.sqrt(np.where(column[:, 0] > 0, column[:, 0], np.nan))
            lower[:, j:, j] = column / pivot[:, None]
    return lower


def inverse_factor(lower: Floats) -> Floats:
    """The inverses of lower triangular matrices."""
    inverse = np.zeros_like(lower)
    with np.errstate(all="ignore"):
        for i in range(lower.shape[-1]):
            inverse[:, i, : i + 1] = -(lower[:, i, None, :i] @ inverse[:, :i, : i + 1])[:, 0]
            inverse[:, i, i] += 1.0
            inverse[:, i, : i + 1] /= lower[:, i, i, None]
    return inverse


def inverse(matrices: Floats) -> Floats:
    """The inverses of positive definite matrices, stack x size x size; NaN where a matrix is not positive definite."""
    factor = inverse_factor(cholesky(matrices))
    return np.swapaxes(factor, -1, -2) @ factor


def log_determinant(matrices: Floats) -> Floats:
    """The natural logarithms of determinants, stack; -inf where a matrix is not positive definite."""
    diagonal = np.diagonal(cholesky(matrices), axis1=-2, axis2=-1)
    return np.nan_to_num(2.0 * np.log(diagonal).sum(axis=-1), nan=-np.inf)
