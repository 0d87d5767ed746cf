"""Ordinal logistic regression (proportional odds) of counted scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

if TYPE_CHECKING:
    from tallybook.statistics.arrays import Floats


_STEPS, _ENOUGH, _HALVINGS, _EDGE = 100, 1e-9, 40, 40.0  # a last step of 1e-9 leaves an error of its square


def proportional_odds(answers: Floats, matrix: Floats, weights: Floats) -> tuple[Floats, Floats] | None:
    """Fit a proportional odds model by Newton's method.

    log(P(y <= k) / P(y > k)) = t_k - x b, the thresholds t_k increasing: with b > 0 higher scores are more likely.
    statsmodels' `OrderedModel` uses numeric gradients, which are accurate to five digits, and does not accept counts.

    Args:
        answers: The scores, two different ones or more.
        matrix: Rows x predictors, without an intercept.
        weights: The number of responses that each row stands for.

    Returns:
        The coefficients b, then the thresholds; and the inverse of the observed information. None where the likelihood
        has no maximum.

    References:
        McCullagh, P. (1980). Regression models for ordinal data. Journal of the Royal Statistical Society B, 42,
        109-142.

    >>> scores, group = np.array([1.0, 2, 3, 1, 2, 3]), np.array([[0.0], [0], [0], [1], [1], [1]])
    >>> fit = proportional_odds(scores, group, np.array([30.0, 20, 10, 15, 20, 25]))
    >>> fit[0].round(3).tolist() if fit else None
    [1.173, 0.024, 1.539]
    """
    values, at = np.unique(answers, return_inverse=True)
    cuts, number = values.size - 1, matrix.shape[1]
    # Each row lies between two thresholds: the designs of the linear predictors at the upper and the lower one.
    ends = np.vstack([np.zeros(cuts), np.eye(cuts), np.zeros(cuts)])
    upper, lower = (np.column_stack([-matrix, ends[place]]) for place in (at + 1, at))
    above, below = np.where(at == cuts, _EDGE, 0.0), np.where(at == 0, -_EDGE, 0.0)

    def derivatives(chance: Floats, top: Floats, bottom: Floats) -> tuple[Floats, Floats]:
        slopes = [end * (1 - end) / chance for end in (top, bottom)]
        gradient = upper.T @ (weights * slopes[0]) - lower.T @ (weights * slopes[1])
        bends = [slope * (1 - 2 * end) for slope, end in zip(slopes, (top, bottom), strict=True)]
        crossed = (upper * (weights * slopes[0] * slopes[1])[:, None]).T @ lower
        information = (
            (upper * (weights * (slopes[0] ** 2 - bends[0]))[:, None]).T @ upper
            + (lower * (weights * (slopes[1] ** 2 + bends[1]))[:, None]).T @ lower
            - crossed
            - crossed.T
        )
        return gradient, information

    def parts(where: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        high, low = upper @ where + above, lower @ where + below
        ends_of_row = [np.where(at == cuts, 1.0, expit(high)), np.where(at == 0, 0.0, expit(low))]
        # Computed from the tail in which both lie, so that no digits are lost.
        flipped = np.where(at == 0, 1.0, expit(-low)) - np.where(at == cuts, 0.0, expit(-high))
        chance = np.where(low > 0, flipped, ends_of_row[0] - ends_of_row[1])
        return chance, ends_of_row[0], ends_of_row[1], weights @ np.log(chance)

    shares = np.cumsum(np.bincount(at, weights))[:-1] / weights.sum()
    where = np.concatenate([np.zeros(number), logit(shares)])
    with np.errstate(all="ignore"):
        chance, top, bottom, height = parts(where)
        for _ in range(_STEPS):
            gradient, information = derivatives(chance, top, bottom)
            try:
                step, inverse = np.linalg.solve(information, gradient), np.linalg.inv(information)
            except np.linalg.LinAlgError:
                return None
            if np.abs(step).max() < _ENOUGH * (1 + np.abs(where).max()):
                return where + step, np.asarray(inverse, dtype=np.float64)
            for _ in range(_HALVINGS):
                tried = parts(where + step)
                if (tried[0] > 0).all() and tried[3] >= height - _ENOUGH:
                    break
                step = step / 2
            where = where + step
            chance, top, bottom, height = parts(where)
    return None
