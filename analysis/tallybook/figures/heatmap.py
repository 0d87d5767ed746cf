"""Heatmaps: a number in each cell of a grid, on a colour that shows its size."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
from pydantic import Field

from tallybook.core.untrusted import visible
from tallybook.figures.composable import Composable, Range
from tallybook.figures.grid import arrange
from tallybook.figures.parts import (
    LETTER,
    LINE,
    as_pandas,
    depth,
    folded,
    framed,
    group_axis,
    group_labels,
    literal,
    notes,
    texts,
)
from tallybook.figures.selection import chosen
from tallybook.figures.slots import one_column
from tallybook.figures.style import FAINT_INK, FONT_SIZE, GRID_COLOUR, PAPER, ink_on, plain_theme
from tallybook.figures.value_axis import ticks_within
from tallybook.figures.words import MINUS, extremes, opening, panel_by_panel, signs_explained, tick_labels
from tallybook.study.base import Identifier
from tallybook.study.figure_base import Picture
from tallybook.study.number_text import fixed, never_zero, scaled
from tallybook.study.presentation import Column

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.figures.grid import Grid, Layout
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

Palette = Literal["sequential", "diverging"]

# From light to dark in equal steps of lightness in Oklab (Ottosson 2020, A perceptual color space for image
# processing). Blue and orange can be distinguished with any colour-blindness.
_BLUES = (
    "#f5f7fa", "#e0eaf5", "#ccdef0", "#b7d1ea", "#a2c5e5", "#8eb8df", "#79acd9", "#649fd3", "#5592c8",
    "#4b85bb", "#4178ae", "#386ba1", "#2e5e94", "#255188", "#1c457b", "#13396f", "#0b2d63",
)  # fmt: skip
_ORANGES = (
    "#f5f7fa", "#f3e7e0", "#f0d6c6", "#edc6ac", "#e9b592", "#e5a578", "#e0945c", "#d9833f", "#ca7739",
    "#bb6b33", "#ac602d", "#9d5526", "#8f4a21", "#803f1b", "#723515", "#652a0f", "#57200a",
)  # fmt: skip
_PALETTES: dict[Palette, Sequence[str]] = {"sequential": _BLUES, "diverging": (*reversed(_ORANGES), *_BLUES[1:])}

# Inches: the least and greatest cell height, greatest cell width, least figure width, heights of strip and legend.
_LOWEST, _TALLEST, _WIDE, _NARROWEST, _STRIP, _LEGEND = 0.26, 0.45, 0.85, 3.4, 0.27, 0.5

# Inches: the height of all rows of a panel together, unless they need more.
_ALL_ROWS = 5.5

# A cell's height relative to its width, and the fraction of the panels' width that cells take.
_FLATNESS, _SHARE_OF_WIDTH = 0.65, 0.92

# Points: the largest and smallest type in cells, an inch less the space around a number, a digit's width by type size.
_LARGEST, _SMALLEST, _POINTS, _DIGIT = 7.0, 6.0, 64.0, 0.64

# The maximum number of lines of a row's label.
_NAME_LINES = 2

# The name of a column added to those of the estimates.
_TEXT = "text of the number"


class Heatmap(Composable):
    """A number in each cell of a grid, with a colour that says how large it is."""

    kind: Literal["heatmap"]
    rows: Identifier
    """The factor (`outcome` or `term`) whose levels are the rows."""
    columns: Identifier
    """The factor (`outcome` or `term`) whose levels are the columns."""
    value: Column = "estimate"
    """Which number of the estimates is shown."""
    digits: int = Field(default=2, ge=0, le=17)
    """Digits after the decimal point."""
    palette: Palette = "sequential"
    """From light to dark, or from a light middle to two dark colours."""
    limits: Range | None = None
    """The numbers at the ends of the palette, which nevertheless reaches as far as the numbers do; by default the
    smallest and the largest."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that identify a cell."""
        return tuple(axis for axis in (self.panels, self.rows, self.columns) if axis)

    def _check_itself(self) -> None:
        super()._check_itself()
        if self.limits is not None and self.limits[0] >= self.limits[1]:
            raise ValueError("limits: the first number must be below the second")

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the heatmap."""
        shown = chosen(study, self, estimates, place, thing="cell")
        cells = shown.select(*self.axes, pl.col(self.value).cast(pl.Float64))
        numbers: list[float | None] = cells.get_column(self.value).to_list()
        values = [None if each is None else scaled(each, self.scale) for each in numbers]
        printed = [None if each is None else self._printed(study, each) for each in numbers]
        cells = cells.with_columns(pl.Series(self.value, values, pl.Float64), pl.Series(_TEXT, printed, pl.String))
        layout = self.layout(study, shown, room.width, x=self.columns, fill=self.rows, y=self.value)
        return heatmap(cells, layout, Shades(self.palette, self.limits), text=_TEXT)

    def _printed(self, study: Study, number: float) -> str:
        text = fixed(number, self.digits, scale=self.scale, rounding=study.style.rounding).replace("-", MINUS)
        return never_zero(text) if self.value == "p_adjusted" else text


@dataclass(frozen=True)
class Shades:
    """A mapping from numbers to colours."""

    palette: Palette = "sequential"  # from light to dark, or from dark over light at zero to dark
    # the numbers at the palette's ends unless a number lies beyond; by default the smallest and the largest
    limits: tuple[float, float] | None = None

    def ends(self, lowest: float | None, highest: float | None) -> tuple[float, float]:
        """Return the numbers at the ends of the palette."""
        inside = [number for number in (lowest, highest, *(self.limits or ())) if number is not None]
        low, high = (min(inside), max(inside)) if inside else (0.0, 1.0)
        if self.palette == "diverging":
            reach = max(-low, high) or 1.0
            return -reach, reach
        return (low, high) if low < high else (low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2)

    def colours(self, numbers: pl.Series, ends: tuple[float, float]) -> list[str | None]:
        """Return the colour of each number."""
        from mizani.palettes import gradient_n_pal

        return list(gradient_n_pal(_PALETTES[self.palette])(((numbers - ends[0]) / (ends[1] - ends[0])).to_numpy()))


def heatmap(frame: pl.DataFrame, layout: Layout, shades: Shades, *, text: str) -> Picture:
    """Draw the numbers of a grid in coloured cells, in panels, with cells wide and high enough to be readable.

    All rows and columns are in every panel. A number is dark on light and light on dark colours, and rotated if its
    cell is too narrow. A cell without a number is white, with a sign.
    """
    import plotnine as p9

    tidy, grid = arrange(frame, layout, {"value": layout.y})
    tidy = tidy.with_columns(frame.get_column(text).alias("text"))
    places = pl.DataFrame({"place": [0]})
    order = {"row": grid.rows, "column": grid.columns, "category": grid.categories, "group": grid.groups}
    for role, values in order.items():
        places = places.join(one_column(role, values), how="cross", maintain_order="left_right")
    cells = places.select(*order).join(tidy, on=list(order), how="left", maintain_order="left")
    known = cells.filter(pl.col("value").is_not_null())
    lowest, highest = known.select(low=pl.col("value").min(), high=pl.col("value").max()).row(0)
    ends = shades.ends(lowest, highest)

    row_labels = {value: folded(name, _NAME_LINES) for value, name in grid.names["category"].items()}
    side = LETTER * max(len(line) for label in row_labels.values() for line in label.split("\n"))
    width = min(max(side + _STRIP + grid.groups_across() * _WIDE, _NARROWEST), layout.width)
    layout = replace(layout, width=width)
    inches = max(width - side, width / 3)  # the width of the cells of all panels side by side
    cell = inches * _SHARE_OF_WIDTH / grid.groups_across()
    longest = max((len(text) for text in known.get_column("text")), default=1)
    fits = cell * _POINTS / (_DIGIT * longest)
    turned = fits < _SMALLEST
    look = {"size": _SMALLEST if turned else min(fits, _LARGEST), "angle": 90 if turned else 0}

    inks = [ink_on(colour or PAPER) for colour in shades.colours(known.get_column("value"), ends)]
    filled = as_pandas(
        grid, known.with_columns(pl.col("text").map_elements(literal, pl.String), pl.Series("ink", inks, pl.String))
    )
    signs = {"text": pl.lit(literal(layout.missing)), "ink": pl.lit(FAINT_INK)}
    empty = as_pandas(grid, cells.filter(pl.col("value").is_null()).with_columns(**signs))
    words = p9.aes(label="text", color="ink")
    parts: list[Any] = [
        *([p9.geom_tile(p9.aes(fill="value"), filled, color=PAPER, size=0.6)] if len(filled) else []),
        *([p9.geom_tile(data=empty, fill=PAPER, color=GRID_COLOUR, size=0.4)] if len(empty) else []),
        *texts(filled, words, **look),
        *texts(empty, words, **look),
        p9.scale_color_identity(),
        p9.scale_y_discrete(limits=list(reversed(grid.categories)), labels=row_labels, expand=(0, 0)),
        p9.labs(caption=notes([signs_explained(layout.missing)] if len(empty) else [], width) or None),
        plain_theme(),
        *group_axis(grid, inches),
        p9.theme(
            panel_grid=p9.element_blank(),
            axis_title_y=p9.element_blank(),
            axis_ticks=p9.element_blank(),
            axis_text_y=p9.element_text(ma="right"),
        ),
        *_legend(shades.palette, ends, layout),
        *framed(grid, layout),
    ]
    plot = p9.ggplot(as_pandas(grid, cells), p9.aes("group", "category")) + parts
    tall = min(_FLATNESS * cell, _TALLEST, _ALL_ROWS / len(grid.categories))
    lines = max(label.count("\n") + 1 for label in row_labels.values())
    tall = max(tall, _LOWEST, lines * LINE + 0.06, longest * _DIGIT * _SMALLEST / _POINTS if turned else 0.0)
    labels, angle = group_labels(grid, inches)
    panel = tall * len(grid.categories) + _STRIP * bool(layout.panel_columns or layout.panel_rows)
    height = grid.rows_of_panels() * panel + depth(labels.values(), angle) + _LEGEND + 2 * _STRIP
    return Picture(plot, _said(cells, grid, layout, (lowest or 0.0, highest or 0.0)), width, height)


def _said(cells: pl.DataFrame, grid: Grid, layout: Layout, reach: tuple[float, float]) -> str:
    """Return the alternative text: rows and columns, the highest and lowest number, and the gaps."""
    said = [*opening(layout.title, "Heatmap"), f"Numbers: {visible(layout.y_title)}."]
    said.append(f"Rows: {', '.join(grid.names['category'][category] for category in grid.categories)}.")
    said.append(f"Columns: {', '.join(grid.names['group'][group] for group in grid.groups)}.")

    def name(cell: dict[str, Any]) -> str:
        return f"{grid.names['category'][cell['category']]}, {grid.names['group'][cell['group']]}"

    return " ".join([*said, *panel_by_panel(grid, cells, lambda panel: extremes(panel, name, reach))])


def _legend(palette: Palette, ends: tuple[float, float], layout: Layout) -> list[Any]:
    """Return the colour legend, a row of keys with numbers below the panels."""
    import plotnine as p9

    ticks = ticks_within(ends, 5) or [*ends]
    scale = p9.scale_fill_gradientn(
        colors=_PALETTES[palette],
        limits=ends,
        breaks=ticks,
        labels=tick_labels(ticks),
        name=literal(layout.y_title),
        # Discrete steps: a gradient would be thousands of triangles in SVG.
        guide="legend",
    )
    return [
        scale,
        p9.guides(fill=p9.guide_legend(nrow=1)),
        p9.theme(
            legend_title=p9.element_text(size=FONT_SIZE - 1, va="center", margin={"r": 8}),
            legend_text_position="bottom",
            legend_key_height=8,
            legend_key_width=26,
            legend_key_spacing_x=0,
        ),
    ]
