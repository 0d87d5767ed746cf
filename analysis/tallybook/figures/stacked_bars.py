"""Stacked bars of percentages: how the categories share the responses of each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.bars import Bars, bar_by_bar, place_segments
from tallybook.figures.parts import (
    NO_DATA,
    as_pandas,
    colours,
    group_axis,
    legend,
    literal,
    names,
    no_bars,
    panels,
    texts,
)
from tallybook.figures.selection import chosen, of_analysis
from tallybook.figures.style import FAINT_INK, ink_on, plain_theme
from tallybook.study.figure_base import Picture
from tallybook.study.naming import term_label
from tallybook_schemas.vocabulary import INVALID

if TYPE_CHECKING:
    from plotnine import ggplot

    from tallybook.figures.grid import Layout
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

# A segment smaller than this has no room for its number, in percent.
SMALLEST_LABELLED = 6.0


class StackedBars(Bars):
    """Bars of 100%: one a level of `x`, split by the terms of an outcome."""

    kind: Literal["stacked-bars"]
    terms: tuple[str, ...]
    """The parts of a bar, in order; together they are all responses."""
    y_label: str = "Percentage (%)"
    """The title of the vertical axis, with the unit."""

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw it; responses that could not be coded are parts too: a bar that ends early would hide them."""
        uncoded = of_analysis(self, estimates, self.analysis, [INVALID])
        rest = uncoded.filter(pl.col("estimate") > 0, outcome=self.outcome).height > 0
        terms = [*self.terms, *([INVALID] if rest and INVALID not in self.terms else [])]
        shown = chosen(study, self, estimates, place, thing="bar", terms=terms)
        shown = shown.with_columns(percent=100 * pl.col("estimate"))
        named = {term: term_label(study, self.outcome, term) for term in terms}
        layout = self.layout(study, shown, named, "percent", room.width)
        return Picture(stacked_bars(shown, layout), alt_text(shown, layout), room.width, self.height(shown))


def stacked_bars(frame: pl.DataFrame, layout: Layout) -> ggplot:
    """Draw 100% stacked bars, one bar a group and one segment a category, in panels.

    Panels side by side are as wide as they have groups. A group without any percentage keeps its place, marked
    "no data".

    `layout`: Which columns are which part; `y` is a percentage, from 0 to 100, and categories run from the lowest
    segment up.
    """
    import plotnine as p9

    segments = place_segments(frame, layout)
    if segments.frame.is_empty():
        return no_bars(layout.title)
    grid = segments.grid
    fills = colours(grid, layout.refusal)
    shown = segments.frame.filter(pl.col("percent") >= SMALLEST_LABELLED).with_columns(
        pl.col("percent").round(0).cast(pl.Int64).cast(pl.String).alias("text"),
        pl.col("category").replace_strict({key: ink_on(colour) for key, colour in fills.items()}).alias("ink"),
    )
    nothing = segments.empty.with_columns(middle=pl.lit(50.0), text=pl.lit(NO_DATA), ink=pl.lit(FAINT_INK))
    # Stacked already: plotnine would do it again, panel by panel.
    segment = p9.aes(y="middle", height="percent", fill="category")
    bars = p9.geom_tile(segment, width=0.86, color="#FFFFFF", size=0.3)
    words = p9.aes(y="middle", label="text", color="ink")
    parts: list[Any] = [
        bars,
        *texts(as_pandas(grid, shown), words),
        *texts(as_pandas(grid, nothing), words, angle=90),
        p9.scale_color_identity(),
        p9.scale_fill_manual(fills, limits=list(grid.categories), labels=names(grid, "category")),
        p9.scale_y_continuous(breaks=range(0, 101, 25), expand=(0, 0)),
        p9.coord_cartesian(ylim=(0, 100)),
        p9.labs(y=literal(layout.y_title), title=literal(layout.title) or None),
        plain_theme(),
        legend(grid, layout.width),
        *group_axis(grid, layout.width),
    ]
    if layout.panel_columns or layout.panel_rows:
        parts.append(panels(grid, layout.width))
    return p9.ggplot(as_pandas(grid, segments.frame), p9.aes("group")) + parts


def alt_text(frame: pl.DataFrame, layout: Layout) -> str:
    """Say in words what `stacked_bars` shows: the categories, and the largest one in each group.

    >>> from tallybook.figures.grid import Layout
    >>> frame = pl.DataFrame({"sex": ["male", "male"], "party": ["left", "right"], "share": [60.0, 40.0]})
    >>> alt_text(frame, Layout(x="sex", fill="party", y="share"))
    'Stacked bars. Vertical axis: Percentage (%). Segments: left, right. Largest in each bar: male: left 60%.'
    """
    segments = place_segments(frame, layout)
    grid = segments.grid
    described = bar_by_bar(grid, segments.largest())
    categories = ", ".join(grid.names["category"][category] for category in grid.categories)
    opening = f"{visible(layout.title).rstrip('.')}. " if layout.title else ""
    shown = f"{opening}Stacked bars. Vertical axis: {visible(layout.y_title)}. Segments: {categories or 'none'}."
    return f"{shown} Largest in each bar: {'. '.join(described)}." if described else f"{shown} No data."
