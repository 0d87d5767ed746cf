"""The page on embeddings: its dump and its study give its table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tests.paths import DOCS
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = DOCS / "embeddings.md"


def test_from_dump_to_table(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    ((dump,), (study,)) = (re.findall(rf"```{kind}\n(.*?)```", page, flags=re.DOTALL) for kind in ("text", "toml"))
    (tmp_path / "embeddings.csv").write_text(dump)
    (tmp_path / "study.toml").write_text(study)
    texts = computed(tmp_path / "study.toml").tables.cells["text"].to_list()
    (printed,) = re.findall(r"\| Orion \| (\S+) \| (\S+) \| (\S+) \|", page)
    assert texts == [*printed]
