"""Grids: whether the distinct values of a cell are whole multiples of one step, and which."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]

LARGEST_GRID = 2**22
"""Grids have fewer steps than this between their smallest and their largest value."""

# How far a value may lie off its grid, as a share of the largest value: a few rounding errors.
_OFF_GRID = 64 * np.finfo(np.float64).eps
# The grid's step must stand out from those by this factor, or everything would lie on it.
_CLEAR = 1000
# Each round at least halves the divisor or is the last.
_MOST_ROUNDS = 30


class Grid(NamedTuple):
    """Values on a grid, a row a cell: value = origin + step * position."""

    origin: Floats
    step: Floats
    position: Integers
    exists: NDArray[np.bool_]

    def of(self, cells: NDArray[np.intp]) -> Grid:
        """The grids of some of the cells."""
        return Grid(self.origin[cells], self.step[cells], self.position[cells], self.exists[cells])


def common_grid(values: Floats, counts: Integers) -> Grid:
    """Find the coarsest grid that all values of a cell stand on.

    The step is the greatest common divisor of the distances from the smallest value, by Euclid's algorithm with
    remainders to the nearest multiple: each is at most half the last one, so that the number of rounds is bounded. A
    grid of whole numbers is always found; one of fractions with more than about 1e5 steps may be overlooked, as
    rounding errors grow with the rounds, but none is ever mistaken.

    Returns:
        The grids, padding at position 0; `exists` is false where there are fewer than two values, one is infinite, or
        the grid would have 2^22 steps or more.
    """
    with np.errstate(all="ignore"):
        origin = np.min(values, axis=1, initial=np.inf, where=counts > 0)
        distance = np.where(counts > 0, values - origin[:, None], 0.0)
        span = distance.max(axis=1)
        rounding = _OFF_GRID * np.maximum(np.abs(origin), np.abs(origin + span))
        steps = np.rint(span / _common_divisor(distance, span / (2 * LARGEST_GRID)))
        exists = np.isfinite(span) & (span > 0) & (steps < LARGEST_GRID) & (_CLEAR * rounding * steps < span)
        step = np.where(exists, span / steps, 1.0)
        position = np.rint(np.where(exists[:, None], distance, 0.0) / step[:, None])
        exists &= (np.abs(distance - position * step[:, None]) <= rounding[:, None]).all(axis=1)
    return Grid(origin, step, position.astype(np.int64), exists)


def _common_divisor(distance: Floats, least: Floats) -> Floats:
    """The greatest common divisor of every row, of what is above `least`."""
    rest = distance
    for _ in range(_MOST_ROUNDS):
        place = np.argmin(np.where(rest > least[:, None], rest, np.inf), axis=1)[:, None]
        divisor = np.take_along_axis(rest, place, axis=1)
        # The remainders stand in for the distances: rounding errors would grow with each division of these.
        rest = np.abs(rest - divisor * np.rint(rest / divisor))
        np.put_along_axis(rest, place, divisor, axis=1)
        if not ((rest > least[:, None]).sum(axis=1) > 1).any():
            break
    return np.min(rest, axis=1, initial=np.inf, where=rest > least[:, None])
