"""Random streams depend on the seed and the cell's key, and on nothing else."""

from __future__ import annotations

import hashlib
from datetime import date

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from tallybook.statistics.seeds import stream, stream_keys

CELLS = pl.DataFrame({
    "model": ["a", "b", "a", None],
    "prompt": [1, 1, 2, 2],
    "day": [date(2025, 1, 1), None, date(2025, 1, 2), date(2025, 1, 1)],
    "odd": ["é\n", '","', "x", ""],
})  # fmt: skip


def test_a_key_is_the_digest_of_what_is_documented():
    keys = stream_keys(7, CELLS.select("prompt", "model").tail(1), "bootstrap")
    digest = hashlib.sha256(b'[7,"bootstrap",[["model",null],["prompt","2"]]]').digest()
    assert keys[0].tolist() == [int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:16], "little")]


@given(st.permutations(range(CELLS.height)), st.permutations(CELLS.columns))
def test_the_order_of_rows_and_columns_does_not_matter(rows, columns):
    moved = CELLS[rows].select(columns)
    assert_array_equal(stream_keys(3, moved, "bootstrap"), stream_keys(3, CELLS, "bootstrap")[rows])


def test_the_cells_beside_a_cell_do_not_matter():
    assert_array_equal(stream_keys(3, CELLS[2:3], "x"), stream_keys(3, CELLS, "x")[2:3])


def test_equal_levels_of_other_types_have_equal_keys():
    text = CELLS.with_columns(pl.col("model").cast(pl.Categorical), pl.col("prompt").cast(pl.Int8))
    assert_array_equal(stream_keys(3, text, "x"), stream_keys(3, CELLS, "x"))


def test_seeds_purposes_and_cells_have_keys_of_their_own():
    keys = [stream_keys(seed, CELLS, purpose) for seed in (0, 1, -1, 2**200) for purpose in ("a", "b")]
    assert len({tuple(key) for part in keys for key in part.tolist()}) == 8 * CELLS.height
    # A null is no text, and a value does not run over into the next one.
    pairs = pl.DataFrame({"x": ["a", "ab", None, "null"], "y": ["bc", "c", "", ""]})
    assert len({tuple(key) for key in stream_keys(0, pairs, "a").tolist()}) == 4


@pytest.mark.parametrize("cells", [pl.DataFrame(height=1), pl.DataFrame()])
def test_no_columns_are_one_cell(cells):
    assert stream_keys(0, cells, "x").shape == (1, 2)


def test_no_cells_have_no_keys():
    assert stream_keys(0, CELLS.head(0), "x").shape == (0, 2)


def test_streams_start_at_their_beginning():
    key = stream_keys(0, CELLS, "x")[0]
    first, second = stream(key), stream(key)
    assert_array_equal(first.integers(2**62, size=10), second.integers(2**62, size=10))
    assert (first.integers(2**62, size=5) != stream(key).integers(2**62, size=5)).all()
    assert np.random.Philox(key=key).random_raw() == stream(key).bit_generator.random_raw()
