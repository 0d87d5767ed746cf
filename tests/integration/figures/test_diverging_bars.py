"""Diverging bars: where each answer lies, what is left over, and hostile labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.figures.grid import Layout
from tallybook.figures.stacked_bars import stacked_bars
from tests.integration.figures.drawn import HOSTILE, laid_out, rectangles, words

if TYPE_CHECKING:
    from collections.abc import Sequence

SCALE = ["low", "rather low", "middle", "high"]
SHARES: dict[str, list[float | None]] = {"m1": [10, 20, 30, 40], "m2": [5, 5, 10, 20], "m3": [None] * 4}


def drawn(centre: float, rest_label: str = "none", **shares: Sequence[float | None]) -> tuple[Any, str]:
    rows = [
        {"model": model, "term": term, "share": share}
        for model, found in (shares or SHARES).items()
        for term, share in zip(SCALE, found, strict=True)
    ]
    frame = pl.DataFrame(rows, schema={"model": pl.String, "term": pl.String, "share": pl.Float64})
    picture = stacked_bars(frame, Layout(x="model", fill="term", y="share"), centre, rest_label)
    return laid_out(picture.plot), picture.alt_text


@pytest.mark.parametrize(
    ("centre", "bottoms"),
    [
        (2.5, [-45, -35, -15, 15]),  # the third lies across zero
        (2.0, [-30, -20, 0, 30]),
        (0.5, [-5, 5, 25, 55]),
    ],
)
def test_a_bar_goes_from_the_lowest_to_the_highest_without_gaps(centre: float, bottoms: list[float]) -> None:
    figure, _ = drawn(centre)
    first = sorted(rectangles(figure.axes[0]))[:4]
    assert [bottom for _, bottom, _, _ in first] == pytest.approx(bottoms)
    assert [height for _, _, height, _ in first] == pytest.approx([10, 20, 30, 40])
    assert len({colour for *_, colour in first}) == len(SCALE)


def test_other_responses_and_none_at_all_are_said() -> None:
    figure, described = drawn(2.5)
    assert {"60%\nnone", "no data"} < {*words(figure.axes[0])}
    assert not [text for text in words(figure.axes[0]) if text.startswith("0%")]
    assert "m1: 45% below zero, 55% above; m2: 15% below zero, 25% above; m3: no data" in described


def test_labels_are_no_formulas() -> None:
    with pytest.warns(UserWarning, match="Glyph"):
        figure, described = drawn(2.5, HOSTILE, **{HOSTILE: [10, 20, 30, 20]})
    assert described.isprintable()
    assert figure.axes
