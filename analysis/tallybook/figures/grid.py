"""What a figure shows, and in which order: panels, groups, categories and their names."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# What is printed for a level that is missing.
_MISSING = "–"


@dataclass(frozen=True)
class Layout:
    """Which columns of a frame become which part of a figure, and what is written around it."""

    x: str | None  # the column with the group of a bar, a point or a cell; none where the axis is one of numbers
    fill: str | None  # the column with its category, if there are categories
    y: str  # the column with the number that is shown; null where there is none
    low: str | None = None  # the column with the lower end of a number's interval; null where there is none
    high: str | None = None  # that with its upper end
    interval: str = "intervals"  # what the intervals are
    missing: str = "–"  # the sign for a number that does not exist
    panel_columns: str | None = None  # the column that makes panels side by side
    panel_rows: str | None = None  # the column that makes rows of panels
    # for a column, what to print for its values; any other value is printed as it is
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, "Mapping[str, str]"])
    # for a column, its values in the order in which they are shown; others follow as they appear
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    # the category that is no answer: light grey, and after all others unless `orders` places it
    refusal: str = "refusal"
    colours: Mapping[str, str] = field(default_factory=dict[str, str])  # for some categories, their colours
    per_row: int | None = None  # how many panels stand side by side before the next row of them begins; none for all
    title: str = ""  # a title inside the figure; empty for none
    y_title: str = "Percentage (%)"  # the title of the axis of numbers
    width: float = 6.3  # the width in inches at which the figure will be saved: labels are wrapped or turned to fit it


@dataclass(frozen=True)
class Grid:
    """The places of a figure and what is printed for them."""

    rows: tuple[str, ...]  # the rows of panels from top to bottom; one empty string when there are no rows
    columns: tuple[str, ...]  # the panels from left to right; one empty string when there is only one
    groups: tuple[str, ...]  # the groups from left to right
    categories: tuple[str, ...]  # the categories in order
    groups_within: Mapping[str, int]  # how many groups each of the columns has
    per_row: int  # how many of the columns stand side by side before the next row of them begins
    names: Mapping[str, Mapping[str, str]]  # what is printed for a value, by `row`, `column`, `group` and `category`

    def groups_across(self) -> int:
        """Get the largest number of groups side by side."""
        within = [self.groups_within[column] for column in self.columns]
        starts = range(0, len(within), self.per_row)
        return max((sum(within[start : start + self.per_row]) for start in starts), default=0)

    def rows_of_panels(self) -> int:
        """Get the number of panels below each other."""
        return len(self.rows) * math.ceil(len(self.columns) / self.per_row)

    def heading(self, row: str, column: str) -> str:
        """Name a panel in a sentence; empty for the only one."""
        return ", ".join(part for part in (self.names["row"][row], self.names["column"][column]) if part)


def arrange(frame: pl.DataFrame, layout: Layout, numbers: Mapping[str, str | None]) -> tuple[pl.DataFrame, Grid]:
    """Rename the columns of a figure to their parts, one row for each of the frame's, and order their places."""
    sources = {"row": layout.panel_rows, "column": layout.panel_columns, "group": layout.x, "category": layout.fill}
    tidy = frame.select(
        *(
            pl.col(source).cast(pl.String).fill_null(_MISSING).alias(role) if source else pl.lit("").alias(role)
            for role, source in sources.items()
        ),
        *(
            pl.col(source).cast(pl.Float64).alias(name) if source else pl.lit(None, pl.Float64).alias(name)
            for name, source in numbers.items()
        ),
    ).with_columns(pl.when(pl.col(name).is_finite()).then(name) for name in numbers)
    order = {
        role: _ordered(tidy.get_column(role).unique(maintain_order=True).to_list(), layout.orders.get(source or "", ()))
        for role, source in sources.items()
    }
    last = () if layout.refusal in layout.orders.get(layout.fill or "", ()) else (layout.refusal,)
    within = tidy.group_by("column").agg(pl.col("group").n_unique())
    return tidy, Grid(
        rows=order["row"],
        columns=order["column"],
        groups=order["group"],
        categories=(
            *(each for each in order["category"] if each not in last),
            *(each for each in order["category"] if each in last),
        ),
        groups_within=dict(within.iter_rows()),
        per_row=min(layout.per_row or len(order["column"]), len(order["column"])) or 1,
        names={
            role: {value: visible(layout.labels.get(source or "", {}).get(value, value)) for value in order[role]}
            for role, source in sources.items()
        },
    )


def _ordered(seen: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    present = set(seen)
    return tuple(dict.fromkeys([*(each for each in wanted if each in present), *seen]))
