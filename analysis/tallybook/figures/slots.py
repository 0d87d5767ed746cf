"""Positions of bars or points side by side, including those without a value."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.grid import arrange
from tallybook.figures.parts import as_pandas, literal
from tallybook.figures.words import extremes, opening, panel_by_panel

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    import pandas as pd

    from tallybook.figures.grid import Grid, Layout


@dataclass(frozen=True)
class Slots:
    """The slots of all bars (or points) of a figure, including those without a value."""

    # one row for each slot: `row`, `column` (panels), `group`, `category`, `value` (null where there is none), and
    # the interval's `low` and `high` (both null unless both exist and the value does)
    frame: pl.DataFrame
    grid: Grid  # the rows, columns, groups and categories; categories run from left to right
    # whether each group has a slot for every category, side by side, and not only for its own category
    beside: bool = True
    # `column` or `row` if every group belongs to a single column or row of panels and appears only there
    apart: str | None = None

    def filled(self) -> pl.DataFrame:
        """Return the slots with a value."""
        return self.frame.filter(pl.col("value").is_not_null())

    def empty(self) -> pl.DataFrame:
        """Return the slots without a value."""
        return self.frame.filter(pl.col("value").is_null())

    def intervals(self) -> pl.DataFrame:
        """Return the slots with an interval."""
        return self.frame.filter(pl.col("low").is_not_null())

    def extent(self, possible: tuple[float | None, float | None] = (None, None)) -> tuple[float | None, float | None]:
        """Return the smallest and the largest number drawn; None for both without numbers.

        `possible`: Limits beyond which intervals are not drawn.
        """
        drawn = self.frame.select(
            pl.min_horizontal("value", pl.col("low").clip(*possible)).min().alias("lowest"),
            pl.max_horizontal("value", pl.col("high").clip(*possible)).max().alias("highest"),
        )
        return drawn.row(0)

    def reach(self) -> tuple[float, float]:
        """Return the smallest and the largest number drawn, including 0, where every bar starts."""
        lowest, highest = self.extent()
        return min(lowest or 0.0, 0.0), max(highest or 0.0, 0.0)

    def by_category(self, grid: Grid, missing: str) -> Iterator[tuple[float, pd.DataFrame, pd.DataFrame, pd.DataFrame]]:
        """Yield each category's offset from the middle, and its slots with values, with intervals and with signs."""
        for number, category in enumerate(grid.categories):
            empty = self.empty().with_columns(sign=pl.lit(literal(missing)))
            filled, whiskers, signs = (
                as_pandas(grid, rows.filter(category=category)) for rows in (self.filled(), self.intervals(), empty)
            )
            yield number - (len(grid.categories) - 1) / 2, filled, whiskers, signs

    def in_words(self, layout: Layout, kind: str, *, axis: str, categories: str, explained: Sequence[str]) -> str:
        """Return the alternative text of bars or points: the parts, each panel's extremes (first of ties), gaps."""
        names = self.grid.names
        said = [*opening(layout.title, kind), f"{axis} axis – {visible(layout.y_title)}."]
        said.append(f"Groups: {', '.join(names['group'][one] for one in self.grid.groups)}.")
        if categories:
            said.append(f"{categories}: {', '.join(names['category'][one] for one in self.grid.categories)}.")

        def name(slot: dict[str, Any]) -> str:
            group = names["group"][slot["group"]]
            return f"{group}, {names['category'][slot['category']]}" if self.beside else group

        ends = panel_by_panel(self.grid, self.frame, lambda panel: extremes(panel, name, self.reach()))
        return " ".join([*said, *explained, *ends])


def place_slots(frame: pl.DataFrame, layout: Layout) -> Slots:
    """Return the slots of bars, one for each category in each group of a panel's column, with or without a value."""
    tidy, grid = _arranged(frame, layout)
    places = tidy.select("column", "group").unique().join(one_column("category", grid.categories), how="cross")
    places = places.join(one_column("row", grid.rows), how="cross")
    return Slots(_filled_in(places, tidy, grid), grid)


def place_points(frame: pl.DataFrame, layout: Layout, *, by_row: bool = False) -> Slots:
    """Return the slots of points, one for each category unless each group belongs to one, with or without a value."""
    tidy, grid = _arranged(frame, layout)
    places = one_column("group", grid.groups)
    apart, beside = None, False
    for role, values in {"row": grid.rows, "column": grid.columns, "category": grid.categories}.items():
        belonging = tidy.select("group", role).unique()
        own = len(values) > 1 and not belonging.get_column("group").is_duplicated().any()
        if own and (role == "category" or (apart is None and (role == "column" or by_row))):
            places = places.join(belonging, on="group")
            apart = apart if role == "category" else role
        else:
            places = places.join(one_column(role, values), how="cross")
            beside = role == "category" and len(values) > 1
    if apart != "column":
        grid = replace(grid, groups_within=dict.fromkeys(grid.columns, len(grid.groups)))
    return Slots(_filled_in(places, tidy, grid), grid, beside, apart)


def _arranged(frame: pl.DataFrame, layout: Layout) -> tuple[pl.DataFrame, Grid]:
    tidy, grid = arrange(frame, layout, {"value": layout.y, "low": layout.low, "high": layout.high})
    whole = pl.all_horizontal(pl.col("value", "low", "high").is_not_null())
    return tidy.with_columns(pl.when(whole).then(name).alias(name) for name in ("low", "high")), grid


def _filled_in(places: pl.DataFrame, tidy: pl.DataFrame, grid: Grid) -> pl.DataFrame:
    """Return the places in every row of panels, in order, joined with their values where they exist."""
    order = {"row": grid.rows, "column": grid.columns, "group": grid.groups, "category": grid.categories}
    return (
        places.select(*order)
        .join(tidy, on=list(order), how="left")
        .sort(pl.col(role).cast(pl.Enum(values)) for role, values in order.items())
    )


def one_column(name: str, values: Sequence[str]) -> pl.DataFrame:
    """Return a frame with one column of texts."""
    return pl.DataFrame({name: values}, {name: pl.String})
