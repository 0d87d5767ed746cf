"""Grouped bars: in each group, one bar for each of several categories, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from pydantic import Field

from tallybook.core.untrusted import visible
from tallybook.figures.bars import Bars, height_of_bars
from tallybook.figures.parts import (
    CHARACTERS_PER_INCH,
    as_pandas,
    colours,
    framed,
    group_axis,
    legend,
    literal,
    names,
    notes,
    room,
    texts,
)
from tallybook.figures.selection import chosen, interval_settings, rescaled
from tallybook.figures.slots import place_slots
from tallybook.figures.style import FONT_SIZE, INK, PAPER, plain_theme
from tallybook.figures.value_axis import ValueAxis, number_scale
from tallybook.figures.words import signs_explained
from tallybook.study.base import Identifier
from tallybook.study.figure_base import Picture
from tallybook.study.presentation import Column

if TYPE_CHECKING:
    from tallybook.figures.grid import Layout
    from tallybook.figures.slots import Slots
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

# The fraction of a group's room that its bars take, and the width of a whisker's ends relative to the bar.
_GROUP, _WHISKER = 0.84, 0.4

# The length of a vertical axis in inches.
_PANEL = 2.5


class GroupedBars(Bars):
    """Bars side by side: a group of them for each level of `x`, all starting at 0.

    One of `x`, `bars`, `panels` and `panel_rows` may be `term` instead of a factor; `bars` is unless another is said.
    """

    kind: Literal["grouped-bars"]
    terms: tuple[str, ...] = Field(min_length=1)
    """The terms of the analysis that are shown, in order."""
    names: dict[str, str] = {}
    """Term -> how it is called in this figure; otherwise as in tables."""
    bars: Identifier = "term"
    """The bars of a group, which have different colours."""
    value: Column = "estimate"
    """Which number of the estimates is shown."""
    scale: int = Field(default=1, ge=1)
    """The factor that it is multiplied by; 100 for percent."""
    interval: bool = True
    """Whether whiskers show the interval, where an estimate has one; no other number has an interval."""

    @property
    def fill(self) -> str:
        """The axis that colours distinguish: `term` or a factor."""
        return self.bars

    def _check_itself(self) -> None:
        super()._check_itself()
        if "term" not in self.axes and len(self.terms) > 1:
            raise ValueError("more than one term, but none of x, bars, panels and panel_rows is 'term'")
        if unknown := [term for term in self.names if term not in self.terms]:
            raise ValueError(f"names: {unknown[0]!r} is not one of the terms")
        if self.value != "estimate" and self.interval and "interval" in self.model_fields_set:
            raise ValueError(f"interval: {self.value!r} has none")

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the bars; a term without any estimate keeps an empty place."""
        shown = chosen(study, self, estimates, place, thing="bar")
        if "term" in self.axes:
            places = shown.select(self.axes).drop("term").unique(maintain_order=True)
            terms = pl.DataFrame({"term": self.terms})
            shown = places.join(terms, how="cross").join(shown, on=self.axes, how="left", nulls_equal=True)
        shown = rescaled(shown, self.scale, self.value, "ci_low", "ci_high")
        named = {term: self.names.get(term, "") for term in self.terms}
        whiskers = interval_settings(shown) if self.interval and self.value == "estimate" else {}
        numbers: dict[str, Any] = {"y": self.value, "missing": study.style.missing, **whiskers}
        return grouped_bars(shown, self.layout(study, shown, named, width=room.width, **numbers))


def grouped_bars(frame: pl.DataFrame, layout: Layout) -> Picture:
    """Draw bars side by side, one group of bars for each value of `x` and one bar for each category, in panels.

    Bars start at 0. A value that does not exist leaves a gap with a sign, without a whisker. Where there are
    whiskers or signs, a line below the panels explains them.
    """
    import plotnine as p9

    slots = place_slots(frame, layout)
    grid = slots.grid
    lowest, highest = slots.reach()
    axis = ValueAxis(None if lowest < highest else (0.0, 1.0))
    scale, ends = number_scale(axis.ends(lowest, highest), _PANEL, edge=0)
    explained = [] if slots.intervals().is_empty() else [f"Whiskers: {visible(layout.interval)}."]
    signs = [] if slots.empty().is_empty() else [signs_explained(layout.missing)]
    parts: list[Any] = [
        *_layers(slots, layout),
        scale,
        p9.coord_cartesian(ylim=ends),
        p9.labs(y=literal(layout.y_title), caption=notes([*explained, *signs], layout.width) or None),
        plain_theme(),
        *group_axis(grid, layout.width),
    ]
    if not slots.filled().is_empty():
        fills = colours(grid, layout.refusal)
        parts.append(p9.scale_fill_manual(fills, limits=list(grid.categories), labels=names(grid, "category")))
        parts.append(legend(grid, layout.width))
    if lowest < 0:
        parts.append(p9.geom_hline(yintercept=0, color=INK, size=0.4))
    parts += framed(grid, layout, "free_x")
    said = slots.in_words(layout, "Grouped bars", axis="Vertical", categories="Bars", explained=explained)
    plot = p9.ggplot(as_pandas(grid, slots.frame), p9.aes("group")) + parts
    return Picture(plot, said, layout.width, height_of_bars(grid))


def _layers(slots: Slots, layout: Layout) -> list[Any]:
    """Return the layers of bars, whiskers and signs: one of each for every category, side by side."""
    import plotnine as p9

    grid = slots.grid
    width = _GROUP / len(grid.categories)
    lowest, highest = slots.reach()
    inches = room(grid, layout.width) * width
    look: dict[str, Any] = {
        "size": FONT_SIZE,
        "fontweight": "bold",
        "va": "top" if lowest < highest == 0 else "bottom",
        "angle": 90 if len(visible(layout.missing)) > inches * CHARACTERS_PER_INCH else 0,
    }
    layers: list[Any] = []
    for offset, filled, whiskers, signs in slots.by_category(grid, layout.missing):
        place: Any = {"position": p9.position_nudge(x=offset * width)}
        if len(filled):
            height = p9.aes(y="value", fill="category")
            layers.append(p9.geom_col(height, filled, width=width, color=INK, size=0.2, **place))
        if len(whiskers):
            # Dark lines with light edges are visible on light and on dark bars.
            ends, settings = p9.aes(ymin="low", ymax="high"), {"width": width * _WHISKER, **place}
            layers.append(p9.geom_errorbar(ends, whiskers, color=PAPER, size=0.9, **settings))
            layers.append(p9.geom_errorbar(ends, whiskers, color=INK, size=0.4, **settings))
        layers += texts(signs, p9.aes(y=0, label="sign"), **look, **place)
    return layers
