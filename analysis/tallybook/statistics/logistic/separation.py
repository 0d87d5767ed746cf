"""Separation: whether the maximum likelihood estimate of a logistic regression exists.

Write z = x for a row with a success and z = -x for a row with a failure (a row with both counts twice). The data are
separated if some direction b has z'b >= 0 for all of them and > 0 for one: the likelihood then grows along b for ever.
Otherwise they overlap and, for a design of full rank, the estimate exists and is unique. By Stiemke's theorem they
overlap exactly if some v > 0 has sum v z = 0.

References:
    Albert, A. & Anderson, J. A. (1984). On the existence of maximum likelihood estimates in logistic regression
    models. Biometrika, 71, 1-10.
    Konis, K. (2007). Linear programming algorithms for detecting separated data in binary logistic regression
    models. DPhil thesis, University of Oxford.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit

from tallybook.statistics.logistic.basis import gram, orthonormal_columns
from tallybook.statistics.logistic.definite import inverse

if TYPE_CHECKING:
    from tallybook.statistics.logistic.design import Flags, Floats, GroupedDesign

_LARGEST_CHANGE = 0.5
_ROUNDING = 32 * float(np.finfo(np.float64).eps)
_TIGHT = 1e-6
"""Rows this close to the separating plane are taken to lie in it; the linear program knows no better."""
_EXACT = 1e-9
"""The largest distance of observations from the plane once it has been fitted through them."""


def proves_overlap(design: GroupedDesign, linear_predictor: Floats) -> Flags:
    """Whether an estimate proves that the data overlap.

    At the maximum, v = s (1 - p) on successes and f p on failures has sum v z = 0: Stiemke's condition. Near it the
    weights are corrected by the smallest relative change, z' M^-1 g with M = sum v z z' and g = sum v z; where no
    weight changes by half, all stay positive and the proof holds. What rounding may have done to g counts as change.
    """
    ones, zeros = expit(linear_predictor), expit(-linear_predictor)
    up, down = design.successes * zeros, design.failures * ones
    weights = up + down
    with np.errstate(all="ignore"):
        inverted = inverse(gram(design, weights))
        change = np.zeros(weights.size)
        for position, column in enumerate(design.columns):
            gradient = np.abs(design.total((up - down) * column))
            rounding = _ROUNDING * design.total(weights) * design.largest(np.abs(column))
            change += np.abs(design.predictor(inverted[:, :, position])) * design.spread(gradient + rounding)
        lost = ((design.successes > 0) & (up == 0)) | ((design.failures > 0) & (down == 0))
        return design.largest(np.where(lost, np.inf, change)) < _LARGEST_CHANGE


def is_separated(design: GroupedDesign) -> Flags:
    """Whether the data of every fit are completely or quasi-completely separated.

    Konis's linear program, all fits in one: maximise the sum of z'b over rows without both outcomes, where z'b >= 0
    for these, z'b = 0 for rows with both, and -1 <= b <= 1. A direction that it finds counts when a plane through the
    rows next to it still separates the others.
    """
    from scipy import optimize, sparse

    if design.starts.size == 0:
        return np.zeros(0, np.bool_)
    # Rows count alike here, however many responses they hold.
    terms, rows = len(design.columns), design.successes.size
    columns = orthonormal_columns(design, np.ones(rows))[0].columns
    pure = (design.failures == 0) | (design.successes == 0)
    sign = np.where(design.successes == 0, -1.0, 1.0)
    signed = replace(design, columns=columns * sign / np.linalg.norm(columns, axis=0))
    fit = design.spread(np.arange(design.starts.size, dtype=np.int64))
    row = np.repeat(np.arange(rows, dtype=np.int64), terms)
    place = (fit[:, None] * terms + np.arange(terms, dtype=np.int64)).ravel()
    table: Any = sparse.csr_array((signed.columns.T.ravel(), (row, place)))
    equal: dict[str, Any] = {"A_eq": table[~pure], "b_eq": np.zeros(rows - int(pure.sum()))} if not pure.all() else {}
    goal, nothing = -table[pure].sum(axis=0), np.zeros(int(pure.sum()))
    solution: Any = optimize.linprog(goal, A_ub=-table[pure], b_ub=nothing, bounds=(-1.0, 1.0), **equal)
    if solution.x is None:  # the solver gave up: nothing is shown
        return np.zeros(design.starts.size, np.bool_)
    return _separates(signed, np.reshape(solution.x, (-1, terms)), pure)


def _separates(signed: GroupedDesign, direction: Floats, pure: Flags) -> Flags:
    """Whether a direction separates, after turning it into the plane of the rows next to it."""
    distance = signed.predictor(direction)
    tight = np.abs(distance) <= _TIGHT
    normal = gram(signed, tight.astype(np.float64))
    values, vectors = np.linalg.eigh(normal)
    # Of the direction only the part orthogonal to all tight rows.
    free = vectors * (values <= _EXACT * np.maximum(1.0, values[:, -1:]))[:, None, :]
    turned = (free @ (np.swapaxes(free, 1, 2) @ direction[:, :, None]))[:, :, 0]
    distance = signed.predictor(turned)
    wrong = np.where(tight, np.abs(distance) > _EXACT, ~pure | (distance <= _EXACT))
    outside = signed.total((~tight & pure).astype(np.float64)) > 0
    return outside & (signed.total(wrong.astype(np.float64)) == 0)
