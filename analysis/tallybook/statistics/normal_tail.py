"""Two-sided p-values of standard scores, and their logarithms where the p-value is too small for a float."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import log_ndtr, ndtr

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def two_sided_normal(z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """P(|Z| >= |z|) of a standard normal Z, and its natural logarithm.

    p = erfc(|z| / sqrt 2) = 2 Phi(-|z|). R: 2 * pnorm(-abs(z)), and pnorm(log.p = TRUE) + log(2).

    Returns:
        p-values, 0 where they are below the smallest float, and ln p, at most 0 and finite for every finite z. NaN
        where z is NaN.
    """
    lower = -np.abs(np.asarray(z, np.float64))
    p, log_half = np.asarray(2.0 * ndtr(lower)), np.asarray(log_ndtr(lower))
    return p, np.minimum(0.0, math.log(2.0) + log_half)
