"""Repeated keys are just those that a plain comparison of all rows finds, however few rows are in memory at once."""

from __future__ import annotations

from collections import Counter
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core import duplicate_keys, spill_buffer
from tallybook.core.duplicate_keys import RepeatedKeys
from tests.unit.statistics.frames import quick

PARTS = st.lists(
    st.lists(st.tuples(st.sampled_from(["x", "y", "", None]), st.none() | st.integers(0, 3)), max_size=8),
    min_size=1,
    max_size=6,
)


LIMITS = st.sampled_from([1, 3, 2**20])


def _few_hashes(rows: pl.DataFrame) -> pl.Series:
    return rows.select(
        pl.col("n").fill_null(-1).cast(pl.Int64).cast(pl.UInt64, strict=False).fill_null(2**63)
    ).to_series()


@quick
@given(PARTS, LIMITS, LIMITS, st.sampled_from([0, 2**25]), st.booleans())
def test_just_the_repeated_ones(parts: Any, at_once: int, most: int, in_memory: int, same: bool) -> None:
    rows = [(item, number, f"{part}.{row}") for part, of in enumerate(parts) for row, (item, number) in enumerate(of)]
    times = Counter((item, number) for item, number, _ in rows)
    expected = sorted(place for item, number, place in rows if times[item, number] > 1)
    frames = [
        pl.DataFrame(
            [(item, number, f"{part}.{row}") for row, (item, number) in enumerate(of)],
            schema={"t": pl.String, "n": pl.Int64, "place": pl.String},
            orient="row",
        )
        for part, of in enumerate(parts)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(duplicate_keys, "AT_ONCE", at_once)
        patch.setattr(duplicate_keys, "MOST", most)
        patch.setattr(spill_buffer, "IN_MEMORY", in_memory)
        if same:
            patch.setattr(pl.DataFrame, "hash_rows", _few_hashes)
        repeated = RepeatedKeys(["t", "n"])
        for frame in frames:
            repeated.add(frame)
        found = list(repeated.among(frames))
    assert sorted(place for frame in found for place in frame["place"]) == expected
    assert all(frame.columns == ["t", "n", "place"] for frame in found)


def test_rows_are_only_read_again_if_some_are_suspect() -> None:
    repeated = RepeatedKeys(["n"])
    repeated.add(pl.DataFrame({"n": [1, 2, 3]}))

    def again() -> Any:
        raise AssertionError
        yield

    assert list(repeated.among(again())) == []


def test_one_key_of_very_many_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duplicate_keys, "AT_ONCE", 1000)
    monkeypatch.setattr(duplicate_keys, "MOST", 100)
    monkeypatch.setattr(spill_buffer, "IN_MEMORY", 10_000)
    parts = [pl.DataFrame({"n": [7] * 500 + [part]}).with_row_index("row") for part in range(8)]
    repeated = RepeatedKeys(["n"])
    for part in parts:
        repeated.add(part)
    found = pl.concat(repeated.among(parts))
    assert found["n"].to_list() == [7] * 4001
    assert found["row"].to_list() == [row for part in range(8) for row in range(501 if part == 7 else 500)]


def test_a_constant_column_need_not_be_hashed() -> None:
    rows = pl.DataFrame({"item": ["a", "b", "a"], "sample": 0})
    hashes = RepeatedKeys(["item", "sample"], constant=["sample"]).add(rows)
    assert hashes.to_list() == RepeatedKeys(["item"]).add(rows).to_list()
    assert RepeatedKeys(["sample"], constant=["sample"]).add(rows).n_unique() == 1
