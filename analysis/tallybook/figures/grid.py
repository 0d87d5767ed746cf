"""The content of a figure in order: panels, groups, categories and their labels."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.untrusted import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# The label of a null level.
_MISSING = "–"


@dataclass(frozen=True)
class Layout:
    """The columns of a frame that fill each role in a figure, and the texts around it."""

    x: str | None  # the column with the group of a bar, a point or a cell; None if the axis is numeric
    fill: str | None  # the column with its category, if there are categories
    y: str  # the column with the number that is shown; null where there is none
    low: str | None = None  # the column with the lower limit of the number's interval; null where there is none
    high: str | None = None  # the column with its upper limit
    interval: str = "intervals"  # the description of the intervals
    possible: tuple[float | None, float | None] = (None, None)  # the limits of the number, where it has any
    missing: str = "–"  # the sign for a number that does not exist
    panel_columns: str | None = None  # the column whose values are panels side by side
    panel_rows: str | None = None  # the column whose values are rows of panels
    # column -> the labels of its values; other values are printed as they are
    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, "Mapping[str, str]"])
    # column -> its values in display order; others follow in order of appearance
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])
    # the category that is no answer: light grey, and last unless `orders` places it
    refusal: str = "refusal"
    colours: Mapping[str, str] = field(default_factory=dict[str, str])  # the colours of some categories
    per_row: int | None = None  # the number of panels side by side in a row; None for all of them
    title: str = ""  # a title inside the figure; empty for none
    y_title: str = "Percentage (%)"  # the title of the value axis
    width: float = 6.3  # the width in inches at which the figure will be saved: labels are wrapped or rotated to fit it


@dataclass(frozen=True)
class Grid:
    """The rows, columns, groups and categories of a figure in order, and their labels."""

    rows: tuple[str, ...]  # the rows of panels from top to bottom; one empty string if there are none
    columns: tuple[str, ...]  # the panels from left to right; one empty string if there is only one
    groups: tuple[str, ...]  # the groups from left to right
    categories: tuple[str, ...]  # the categories in order
    groups_within: Mapping[str, int]  # column -> the number of its groups
    per_row: int  # the number of columns side by side in a row of panels
    names: Mapping[str, Mapping[str, str]]  # `row`, `column`, `group` or `category` -> value -> label

    def groups_across(self) -> int:
        """Return the largest number of groups side by side."""
        within = [self.groups_within[column] for column in self.columns]
        starts = range(0, len(within), self.per_row)
        return max((sum(within[start : start + self.per_row]) for start in starts), default=0)

    def rows_of_panels(self) -> int:
        """Return the number of panels below each other."""
        return len(self.rows) * math.ceil(len(self.columns) / self.per_row)

    def heading(self, row: str, column: str) -> str:
        """Return the name of a panel within a sentence; empty for the only one."""
        return ", ".join(part for part in (self.names["row"][row], self.names["column"][column]) if part)


def arrange(frame: pl.DataFrame, layout: Layout, numbers: Mapping[str, str | None]) -> tuple[pl.DataFrame, Grid]:
    """Rename the columns of a frame to their roles in the figure, and order the values of each role."""
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
