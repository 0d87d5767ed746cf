"""Stacked bars of percentages that start at zero or diverge from it: the shares of the categories in each group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.bars import Bars, height_of_bars
from tallybook.figures.grid import arrange
from tallybook.figures.parts import NO_DATA, as_pandas, colours, framed, group_axis, legend, literal, names, texts
from tallybook.figures.selection import chosen, of_analysis
from tallybook.figures.style import FAINT_INK, LINE_COLOUR, ink_on, plain_theme
from tallybook.study.base import require_declared
from tallybook.study.figure_base import Picture
from tallybook_schemas.vocabulary import INVALID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.figures.grid import Grid, Layout
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

# In percent: the smallest segment with room for its number; the step between grid lines; the smallest share of
# responses outside the figure's categories that is printed below a bar.
SMALLEST_LABELLED, _STEP, _SMALLEST_REST = 6.0, 25, 0.5

# The colour of the category that straddles zero, and the distance from the middle of a colour map from 0 to 1 of the
# palest other category.
_MIDDLE_COLOUR, _PALEST = "#D9D9D9", 0.34

_BAR = ["row", "column", "group"]


class StackedBars(Bars):
    """Bars of 100%: one a level of `x`, split by the terms of an outcome."""

    kind: Literal["stacked-bars"]
    terms: tuple[str, ...]
    """The parts of a bar, in order; together they are all responses."""
    y_label: str = "Percentage (%)"
    """The title of the vertical axis, with the unit."""

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the bars, with uncoded responses as a further segment, since a bar that ends early would hide them."""
        uncoded = of_analysis(self, estimates, self.analysis, [INVALID])
        rest = uncoded.filter(pl.col("estimate") > 0, outcome=self.outcome).height > 0
        terms = [*self.terms, *([INVALID] if rest and INVALID not in self.terms else [])]
        shown = chosen(study, self, estimates, place, thing="bar", terms=terms)
        shown = shown.with_columns(percent=100 * pl.col("estimate"))
        return stacked_bars(shown, self.layout(study, shown, dict.fromkeys(terms, ""), y="percent", width=room.width))


class DivergingBars(Bars):
    """Bars split by the terms of a scale: the lower ones below zero, the upper ones above it."""

    kind: Literal["diverging-bars"]
    terms: tuple[str, ...]
    """The answers, from the lowest to the highest; what else was said is a number below the bar."""
    middle: str | None = None
    """The answer that lies half below zero and half above; by default the middle one, if their number is odd."""
    rest_label: str = "other"
    """The name of responses without any of the answers, shown behind their percentage."""
    y_label: str = "Percentage (%)"
    """The title of the vertical axis, with the unit."""

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError if the plot refers to names that the study does not declare."""
        if self.middle is not None:
            require_declared([self.middle], self.terms, f"{place}.middle", "term of the figure")
        super().check_names(study, place)

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the bars."""
        shown = chosen(study, self, estimates, place, thing="bar", terms=[*self.terms])
        shown = shown.with_columns(percent=100 * pl.col("estimate"))
        layout = self.layout(study, shown, dict.fromkeys(self.terms, ""), y="percent", width=room.width)
        centre = len(self.terms) / 2 if self.middle is None else self.terms.index(self.middle) + 0.5
        return stacked_bars(shown, layout, centre, self.rest_label)


def stacked_bars(frame: pl.DataFrame, layout: Layout, centre: float | None = None, rest_label: str = "") -> Picture:
    """Draw stacked bars, one bar per group and one segment per category, in panels, with alternative text.

    The width of a panel is proportional to its number of groups. A group without any percentage keeps its place, marked
    "no data". `centre`: the number of categories below zero,
    with half of one that straddles it; None for bars that start at zero.

    Source:
        Heiberger & Robbins (2014), Design of diverging stacked bar charts for Likert scales and other applications.
    """
    import plotnine as p9

    tidy, grid = arrange(frame, layout, {"percent": layout.y})
    category = pl.col("category").cast(pl.Enum(grid.categories))
    below = pl.col("percent") * ((centre or 0.0) - category.to_physical()).clip(0, 1)
    segments = (
        tidy.sort(category, maintain_order=True)
        .with_columns(is_empty=pl.col("percent").is_null().all().over(_BAR), percent=pl.col("percent").fill_null(0.0))
        .with_columns(below=below.sum().over(_BAR), total=pl.col("percent").sum().over(_BAR))
        .with_columns(middle=pl.col("percent").cum_sum().over(_BAR) - pl.col("percent") / 2 - pl.col("below"))
        .with_columns(above=pl.col("total") - pl.col("below"))
    )
    bars = segments.unique(_BAR, maintain_order=True)
    lowest, highest = 0, 100
    fills = colours(grid, layout.refusal)
    if centre is not None:
        lowest, highest = (_grid_line(bars.filter(~pl.col("is_empty"))[side].to_list()) for side in ("below", "above"))
        fills = _diverging_colours(grid.categories, centre)
    shown = segments.filter(pl.col("percent") >= SMALLEST_LABELLED).with_columns(
        pl.col("percent").round(0).cast(pl.Int64).cast(pl.String).alias("text"),
        category.cast(pl.String).replace_strict({key: ink_on(fill) for key, fill in fills.items()}).alias("ink"),
    )
    rest = bars.filter(~pl.col("is_empty"), pl.col("total") <= 100 - _SMALLEST_REST, pl.lit(centre is not None)).select(
        *_BAR,
        text=(100 - pl.col("total")).round(0).cast(pl.Int64).cast(pl.String) + pl.lit(f"%\n{literal(rest_label)}"),
        middle=pl.lit(-lowest - _STEP * 0.4),
    )
    nothing = bars.filter("is_empty").select(
        *_BAR, text=pl.lit(NO_DATA), middle=pl.lit(50.0 if centre is None else 0.0)
    )
    ticks = range(-lowest, highest + 1, _STEP)
    words = p9.aes(y="middle", label="text")
    parts: list[Any] = [
        *([] if centre is None else [p9.geom_hline(yintercept=0, color=LINE_COLOUR, size=0.6)]),
        # Stacking is already computed: plotnine would do it again, panel by panel.
        p9.geom_tile(p9.aes(y="middle", height="percent", fill="category"), width=0.86, color="#FFFFFF", size=0.3),
        *texts(as_pandas(grid, shown), p9.aes(y="middle", label="text", color="ink")),
        *texts(as_pandas(grid, rest), words, color=FAINT_INK),
        *texts(as_pandas(grid, nothing), words, color=FAINT_INK, angle=90),
        p9.scale_color_identity(),
        p9.scale_fill_manual(fills, limits=list(grid.categories), labels=names(grid, "category")),
        p9.scale_y_continuous(breaks=ticks, labels=[str(abs(tick)) for tick in ticks], expand=(0, 0)),
        p9.coord_cartesian(ylim=(-lowest - (_STEP * 0.8 if rest.height else 0), highest)),
        p9.labs(y=literal(layout.y_title)),
        plain_theme(),
        legend(grid, layout.width),
        *group_axis(grid, layout.width),
        *framed(grid, layout, "free_x"),
    ]
    plot = p9.ggplot(as_pandas(grid, segments), p9.aes("group")) + parts
    categories = ", ".join(grid.names["category"][category] for category in grid.categories)
    if centre is None:
        largest = segments.sort("percent", descending=True, maintain_order=True).unique(_BAR, keep="first")
        said = {
            (row, column, group): f"{grid.names['category'][category]} {percent:.0f}%"
            for row, column, group, category, percent in largest.select(*_BAR, "category", "percent").iter_rows()
        }
        kind, order, lead = "Stacked bars", "", " Largest in each bar:"
    else:
        said = {
            (row, column, group): f"{below:.0f}% below zero, {above:.0f}% above"
            for row, column, group, below, above in bars.select(*_BAR, "below", "above").iter_rows()
        }
        kind, order, lead = "Diverging stacked bars", " from the lowest", ""
    said |= dict.fromkeys(nothing.select(_BAR).iter_rows(), NO_DATA)
    text = f"{kind}. Vertical axis – {visible(layout.y_title)}. Segments{order}: {categories}.{lead}"
    return Picture(plot, f"{text} {'. '.join(_bar_by_bar(grid, said))}.", layout.width, height_of_bars(grid))


def _bar_by_bar(grid: Grid, said: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Describe the bars, in one clause per panel."""
    described: list[str] = []
    for row in grid.rows:
        for column in grid.columns:
            bars = {group: said.get((row, column, group)) for group in grid.groups}
            words = "; ".join(f"{grid.names['group'][group]}: {found}" for group, found in bars.items() if found)
            heading = grid.heading(row, column)
            described += [f"{heading} – {words}" if heading else words] if words else []
    return described


def _diverging_colours(categories: Sequence[str], centre: float) -> dict[str, str]:
    """Colour the categories: orange below the centre, purple above, darker outwards, safe for colour-blind readers."""
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    colours: dict[str, str] = {}
    half = max(centre, len(categories) - centre) - 0.5
    for position, category in enumerate(categories):
        away = (position + 0.5 - centre) / max(half, 0.5)
        shade = 0.5 + math.copysign(0.5 - _PALEST + abs(away) * (_PALEST - 0.06), away)
        colours[category] = to_hex(colormaps["PuOr"](shade)) if away else _MIDDLE_COLOUR
    return colours


def _grid_line(percents: Sequence[float]) -> int:
    """Return the first grid line at or beyond the end of every bar."""
    return _STEP * max(math.ceil(max(percents, default=0) / _STEP), 1)
