"""The bootstrap distribution of the mean of values on a lattice, computed exactly instead of simulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtr, ndtri

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats


Interval: TypeAlias = Literal["percentile", "basic", "bca"]

INTERVAL_NAMES: dict[Interval, str] = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
"""The printed names of the intervals."""


class Limits(NamedTuple):
    """Standard error and confidence limits from a bootstrap distribution, one entry a cell; NaN where undefined."""

    std_error: Floats
    low: Floats
    high: Floats


def quantile_levels(
    interval: Interval, confidence: float, share_below: Floats, acceleration: Floats
) -> tuple[Floats, Floats]:
    """Compute the levels of the bootstrap quantiles that are the limits of an interval.

    percentile and basic: alpha/2 at either end, with alpha = 1 - confidence. BCa: with z = Phi^-1(alpha/2) and
    z0 = Phi^-1(share_below), w = z0 + (z0 ± z) / (1 - a (z0 ± z)), the level at the lower end is Phi(w) for + z, the
    one at the upper end, counted from above, Phi(-w) for - z. Where a (z0 ± z) reaches 1 the formula has a pole, beyond
    which the fraction changes its sign; there the level stays at its limit, 0 or 1.

    References:
        Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American Statistical Association, 82,
        171-185.
    """
    tail = np.full(share_below.shape, (1.0 - confidence) / 2.0)
    if interval != "bca":
        return tail, tail
    with np.errstate(all="ignore"):
        bias = ndtri(share_below)
        z = ndtri(tail)
        low, high = (_adjusted(bias, bias + sign * z, acceleration) for sign in (1.0, -1.0))
        exists = np.isfinite(bias) & np.isfinite(acceleration)
        return np.where(exists, ndtr(low), np.nan), np.where(exists, ndtr(-high), np.nan)


def _adjusted(bias: Floats, shifted: Floats, acceleration: Floats) -> Floats:
    scale = 1.0 - acceleration * shifted
    return np.where(scale > 0, bias + shifted / scale, np.copysign(np.inf, shifted))


LARGEST_GRID = 2**22
"""The maximum number of grid steps between the smallest and the largest value."""

# How far a value may lie off its grid, as a share of the largest value: a few rounding errors.
_OFF_GRID = 64 * np.finfo(np.float64).eps
# The grid's step must exceed these errors by this factor; otherwise all values would seem to lie on the grid.
_CLEAR = 1000
# Each round at least halves the divisor or is the last.
_MOST_ROUNDS = 30


class Grid(NamedTuple):
    """Values on a grid, a row a cell: value = origin + step * position."""

    origin: Floats
    step: Floats
    position: Counts
    exists: NDArray[np.bool_]


def common_grid(values: Floats, counts: Counts) -> Grid:
    """Find the coarsest grid that contains all values of each cell.

    The step is the greatest common divisor of the distances from the smallest value, by Euclid's algorithm with
    remainders to the nearest multiple: each is at most half the last one, so that the number of rounds is bounded. A
    grid of whole numbers is always found; one of fractions with more than about 1e5 steps may be overlooked, as
    rounding errors grow with the rounds, but no grid is ever found wrongly.
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
    """Compute the greatest common divisor of each row, ignoring numbers up to `least`."""
    rest = distance
    for _ in range(_MOST_ROUNDS):
        place = np.argmin(np.where(rest > least[:, None], rest, np.inf), axis=1)[:, None]
        divisor = np.take_along_axis(rest, place, axis=1)
        # Remainders replace the distances, as rounding errors would grow with each division of the distances.
        rest = np.abs(rest - divisor * np.rint(rest / divisor))
        np.put_along_axis(rest, place, divisor, axis=1)
        if not ((rest > least[:, None]).sum(axis=1) > 1).any():
            break
    return np.min(rest, axis=1, initial=np.inf, where=rest > least[:, None])


# The largest number of points times distinct values for one transform.
_LARGEST_WORK = 2**25
# The probability outside of a window is below this, which is far less than the rounding errors inside.
_NEGLIGIBLE = 1e-18
# A distribution function this close to a level has reached it: in exact arithmetic the two are equal.
_REACHED = 1e-13
# BCa's levels are kept this far from 0 and 1: closer to them rounding errors dominate, and no simulation gets there.
_OUTERMOST_LEVEL = 1e-12


def lattice_limits(grid: Grid, counts: Counts, *, interval: Interval, confidence: float) -> Limits:
    """Compute bootstrap intervals of means without simulation error.

    The lower limit is the smallest mean x with P(mean <= x) >= its level, the upper one the largest with
    P(mean >= x) >= its level, counted from above: the interval of the negative values is the mirror image. basic:
    2 m - quantile, from the opposite ends. BCa: ties count half (see `quantile_levels`), and the acceleration is the
    jackknife's, a = sum c (x - m)^3 / (6 (sum c (x - m)^2)^1.5) for values x with counts c and mean m. The transform
    has a rounding error of about 1e-15 of probability (1e-11 at n = 1e9), so levels nearer to 0 or 1 than 1e-12, which
    BCa intervals of few or very skewed values may have, are replaced by 1e-12 (or 1 - 1e-12).

    References:
        Fisher, N. I. & Hall, P. (1991). Bootstrap algorithms for small samples. Journal of Statistical Planning and
        Inference, 27, 157-169 (exact bootstrap distributions). Efron, B. & Tibshirani, R. J. (1993). An Introduction to
        the Bootstrap. Chapman & Hall, chapter 14 (BCa).
    """
    numbers = np.full((3, counts.shape[0]), np.nan)
    sizes = np.where(grid.exists, transform_sizes(grid.position, counts), 0)
    for cell in np.flatnonzero(sizes > 0):
        distribution = _Convolution(grid.position[cell], counts[cell], int(sizes[cell]))
        n, deviation, low, high = _interval_limits(
            distribution, grid.position[cell], counts[cell], interval, confidence
        )
        origin, step = grid.origin[cell], grid.step[cell]
        numbers[:, cell] = step * deviation / n, origin + step * low, origin + step * high
    return Limits(*numbers)


def transform_sizes(position: Counts, counts: Counts) -> Counts:
    """Compute the number of grid points for the distribution of a sum, one number a cell; 0 if too large.

    The whole support of the sum if that is smaller, else a window around the mean outside of which, by Bernstein's
    inequality P(|S - ES| >= t) <= 2 exp(-t^2 / (2 (n var + M t / 3))), less than 1e-18 of the probability lies: it
    grows with the square root of n. A five-point score needs 2^15 points at n = 1e6 and 2^20 at n = 1e9.
    """
    n = counts.sum(axis=1).astype(np.float64)
    offset = position - ((counts * position).sum(axis=1) / n)[:, None]
    squares = (counts * np.square(offset)).sum(axis=1)
    third = np.max(np.abs(offset), axis=1, initial=0.0, where=counts > 0) / 3.0
    log_share = np.log(2.0 / _NEGLIGIBLE)
    reach = log_share * third + np.sqrt(np.square(log_share * third) + 2.0 * log_share * squares)
    support = n * position.max(axis=1, initial=0) + 1.0
    size = 2.0 ** np.ceil(np.log2(np.minimum(support, 2.0 * reach + 3.0)))
    work = size * (counts > 0).sum(axis=1)
    return np.where((size <= LARGEST_GRID) & (work <= _LARGEST_WORK), size, 0.0).astype(np.int64)


def _interval_limits(
    distribution: _Convolution, position: Counts, counts: Counts, interval: Interval, confidence: float
) -> tuple[float, float, float, float]:
    """Compute the number of values, n times the standard error of the mean position, and its limits."""
    n = float(counts.sum())
    mean = (counts * position).sum() / n
    offset = position - mean
    squares, cubes = ((counts * offset**power).sum() for power in (2, 3))
    levels = quantile_levels(
        interval, confidence, np.array(distribution.share_below()), np.array(cubes / (6.0 * squares**1.5))
    )
    below, above = (float(np.clip(level, _OUTERMOST_LEVEL, 1.0 - _OUTERMOST_LEVEL)) for level in levels)
    low, high = distribution.lowest(below) / n, distribution.highest(above) / n
    if interval == "basic":
        low, high = 2.0 * mean - high, 2.0 * mean - low
    return n, np.sqrt(squares), low, high


class _Convolution:
    """The distribution of a sum of values on a grid: the n-fold convolution of their shares, on `size` points."""

    def __init__(self, position: Counts, counts: Counts, size: int) -> None:
        n, total = int(counts.sum()), int((counts * position).sum())
        # The window ends where the support does; a window as large as the support is the support.
        highest_start = max(n * int(position.max()) - size + 1, 0)
        self._start = min(max(total - size // 2, 0), highest_start)
        mass = np.maximum(np.fft.irfft(_power(position, counts, self._start, size), size), 0.0)
        self._from_below, self._from_above = _cumulated(mass), _cumulated(mass[::-1])
        self._observed = total - self._start

    def share_below(self) -> float:
        """Compute P(sum < observed sum) + P(sum = observed sum) / 2."""
        before = self._from_below[self._observed - 1] if self._observed else 0.0
        return (self._from_below[self._observed] + before) / 2.0

    def lowest(self, level: float) -> float:
        """Find the smallest sum s with P(sum <= s) >= level."""
        return float(self._start + (self._from_below < level - _REACHED).sum())

    def highest(self, level: float) -> float:
        """Find the largest sum s with P(sum >= s) >= level."""
        return float(self._start + self._from_above.size - 1 - (self._from_above < level - _REACHED).sum())


def _cumulated(mass: Floats) -> Floats:
    cumulated = np.cumsum(mass)
    return cumulated / cumulated[-1]


def _power(position: Counts, counts: Counts, start: int, size: int) -> NDArray[np.complex128]:
    """Compute the n-th power of the shares' characteristic function at the frequencies of a `size`-point transform."""
    n = int(counts.sum())
    share = counts / n
    centre = int(np.rint((share * position).sum()))
    frequency = np.arange(size // 2 + 1)
    versine, sine = _tables(size)
    real, imaginary = np.zeros((2, frequency.size))
    for own_share, offset in zip(share, (position - centre) & (size - 1), strict=True):
        turn = offset * frequency & (size - 1)
        real -= own_share * versine[turn]
        imaginary += own_share * sine[turn]
    with np.errstate(divide="ignore"):
        # At -1 the characteristic function is 0; rounding must not go below.
        square = np.maximum(2.0 * real + np.square(real) + np.square(imaginary), -1.0)
        modulus = np.exp(0.5 * n * np.log1p(square))
    shift = (start - n * centre) & (size - 1)
    angle = n * np.arctan2(imaginary, 1.0 + real) - 2.0 * np.pi / size * (shift * frequency & (size - 1))
    return modulus * np.exp(-1j * angle)


def _tables(size: int) -> tuple[Floats, Floats]:
    """Tabulate 1 - cos and sin of all multiples of 2 pi / size, equally accurate near 2 pi and near 0."""
    turn = np.arange(size, dtype=np.float64)
    signed = np.where(turn > size / 2, turn - size, turn)
    return 2.0 * np.square(np.sin(np.pi / size * signed)), np.sin(2.0 * np.pi / size * signed)
