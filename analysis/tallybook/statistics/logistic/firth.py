"""Firth's penalty of the logistic likelihood: half the log determinant of the information (Jeffreys' prior).

Its maximum exists for every full-rank design, separated data included, and has no bias of first order.

References:
    Firth, D. (1993). Bias reduction of maximum likelihood estimates. Biometrika, 80, 27-38.
    Heinze, G. & Schemper, M. (2002). A solution to the problem of separation in logistic regression. Statistics in
    Medicine, 21, 2409-2419.
    Kosmidis, I. & Firth, D. (2021). Jeffreys-prior penalty, finiteness and shrinkage in binomial-response generalized
    linear models. Biometrika, 108, 71-82.
"""

from __future__ import annotations

from itertools import combinations_with_replacement, permutations
from typing import TYPE_CHECKING

import numpy as np

from tallybook.statistics.logistic.basis import gram
from tallybook.statistics.logistic.definite import inverse

if TYPE_CHECKING:
    from tallybook.statistics.logistic.design import Floats, GroupedDesign


def penalty_slope(
    design: GroupedDesign, linear_predictor: Floats, weights: Floats, information: Floats
) -> tuple[Floats, Floats]:
    """The gradient of the penalty, and its second derivatives with the sign changed.

    With w = n p (1 - p), d = 1 - 2p, information I = X' diag(w) X and leverages h = w x' I^-1 x:
    the gradient is sum h d x / 2, the second derivatives are half of
    sum h (d² - 2 p (1 - p)) x x' - tr(I^-1 A_r I^-1 A_s) with A_r = sum w d x_r x x'.

    Args:
        design: The counts.
        linear_predictor: log(p / (1 - p)) of every row.
        weights: w of every row.
        information: I of every fit.

    Returns:
        fits x columns, and fits x columns x columns.
    """
    skew = -np.tanh(linear_predictor / 2.0)
    variance = weights / design.trials
    inverted = inverse(information)
    leverage = weights * _quadratic_form(design, inverted)
    gradient = np.array([design.total(leverage * skew * column) for column in design.columns]).T / 2.0
    own = gram(design, leverage * (np.square(skew) - 2.0 * variance))
    turned = inverted[:, None] @ _third_moments(design, weights * skew)
    across = np.einsum("frij,fsji->frs", turned, turned)
    return gradient, (across - own) / 2.0


def _quadratic_form(design: GroupedDesign, matrices: Floats) -> Floats:
    """The quadratic form x' M x of every row."""
    form = np.zeros(design.successes.size)
    for j, column in enumerate(design.columns):
        form += column * design.predictor(matrices[:, :, j])
    return form


def _third_moments(design: GroupedDesign, weights: Floats) -> Floats:
    """Sums of weight x_r x_j x_k, fits x columns x columns x columns."""
    columns = design.columns
    size = columns.shape[0]
    moments = np.empty((design.starts.size, size, size, size))
    for triple in combinations_with_replacement(range(size), 3):
        r, j, k = triple
        total = design.total(weights * columns[r] * columns[j] * columns[k])
        for order in set(permutations(triple)):
            moments[:, *order] = total
    return moments
