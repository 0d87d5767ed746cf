"""Log probabilities and exact tests of the binomial distribution, for whole arrays of counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

import numpy as np
from scipy.special import betainc, betaincc, rel_entr, xlog1py, xlogy

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from tallybook.statistics.arrays import Floats


TwoSidedMethod: TypeAlias = Literal["minimum-likelihood", "doubling", "mid-p"]

# Probabilities this close to each other count as equal: the convention of R's binom.test and scipy's binomtest.
TIE_TOLERANCE = 1e-7
# Every whole number up to here is exact in float64, and the incomplete beta function was found to converge.
LARGEST_COUNT = 10**15

# ln n! - ln(sqrt(2 pi n) (n/e)^n) for n = 1 ... 15; the entry for n = 0 (infinite) is never used.
_STIRLING_ERRORS = np.array([
    0.0, 0.08106146679532726, 0.0413406959554093, 0.02767792568499834, 0.020790672103765093,
    0.016644691189821193, 0.013876128823070748, 0.01189670994589177, 0.010411265261972096,
    0.009255462182712733, 0.00833056343336287, 0.007573675487951841, 0.00694284010720953,
    0.006408994188004207, 0.0059513701127588475, 0.005554733551962801,
])  # fmt: skip
# Up to this relative difference the series below is used; its last term is then below the rounding error.
_SERIES_BOUND = 0.4
_SERIES_TERMS = 20
# Tails whose first term is below this probability are computed from it: the incomplete beta function loses digits
# from 1e-275 on. Twice as many steps of the continued fraction as were found to be needed there.
_FAR_LOG_MASS = np.log(1e-200)
_FAR_STEPS = 20


def binomial_counts(successes: ArrayLike, trials: ArrayLike) -> tuple[Floats, Floats]:
    """Check counts and broadcast them against each other."""
    k, n = np.broadcast_arrays(np.asarray(successes, np.float64), np.asarray(trials, np.float64))
    for name, counts in (("successes", k), ("trials", n)):
        wrong = (counts < 0) | (counts > LARGEST_COUNT) | (~np.isnan(counts) & (counts != np.floor(counts)))
        if wrong.any():
            index = first_index(wrong)
            raise ValueError(f"{name}{list(index)} is {counts[index]:.15g}: expected a whole number, 0 to 1e15")
    if (k > n).any():
        index = first_index(k > n)
        raise ValueError(
            f"successes{list(index)} is {k[index]:.15g}: expected at most the number of trials, {n[index]:.15g}"
        )
    return k, n


def first_index(flags: NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the index of the first true entry of an array, in row order."""
    return tuple(int(position) for position in np.argwhere(flags)[0])


def deviance_part(observed: Floats, expected: Floats, difference: Floats) -> Floats:
    """Compute Loader's bd0, x ln(x/m) + m - x, without cancellation where x is close to m.

    It is never negative, and zero only where x = m. With v = (m - x) / (m + x) it equals
    v (m - x) - 2 x (v³/3 + v⁵/5 + ...), a series that converges fast near v = 0.
    """
    v = difference / (observed + expected)
    square = np.square(v)
    tail = np.zeros_like(v)
    for power in range(2 * _SERIES_TERMS + 1, 1, -2):
        tail = tail * square + 1.0 / power
    near = v * difference - 2.0 * observed * v * square * tail
    far = rel_entr(observed, expected) + difference
    return np.where(np.abs(v) < _SERIES_BOUND, near, far)


def log_probability_mass(successes: ArrayLike, trials: ArrayLike, probability: ArrayLike) -> Floats:
    """Compute the natural logarithm of the binomial probability of k successes in n trials.

    Loader's saddle-point expansion: with s the error of Stirling's formula and D = `deviance_part`,
    ln pmf = s(n) - s(k) - s(n-k) - D(k, np) - D(n-k, nq) - ln(2 pi k (n-k) / n) / 2.
    The distance k - np, on which everything depends, is taken from the exact product np, so that the result keeps a
    relative error of about 1e-13 in the probability (1e-15 near the mean) for n up to 1e9. R's dbinom and
    scipy.stats.binom.pmf, which round np first, keep about 1e-10 there.

    References:
        Loader, C. (2000). Fast and accurate computation of binomial probabilities. Bell Laboratories.
    """
    k, n = binomial_counts(successes, trials)
    k, n, p = np.broadcast_arrays(k, n, np.asarray(probability, np.float64))
    with np.errstate(all="ignore"):
        return np.where((p >= 0) & (p <= 1), log_mass(k, n, p), np.nan)


def two_sided_p_value(
    successes: ArrayLike,
    trials: ArrayLike,
    probability: ArrayLike,
    method: TwoSidedMethod = "minimum-likelihood",
) -> Floats:
    """Test exactly and two-sided whether a success has the given probability, by the binomial distribution.

    "minimum-likelihood" adds the probabilities of all outcomes at most as likely as k: p = sum of pmf(i) over the i
    with pmf(i) <= pmf(k) (1 + 1e-7). "doubling" is min(1, 2 min(P(X <= k), P(X >= k))). "mid-p" doubles the smaller
    one-sided mid-p-value, which counts half of the observed outcome: 2 min(P(X < k) + pmf(k)/2, P(X > k) + pmf(k)/2).
    It is the test that the mid-P interval inverts (R: exactci::binom.exact(tsmethod = "central", midp = TRUE)); its
    rejections under the null hypothesis lie close to the level rather than always below it.

    Minimum likelihood equals R's binom.test and scipy.stats.binomtest, with these differences:

    - Cases that return NaN here raise errors there (zero trials, a missing value, a reference outside [0, 1]). R also
      takes counts within 1e-7 of a whole number; scipy takes integers only.
    - Where every outcome is at most as likely as k the result is exactly 1; there it is the rounded sum of two tails.
    - scipy loses digits as n grows (2e-8 of p at n = 1e9), and some of its lower tails below 1e-256 are 0.
    - R lists the outcomes, so its time and memory grow with n; its dbinom, off by up to 6e-11, can see a tie where
      there is none (n = 1e7, k = 9999991, p0 = 0.999999: 1 instead of 0.875).

    As in both, k ends the tail on its own side, and the other tail begins beyond the rounded product n p0: outcomes
    between k and n p0 are never counted, however close to a tie. From the bare definition this cannot be told
    before n = 1e7, where neighbours near the mode begin to differ by less than the tolerance.

    A reference of 0 or 1 leaves one possible outcome, so the exact p is 1 for that outcome and 0 for every other
    (R and scipy: the same). A p below the smallest float64, about 5e-324, is returned as 0. The relative error is
    below 1e-11 for n up to 1e6 and below 1e-9 for n up to 1e9 (measured on x86-64).

    Args:
        successes: k, whole numbers; the first three arguments broadcast.
        trials: n, whole numbers.
        probability: The reference p0, a probability.
        method: The method by which the two tails are combined.

    Returns:
        p-values in [0, 1]; NaN where n = 0, an argument is NaN or p0 lies outside [0, 1].

    References:
        Hirji, K. F. (2006). Exact Analysis of Discrete Data. Chapman & Hall. Agresti, A. (2013). Categorical Data
        Analysis (3rd ed.). Wiley, section 1.4.4 (mid-p).

    >>> two_sided_p_value([3, 0, 9], [15, 0, 9], [0.1, 0.5, 1.0]).round(6)
    array([0.184061,      nan, 1.      ])
    """
    return binomial_test(successes, trials, probability, method)[0]


def binomial_test(
    successes: ArrayLike,
    trials: ArrayLike,
    probability: ArrayLike,
    method: TwoSidedMethod | Literal["greater", "less"] = "minimum-likelihood",
) -> tuple[Floats, Floats]:
    """Compute the p-values of `two_sided_p_value` and their natural logarithms, accurate where p underflows.

    `greater` gives P(X >= k), `less` P(X <= k).
    """
    k, n = binomial_counts(successes, trials)
    k, n, p = np.broadcast_arrays(k, n, np.asarray(probability, np.float64))
    defined = (n > 0) & ~np.isnan(k)
    certain = defined & ((p == 0) | (p == 1))
    testable = defined & (p > 0) & (p < 1)
    test = _TESTS[method]
    result, logarithm = np.full(k.shape, np.nan), np.full(k.shape, np.nan)
    with np.errstate(all="ignore"):
        only = k <= n * p if method == "greater" else k >= n * p if method == "less" else k == n * p
        result[certain] = only[certain]
        logarithm[certain] = np.log(result[certain])
        tails = test(k[testable], n[testable], p[testable])
        result[testable] = np.minimum(1.0, tails.probability)
        logarithm[testable] = np.minimum(0.0, tails.logarithm)
    return result, logarithm


def log_mass(k: Floats, n: Floats, p: Floats) -> Floats:
    """Compute `log_probability_mass` for arguments that are known to be valid."""
    failures = n - k
    mean, remainder = _exact_product(n, p)
    excess = (k - mean) - remainder
    interior = (
        _stirling_error(n)
        - _stirling_error(k)
        - _stirling_error(failures)
        - deviance_part(k, mean, -excess)
        - deviance_part(failures, n * (1.0 - p), excess)
        - 0.5 * np.log(2.0 * np.pi * k * (failures / n))
    )
    return np.where(k == 0, xlog1py(n, -p), np.where(failures == 0, xlogy(n, p), interior))


def _stirling_error(n: Floats) -> Floats:
    """Compute the error of Stirling's ln n!: a table up to 15, then the asymptotic series (to within 2e-16)."""
    square = np.square(n)
    series = (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / 1188 / square) / square) / square) / square) / n
    # fmin rather than minimum, so that a missing count still gives a valid index.
    return np.where(n < _STIRLING_ERRORS.size, _STIRLING_ERRORS[np.fmin(n, 15).astype(np.intp)], series)


def _exact_product(a: Floats, b: Floats) -> tuple[Floats, Floats]:
    """Return the rounded product and its rounding error (Dekker 1971), which add up to the exact product."""
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _upper_half(values: Floats) -> Floats:
    """Return the upper 26 bits of the significand (Veltkamp's splitting)."""
    shifted = values * (2.0**27 + 1.0)
    return shifted - (shifted - values)


class _Tail(NamedTuple):
    """A tail probability, and its logarithm, which remains finite where the probability underflows."""

    probability: Floats
    logarithm: Floats

    def plus(self, other: _Tail) -> _Tail:
        """Add the probability of a mutually exclusive event."""
        return _Tail(self.probability + other.probability, np.logaddexp(self.logarithm, other.logarithm))

    def times(self, factor: float) -> _Tail:
        """Multiply the probability by a factor."""
        return _Tail(factor * self.probability, np.log(factor) + self.logarithm)

    def where(self, condition: NDArray[np.bool_], other: _Tail | float) -> _Tail:
        """Select this tail where `condition` holds and `other` elsewhere."""
        probability, logarithm = other if isinstance(other, _Tail) else (other, np.log(other))
        return _Tail(np.where(condition, self.probability, probability), np.where(condition, self.logarithm, logarithm))


def _smaller(one: _Tail, other: _Tail) -> _Tail:
    return one.where(one.logarithm <= other.logarithm, other)


def _mass(k: Floats, n: Floats, p: Floats) -> _Tail:
    logarithm = log_mass(k, n, p)
    return _Tail(np.exp(logarithm), logarithm)


def _lower_tail(k: Floats, n: Floats, p: Floats) -> _Tail:
    """Compute P(X <= k) for 0 < p < 1; k may lie outside 0 ... n."""
    # betaincc takes p itself: 1 - p would round a small p away.
    near = np.asarray(betaincc(k + 1.0, n - k, p))
    mass = _mass(k, n, p)
    is_far = (mass.logarithm < _FAR_LOG_MASS) & (k < n * p)
    tail = _far_tail(mass, n - k, k, (1.0 - p) / p).where(is_far, _Tail(near, np.log(near)))
    return tail.where(k >= 0, 0.0).where(k < n, 1.0)


def _upper_tail(k: Floats, n: Floats, p: Floats) -> _Tail:
    """Compute P(X >= k) for 0 < p < 1; k may lie outside 0 ... n."""
    near = np.asarray(betainc(k, n - k + 1.0, p))
    mass = _mass(k, n, p)
    is_far = (mass.logarithm < _FAR_LOG_MASS) & (k > n * p)
    tail = _far_tail(mass, k, n - k, p / (1.0 - p)).where(is_far, _Tail(near, np.log(near)))
    return tail.where(k > 0, 1.0).where(k <= n, 0.0)


def _far_tail(mass: _Tail, count: Floats, rest: Floats, odds: Floats) -> _Tail:
    """Compute the probability of at least `count` of one kind (at most `rest` of the other), far above the mean."""
    fraction = count + _FAR_STEPS
    for step in range(_FAR_STEPS, 0, -1):
        half = step // 2
        numerator = -(rest - half) * (count + half) if step % 2 else half * (count + rest + half)
        fraction = count + (step - 1) + numerator * odds / fraction
    return _Tail(mass.probability * count / fraction, mass.logarithm + np.log(count / fraction))


def _doubling(k: Floats, n: Floats, p: Floats) -> _Tail:
    return _smaller(_lower_tail(k, n, p), _upper_tail(k, n, p)).times(2.0)


def _mid_p(k: Floats, n: Floats, p: Floats) -> _Tail:
    half = _mass(k, n, p).times(0.5)
    # The tails beyond k plus half of k's mass, so that nothing is subtracted.
    return _smaller(_lower_tail(k - 1.0, n, p).plus(half), _upper_tail(k + 1.0, n, p).plus(half)).times(2.0)


def _minimum_likelihood(k: Floats, n: Floats, p: Floats) -> _Tail:
    mean = n * p
    below = k < mean
    # On the far side of the mean the probabilities fall with every step away from it.
    step = np.where(below, 1.0, -1.0)
    start = np.where(below, np.ceil(mean), np.floor(mean))
    limit = np.where(below, n - start, start) + 1.0
    bound = log_mass(k, n, p) + np.log1p(TIE_TOLERANCE)

    def as_rare(steps: Floats) -> NDArray[np.bool_]:
        return log_mass(start + step * steps, n, p) <= bound

    far = start + step * fewest_steps(as_rare, limit)
    tails = _lower_tail(np.where(below, k, far), n, p).plus(_upper_tail(np.where(below, far, k), n, p))
    return tails.where((k != mean) & (far != k + step), 1.0)


_TESTS: dict[str, Callable[[Floats, Floats, Floats], _Tail]] = {
    "minimum-likelihood": _minimum_likelihood,
    "doubling": _doubling,
    "mid-p": _mid_p,
    "greater": _upper_tail,
    "less": _lower_tail,
}


def fewest_steps(reached: Callable[[Floats], NDArray[np.bool_]], limit: Floats) -> Floats:
    """Return the fewest steps from which on a condition holds, by bisection in all cells at once."""
    low, high = np.zeros_like(limit), limit
    for _ in range(int(limit.max(initial=0.0)).bit_length()):
        middle = np.floor((low + high) / 2.0)
        is_open = low < high
        is_reached = reached(middle)
        high = np.where(is_open & is_reached, middle, high)
        low = np.where(is_open & ~is_reached, middle + 1.0, low)
    return low
