"""The segments of stacked bars: ordered, named and placed, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from tallybook.figures.grid import arrange

if TYPE_CHECKING:
    from tallybook.figures.grid import Grid, Layout


@dataclass(frozen=True)
class Segments:
    """The segments of all bars of a figure."""

    # one row for each segment: `row`, `column` (panels), `group`, `category`, `percent` (0 where there is none) and
    # `middle`, the height of the segment's middle
    frame: pl.DataFrame
    empty: pl.DataFrame  # the bars without any percentage: `row`, `column`, `group`
    grid: Grid  # the places of the bars; categories run from the lowest segment up

    def largest(self) -> dict[tuple[str, str, str], str]:
        """For each bar, by row, column and group, its largest category and percentage in words."""
        bar = ["row", "column", "group"]
        largest = self.frame.sort("percent", descending=True, maintain_order=True).unique(bar, keep="first")
        found = {
            (row, column, group): f"{self.grid.names['category'][category]} {percent:.0f}%"
            for row, column, group, category, percent in largest.select(*bar, "category", "percent").iter_rows()
        }
        return found | dict.fromkeys(self.empty.iter_rows(), "no data")


def place_segments(frame: pl.DataFrame, layout: Layout) -> Segments:
    """Order the values of a frame and stack its percentages."""
    tidy, grid = arrange(frame, layout, {"percent": layout.y})
    bar = ["row", "column", "group"]
    stacked = (
        tidy.sort(pl.col("category").cast(pl.Enum(grid.categories)), maintain_order=True)
        .with_columns(pl.col("percent").is_null().all().over(bar).alias("is_empty"), pl.col("percent").fill_null(0.0))
        .with_columns((pl.col("percent").cum_sum().over(bar) - pl.col("percent") / 2).alias("middle"))
    )
    return Segments(
        frame=stacked.select(*bar, "category", "percent", "middle"),
        empty=stacked.filter("is_empty").select(bar).unique(maintain_order=True),
        grid=grid,
    )
