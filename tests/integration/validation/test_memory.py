"""However many rows fail, those that are in memory are few."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import polars as pl
import pytest

if TYPE_CHECKING:
    from pathlib import Path

SCHEMA = {
    "fields": [
        {"name": "id", "constraints": {"unique": True}},
        {"name": "score", "type": "number", "constraints": {"maximum": 1}},
    ]
}


def peak(folder: Path, rows: int) -> int:
    """The megabytes that validation takes of rows that all fail twice: a score of its own, and a key of two rows."""
    number = pl.int_range(rows)
    table = pl.select(pl.format("response {}", number // 2).alias("id"), (number + 1.5).alias("score"))
    table.write_parquet(folder / "responses.parquet")
    command = [sys.executable, "-m", "tallybook", "validate", "responses.parquet", "-s", "schema.json"]
    with (folder / "told.txt").open("w") as told, subprocess.Popen(command, cwd=folder, stdout=told) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 1
    assert f"invalid: {2 * rows:,} errors; 1 file, {rows:,} rows" in (folder / "told.txt").read_text(encoding="utf-8")
    return usage.ru_maxrss // 1024


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory is told in other units elsewhere")
def test_three_times_as_many_failures_take_hardly_more(tmp_path: Path) -> None:
    (tmp_path / "schema.json").write_text(json.dumps(SCHEMA), encoding="utf-8")
    few, many = peak(tmp_path, 200_000), peak(tmp_path, 600_000)
    assert many < few + 200  # they took 300 more when all were in memory; how soon memory is returned varies
