"""Well-conditioned coordinates for many regressions at once.

Coefficients are estimated in coordinates whose columns are orthonormal under given row weights, so that a predictor
far from zero (a year), of odd scale, or in a group that weighs a billionth of another loses no digits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from tallybook.statistics.logistic.definite import cholesky, inverse_factor

if TYPE_CHECKING:
    from tallybook.statistics.logistic.design import Flags, Floats, GroupedDesign

_SMALLEST_PIVOT = 3e-7
"""A predictor whose part not explained by the others is smaller than this share of its deviation is collinear."""
_PASSES = 3


@dataclass(frozen=True)
class Basis:
    """Columns in better coordinates: coefficients of the terms are `transform` times those of the columns."""

    design: GroupedDesign  # the counts on the new columns
    transform: Floats  # fits x terms x columns

    def coefficients(self, coordinates: Floats) -> Floats:
        """Coefficients of the terms, fits x terms."""
        return (self.transform @ coordinates[:, :, None])[:, :, 0]

    def covariance(self, covariance: Floats) -> Floats:
        """The covariance of the terms' coefficients, fits x terms x terms."""
        return self.transform @ covariance @ np.swapaxes(self.transform, 1, 2)

    def chosen(self, fits: Flags) -> Basis:
        """The basis of some of the fits."""
        return Basis(self.design.chosen(fits), self.transform[fits])


def gram(design: GroupedDesign, weights: Floats) -> Floats:
    """X' diag(weights) X of every fit, fits x columns x columns."""
    columns = design.columns
    size = columns.shape[0]
    products = np.empty((design.starts.size, size, size))
    for j in range(size):
        weighted = weights * columns[j]
        for k in range(j + 1):
            products[:, j, k] = products[:, k, j] = design.total(weighted * columns[k])
    return products


def standard_basis(design: GroupedDesign) -> tuple[Basis, Flags]:
    """Centre, scale and orthogonalise the columns under the counts."""
    share = design.trials / design.spread(design.total(design.trials))
    # From the first row's value on: a constant predictor is exactly 0, and no digits go to its distance from 0.
    first = design.columns[:, design.starts]
    with np.errstate(all="ignore"):
        shifted = design.columns - design.spread(first)
        means = design.total(share * shifted)
        centred = shifted - design.spread(means)
        scales = np.sqrt(design.total(share * np.square(centred)))
        scales[0] = 1.0
        scaled = replace(design, columns=centred / design.spread(scales))
        scaled.columns[0] = 1.0
        origins = (first + means) / scales
        pivots = np.diagonal(cholesky(gram(scaled, share)), axis1=1, axis2=2)
    finite = np.all(np.isfinite(origins), axis=0)
    regular = finite & np.all(scales > 0, axis=0) & np.all(pivots > _SMALLEST_PIVOT, axis=1)
    size = scales.shape[0]
    transform = np.zeros((int(regular.sum()), size, size))
    transform[:, range(size), range(size)] = 1.0 / scales[:, regular].T
    transform[:, 0, 1:] = -origins[1:, regular].T
    return orthonormal(Basis(scaled.chosen(regular), transform), share[design.spread(regular)]), regular


def orthonormal(basis: Basis, weights: Floats, passes: int = _PASSES) -> Basis:
    """Make the columns orthonormal under weights: X' diag(weights) X = 1."""
    design, back = orthonormal_columns(basis.design, weights, passes)
    return Basis(design, basis.transform @ back)


def orthonormal_columns(design: GroupedDesign, weights: Floats, passes: int = _PASSES) -> tuple[GroupedDesign, Floats]:
    """Orthonormal columns of the same span, and how the old ones make them, fits x columns x columns."""
    size = len(design.columns)
    total = np.tile(np.eye(size), (design.starts.size, 1, 1))
    for _ in range(passes):
        back = np.swapaxes(inverse_factor(cholesky(gram(design, weights))), 1, 2)
        back[~np.isfinite(back).all(axis=(1, 2))] = np.eye(size)
        design, total = design.transformed(back), total @ back
    return design, total
