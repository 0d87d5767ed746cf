"""The search for the first step at which a condition holds, in all cells at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


def fewest_steps(reached: Callable[[Floats], NDArray[np.bool_]], limit: Floats) -> Floats:
    """The fewest steps from which on a condition holds: a bisection of all cells at once."""
    low, high = np.zeros_like(limit), limit
    for _ in range(int(limit.max(initial=0.0)).bit_length()):
        middle = np.floor((low + high) / 2.0)
        is_open = low < high
        is_reached = reached(middle)
        high = np.where(is_open & is_reached, middle, high)
        low = np.where(is_open & ~is_reached, middle + 1.0, low)
    return low
