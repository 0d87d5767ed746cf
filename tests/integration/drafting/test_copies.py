"""The same export twice in a folder counts once, or is refused; equal answers of two runs are no copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError
from tallybook.drafting.starting import outline, start
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _table(first: int, *, with_ids: bool = True) -> pl.DataFrame:
    rows: list[dict[str, Any]] = [
        {
            "model": "ab"[number % 2],
            "name": ("Jamal", "Emily", "Greg")[number // 2 % 3],
            "response": ["Yes.", "No."][number % 5 % 2],
        }
        | ({"response_id": f"r{number * 7919 + first}"} if with_ids else {})
        for number in range(30)
    ]
    return pl.DataFrame(rows)


def _same_bytes(folder: Path) -> None:
    for name in ("x.csv", "x (1).csv"):
        _table(0, with_ids=False).write_csv(folder / name)


def _in_another_order(folder: Path) -> None:
    _table(0).write_csv(folder / "a.csv")
    _table(0).sample(fraction=1, shuffle=True, seed=1).write_csv(folder / "b.csv")


def _in_another_format(folder: Path) -> None:
    _table(0).write_csv(folder / "answers.csv")
    _table(0).write_ndjson(folder / "answers.jsonl")


def _in_another_folder(folder: Path) -> None:
    for name in ("export", "old"):
        (folder / name).mkdir()
        _table(0).write_csv(folder / name / "x.csv")


@pytest.mark.parametrize("write", [_same_bytes, _in_another_order, _in_another_format, _in_another_folder])
def test_a_copy_counts_once(tmp_path: Path, write: Callable[[Path], None]) -> None:
    (tmp_path / "dump").mkdir()
    write(tmp_path / "dump")
    made = start([tmp_path / "dump"], tmp_path / "study", [])
    assert read(made.files[0]).coded.height == 30
    assert sum("is not read, so that each response counts once" in doubt for doubt in made.draft.doubts) == 1


def test_other_files_beside_a_copy_are_read(tmp_path: Path) -> None:
    for name, first in (("day1.csv", 0), ("day1 copy.csv", 0), ("day2.csv", 5)):
        _table(first).write_csv(tmp_path / name)
    assert outline([tmp_path], tmp_path / "study", []).rows == 60


def test_records_that_a_file_repeats_are_refused(tmp_path: Path) -> None:
    pl.concat([_table(0), _table(0)]).write_csv(tmp_path / "all.csv")
    with pytest.raises(DataError, match="with its id, is equal to an earlier one") as refused:
        outline([tmp_path / "all.csv"], tmp_path, [])
    assert len(refused.value.problems) == 30


def test_runs_with_equal_answers_are_read_and_said(tmp_path: Path) -> None:
    for run in "12":
        (tmp_path / f"run_{run}").mkdir()
        _table(0, with_ids=False).write_csv(tmp_path / f"run_{run}" / "x.csv")
    made = outline([tmp_path], tmp_path / "study", [])
    assert made.rows == 60
    assert any("have the same bytes: if one is a copy, leave it out" in doubt for doubt in made.draft.doubts)
