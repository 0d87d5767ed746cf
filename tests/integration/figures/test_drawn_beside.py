"""Figures drawn by other processes: the same files and words as drawn here."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.figures import drawing
from tallybook.figures.drawing import draw, drawing_in_processes
from tests.integration.figures.test_drawing import estimates, grouped, stacked

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study


@pytest.fixture
def drawn(study: Study) -> Study:
    return study.model_copy(update={"figures": (grouped(), stacked())})


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("worth", [1, 3])
def test_the_same_files_and_words(drawn: Study, worth: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_WORTH_A_PROCESS", worth)
    expected = {figure.id: draw(drawn, figure, estimates(), tmp_path / "here") for figure in drawn.figures}
    told: list[int] = []
    with drawing_in_processes(drawn, estimates(), tmp_path / "beside") as collect:
        assert collect(told.append) == expected
    assert sum(told) == 2
    assert contents(tmp_path / "beside") == contents(tmp_path / "here")
