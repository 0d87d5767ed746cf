"""The tutorial runs, and says what is true."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.docs import tutorial

if TYPE_CHECKING:
    from pathlib import Path

    from plotnine import ggplot

TEXT = tutorial.TUTORIAL.read_text(encoding="utf-8")
NUMBER = re.compile(r"(?<![\w.])\d+(?:[.,]\d+)*(?![\w])")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, object]]:
    return tutorial.run(TEXT, tmp_path_factory.mktemp("tutorial"))


def test_every_cell_shows_what_the_page_says(ran: list[tuple[str, object]]) -> None:
    cells = tutorial.cells(TEXT)
    assert len(cells) == TEXT.count("```{python}") == len(ran)
    for cell, (shown, _) in zip(cells, ran, strict=True):
        assert cell.shown == shown, cell.code
    assert sum(bool(cell.shown) for cell in cells) == len(cells) - 1  # figures apart


def test_the_figure_can_be_drawn(ran: list[tuple[str, object]]) -> None:
    figures: list[ggplot] = [value for _, value in ran if hasattr(value, "_repr_mimebundle_")]
    assert len(figures) == 1
    data, _ = figures[0]._repr_mimebundle_()
    assert data["image/png"]


def test_the_proses_numbers_stand_in_what_is_shown_beside_them() -> None:
    parts = re.split(r"(?ms)(^```\{python\}\n.*?^```\n(?:\n<div .*?</div>\n)?)", TEXT)
    checked = 0
    for number in range(0, len(parts), 2):
        beside = NUMBER.findall("".join(parts[max(number - 1, 0) : number : 1] + parts[number + 1 : number + 2]))
        for found in NUMBER.findall(tutorial.prose(parts[number])):
            assert found in beside, parts[number]
            checked += 1
    assert checked >= 4


def test_what_is_shown_is_not_rendered_twice(tmp_path: Path) -> None:
    """Quarto runs the cells itself: what code hosts show stands in an element that it leaves out of a page."""
    pypandoc = pytest.importorskip("pypandoc")
    page = tmp_path / "page.md"
    page.write_text(TEXT.replace("```{python}", "```python"), encoding="utf-8")  # Quarto has run the cells before
    blocks = json.loads(pypandoc.convert_file(str(page), "json", format="markdown"))["blocks"]
    left_out = [block for block in blocks if block["t"] == "Div"]
    assert len(left_out) == sum(bool(cell.shown) for cell in tutorial.cells(TEXT))
    assert all(block["c"][0] == ["", ["content-visible"], [["when-format", "gfm"]]] for block in left_out)
