"""Rows put down part by part: found again as they were, in memory or in files, and in what order they stand."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core import spill_buffer
from tallybook.core.row_order import Places
from tallybook.core.spill_buffer import RowStore
from tests.unit.statistics.frames import quick

if TYPE_CHECKING:
    from pathlib import Path

FRAMES = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 3)), max_size=6)),
    min_size=1,
    max_size=6,
)


class TestRowStore:
    """What is put down is found again, as it was."""

    @quick
    @given(FRAMES, st.sampled_from([0, 100, 2**20]))
    def test_parts_and_everything(self, frames: list[tuple[str, list[tuple[str, int]]]], in_memory: int) -> None:
        parts = [pl.DataFrame(rows, schema={"m": pl.String, column: pl.Int64}, orient="row") for column, rows in frames]
        with pytest.MonkeyPatch.context() as patch, RowStore() as store:
            patch.setattr(spill_buffer, "IN_MEMORY", in_memory)
            stored = [store.add(part) for part in parts]
            assert [part.height for part in stored] == [part.height for part in parts]
            for one, part in zip(stored, parts, strict=True):
                assert one.collect().equals(part)
                assert one.collect().schema == part.schema
                assert one.scan().select(pl.len()).collect().item() == part.height
            assert store.scan().collect().equals(pl.concat(parts, how="diagonal_relaxed"))

    def test_small_parts_share_a_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(spill_buffer, "IN_MEMORY", 10_000)
        with RowStore(tmp_path) as store:
            for number in range(1000):
                store.add(pl.DataFrame({"number": [number] * 5}))
            assert 1 < len(list(tmp_path.rglob("*.parquet"))) < 10
            assert store.scan().collect()["number"].to_list() == [n for n in range(1000) for _ in range(5)]
        assert not any(tmp_path.iterdir())


@quick
@given(FRAMES, st.permutations("abc"), st.permutations("xyz"))
def test_places_are_those_of_a_stable_sort(
    frames: list[tuple[str, list[tuple[str, int]]]], first: list[str], second: list[str]
) -> None:
    parts = [
        pl.DataFrame({"f": [f] * len(rows), "s": [s for s, _ in rows]}, schema={"f": pl.String, "s": pl.String})
        for f, rows in frames
    ]
    keys = [(first.index(f), second.index(s)) for f, rows in frames for s, _ in rows]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    for levels, expected in (({"f": first, "s": second}, order), ({}, range(len(keys)))):
        places = Places(levels)
        numbered = [places.number(part).lazy() for part in parts]
        found = places.ordered(pl.concat(numbered)).collect()
        assert {place: row for row, place in enumerate(found["position"])} == dict(enumerate(expected))
        assert found.drop("position").equals(pl.concat(parts))


def test_a_store_in_memory_can_be_pickled() -> None:
    """Tests hand the results of published studies to each other's processes."""
    store = RowStore()
    store.add(pl.DataFrame({"a": [1, 2]}))
    assert pickle.loads(pickle.dumps(store)).scan().collect()["a"].to_list() == [1, 2]  # noqa: S301 - written above
