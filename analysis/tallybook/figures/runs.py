"""Curves in runs: unbroken stretches of numbers, and the gaps between them, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import polars as pl

from tallybook.figures.grid import arrange
from tallybook.figures.slots import one_column

if TYPE_CHECKING:
    from tallybook.figures.grid import Grid, Layout

_CURVE = ["row", "column", "category"]


@dataclass(frozen=True)
class Runs:
    """The curves of all panels of a figure."""

    # one row for each point of a curve: `row`, `column` (panels), `category`, `x`, `value` (null in a gap), `low` and
    # `high` (both null unless both exist and the value does) and `run`, a number for each stretch of rows with, or
    # without, a value
    frame: pl.DataFrame
    # one row for each circle behind the curves: `row`, `column`, `x`, `value`, `n` and `size`, the square root of n
    # by the largest n
    circles: pl.DataFrame
    absent: pl.DataFrame  # the curves without any number: `row`, `column`, `category`
    grid: Grid  # the places of the curves
    several: bool  # whether a panel has room for more than one curve

    def extent(self) -> tuple[tuple[float | None, float | None], tuple[float | None, float | None]]:
        """Get the smallest and the largest number along the horizontal and along the vertical axis."""
        found = pl.concat([self.frame.drop("category"), self.circles], how="diagonal").select(
            pl.col("x").min().alias("left"),
            pl.col("x").max().alias("right"),
            pl.min_horizontal("value", "low").min().alias("lowest"),
            pl.max_horizontal("value", "high").max().alias("highest"),
        )
        left, right, lowest, highest = found.row(0)
        return (left, right), (lowest, highest)

    def gaps(self) -> pl.DataFrame:
        """List the gaps within curves: `row`, `column`, `category`, and `x`, the middle."""
        missing = self.frame.filter(pl.col("value").is_null()).join(self.absent, on=_CURVE, how="anti")
        return missing.group_by(*_CURVE, "run", maintain_order=True).agg(
            ((pl.col("x").min() + pl.col("x").max()) / 2).alias("x")
        )


def place_runs(frame: pl.DataFrame, layout: Layout, x: str, circles: pl.DataFrame | None = None) -> Runs:
    """Order the points of curves, one of each category a panel unless each belongs to one; find gaps and circles."""
    tidy, grid = arrange(frame, layout, {"x": x, "value": layout.y, "low": layout.low, "high": layout.high})
    whole = pl.all_horizontal(pl.col("value", "low", "high").is_not_null())
    order = {"row": grid.rows, "column": grid.columns, "category": grid.categories}
    curves = (
        tidy.filter(pl.col("x").is_not_null())
        .with_columns(pl.when(whole).then(name).alias(name) for name in ("low", "high"))
        .sort(*(pl.col(role).cast(pl.Enum(values)) for role, values in order.items()), "x", maintain_order=True)
        .with_columns(pl.struct(*_CURVE, pl.col("value").is_null()).rle_id().cast(pl.Int64).alias("run"))
    )
    places = tidy.select("column", "category").unique()
    if places.get_column("category").is_duplicated().any():
        places = one_column("column", grid.columns).join(one_column("category", grid.categories), how="cross")
    several = bool(places.get_column("column").is_duplicated().any())
    places = one_column("row", grid.rows).join(places, how="cross").select(_CURVE)
    known = curves.filter(pl.col("value").is_not_null())
    absent = places.join(known, on=_CURVE, how="anti").sort(pl.col(role).cast(pl.Enum(order[role])) for role in _CURVE)
    nothing = frame.clear().with_columns(n=pl.lit(0))
    seen = _circles(nothing if circles is None else circles, layout, x, grid)
    return Runs(curves.select(*_CURVE, "x", "value", "low", "high", "run"), seen, absent, grid, several)


def _circles(circles: pl.DataFrame, layout: Layout, x: str, grid: Grid) -> pl.DataFrame:
    tidy, _ = arrange(circles, replace(layout, fill=None), {"x": x, "value": layout.y, "n": "n"})
    shown = tidy.filter(
        pl.col("row").is_in(grid.rows),
        pl.col("column").is_in(grid.columns),
        pl.all_horizontal(pl.col("x", "value").is_not_null()),
        pl.col("n") > 0,
    )
    size = (pl.col("n") / pl.col("n").max()).sqrt().alias("size")
    # Large circles first: small ones stay seen.
    return shown.select("row", "column", "x", "value", "n", size).sort("n", descending=True, maintain_order=True)
