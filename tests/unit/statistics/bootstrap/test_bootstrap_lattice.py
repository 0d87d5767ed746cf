"""Computed bootstrap distributions against R, against every resample there is, and against binomials."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.special import ndtr, ndtri
from scipy.stats import binom

from tallybook.statistics.bootstrap.lattice import LARGEST_GRID, common_grid, lattice_limits, transform_sizes
from tests.unit.statistics.frames import quick

INTERVALS = ("percentile", "basic", "bca")


def computed(values, counts, interval, confidence=0.95):
    values, counts = np.atleast_2d(np.asarray(values, float)), np.atleast_2d(np.asarray(counts))
    values = np.broadcast_to(values, counts.shape)
    return lattice_limits(common_grid(values, counts), counts, interval=interval, confidence=confidence)


@pytest.mark.parametrize("interval", INTERVALS)
def test_limits_equal_r(oracle, interval):
    cells = oracle("bootstrap_lattice")
    counts = np.stack([cells[f"count.{i}"] for i in range(1, 6)], axis=1).astype(np.int64)
    compared = 0
    for confidence in np.unique(cells["confidence"]):
        rows = cells["confidence"] == confidence
        result = computed(np.arange(5), counts[rows], interval, float(confidence))
        assert_allclose(result.std_error, cells["std_error"][rows], rtol=1e-12)
        # A basic limit may be 0 but for R's rounding.
        assert_allclose(result.low, cells[f"{interval}_low"][rows], rtol=1e-12, atol=1e-14)
        assert_allclose(result.high, cells[f"{interval}_high"][rows], rtol=1e-12, atol=1e-14)
        compared += rows.sum()
    assert compared == 60


def test_shares_equal_r(oracle):
    cells = oracle("bootstrap_shares")
    k, n = (cells[name].astype(np.int64) for name in ("successes", "trials"))
    for confidence in np.unique(cells["confidence"]):
        rows = cells["confidence"] == confidence
        result = computed([0, 1], np.stack([n - k, k], axis=1)[rows], "percentile", float(confidence))
        assert_array_equal(np.rint(result.low * n[rows]), cells["low"][rows])
        assert_array_equal(np.rint(result.high * n[rows]), cells["high"][rows])


def every_resample(values: list[int], interval: str, confidence: Fraction) -> tuple[float, float]:
    """The interval from a list of the sums of all n^n resamples, in whole numbers but for BCa's levels."""
    n, observed = len(values), sum(values)
    sums = sorted(map(sum, product(values, repeat=n)))
    low_level = high_level = (1 - confidence) / 2
    if interval == "bca":
        below = (sum(s < observed for s in sums) + sums.count(observed) / 2) / len(sums)
        offsets = [v - observed / n for v in values]
        a = sum(o**3 for o in offsets) / (6 * sum(o**2 for o in offsets) ** 1.5)
        z0, z = ndtri(below), ndtri(float(low_level))
        low_level = Fraction(float(ndtr(z0 + (z0 + z) / (1 - a * (z0 + z)))))
        high_level = Fraction(float(ndtr(-(z0 + (z0 - z) / (1 - a * (z0 - z))))))
    fuzz = Fraction(1, 10**13)
    # The smallest sum that as many resamples reach from below as the level asks for, and likewise from above.
    low = sums[max(0, math.ceil((low_level - fuzz) * len(sums)) - 1)]
    high = sums[-max(1, math.ceil((high_level - fuzz) * len(sums)))]
    if interval == "basic":
        low, high = 2 * observed - high, 2 * observed - low
    return low / n, high / n


SMALL = st.lists(st.integers(0, 4), min_size=2, max_size=5).filter(lambda values: len(set(values)) > 1)


@pytest.mark.parametrize("interval", INTERVALS)
@quick
@given(values=SMALL, confidence=st.sampled_from(["1/2", "9/10", "19/20", "15/16"]))
def test_limits_equal_those_of_all_resamples(interval, values, confidence):
    share = Fraction(confidence)
    distinct, counts = np.unique(values, return_counts=True)
    result = computed(distinct, counts, interval, float(share))
    expected = every_resample(values, interval, share)
    assert_allclose([result.low[0], result.high[0]], expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("interval", INTERVALS)
@pytest.mark.parametrize("values", [[0, 0, 0, 0, 0, 1], [1, 1, 2, 2, 3, 5], [0, 1, 1, 1, 4, 4]])
def test_limits_equal_those_of_all_resamples_of_six(interval, values):
    distinct, counts = np.unique(values, return_counts=True)
    result = computed(distinct, counts, interval)
    expected = every_resample(values, interval, Fraction(19, 20))
    assert_allclose([result.low[0], result.high[0]], expected, rtol=1e-12, atol=1e-14)


def test_a_level_that_the_distribution_reaches_exactly_is_reached():
    # Two coin tosses: P(0 heads) = 1/4, the tail of a 50% interval.
    result = computed([0, 1], [1, 1], "percentile", 0.5)
    assert (result.low, result.high) == (0, 1)
    result = computed([0, 1], [1, 1], "percentile", 0.5 - 1e-9)
    assert (result.low, result.high) == (0.5, 0.5)


@pytest.mark.parametrize("n", [1000, 10**5, 10**6, 10**9])
def test_convolutions_equal_binomials(n):
    k = n // 3
    pair = computed([0, 1], [n - k, k], "percentile", 0.9)
    assert_allclose(pair.low * n, binom.ppf(0.05, n, k / n))
    assert_allclose(pair.high * n, n - binom.ppf(0.05, n, 1 - k / n))


@pytest.mark.parametrize("n", [64, 10**4, 10**7])
def test_a_window_loses_nothing(n, monkeypatch):
    from tallybook.statistics.bootstrap import lattice as bootstrap_lattice

    counts = np.array([[n // 2, n // 4, n // 8, 0, n - n // 2 - n // 4 - n // 8]])
    small = [computed(np.arange(5), counts, interval) for interval in INTERVALS]
    monkeypatch.setattr(bootstrap_lattice, "_NEGLIGIBLE", 1e-60)
    large = [computed(np.arange(5), counts, interval) for interval in INTERVALS]
    assert_allclose(small, large, rtol=1e-14)


def test_transforms_grow_with_the_root_of_the_number_of_values():
    position = np.arange(5)[None, :]
    sizes = [int(transform_sizes(position, np.full((1, 5), n // 5))[0]) for n in (50, 5 * 10**5, 10**9)]
    assert sizes == [256, 2**15, 2**20]
    assert transform_sizes(position, np.full((1, 5), 10**12)) == 0


def test_what_is_too_large_to_compute_is_left_to_simulation():
    assert np.isnan([*computed(np.arange(5), np.full((1, 5), 10**12), "bca")]).all()


@quick
@given(
    origin=st.integers(-50, 50),
    step=st.sampled_from([1.0, 0.1, 0.25, 1 / 3, 1e-9, 1e7]),
    positions=st.sets(st.integers(0, 500), min_size=2, max_size=9),
)
def test_grids_are_found(origin, step, positions):
    place = np.array(sorted(positions))
    grid = common_grid((origin * step + step * place)[None, :], np.ones((1, place.size), dtype=np.int64))
    divisor = np.gcd.reduce(place - place[0])
    assert grid.exists[0]
    assert_array_equal(grid.position[0], (place - place[0]) // divisor)
    assert_allclose(grid.step, step * divisor, rtol=1e-9)


@pytest.mark.parametrize(
    "values",
    [[0.0, 1.0, math.pi], [5.0, 5.0, 5.0], [0.0, 1.0, np.inf], [-np.inf, 0.0, np.inf], [0.0, 1.0, float(LARGEST_GRID)],
     [-1e308, 0.0, 1e308], [0.0, 1e-3, 1e9]],
)  # fmt: skip
def test_values_without_a_grid(values):
    with np.errstate(all="raise"):
        assert not common_grid(np.array([values]), np.array([[1, 2, 3]])).exists[0]


def test_padding_is_no_value():
    padded = common_grid(np.array([[2.0, 4.0, 0.0]]), np.array([[1, 1, 0]]))
    assert (padded.origin, padded.step) == (2, 2)
    assert padded.position.tolist() == [[0, 1, 0]]


@pytest.mark.parametrize("interval", INTERVALS)
@quick
@given(counts=st.lists(st.integers(0, 30), min_size=5, max_size=5).filter(lambda c: sum(map(bool, c)) > 1))
def test_values_may_be_shifted_scaled_and_mirrored(interval, counts):
    plain = computed([1, 2, 3, 4, 5], counts, interval)
    moved = computed([10.5, 11, 11.5, 12, 12.5], counts, interval)
    assert_allclose([moved.low, moved.high], [10 + plain.low / 2, 10 + plain.high / 2], rtol=1e-12)
    mirrored = computed([-5, -4, -3, -2, -1], counts[::-1], interval)
    assert_allclose([-mirrored.high, -mirrored.low], [plain.low, plain.high], rtol=1e-12)
    assert_allclose(mirrored.std_error, plain.std_error, rtol=1e-12)
