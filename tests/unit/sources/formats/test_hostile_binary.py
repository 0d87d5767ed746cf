"""Binary files that are made, or damaged, to take the program along: exit 2 and the file's name."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.sources.content import Content
from tallybook.sources.formats import subprocess_reader, tables

if TYPE_CHECKING:
    from pathlib import Path

TABLE = pl.DataFrame({"text": ["a", "b"] * 50, "sample": range(100), "list": [["x"], ["y", "z"]] * 50})


def test_a_cell_in_the_last_row_and_column(tmp_path: Path) -> None:
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    with xlsxwriter.Workbook(tmp_path / "far.xlsx") as book:
        sheet = book.add_worksheet()
        sheet.write(0, 0, "text")
        sheet.write(1_048_575, 16_383, "x")
    with pytest.raises(UsageError, match=r"^far\.xlsx: expected a whole spreadsheet that can be read with 4 GB"):
        list(tables.EXCEL.read(Content(tmp_path, "far.xlsx")))


def test_a_spreadsheet_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("fastexcel")
    pl.concat([TABLE.drop("list")] * 300).write_excel(tmp_path / "a.xlsx")
    monkeypatch.setattr(subprocess_reader, "MOST_SECONDS", 1e-5)
    with pytest.raises(UsageError, match=r"^a\.xlsx: "):
        list(tables.EXCEL.read(Content(tmp_path, "a.xlsx")))


@pytest.mark.parametrize("seed", range(4))
def test_a_damaged_arrow_file_is_refused_or_read(tmp_path: Path, seed: int) -> None:
    whole = io.BytesIO()
    TABLE.write_ipc(whole)
    damaged, chance = bytearray(whole.getvalue()), np.random.default_rng(seed)
    damaged[-40:-8] = chance.bytes(32)  # the end of the footer, which says where everything stands
    (tmp_path / "a.arrow").write_bytes(damaged)
    with pytest.raises(UsageError, match=r"^a\.arrow: expected a whole Arrow file"):
        list(tables.ARROW.read(Content(tmp_path, "a.arrow")))


def test_an_arrow_file_that_ends_the_reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    TABLE.write_ipc(tmp_path / "a.arrow")
    assert len(list(tables.ARROW.read(Content(tmp_path, "a.arrow")))) == 1
    monkeypatch.setattr(subprocess_reader, "MOST_MEMORY", 2**20)
    with pytest.raises(UsageError, match=r"^a\.arrow: expected a whole Arrow file that can be read with"):
        list(tables.ARROW.read(Content(tmp_path, "a.arrow")))
