"""Diverging stacked bars: the answers of a scale to both sides of zero, the middle one across it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.bars import Bars, bar_by_bar, place_segments
from tallybook.figures.parts import NO_DATA, as_pandas, group_axis, legend, literal, names, no_bars, panels, texts
from tallybook.figures.selection import chosen
from tallybook.figures.stacked_bars import SMALLEST_LABELLED
from tallybook.figures.style import FAINT_INK, LINE_COLOUR, ink_on, plain_theme
from tallybook.study.base import must_exist
from tallybook.study.figure_base import Picture
from tallybook.study.naming import term_label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plotnine import ggplot

    from tallybook.figures.grid import Grid, Layout
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

_STEP = 25
"""Percent between grid lines."""
_MIDDLE_COLOUR = "#D9D9D9"
_PALEST = 0.34
"""How near to the middle of a colour map its palest colour lies; its ends are 0 and 1."""
_SMALLEST_REST = 0.5
"""The percentage of responses without such an answer that is written below a bar at least."""


class DivergingBars(Bars):
    """Bars split by the terms of a scale: the lower ones below zero, the upper ones above it."""

    kind: Literal["diverging-bars"]
    terms: tuple[str, ...]
    """The answers, from the lowest to the highest; what else was said is a number below the bar."""
    middle: str | None = None
    """The answer that lies half below zero and half above; by default the middle one, if their number is odd."""
    rest_label: str = "other"
    """What responses without any of the answers are called, behind their percentage."""
    y_label: str = "Percentage (%)"
    """The title of the vertical axis, with the unit."""

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError for what it names and the study does not declare."""
        if self.middle is not None:
            must_exist([self.middle], self.terms, f"{place}.middle", "term of the figure")
        super().check_names(study, place)

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw it."""
        shown = chosen(study, self, estimates, place, thing="bar", terms=[*self.terms])
        shown = shown.with_columns(percent=100 * pl.col("estimate"))
        named = {term: term_label(study, self.outcome, term) for term in self.terms}
        layout = self.layout(study, shown, named, "percent", room.width)
        count = len(self.terms)
        middle = self.middle or (self.terms[count // 2] if count % 2 else None)
        centre = count / 2 if middle is None else self.terms.index(middle) + 0.5
        plot, described = diverging_bars(shown, layout, centre, self.rest_label)
        return Picture(plot, described, room.width, self.height(shown))


def diverging_bars(frame: pl.DataFrame, layout: Layout, centre: float, rest_label: str) -> tuple[ggplot, str]:
    """Draw diverging bars in panels, and say in words what they show.

    `centre`: How many categories lie below zero; half a one is across it.

    Source:
        Heiberger & Robbins (2014), Design of diverging stacked bar charts for Likert scales and other applications.
    """
    import plotnine as p9

    segments = place_segments(frame, layout)
    grid = segments.grid
    title = f"{visible(layout.title).rstrip('.')}. " if layout.title else ""
    opening = f"{title}Diverging stacked bars. Vertical axis: {visible(layout.y_title)}."
    if segments.frame.is_empty():
        return no_bars(layout.title), f"{opening} No data."
    bar = ["row", "column", "group"]
    place = pl.col("category").cast(pl.Enum(grid.categories)).to_physical()
    below = pl.col("percent") * (centre - place).clip(0, 1)
    placed = segments.frame.with_columns(
        below.sum().over(bar).alias("below"),
        pl.col("percent").sum().over(bar).alias("total"),
        (pl.col("middle") - below.sum().over(bar)).alias("middle"),
    )
    bars = placed.unique(bar, maintain_order=True).join(segments.empty, on=bar, how="anti", nulls_equal=True)
    bars = bars.with_columns(above=pl.col("total") - pl.col("below"))
    lowest, highest = (_beyond(bars.get_column(side).to_list()) for side in ("below", "above"))
    ticks = range(-lowest, highest + 1, _STEP)
    fills = _colours(grid.categories, centre)
    shown = placed.filter(pl.col("percent") >= SMALLEST_LABELLED).with_columns(
        pl.col("percent").round(0).cast(pl.Int64).cast(pl.String).alias("text"),
        pl.col("category").replace_strict({key: ink_on(colour) for key, colour in fills.items()}).alias("ink"),
    )
    percent = (100 - pl.col("total")).round(0).cast(pl.Int64).cast(pl.String)
    rest = bars.filter(pl.col("total") <= 100 - _SMALLEST_REST).select(
        *bar, text=percent + pl.lit(f"%\n{literal(rest_label)}"), middle=pl.lit(-lowest - _STEP * 0.4)
    )
    nothing = segments.empty.with_columns(middle=pl.lit(0.0), text=pl.lit(NO_DATA))
    words = p9.aes(y="middle", label="text")
    parts: list[Any] = [
        p9.geom_hline(yintercept=0, color=LINE_COLOUR, size=0.6),
        p9.geom_tile(p9.aes(y="middle", height="percent", fill="category"), width=0.86, color="#FFFFFF", size=0.3),
        *texts(as_pandas(grid, shown), p9.aes(y="middle", label="text", color="ink")),
        *texts(as_pandas(grid, rest), words, color=FAINT_INK),
        *texts(as_pandas(grid, nothing), words, color=FAINT_INK, angle=90),
        p9.scale_color_identity(),
        p9.scale_fill_manual(fills, limits=list(grid.categories), labels=names(grid, "category")),
        p9.scale_y_continuous(breaks=ticks, labels=[str(abs(tick)) for tick in ticks], expand=(0, 0)),
        p9.coord_cartesian(ylim=(-lowest - (_STEP * 0.8 if rest.height else 0), highest)),
        p9.labs(y=literal(layout.y_title), title=literal(layout.title) or None),
        plain_theme(),
        legend(grid, layout.width),
        *group_axis(grid, layout.width),
        *([panels(grid, layout.width)] if layout.panel_columns or layout.panel_rows else []),
    ]
    return p9.ggplot(
        as_pandas(grid, placed), p9.aes("group")
    ) + parts, f"{opening} {_described(bars, segments.empty, grid)}"


def _described(bars: pl.DataFrame, empty: pl.DataFrame, grid: Grid) -> str:
    """Say how much of each bar lies below zero and above."""
    sides = {
        (*key,): f"{below:.0f}% below zero, {above:.0f}% above"
        for *key, below, above in bars.select("row", "column", "group", "below", "above").iter_rows()
    } | dict.fromkeys(empty.iter_rows(), NO_DATA)
    categories = ", ".join(grid.names["category"][category] for category in grid.categories)
    return f"Segments from the lowest: {categories}. {'. '.join(bar_by_bar(grid, sides))}."


def _colours(categories: Sequence[str], centre: float) -> dict[str, str]:
    """Colour categories: orange below the centre, purple above, darker outwards, safe for colour-blind readers."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    colours: dict[str, str] = {}
    half = max(centre, len(categories) - centre) - 0.5
    for position, category in enumerate(categories):
        away = (position + 0.5 - centre) / max(half, 0.5)
        shade = 0.5 + math.copysign(0.5 - _PALEST + abs(away) * (_PALEST - 0.06), away)
        colours[category] = to_hex(colormaps["PuOr"](shade)) if away else _MIDDLE_COLOUR
    return colours


def _beyond(percents: Sequence[float]) -> int:
    """Get the first grid line that no bar passes."""
    return _STEP * max(math.ceil(max(percents, default=0) / _STEP), 1)
