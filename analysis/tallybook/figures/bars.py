"""Settings and sizes that figures of bars share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from tallybook.figures.grid import Layout
from tallybook.figures.selection import level_names
from tallybook.study.base import Identifier
from tallybook.study.figure_base import Plot
from tallybook.study.naming import term_label

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.figures.grid import Grid
    from tallybook.study.model import Study

# Inches: the height of a single row of panels; with several rows, of the legend and of each row.
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
        """The axis that colours distinguish: `term` or a factor."""
        return "term"

    @property
    def shown_outcomes(self) -> tuple[str, ...]:
        """The outcome that is shown, as a tuple."""
        return (self.outcome,)

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that identify a bar or a segment of one: factors and `term`."""
        return tuple(axis for axis in (self.panel_rows, self.panels, self.x, self.fill) if axis)

    def layout(
        self,
        study: Study,
        shown: pl.DataFrame,
        terms: Mapping[str, str],
        **parts: Any,  # noqa: ANN401  of a Layout
    ) -> Layout:
        """Return the layout: the roles of the estimates' columns in the figure, with the `parts` that the kind adds."""
        names = level_names(study, self, shown)
        if "term" in names:
            own = {term: name or term_label(study, self.outcome, term) for term, name in terms.items()}
            names["term"] = {**own, **self.labels.get("term", {})}
        orders = {axis: tuple(levels) for axis, levels in names.items()}
        places: Any = {"panel_columns": self.panels, "panel_rows": self.panel_rows, "labels": names, "orders": orders}
        return Layout(x=self.x, fill=self.fill, y_title=self.y_label, **places, **parts)


def height_of_bars(grid: Grid) -> float:
    """Return the height in inches of a figure of bars with its rows of panels."""
    rows = len(grid.rows)
    return _ONE_ROW if rows == 1 else _LEGEND + _MORE_ROWS * rows
