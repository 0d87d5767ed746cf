"""Heatmaps: a number in each cell of a grid, on a colour that says how large it is."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import polars as pl
from pydantic import Field, model_validator

from tallybook.core.untrusted import visible
from tallybook.figures.composable import Composable, Range
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
    no_bars,
    notes,
    texts,
)
from tallybook.figures.selection import chosen, level_names
from tallybook.figures.style import FAINT_INK, FONT_SIZE, GRID_COLOUR, PAPER, plain_theme
from tallybook.figures.tiles import Shades, place_tiles
from tallybook.figures.words import MINUS, extremes, opening, panel_by_panel, signs_explained, tick_labels
from tallybook.study.base import Identifier, all_faults
from tallybook.study.figure_base import Picture
from tallybook.study.number_text import fixed, never_zero, scaled
from tallybook.study.presentation import Column

if TYPE_CHECKING:
    from plotnine import ggplot

    from tallybook.figures.grid import Grid, Layout
    from tallybook.figures.tiles import Tiles
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

# Inches: the lowest and the tallest cell, the widest one, the narrowest figure, and what stands around the cells.
_LOWEST, _TALLEST, _WIDE, _NARROWEST, _STRIP, _LEGEND = 0.26, 0.45, 0.85, 3.4, 0.27, 0.5

# Inches: the rows of a panel together, unless they need more.
_ALL_ROWS = 5.5

# A cell's height by its width, and the part of the cells' room that is theirs.
_FLATNESS, _SHARE_OF_WIDTH = 0.65, 0.92

# Points: the sizes of numbers in cells, those in an inch less what separates numbers, and a digit's width by its size.
_LARGEST, _SMALLEST, _POINTS, _DIGIT = 7.0, 6.0, 64.0, 0.64

# The names of rows stand on so many lines.
_NAME_LINES = 2

# A column beside those of the estimates.
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
    palette: Literal["sequential", "diverging"] = "sequential"
    """From light to dark, or from a light middle to two dark colours."""
    midpoint: float | None = None
    """The number in the middle of a diverging palette; 0 unless another is said."""
    limits: Range | None = None
    """The numbers at the ends of the palette, which nevertheless reaches as far as the numbers do; by default the
    smallest and the largest."""
    symmetric: bool = False
    """Whether an estimate of a row and a column is also that of the column and the row, as a correlation is."""
    diagonal: float | None = None
    """What stands where row and column are the same and there is no estimate: 1 for correlations."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What a cell is identified by."""
        return tuple(axis for axis in (self.panels, self.rows, self.columns) if axis)

    @model_validator(mode="after")
    @all_faults
    def _settings_agree(self) -> Self:
        if self.limits is not None and self.limits[0] >= self.limits[1]:
            raise ValueError("limits: the first number must be below the second")
        if self.midpoint is not None and self.palette != "diverging":
            raise ValueError("midpoint: only a diverging palette has one")
        return self

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw it."""
        shown = chosen(study, self, estimates, place, thing="cell")
        cells = _completed(self, shown.select(*self.axes, pl.col(self.value).cast(pl.Float64)))
        numbers: list[float | None] = cells.get_column(self.value).to_list()
        values = [None if each is None else scaled(each, self.scale) for each in numbers]
        printed = [None if each is None else self._printed(study, each) for each in numbers]
        cells = cells.with_columns(pl.Series(self.value, values, pl.Float64), pl.Series(_TEXT, printed, pl.String))
        names = self._names(study, shown)
        layout = self.layout(study, shown, room.width, names=names, x=self.columns, fill=self.rows, y=self.value)
        width, height = size(cells, layout, text=_TEXT)
        layout = replace(layout, width=width)
        shades = Shades(self.palette, self.midpoint or 0.0, self.limits)
        drawn = heatmap(cells, layout, shades, text=_TEXT, missing=study.style.missing)
        return Picture(drawn, alt_text(cells, layout, text=_TEXT), width, height)

    def _printed(self, study: Study, number: float) -> str:
        text = fixed(number, self.digits, scale=self.scale, rounding=study.style.rounding).replace("-", MINUS)
        return never_zero(text) if self.value == "p_adjusted" else text

    def _names(self, study: Study, shown: pl.DataFrame) -> dict[str, dict[str, str]]:
        """Name the levels; of a symmetric matrix each stands in a row and in a column, in the same order."""
        names = level_names(study, self, shown)
        if self.symmetric:
            both = {**names[self.columns], **names[self.rows]}
            known = [name for name in study.outcomes if name in both]
            order = [*known, *(name for name in both if name not in known)]
            names |= {axis: {name: both[name] for name in order} for axis in (self.rows, self.columns)}
        return names


def _completed(plot: Heatmap, cells: pl.DataFrame) -> pl.DataFrame:
    """Get the cells of a matrix that is declared symmetric, with its other half and its diagonal."""
    if plot.symmetric:
        mirrored = cells.rename({plot.rows: plot.columns, plot.columns: plot.rows}).select(cells.columns)
        cells = pl.concat([cells, mirrored.join(cells, on=plot.axes, how="anti", nulls_equal=True)])
    if plot.diagonal is not None:
        panels = [plot.panels] if plot.panels else []
        levels = pl.concat([cells.select(*panels, pl.col(name).alias("level")) for name in (plot.rows, plot.columns)])
        same = levels.unique(maintain_order=True).select(
            *panels,
            pl.col("level").alias(plot.rows),
            pl.col("level").alias(plot.columns),
            pl.lit(plot.diagonal).alias(plot.value),
        )
        absent = same.join(cells, on=plot.axes, how="anti", nulls_equal=True)
        cells = pl.concat([cells, absent.select(cells.columns)])
    return cells


def heatmap(frame: pl.DataFrame, layout: Layout, shades: Shades, *, text: str, missing: str = "–") -> ggplot:
    """Draw the numbers of a grid in coloured cells, in panels.

    A number is dark on light and light on dark colours, and turned where a cell is too narrow for it. A cell without
    number is white, with a sign.

    `layout`: Which columns are which part: `x` the columns of the grid, `fill` its rows, `y` the number.
    """
    import plotnine as p9

    tiles = place_tiles(frame, layout, shades, text)
    if tiles.frame.is_empty():
        return no_bars(layout.title)
    grid = tiles.grid
    shown = tiles.frame.with_columns(pl.col("text").map_elements(literal, pl.String))
    filled = as_pandas(grid, shown.filter(pl.col("value").is_not_null()))
    sign = {"text": literal(missing), "ink": FAINT_INK}
    empty = as_pandas(
        grid,
        shown.filter(pl.col("value").is_null()).with_columns(pl.lit(value).alias(name) for name, value in sign.items()),
    )
    look = _look_of_numbers(tiles, layout.width)
    words = p9.aes(label="text", color="ink")
    parts: list[Any] = [
        *([p9.geom_tile(p9.aes(fill="value"), filled, color=PAPER, size=0.6)] if len(filled) else []),
        *([p9.geom_tile(data=empty, fill=PAPER, color=GRID_COLOUR, size=0.4)] if len(empty) else []),
        *texts(filled, words, **look),
        *texts(empty, words, **look),
        p9.scale_color_identity(),
        p9.scale_y_discrete(limits=list(reversed(grid.categories)), labels=_row_labels(grid), expand=(0, 0)),
        p9.labs(
            caption=notes([signs_explained(missing)] if len(empty) else [], layout.width) or None,
        ),
        plain_theme(),
        *group_axis(grid, _inches_of_cells(grid, layout.width)),
        p9.theme(
            panel_grid=p9.element_blank(),
            axis_title_y=p9.element_blank(),
            axis_ticks=p9.element_blank(),
            axis_text_y=p9.element_text(ma="right"),
        ),
        *_legend(tiles, layout),
    ]
    parts += framed(grid, layout)
    return p9.ggplot(as_pandas(grid, shown), p9.aes("group", "category")) + parts


def size(frame: pl.DataFrame, layout: Layout, *, text: str) -> tuple[float, float]:
    """Get the inches that a heatmap needs to be read."""
    tiles = place_tiles(frame, layout, Shades(), text)
    grid = tiles.grid
    side = _side_inches(grid)
    width = min(max(side + _STRIP + grid.groups_across() * _WIDE, _NARROWEST), layout.width)
    cell = _cell_inches(grid, width)
    names = max((label.count("\n") + 1 for label in _row_labels(grid).values()), default=1)
    turned = _turned_inches(tiles) if _look_of_numbers(tiles, width)["angle"] else 0.0
    tall = min(_FLATNESS * cell, _TALLEST, _ALL_ROWS / max(len(grid.categories), 1))
    tall = max(tall, _LOWEST, names * LINE + 0.06, turned)
    labels, angle = group_labels(grid, _inches_of_cells(grid, width))
    panel = tall * len(grid.categories) + _STRIP * bool(layout.panel_columns or layout.panel_rows)
    legend = _LEGEND if layout.legend else 0.0
    return width, grid.rows_of_panels() * panel + depth(labels.values(), angle) + legend + 2 * _STRIP


def alt_text(frame: pl.DataFrame, layout: Layout, *, text: str) -> str:
    """Say in words what `heatmap` shows: its rows and columns, the highest and lowest number, and the gaps.

    >>> from tallybook.figures.grid import Layout
    >>> frame = pl.DataFrame({"a": ["x", "y"], "b": ["z", "z"], "r": [0.5, None], "t": ["0.50", None]})
    >>> alt_text(frame, Layout(x="b", fill="a", y="r", y_title="Share"), text="t")
    'Heatmap. Numbers: Share. Rows: x, y. Columns: z. Highest: x, z 0.500; lowest: x, z 0.500; no value: y, z.'
    """
    tiles = place_tiles(frame, layout, Shades(), text)
    grid = tiles.grid
    said = [*opening(layout.title, "Heatmap"), f"Numbers: {visible(layout.y_title)}."]
    if tiles.frame.is_empty():
        return " ".join([*said, "No data."])
    said.append(f"Rows: {', '.join(grid.names['category'][category] for category in grid.categories)}.")
    said.append(f"Columns: {', '.join(grid.names['group'][group] for group in grid.groups)}.")
    known = tiles.frame.get_column("value").drop_nulls().to_list()
    reach = (min(known, default=0.0), max(known, default=0.0))

    def name(cell: dict[str, Any]) -> str:
        return f"{grid.names['category'][cell['category']]}, {grid.names['group'][cell['group']]}"

    said += panel_by_panel(grid, tiles.frame, lambda panel: extremes(panel, name, reach))
    return " ".join(said)


def _legend(tiles: Tiles, layout: Layout) -> list[Any]:
    """Get the colours of numbers, as a bar with numbers beside the panels."""
    import plotnine as p9

    low, high = tiles.ends
    ticks = _bar_ticks(low, high)
    scale = p9.scale_fill_gradientn(
        colors=tiles.colours,
        limits=tiles.ends,
        breaks=ticks,
        labels=tick_labels(ticks),
        name=literal(layout.y_title),
        # Steps, and no gradient: that would be thousands of triangles in SVG.
        guide="legend",
    )
    if not layout.legend:
        return [scale, p9.theme(legend_position="none")]
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


def _bar_ticks(low: float, high: float) -> list[float]:
    from matplotlib.ticker import MaxNLocator

    around = MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    near = (high - low) * 1e-9
    return [float(tick) + 0.0 for tick in around if low - near <= tick <= high + near] or [low, high]


def _row_labels(grid: Grid) -> dict[str, str]:
    return {value: folded(name, _NAME_LINES) for value, name in grid.names["category"].items()}


def _side_inches(grid: Grid) -> float:
    """Get the inches of the names of rows."""
    return LETTER * max((len(line) for label in _row_labels(grid).values() for line in label.split("\n")), default=0)


def _inches_of_cells(grid: Grid, width: float) -> float:
    """Get the inches that the cells of all panels side by side have."""
    return max(width - _side_inches(grid), width / 3)


def _cell_inches(grid: Grid, width: float) -> float:
    return _inches_of_cells(grid, width) * _SHARE_OF_WIDTH / max(grid.groups_across(), 1)


def _look_of_numbers(tiles: Tiles, width: float) -> dict[str, Any]:
    """Get size and angle of numbers; they are turned where a cell is too narrow."""
    longest = _longest(tiles)
    fits = _cell_inches(tiles.grid, width) * _POINTS / (_DIGIT * longest)
    turned = fits < _SMALLEST
    return {"size": _SMALLEST if turned else min(fits, _LARGEST), "angle": 90 if turned else 0}


def _turned_inches(tiles: Tiles) -> float:
    return _longest(tiles) * _DIGIT * _SMALLEST / _POINTS


def _longest(tiles: Tiles) -> int:
    return max((len(text) for text in tiles.frame.get_column("text") if text), default=1)
