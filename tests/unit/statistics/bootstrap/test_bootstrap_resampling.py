"""Multinomial resamples and the jackknife of counted values, against R's boot and slow rows."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.bootstrap.intervals import acceleration, draws
from tallybook.statistics.seeds import stream_keys
from tests.unit.statistics.frames import quick


def test_acceleration_equals_r(oracle):
    cells = oracle("bootstrap_acceleration")
    counts, values = (np.stack([cells[f"{name}.{i}"] for i in range(1, 6)], axis=1) for name in ("count", "x"))
    assert_allclose(acceleration(values, counts), cells["acceleration"], rtol=1e-9, atol=1e-12)


COUNTS = st.lists(st.integers(0, 6), min_size=4, max_size=4).filter(lambda c: sum(c) > 2 and sum(map(bool, c)) > 1)
SCORES = np.array([0.0, 1.0, 5.0, 2.0])


@quick
@given(COUNTS)
def test_acceleration_leaves_out_one_value_at_a_time(counts):
    rows = np.repeat(SCORES, counts)
    left_out = np.array([np.delete(rows, place).mean() for place in range(rows.size)])
    influence = (rows.size - 1) * (left_out.mean() - left_out)
    expected = (influence**3).sum() / (6 * (influence**2).sum() ** 1.5)
    assert_allclose(acceleration(SCORES[None], np.array([counts])), [expected], rtol=1e-9, atol=1e-12)


def test_equal_values_have_no_acceleration():
    assert acceleration(np.array([[4.0, 4.0]]), np.array([[3, 2]])) == 0


COUNTED = np.array([[5, 0, 3, 1], [1, 1, 0, 0], [0, 0, 0, 7], [10**9, 1, 10**9, 0]])
KEYS = stream_keys(0, pl.DataFrame({"cell": range(4)}), "x")


def drawn(counts, key, resamples, step=1000):
    return np.concatenate(draws(counts, key, resamples, step))


@pytest.mark.parametrize(("counts", "key"), [*zip(COUNTED, KEYS, strict=True)])
def test_resamples_have_the_size_of_the_sample_and_its_values_only(counts, key):
    found = drawn(counts, key, 500)
    assert found.shape == (500, 4)
    assert_array_equal(found.sum(axis=1), counts.sum())
    assert_array_equal(found.sum(axis=0) > 0, counts > 0)


def test_resamples_are_multinomial():
    counts = np.array([50, 30, 20])
    found, share = drawn(counts, KEYS[0], 40_000), counts / 100
    # Within 5 standard errors, with this seed.
    assert_allclose(found.mean(axis=0), 100 * share, atol=5 * np.sqrt(100 * 0.25 / 40_000))
    assert_allclose(np.cov(found.T), 100 * (np.diag(share) - np.outer(share, share)), atol=5 * 25 * np.sqrt(2 / 40_000))


@pytest.mark.parametrize("step", [1, 7, 100])
def test_how_the_work_is_cut_does_not_matter(step):
    assert_array_equal(drawn(COUNTED[0], KEYS[0], 300, step), drawn(COUNTED[0], KEYS[0], 300))


def test_fewer_resamples_are_the_first_ones():
    assert_array_equal(drawn(COUNTED[0], KEYS[0], 20), drawn(COUNTED[0], KEYS[0], 50)[:20])


def test_no_values_stay_none():
    assert drawn(np.zeros(3, dtype=np.int64), KEYS[0], 5).sum() == 0
