"""Responses with the same key, in whichever parts of a dump they stand."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybook.core.duplicate_keys import Repeats
from tallybook.core.issue_log import Findings
from tests.unit.statistics.frames import quick

FRAMES = st.lists(
    st.tuples(st.sampled_from("abc"), st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 3)), max_size=6)),
    min_size=1,
    max_size=6,
)


def _same(rows: pl.DataFrame) -> pl.Series:
    return pl.Series([7] * rows.height, dtype=pl.UInt64)


class TestRepeats:
    """Responses with the same key, across parts."""

    @quick
    @given(FRAMES, st.sampled_from(["own", "same", "mixed"]))
    @example([("a", [("x", 1)]), ("b", [("x", 1)])], "mixed")
    def test_exactly_the_repeated_ones(self, frames: list[tuple[str, list[tuple[str, int]]]], hashes: str) -> None:
        """Also if all hashes are the same, or a part of the dump has text for numbers."""
        with pytest.MonkeyPatch.context() as patch:
            if hashes == "same":
                patch.setattr(pl.DataFrame, "hash_rows", _same)
            repeats, parts = Repeats(["item", "sample"]), list[tuple[pl.DataFrame, bool]]()
            for number, (file, rows) in enumerate(frames):
                kind = pl.String if hashes == "mixed" and number % 2 else pl.Int64
                part = pl.DataFrame(
                    [(item, sample, file, f"{number}.{row}") for row, (item, sample) in enumerate(rows)],
                    schema={"item": pl.String, "sample": pl.Int64, "file": pl.String, "key": pl.String},
                    orient="row",
                ).with_columns(pl.col("sample").cast(kind))
                repeats.add(part)
                parts.append((part, file == "a"))
            at_fault, told = repeats.problems(parts, Findings())
        keys = [
            (item, sample, file, f"{number}.{row}")
            for number, (file, rows) in enumerate(frames)
            for row, (item, sample) in enumerate(rows)
        ]
        expected = sorted(
            (key for key in keys if sum(key[:2] == other[:2] for other in keys) > 1), key=lambda key: key[:2]
        )
        assert [(fault.file, fault.key, fault.value) for fault in told] == [
            (file, key, f"{item}, {sample}") for item, sample, file, key in expected
        ]
        assert at_fault == [fault for fault in told if fault.file != "a"]
