"""What figures of bars have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import polars as pl

from tallybook.figures.grid import Layout, arrange
from tallybook.figures.selection import level_names
from tallybook.study.base import Identifier
from tallybook.study.figure_base import Plot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.figures.grid import Grid
    from tallybook.study.model import Study


@dataclass(frozen=True)
class Segments:
    """The segments of all bars of a figure."""

    # one row for each segment: `row`, `column` (panels), `group`, `category`, `percent` (0 where there is none) and
    # `middle`, the height of the segment's middle
    frame: pl.DataFrame
    empty: pl.DataFrame  # the bars without any percentage: `row`, `column`, `group`
    grid: Grid  # the places of the bars; categories run from the lowest segment up

    def largest(self) -> dict[tuple[str, str, str], str]:
        """Name the largest category and its percentage for each bar, by row, column and group."""
        bar = ["row", "column", "group"]
        largest = self.frame.sort("percent", descending=True, maintain_order=True).unique(bar, keep="first")
        found = {
            (row, column, group): f"{self.grid.names['category'][category]} {percent:.0f}%"
            for row, column, group, category, percent in largest.select(*bar, "category", "percent").iter_rows()
        }
        return found | dict.fromkeys(self.empty.iter_rows(), "no data")


def bar_by_bar(grid: Grid, said: Mapping[tuple[str, str, str], str]) -> list[str]:
    """Say something of each bar, by row, column and group: a clause for each panel."""
    described: list[str] = []
    for row in grid.rows:
        for column in grid.columns:
            bars = {group: said.get((row, column, group)) for group in grid.groups}
            words = "; ".join(f"{grid.names['group'][group]}: {found}" for group, found in bars.items() if found)
            heading = grid.heading(row, column)
            described += [f"{heading} – {words}" if heading else words] if words else []
    return described


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


# Inches: a single row of panels, and of several the legend and each row.
_ONE_ROW, _LEGEND, _MORE_ROWS = 3.6, 1.2, 1.75


class Bars(Plot):
    """Bars of the terms of one outcome."""

    outcome_setting: ClassVar[str] = "outcome"
    other_axes: ClassVar[tuple[str, ...]] = ("term",)

    outcome: Identifier
    """The outcome whose terms are shown."""
    x: Identifier
    """The factor whose levels stand side by side on the horizontal axis."""
    panel_rows: Identifier | None = None
    """The factor whose levels are rows of panels."""
    y_label: str
    """The title of the vertical axis, with the unit."""

    @property
    def fill(self) -> str:
        """What colours stand for: `term` or a factor."""
        return "term"

    @property
    def shown_outcomes(self) -> tuple[str, ...]:
        """The outcome."""
        return (self.outcome,)

    @property
    def axes(self) -> tuple[str, ...]:
        """What a bar, or a segment of one, is identified by: factors and `term`."""
        return tuple(axis for axis in (self.panel_rows, self.panels, self.x, self.fill) if axis)

    def layout(self, study: Study, shown: pl.DataFrame, terms: Mapping[str, str], number: str, width: float) -> Layout:
        """Say which column of the estimates is which part of the figure."""
        names = level_names(study, self, shown)
        if "term" in names:
            names["term"] = {**terms, **self.labels.get("term", {})}
        return Layout(
            x=self.x,
            fill=self.fill,
            y=number,
            panel_columns=self.panels,
            panel_rows=self.panel_rows,
            labels=names,
            orders={axis: tuple(levels) for axis, levels in names.items()},
            y_title=self.y_label,
            width=width,
        )

    def height(self, shown: pl.DataFrame) -> float:
        """Get the inches that its rows of panels need."""
        rows = shown.get_column(self.panel_rows).n_unique() if self.panel_rows else 1
        return _ONE_ROW if rows == 1 else _LEGEND + _MORE_ROWS * rows
