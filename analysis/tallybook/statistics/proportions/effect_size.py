"""Effect sizes of proportions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def cohens_h(proportion: ArrayLike, reference: ArrayLike) -> NDArray[np.float64]:
    """Cohen's h, the difference of two proportions after the arcsine transformation.

    h = 2 asin sqrt(f) - 2 asin sqrt(p0), positive where the observed proportion is the larger one. Cohen calls
    |h| = 0.2, 0.5 and 0.8 small, medium and large.

    Returns:
        h in radians, between -pi and pi; NaN where an argument is NaN or lies outside [0, 1].

    References:
        Cohen, J. (1988). Statistical Power Analysis for the Behavioral Sciences (2nd ed.). Erlbaum, chapter 6.
    """
    f = np.asarray(proportion, np.float64)
    p0 = np.asarray(reference, np.float64)
    with np.errstate(invalid="ignore"):
        return np.asarray(2.0 * (np.arcsin(np.sqrt(f)) - np.arcsin(np.sqrt(p0))))
