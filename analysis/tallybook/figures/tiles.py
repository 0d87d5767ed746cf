"""The cells of a heatmap: ordered, named and coloured, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from tallybook.figures.grid import arrange
from tallybook.figures.heat_colours import colour_of, heat_colours
from tallybook.figures.style import ink_on

if TYPE_CHECKING:
    from tallybook.figures.grid import Grid, Layout
    from tallybook.figures.heat_colours import Palette


@dataclass(frozen=True)
class Shades:
    """How numbers become colours."""

    palette: Palette = "sequential"  # from light to dark, or from dark over light to dark
    midpoint: float = 0.0  # the number in the middle of a diverging palette
    # the numbers at its ends, where no number lies beyond; by default the smallest and the largest
    limits: tuple[float, float] | None = None

    def ends(self, lowest: float | None, highest: float | None) -> tuple[float, float]:
        """The numbers at the ends of the palette."""
        inside = [number for number in (lowest, highest, *(self.limits or ())) if number is not None]
        low, high = (min(inside), max(inside)) if inside else (0.0, 1.0)
        if self.palette == "diverging":
            reach = max(self.midpoint - low, high - self.midpoint) or 1.0
            return self.midpoint - reach, self.midpoint + reach
        return (low, high) if low < high else (low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2)


@dataclass(frozen=True)
class Tiles:
    """The cells of all panels of a heatmap."""

    # one row for each cell: `row`, `column` (panels), `category` (the cell's row), `group` (its column), `value`
    # (null where there is none), `text`, `fill` and `ink`
    frame: pl.DataFrame
    grid: Grid  # the places: categories run from top to bottom, groups from left to right
    ends: tuple[float, float]  # the numbers at the ends of the palette
    colours: list[str]  # the palette


def place_tiles(frame: pl.DataFrame, layout: Layout, shades: Shades, text: str) -> Tiles:
    """Order the cells of a frame, find those that are missing, and colour the others.

    Every panel has all rows and columns.
    """
    tidy, grid = arrange(frame.with_columns(pl.col(text).cast(pl.String)), layout, {"value": layout.y})
    tidy = tidy.with_columns(frame.get_column(text).cast(pl.String).alias("text"))
    order = {"row": grid.rows, "column": grid.columns, "category": grid.categories, "group": grid.groups}
    places = pl.DataFrame(schema=dict.fromkeys(order, pl.String))
    if not tidy.is_empty():
        places = pl.DataFrame({"place": [0]})
        for role, values in order.items():
            places = places.join(
                pl.DataFrame({role: values}, {role: pl.String}), how="cross", maintain_order="left_right"
            )
    cells = places.select(*order).join(tidy, on=list(order), how="left", maintain_order="left")
    numbers: list[float | None] = cells.get_column("value").to_list()
    known = [value for value in numbers if value is not None]
    ends = shades.ends(min(known, default=None), max(known, default=None))
    colours = heat_colours(shades.palette)
    fills = [None if value is None else colour_of(value, *ends, colours) for value in numbers]
    inks = [None if fill is None else ink_on(fill) for fill in fills]
    cells = cells.with_columns(pl.Series("fill", fills, pl.String), pl.Series("ink", inks, pl.String))
    return Tiles(cells, grid, ends, colours)
