"""The slots of bars side by side: one for every bar that there could be, whether or not its value exists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from analysis.figures.grid import arrange

if TYPE_CHECKING:
    from analysis.figures.grid import Grid, Layout


@dataclass(frozen=True)
class Slots:
    """The slots of all bars of a figure.

    Attributes:
        frame: One row for each slot: `row`, `column` (panels), `group`, `category`, `value` (null where there is none),
            and the interval's `low` and `high` (both null unless both exist and the value does).
        grid: The places of the bars; categories run from left to right.
    """

    frame: pl.DataFrame
    grid: Grid

    def filled(self) -> pl.DataFrame:
        """The slots with a value."""
        return self.frame.filter(pl.col("value").is_not_null())

    def empty(self) -> pl.DataFrame:
        """The slots without a value."""
        return self.frame.filter(pl.col("value").is_null())

    def intervals(self) -> pl.DataFrame:
        """The slots with an interval."""
        return self.frame.filter(pl.col("low").is_not_null())

    def reach(self) -> tuple[float, float]:
        """The smallest and the largest number drawn; 0, where every bar starts, is one of them."""
        drawn = self.frame.select(
            pl.min_horizontal("value", "low").min().alias("lowest"),
            pl.max_horizontal("value", "high").max().alias("highest"),
        )
        lowest, highest = drawn.row(0)
        return min(lowest or 0.0, 0.0), max(highest or 0.0, 0.0)


def place_slots(frame: pl.DataFrame, layout: Layout, low: str | None = None, high: str | None = None) -> Slots:
    """Order the values of a frame, and find the bars that are missing.

    A panel has a slot for each category in each group that any panel of its column has.

    Args:
        frame: One row for each bar.
        layout: Which columns are which part.
        low: The column with the lower end of each bar's interval.
        high: The column with the upper end.

    Returns:
        The slots, in the order in which they are drawn.
    """
    tidy, grid = arrange(frame, layout, {"value": layout.y, "low": low, "high": high})
    whole = pl.all_horizontal(pl.col("value", "low", "high").is_not_null())
    tidy = tidy.with_columns(pl.when(whole).then(name).alias(name) for name in ("low", "high"))
    places = (
        pl.DataFrame({"row": grid.rows}, {"row": pl.String})
        .join(tidy.select("column", "group").unique(), how="cross")
        .join(pl.DataFrame({"category": grid.categories}, {"category": pl.String}), how="cross")
    )
    order = {"row": grid.rows, "column": grid.columns, "group": grid.groups, "category": grid.categories}
    slots = places.join(tidy, on=list(order), how="left").sort(
        pl.col(role).cast(pl.Enum(values)) for role, values in order.items()
    )
    return Slots(slots, grid)
