"""The segments of stacked bars: ordered, named and placed, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from analysis.untrusted import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What is printed for a value that is missing.
_MISSING = "–"


@dataclass(frozen=True)
class Segments:
    """The segments of all bars of a figure.

    Attributes:
        frame: One row for each segment: `row`, `column` (panels), `group`, `category`, `percent` (0 where there is
            none) and `middle`, the height of the segment's middle.
        empty: The bars without any percentage: `row`, `column`, `group`.
        rows: The rows of panels from top to bottom; one empty string when there are no rows.
        columns: The panels from left to right; one empty string when there is only one.
        groups: The groups from left to right.
        categories: The categories from the lowest segment up.
        names: What is printed for a value, by `row`, `column`, `group` and `category`.
    """

    frame: pl.DataFrame
    empty: pl.DataFrame
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    groups: tuple[str, ...]
    categories: tuple[str, ...]
    names: Mapping[str, Mapping[str, str]]

    def bars(self) -> int:
        """The number of bars side by side."""
        return self.frame.select("column", "group").n_unique()

    def largest(self) -> dict[tuple[str, str, str], str]:
        """For each bar, by row, column and group, its largest category and percentage in words."""
        bar = ["row", "column", "group"]
        largest = self.frame.sort("percent", descending=True, maintain_order=True).unique(bar, keep="first")
        found = {
            (row, column, group): f"{self.names['category'][category]} {percent:.0f} %"
            for row, column, group, category, percent in largest.select(*bar, "category", "percent").iter_rows()
        }
        return found | dict.fromkeys(self.empty.iter_rows(), "no data")


def place_segments(
    frame: pl.DataFrame,
    *,
    x: str,
    fill: str,
    y: str,
    panel_columns: str | None,
    panel_rows: str | None,
    labels: Mapping[str, Mapping[str, str]],
    x_order: Sequence[str],
    fill_order: Sequence[str],
    refusal: str,
) -> Segments:
    """Order the values of a frame and stack its percentages; the arguments are those of `stacked_bars`."""
    sources = {"row": panel_rows, "column": panel_columns, "group": x, "category": fill}
    tidy = frame.select(
        *(
            pl.col(source).cast(pl.String).fill_null(_MISSING).alias(role) if source else pl.lit("").alias(role)
            for role, source in sources.items()
        ),
        pl.col(y).cast(pl.Float64).alias("percent"),
    ).with_columns(pl.when(pl.col("percent").is_finite()).then("percent"))
    seen = {role: tidy.get_column(role).unique(maintain_order=True).to_list() for role in sources}
    groups = _ordered(seen["group"], x_order)
    last = () if refusal in fill_order else (refusal,)
    categories = _ordered([each for each in seen["category"] if each not in last], fill_order)
    categories += tuple(each for each in seen["category"] if each in last)

    bar = ["row", "column", "group"]
    stacked = (
        tidy.sort(pl.col("category").cast(pl.Enum(categories)), maintain_order=True)
        .with_columns(pl.col("percent").is_null().all().over(bar).alias("is_empty"), pl.col("percent").fill_null(0.0))
        .with_columns((pl.col("percent").cum_sum().over(bar) - pl.col("percent") / 2).alias("middle"))
    )
    return Segments(
        frame=stacked.select(*bar, "category", "percent", "middle"),
        empty=stacked.filter("is_empty").select(bar).unique(maintain_order=True),
        rows=tuple(seen["row"]),
        columns=tuple(seen["column"]),
        groups=groups,
        categories=categories,
        names={
            role: {value: visible(labels.get(source or "", {}).get(value, value)) for value in seen[role]}
            for role, source in sources.items()
        },
    )


def _ordered(seen: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    present = set(seen)
    return tuple(dict.fromkeys([*(each for each in wanted if each in present), *seen]))
