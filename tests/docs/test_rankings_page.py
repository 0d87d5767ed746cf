"""The page of rankings and amounts: its dumps and studies give its tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.paths import DOCS
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (DOCS / "rankings-and-amounts.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "place", "statuses"),
    [("rankings", 0, {"ok": 7, "refused": 1}), ("salaries", 1, {"ok": 6, "invalid": 2})],
)
def test_from_dump_to_table(tmp_path: Path, name: str, place: int, statuses: dict[str, int]) -> None:
    dump, study = (re.findall(rf"(?s)```{kind}\n(.*?)```", PAGE)[place] for kind in ("csv", "toml"))
    (tmp_path / f"{name}.csv").write_text(dump, encoding="utf-8")
    (tmp_path / "study.toml").write_text(study, encoding="utf-8")
    found = computed(tmp_path / "study.toml")
    assert {status: n for status, n in found.source.by_status.items() if n} == statuses
    printed = [[cell.strip() for cell in row.split("|")[2:-1]] for row in re.findall(r"\| (?:Orion|Vega).*", PAGE)]
    printed = [cells for cells in printed if len(cells) == (2, 1)[place]]
    cells = found.tables.cells.get_column("text").to_list()
    assert [text.replace(",", "") for text in cells] == [text for row in printed for text in row]
