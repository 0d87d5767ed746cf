"""The page on pairs of likelihoods: its dump and its study give its table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.paths import DOCS
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = DOCS / "likelihood-pairs.md"


def test_from_dump_to_table(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    ((dump,), (study,)) = (re.findall(rf"```{kind}\n(.*?)```", page, flags=re.DOTALL) for kind in ("text", "toml"))
    (tmp_path / "pairs.csv").write_text(dump)
    (tmp_path / "study.toml").write_text(study)
    cells = computed(tmp_path / "study.toml").tables.cells
    printed = re.findall(r"\| (Orion|Vega) \| (\S+) \| (\S+) \| (\S+) \|", page)
    assert len(printed) == 2
    for model, *texts in printed:
        assert cells.filter(row=model.lower())["text"].to_list() == texts
