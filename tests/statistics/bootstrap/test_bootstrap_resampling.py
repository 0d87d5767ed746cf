"""Multinomial resamples and the jackknife of counts, against R's boot and slow rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.bootstrap import resampling as bootstrap_resampling
from tallybook.statistics.bootstrap.count_statistics import mean
from tallybook.statistics.bootstrap.resampling import acceleration, replicates
from tallybook.statistics.seeds import stream_keys
from tests.statistics.count_statistics import standard_deviation, variance
from tests.statistics.frames import quick


def skewness(counts, values):
    n = counts.sum(axis=-1)
    offset = values - mean(counts, values)[..., None]
    return (counts * offset**3).sum(axis=-1) / n / ((counts * offset**2).sum(axis=-1) / n) ** 1.5


STATISTICS = {"mean": mean, "variance": variance, "standard_deviation": standard_deviation, "skewness": skewness}


def test_acceleration_equals_r(oracle):
    cells = oracle("bootstrap_acceleration")
    counts, values = (np.stack([cells[f"{name}.{i}"] for i in range(1, 6)], axis=1) for name in ("count", "x"))
    compared = 0
    for name, statistic in STATISTICS.items():
        rows = cells["statistic"] == name
        with np.errstate(all="ignore"):
            result = acceleration(
                counts[rows][:, None].astype(np.int64),
                lambda units, s=statistic, v=values[rows]: s(units[:, :, 0], v[:, None]),
            )
        # The influences of variances and skewnesses are differences of almost equal numbers.
        assert_allclose(result, cells["acceleration"][rows], rtol=1e-9, atol=1e-12)
        compared += rows.sum()
    assert compared == cells["acceleration"].size


def slow_acceleration(samples, statistic):
    """Row by row: leave out one observation of one sample at a time."""
    cubes, squares = 0.0, 0.0
    for place, sample in enumerate(samples):
        left_out = []
        for row in range(len(sample)):
            rest = [own if i != place else np.delete(own, row) for i, own in enumerate(samples)]
            left_out.append(statistic(*rest))
        influence = (len(sample) - 1) * (np.mean(left_out) - np.array(left_out))
        cubes += (influence**3).sum() / len(sample) ** 3
        squares += (influence**2).sum() / len(sample) ** 2
    return cubes / (6 * squares**1.5)


COUNTS = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(lambda c: sum(c) > 2 and sum(map(bool, c)) > 1)
SCORES = np.array([0.0, 1.0, 5.0, 2.0])


@quick
@given(COUNTS, COUNTS)
def test_acceleration_of_two_samples_equals_that_of_rows(first, second):
    def difference(units):
        return mean(units[:, :, 0], SCORES) - mean(units[:, :, 1], SCORES) ** 2

    result = acceleration(np.array([[first, second]]), difference)
    rows = [np.repeat(SCORES, counts) for counts in (first, second)]
    expected = slow_acceleration(rows, lambda a, b: a.mean() - b.mean() ** 2)
    assert_allclose(result, expected, rtol=1e-9, atol=1e-12)


def test_a_statistic_that_no_unit_changes_has_no_acceleration():
    assert acceleration(np.array([[[3, 2]]]), lambda units: np.ones(units.shape[:2])) == 0


MULTIPLICITY = np.array([[[5, 0, 3, 1]], [[1, 1, 0, 0]], [[0, 0, 0, 7]], [[10**9, 1, 10**9, 0]]])
KEYS = stream_keys(0, pl.DataFrame({"cell": range(4)}), "x")[:, None]


def drawn_counts(multiplicity, keys, resamples):
    """The resamples themselves."""
    seen = []

    def watch(units):
        seen.append(units.copy())
        return units[:, :, 0, 0]

    replicates(multiplicity, watch, keys, resamples)
    return np.concatenate(seen, axis=1)


def test_resamples_have_the_size_of_the_sample_and_its_values_only():
    drawn = drawn_counts(MULTIPLICITY, KEYS, 500)
    assert drawn.shape == (4, 500, 1, 4)
    assert_array_equal(drawn.sum(axis=(2, 3)), np.broadcast_to(MULTIPLICITY.sum(axis=(1, 2))[:, None], (4, 500)))
    assert_array_equal(drawn.sum(axis=1) > 0, MULTIPLICITY > 0)


def test_resamples_are_multinomial():
    counts = np.array([[[50, 30, 20]]])
    drawn = drawn_counts(counts, KEYS[:1], 40_000)[0, :, 0]
    share = counts[0, 0] / 100
    # Within 5 standard errors, with this seed.
    assert_allclose(drawn.mean(axis=0), 100 * share, atol=5 * np.sqrt(100 * 0.25 / 40_000))
    assert_allclose(np.cov(drawn.T), 100 * (np.diag(share) - np.outer(share, share)), atol=5 * 25 * np.sqrt(2 / 40_000))


@pytest.mark.parametrize("block", [1, 7, 100, 10**4])
def test_how_the_work_is_cut_does_not_matter(block, monkeypatch):
    whole = drawn_counts(MULTIPLICITY, KEYS, 300)
    weight = acceleration(MULTIPLICITY[:2], lambda units: variance(units[:, :, 0], SCORES))
    monkeypatch.setattr(bootstrap_resampling, "BLOCK", block)
    assert_array_equal(drawn_counts(MULTIPLICITY, KEYS, 300), whole)
    assert_array_equal(acceleration(MULTIPLICITY[:2], lambda units: variance(units[:, :, 0], SCORES)), weight)


def test_cells_and_strata_draw_for_themselves():
    whole = drawn_counts(MULTIPLICITY, KEYS, 50)
    assert_array_equal(drawn_counts(MULTIPLICITY[1:2], KEYS[1:2], 50), whole[1:2])
    two = drawn_counts(MULTIPLICITY[None, :2, 0], KEYS[None, :2, 0], 50)
    assert_array_equal(two[0].swapaxes(0, 1), whole[:2, :, 0])


def test_fewer_resamples_are_the_first_ones():
    assert_array_equal(drawn_counts(MULTIPLICITY, KEYS, 20), drawn_counts(MULTIPLICITY, KEYS, 50)[:, :20])


def test_an_empty_stratum_stays_empty():
    assert drawn_counts(np.zeros((1, 1, 3), dtype=np.int64), KEYS[:1], 5).sum() == 0
