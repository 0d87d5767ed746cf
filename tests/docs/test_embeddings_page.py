"""The page on embeddings: its dump and its study give its table."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.paths import DOCS
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = DOCS / "embeddings.md"


def test_from_dump_to_table(tmp_path: Path) -> None:
    page = PAGE.read_text(encoding="utf-8")
    (dump,) = re.findall(r"```text\n(.*?)```", page, flags=re.DOTALL)
    study, combined = re.findall(r"```toml\n(.*?)```", page, flags=re.DOTALL)
    (tmp_path / "embeddings.csv").write_text(dump)
    (tmp_path / "study.toml").write_text(study)
    found = computed(tmp_path / "study.toml")
    texts = found.tables.cells["text"].to_list()
    (printed,) = re.findall(r"\| Orion \| (\S+) \| (\S+) \| (\S+) \|", page)
    assert texts == [*printed]
    (tmp_path / "study.toml").write_text(study + combined)  # a context a word: all draws are the same
    both = computed(tmp_path / "study.toml").estimates
    weat, ceat = (both.filter(analysis=name).row(0, named=True) for name in ("weat", "ceat"))
    assert ceat["estimate"] == pytest.approx(weat["effect"], rel=1e-12)
    assert [ceat[name] for name in ("p_value", "statistic", "effect")] == [
        weat[name] for name in ("p_value", "estimate", "effect")
    ]
