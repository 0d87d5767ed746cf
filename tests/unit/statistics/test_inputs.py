"""What every statistic asks of its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.statistics.estimates import counted

if TYPE_CHECKING:
    from random import Random


def test_equal_combinations_are_added_up_and_sorted() -> None:
    frame = pl.DataFrame({"cell": ["b", "a", "b"], "x": [1.0, 2.0, 1.0], "count": [2, 3, 4], "other": [0, 0, 0]})
    assert counted(frame, ["cell"], ["x"]).rows() == [("a", 2.0, 3), ("b", 1.0, 6)]


def test_what_is_no_observation_is_left_out() -> None:
    frame = pl.DataFrame({"x": [1.0, None, float("nan"), 2.0], "y": ["a", "a", "a", None], "count": [1, 1, 1, 1]})
    assert counted(frame, [], ["x", "y"]).rows() == [(1.0, "a", 1)]
    assert counted(frame, [], ["x"]).rows() == [(1.0, 1), (2.0, 1)]
    assert counted(pl.DataFrame({"x": [1], "count": [0]}), [], ["x"]).rows() == []


@pytest.mark.parametrize(
    ("count", "message"),
    [
        ([1, -2], "row 1 has count -2: expected a whole number, at least 0"),
        ([1, None], "row 1 has count None"),
        ([0.5, 1.0], r"row 0 has count 0\.5"),
    ],
)
def test_impossible_counts_are_errors(count: list[float | None], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        counted(pl.DataFrame({"x": [1, 2], "count": count}), [], ["x"])


@pytest.mark.parametrize("missing", ["cell", "x", "count"])
def test_a_missing_column_is_named(missing: str) -> None:
    frame = pl.DataFrame({"cell": ["a"], "x": [1], "count": [1]}).drop(missing)
    with pytest.raises(ValueError, match=f"no column '{missing}': expected cell, x, count"):
        counted(frame, ["cell"], ["x"])


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3), st.integers(0, 9))), st.randoms())
def test_the_order_of_rows_does_not_matter(rows: list[tuple[int, int, int]], random: Random) -> None:
    schema = {"cell": pl.Int64, "x": pl.Int64, "count": pl.Int64}
    shuffled = list(rows)
    random.shuffle(shuffled)
    first = counted(pl.DataFrame(rows, schema=schema, orient="row"), ["cell"], ["x"])
    assert first.equals(counted(pl.DataFrame(shuffled, schema=schema, orient="row"), ["cell"], ["x"]))
    assert first["count"].sum() == sum(count for _, _, count in rows)
