from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core import remembered
from tallybook.core.remembered import Remembered

if TYPE_CHECKING:
    import pytest


def test_what_recurs_is_computed_once_and_told_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str | None]] = []

    @Remembered
    def lengths(texts: list[str | None]) -> list[int]:
        asked.append(texts)
        return [len(text or "") for text in texts]

    monkeypatch.setattr(remembered, "_MOST", 3)
    assert lengths(["bc", None, "bc"]) == [2, 0, 2]
    assert lengths(["a", "bc", "def"]) == [1, 2, 3]
    assert lengths([]) == []
    assert lengths(["ghij"]) == [4]
    assert lengths(["bc", "ghij"]) == [2, 4], "forgotten, so computed again"
    assert asked == [["bc", None], ["a", "def"], ["ghij"], ["bc"]]
